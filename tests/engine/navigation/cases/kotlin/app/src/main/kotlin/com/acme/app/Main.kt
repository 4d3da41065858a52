package com.acme.app

import com.acme.model.*
import com.acme.model.Order.Companion.LIMIT
//                                    ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.LIMIT
import com.acme.util.Money
import com.acme.util.Price
import com.acme.util.defaultMoney
//                   ^ -> core/src/main/kotlin/com/acme/util/Text.kt defaultMoney
import com.acme.util.half
import com.acme.util.isFree
import com.acme.util.logged
import com.acme.util.minus

class Main(private val order: Order) : Runnable {
  private val order2: Order? = null

  override fun run() {
    order.save()
    //    ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.save
    order.describe()
    //    ^ -> core/src/main/kotlin/com/acme/model/Entity.kt Named.describe
    order2?.cursor()?.line()?.price
    //      ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.cursor
    //                ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.Cursor.line
    //                        ^ -> core/src/main/kotlin/com/acme/model/Order.kt Line.price
    order2!!.cursor()
    //       ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.cursor
    val money = Money.of("3")
    //                ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.Factory.of
    money.isFree()
    //    ^ -> core/src/main/kotlin/com/acme/util/Text.kt isFree
    money.half
    //    ^ -> core/src/main/kotlin/com/acme/util/Text.kt half
    money minus money
    //    ^ -> core/src/main/kotlin/com/acme/util/Text.kt minus
    money.logged().cents
    //    ^ -> core/src/main/kotlin/com/acme/util/Text.kt logged
    defaultMoney.plus(money)
    //           ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.plus
    val price: Price = money
    //         ^ -> core/src/main/kotlin/com/acme/util/Text.kt Price
    price.plus(money)
    //    ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.plus
    Order.empty().save()
    //    ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.empty
    //            ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.save
    Order.Companion.empty()
    //              ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.empty
    check(LIMIT > 0)
    //    ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.LIMIT
    val found = find() ?: return
    found.save()
    //    ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.save
    val cast = anything() as Order
    cast.save()
    //   ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.save
    val again = (anything() as? Order)?.save()
    //                                  ^ -> core/src/main/kotlin/com/acme/model/Order.kt Order.save
    listOf(order).forEach { it.save() }
    //                         ^ unresolved
    Status.Closed("done").reason
    //     ^ -> core/src/main/kotlin/com/acme/model/Entity.kt Status.Closed
    //                    ^ -> core/src/main/kotlin/com/acme/model/Entity.kt Status.Closed.reason
    try {
      helper()
//    ^ -> helper
    } catch (e: Failure) {
      e.explain()
//      ^ -> Failure.explain
    }
    secret()
//  ^ external
    val worker = object : Runnable {
      override fun run() = helper()
      //                   ^ -> helper
    }
    worker.run()
    val level = Level.HIGH
    level.heavier(Level.LOW)
    //    ^ -> core/src/main/kotlin/com/acme/model/Order.kt Level.heavier
    //                  ^ -> core/src/main/kotlin/com/acme/model/Order.kt Level.LOW
    Level.valueOf("LOW")
    unknown.save()
    //      ^ external
  }

  private fun find(): Order? = order
  //                           ^ -> Main.order
  private fun anything(): Any = order
}

class Failure(message: String) : Exception(message) {
//                               ^ external
  fun explain() {}
}

private fun helper() {}
