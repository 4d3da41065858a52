// == imports: one name, several, renamed, all
package com.shop
package core
import java.util.UUID
// <- import module=java.util name=UUID
//               ^ ref import
import scala.collection.mutable.{Map => MMap, Set}
// <- import module=scala.collection.mutable name=Map alias=MMap
// <- import module=scala.collection.mutable name=Set
//                               ^ ref import
//                                      ^ none
import com.shop.model._
// <- import module=com.shop.model name=*
import com.shop.util.*
// <- import module=com.shop.util name=*
import com.shop.{Price as Cost}
// <- import module=com.shop name=Price alias=Cost
// == class with documentation, annotation, parameters and parents
/** Holds things. */
// <- doc
@deprecated("old", "1")
sealed abstract class Cart[T <: Item](val name: String, private var count: Int = 1, plain: Cost)
//                    ^ def class vis=public sig="sealed abstract class Cart[T <: Item](val name: String, private var count: Int = 1, plain: Cost) extends Base[T](name) with Logging with io.Closeable" doc="Holds things." end=+36
//                              ^ ref type owner=Cart
//                                        ^ def field scope=Cart vis=public sig="val name: String"
//                                                                  ^ def field scope=Cart vis=private sig="private var count: Int = 1"
//                                                                                         ^ ref type owner=Cart
    extends Base[T](name) with Logging with io.Closeable {
//          ^ ref inherit owner=Cart
//                             ^ ref inherit owner=Cart
//                                             ^ ref inherit owner=Cart recv=io
  // == values and variables of a class
  val total: Cost = compute(1)
//    ^ def field scope=Cart vis=public sig="val total: Cost = compute(1)"
//           ^ ref type owner=total
//                  ^ ref call owner=total
  private[shop] var open = true
//                  ^ def field scope=Cart vis=internal sig="private[shop] var open = true"
  private[this] val own = 1
//                  ^ def field scope=Cart vis=private
  protected lazy val late = 2
//                   ^ def field scope=Cart vis=protected sig="protected lazy val late = 2"
  val (first, second) = pair
//     ^ def field scope=Cart vis=public sig="val (first, second) = pair"
//            ^ def field scope=Cart vis=public
  val left, right = 0
//    ^ def field scope=Cart vis=public
//          ^ def field scope=Cart vis=public
  // == types in a class
  type Items = List[T]
//     ^ def type scope=Cart vis=public sig="type Items = List[T]"
//             ^ ref type owner=Items
  type Key <: AnyKey
//     ^ def type scope=Cart vis=public sig="type Key <: AnyKey"
  // == second constructor
  def this(name: String) = this(name, 1, Cost(0))
//    ^ def method scope=Cart vis=public sig="def this(name: String)"
//                                       ^ ref instance owner=this
  // == method with documentation, annotation and several lists of parameters
  /** Adds one. */
  @tailrec final def add(item: T)(implicit ec: Context): Future[Unit] = {
//                   ^ def method scope=Cart vis=public sig="final def add(item: T)(implicit ec: Context): Future[Unit]" doc="Adds one." end=+18
// ^ ref decorator owner=add
//                                             ^ ref type owner=add
//                                                       ^ ref type owner=add
    val local = new Item(1)
//                  ^ ref instance owner=add
    count = 3
//  ^ ref write owner=add
    this.open = false
//       ^ ref write owner=add recv=this
    count += 1
//  ^ ref write owner=add
    items.map(_.name).foreach { one => print(one) }
//  ^ ref read owner=add
//        ^ ref call owner=add recv=items
//                    ^ ref call owner=add recv="items.map()"
//                                     ^ ref call owner=add
//                                           ^ none
    item match {
//  ^ none
      case Item(price, _) => price
//         ^ ref type owner=add
//                           ^ none
      case other: Special => other.use(local)
//                ^ ref type owner=add
//                                 ^ ref call owner=add recv="other"
      case Empty => throw new IllegalStateException("no")
//                            ^ ref throw owner=add
    }
    for (one <- all; two = one.next) yield join[Int](one, two)
//              ^ ref read owner=add
//                             ^ ref read owner=add recv="one"
//                                         ^ ref call owner=add
    try close() catch { case e: IOException => () }
//      ^ ref call owner=add
//                              ^ ref type owner=add
    Future.successful(())
//  ^ ref type owner=add
//         ^ ref call owner=add recv=Future
    left plus right
//       ^ ref call owner=add
    s"hello ${name}"
//            ^ ref read owner=add
    // == function inside a function
    def helper(x: Int) = x + own
//      ^ def fn scope=Cart.add vis=private sig="def helper(x: Int)"
//                       ^ none
//                           ^ ref read owner=helper
    helper(1)
//  ^ ref call owner=add
  }
  // == abstract, private and operator methods
  def size: Int
//    ^ def method scope=Cart vis=public sig="def size: Int"
  private def hidden() = 1
//            ^ def method scope=Cart vis=private sig="private def hidden()"
  def +(other: Cart[T]): Cart[T] = this
//    ^ def method scope=Cart vis=public sig="def +(other: Cart[T]): Cart[T]"
  def `odd name` = 1
//     ^ def method scope=Cart vis=public
  // == object in a class
  object Nested { val deep = 1 }
//       ^ def class scope=Cart vis=public sig="object Nested"
//                    ^ def field scope=Cart.Nested vis=public
}
// == case class and case object
case class Item(price: Int, code: Option[String] = None)
//         ^ def class vis=public sig="case class Item(price: Int, code: Option[String] = None)"
//              ^ def field scope=Item vis=public sig="price: Int"
//                          ^ def field scope=Item vis=public
case object Empty extends Item(0)
//          ^ def class vis=public sig="case object Empty extends Item(0)"
//                        ^ ref inherit owner=Empty
// == companion with implicits
object Cart {
//     ^ def class vis=public sig="object Cart" end=+4
  def apply(): Cart[Item] = new Cart[Item]("x")
//    ^ def method scope=Cart vis=public
//                              ^ ref instance owner=apply
  implicit val format: Format[Item] = null
//             ^ def field scope=Cart vis=public sig="implicit val format: Format[Item] = null"
  implicit class Rich(x: Int) { def go = x }
//               ^ def class scope=Cart vis=public sig="implicit class Rich(x: Int)"
//                                  ^ def method scope=Cart.Rich vis=public
}
// == trait with a self type
trait Logging { self: Cart[Item] =>
//    ^ def trait vis=public sig="trait Logging" end=+3
//                    ^ ref type owner=Logging
  val level: Level
//    ^ def field scope=Logging vis=public sig="val level: Level"
  def log(text: String): Unit = println(text)
//    ^ def method scope=Logging vis=public
//                              ^ ref call owner=log
}
// == package object
package object tools { def help = 1 }
//             ^ def mod vis=public sig="package object tools"
//                         ^ def method scope=tools vis=public
