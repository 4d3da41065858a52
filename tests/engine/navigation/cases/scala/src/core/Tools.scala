package shop.util

object Tools {
  def log(text: String): Unit = println(text)
//                              ^ external
}
