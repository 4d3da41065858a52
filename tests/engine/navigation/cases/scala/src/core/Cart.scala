package shop.core

import shop.model.{Item => Thing, Priced}
import shop.util._
import java.util.UUID

class Cart(val best: Thing, helper: Helper) extends Base with Priced {
//                   ^ -> src/model/Item.scala Item
//                                  ^ -> src/core/Base.scala Helper
//                                                  ^ -> src/core/Base.scala Base
//                                                            ^ -> src/model/Item.scala Priced
  private val limit = 3

  def add(item: Thing): Unit = {
    val local = item.label
//                   ^ -> src/model/Item.scala label
    best.price
//  ^ -> best
//       ^ -> src/model/Item.scala price
    helper.help(limit)
//         ^ -> src/core/Base.scala help
//              ^ -> limit
    save(local)
//  ^ -> src/core/Base.scala save
    this.save(local)
//       ^ -> src/core/Base.scala save
    cost
//  ^ -> src/model/Item.scala cost
    Tools.log(local)
//  ^ -> src/core/Tools.scala Tools
//        ^ -> src/core/Tools.scala log
    UUID.randomUUID()
//       ^ external
    def inner(n: Int) = n
    inner(1)
//  ^ -> inner
    val made = new Helper()
//                 ^ -> src/core/Base.scala Helper
    made.help(2)
//       ^ -> src/core/Base.scala help
    made.missing(2)
//       ^ unresolved
  }
}
