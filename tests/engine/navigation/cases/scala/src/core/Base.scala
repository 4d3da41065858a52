package shop
package core

class Base {
  def save(text: String): Unit = ()
}

class Helper {
  def help(n: Int): Int = again(n)
//                        ^ -> again
  def again(n: Int): Int = n
}
