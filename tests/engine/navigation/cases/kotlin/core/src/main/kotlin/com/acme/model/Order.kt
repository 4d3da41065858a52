package com.acme.model

import com.acme.util.Money
import com.acme.util.shout
import com.acme.util.Registry as Known
import java.util.UUID

enum class Level(val weight: Int) {
  LOW(1),
  HIGH(2);

  fun heavier(other: Level): Boolean = weight > other.weight
  //                                                  ^ -> Level.weight
}

data class Line(val price: Money, val level: Level = Level.LOW) {
//                         ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money
//                                                         ^ -> Level.LOW
  fun total(): Money = price.plus(price)
  //                         ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.plus
}

class Order(id: Long, private val lines: List<Line>) : Entity(id) {
//                                                     ^ -> core/src/main/kotlin/com/acme/model/Entity.kt Entity
  override val title: String get() = "order".shout()
  private var status: Status = Status.Open
  //                                  ^ -> core/src/main/kotlin/com/acme/model/Entity.kt Status.Open
  val first by lazy { lines.first() }
  lateinit var legacy: Legacy
  //                   ^ -> core/src/main/java/com/acme/model/Legacy.java Legacy

  override fun save(): Boolean {
    for (line in lines) {
      line.total().cents
      //   ^ -> Line.total
      //           ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.cents
    }
    status.isOpen()
    //     ^ -> core/src/main/kotlin/com/acme/model/Entity.kt Status.isOpen
    touch().save()
//  ^ -> core/src/main/kotlin/com/acme/model/Entity.kt Entity.touch
//          ^ -> core/src/main/kotlin/com/acme/model/Entity.kt Entity.save
    legacy.load(1)
    //     ^ -> core/src/main/java/com/acme/model/Legacy.java Legacy.load
    Known.add(this)
    //    ^ -> core/src/main/kotlin/com/acme/util/Registry.kt Registry.add
    val key = UUID.randomUUID()
    //             ^ external
    secret()
    println(key)
//  ^ external
    return super.save()
    //           ^ -> core/src/main/kotlin/com/acme/model/Entity.kt Entity.save
  }

  inner class Cursor(private val at: Int) {
    fun line(): Line = this@Order.lines[at]
    //                            ^ -> Order.lines
    //                                  ^ -> Order.Cursor.at
    fun total(): Money = line().total()
    //                          ^ -> Line.total
  }

  fun cursor() = Cursor(0)

  companion object {
    const val LIMIT = 10
    fun empty(): Order = Order(0, emptyList())
    //                   ^ -> Order
    //                            ^ external
  }
}
