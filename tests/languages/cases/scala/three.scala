// == enumerations
enum Color(val code: Int) derives Eq:
//   ^ def enum vis=public end=+3
//             ^ def field scope=Color vis=public
//                                ^ ref inherit owner=Color
  case Red extends Color(1)
//     ^ def field scope=Color vis=public sig="Red extends Color(1)"
  case Green, Blue
//     ^ def field scope=Color vis=public
//            ^ def field scope=Color vis=public
  def next = Red
//    ^ def method scope=Color vis=public
enum Shape:
//   ^ def enum vis=public end=+2
  case Circle(radius: Double)
//     ^ def field scope=Shape vis=public
//            ^ def field scope=Shape.Circle vis=public
  case Dot
//     ^ def field scope=Shape vis=public
// == instances that are given
given intOrder: Ordering[Int] with
//    ^ def impl vis=public sig="given intOrder: Ordering[Int] with" end=+1
//              ^ ref inherit owner=intOrder
  def compare(a: Int, b: Int) = 0
//    ^ def method scope=intOrder vis=public
given Ordering[Color] with
//    ^ def impl vis=public end=+1
  def compare(a: Color, b: Color) = 1
//    ^ def method scope=Ordering vis=public
given fallback: Level = Level(1)
//    ^ def const vis=public sig="given fallback: Level = Level(1)"
// == extension methods
extension (text: String)
  def shout: String = text.toUpperCase
//    ^ def method scope=String vis=public sig="def shout: String"
  def twice(n: Int) = text * n
//    ^ def method scope=String vis=public
// == definitions of the file
type Name = String
//   ^ def type vis=public sig="type Name = String"
opaque type Id = Long
//          ^ def type vis=public sig="opaque type Id = Long"
val maximum = 10
//  ^ def const vis=public sig="val maximum = 10"
private var current = 0
//          ^ def var vis=private sig="private var current = 0"
inline def plus(x: Int): Int = x + current
//         ^ def fn vis=public sig="inline def plus(x: Int): Int"
//                                 ^ ref read owner=plus
@main def run(): Unit = println(plus(1))
//        ^ def fn vis=public sig="def run(): Unit"
//                              ^ ref call owner=run
// == class without braces
class Box:
//    ^ def class vis=public end=+2
  def open = 1
//    ^ def method scope=Box vis=public
  private val lid = 2
//            ^ def field scope=Box vis=private
// == export
export tools.help
// <- import module=tools name=help
//           ^ ref import
