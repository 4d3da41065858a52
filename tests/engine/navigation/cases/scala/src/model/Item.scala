package shop.model

case class Item(price: Int) {
  def label: String = text(price)
//                    ^ -> text
//                         ^ -> price
  private def text(n: Int): String = n.toString
}

object Item {
  def free(): Item = Item(0)
//            ^ -> src/model/Item.scala Item
}

trait Priced {
  def cost: Int = 1
}
