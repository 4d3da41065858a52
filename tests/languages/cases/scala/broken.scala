// == a file that is not finished
object Log {
//     ^ def class vis=public end=+4
  def write(text: String): Unit = {
//    ^ def method scope=Log vis=public end=+2
    println(text)
//  ^ ref call owner=write
  }
}
class Rest {
//    ^ def class vis=public
  def close(
