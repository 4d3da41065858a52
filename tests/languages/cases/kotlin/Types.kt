// == file annotation, package and plain comment
// Not documentation.
// <- comment
@file:JvmName("Shapes")
//    ^ ref decorator owner=""
package com.example.shapes

// == imports: name, alias, wildcard
import com.example.core.Thing
// <- import module="com.example.core" name="Thing"
//                      ^ ref import
import com.example.core.Other as Alias
// <- import module="com.example.core" name="Other" alias="Alias"
//                      ^ ref import
//                               ^ none
import com.example.util.*
// <- import module="com.example.util" name="*"

// == data class with annotations, constructor properties and bases
/** A point in the plane. */
@Serializable
 // <- ref decorator owner=Point
@Table(name = "points")
 // <- ref decorator owner=Point
data class Point<T : Any>(
//         ^ def class vis=public doc="A point in the plane." end=+5
//               ^ none
//                   ^ ref type owner=Point
  val x: Int,
  //  ^ def field scope=Point vis=public sig="val x: Int"
  //     ^ ref type owner=x
  @Ann private var y: Double = 0.0,
  //               ^ def field scope=Point vis=private sig="private var y: Double = 0.0"
// ^ ref decorator owner=y
  z: String,
) : Base(z), Shape, Comparable<Point<T>> {
//  ^ ref inherit owner=Point
//           ^ ref inherit owner=Point
//                  ^ ref inherit owner=Point
//                             ^ ref type owner=Point
}

// == qualified and generic bases
class Wide : com.example.base.Root<Int>(), Named by helper
//    ^ def class sig="class Wide : com.example.base.Root<Int>(), Named by helper"
//           ^ none
//                            ^ ref inherit owner=Wide
//                                         ^ ref inherit owner=Wide
//                                                  ^ ref read owner=Wide

// == visibility words and the default
internal class Inner1
//             ^ def class vis=internal
private class Inner2
//            ^ def class vis=private sig="private class Inner2"
open class Box {
//         ^ def class vis=public sig="open class Box"
  protected open fun peek() {}
  //                 ^ def method scope=Box vis=protected sig="protected open fun peek()"
  public val shown = 1
  //         ^ def field scope=Box vis=public sig="public val shown = 1"
}

// == interface and functional interface
interface Shape {
//        ^ def interface
  /** How much. */
  val area: Double
  //  ^ def field scope=Shape doc="How much." sig="val area: Double"
  fun draw(canvas: Canvas, deep: Boolean = false): Int?
  //  ^ def method scope=Shape sig="fun draw(canvas: Canvas, deep: Boolean = false): Int?"
  //               ^ ref type owner=draw
}
fun interface Callback {
//            ^ def interface
  fun call()
  //  ^ def method scope=Callback
}

// == sealed hierarchy with objects
sealed class State {
//           ^ def class sig="sealed class State"
  object Idle : State()
  //     ^ def class scope=State
  //            ^ ref inherit owner=Idle
  data class Busy(val since: Long) : State()
  //         ^ def class scope=State
  //                  ^ def field scope=State.Busy
}

// == enum class with values, bodies and members
enum class Color(val rgb: Int) {
//         ^ def enum sig="enum class Color(val rgb: Int)"
//                   ^ def field scope=Color
  RED(0xff0000),
  // <- def field scope=Color vis=public sig="RED(0xff0000)"
  GREEN(0x00ff00) {
  // <- def field scope=Color sig="GREEN(0x00ff00)" end=+2
    override fun lighter() = RED
    //           ^ def method scope=Color.GREEN
    //                       ^ ref read owner=lighter
  };

  abstract fun lighter(): Color
  //           ^ def method scope=Color
  val hex: String get() = rgb.toString(16)
  //  ^ def property scope=Color sig="val hex: String"
  //                      ^ ref read owner=hex
  //                          ^ ref call recv="rgb"
}

// == object declaration
object Registry : Base("x") {
//     ^ def class sig="object Registry : Base(\"x\")"
  private val all = mutableListOf<Thing>()
  //          ^ def field scope=Registry vis=private
  //                ^ ref call
  //                              ^ ref type
}

// == companion object without a name
class Maker private constructor(val id: Int) {
//    ^ def class sig="class Maker private constructor(val id: Int)"
//                                  ^ def field scope=Maker
  companion object {
    const val LIMIT = 10
    //        ^ def const scope=Maker sig="const val LIMIT = 10"
    fun make(): Maker = Maker(LIMIT)
    //  ^ def method scope=Maker
    //                  ^ ref instance owner=make
    //                        ^ ref read owner=make
  }
}

// == companion object with a name
class Parser {
//    ^ def class
  companion object Factory : Creator<Parser> {
    //             ^ def class scope=Parser sig="companion object Factory : Creator<Parser>"
    //                       ^ ref inherit owner=Factory
    fun create() = Parser()
    //  ^ def method scope=Parser.Factory
  }
}

// == annotation class, value class, type alias
annotation class Ann(val why: String = "")
//               ^ def class
//                       ^ def field scope=Ann sig="val why: String = \"\""
@JvmInline
value class Id(val raw: String)
//          ^ def class sig="value class Id(val raw: String)"
//                 ^ def field scope=Id
typealias Handler<T> = (T) -> Unit
//        ^ def type sig="typealias Handler<T> = (T) -> Unit"
actual typealias Runner = Thing
//               ^ def type
//                        ^ ref type owner=Runner

// == properties: getter, setter, delegate, late, lambda
class Props {
//    ^ def class
  val size: Int
  //  ^ def property scope=Props sig="val size: Int" end=+1
    get() = items.size
    //      ^ ref read owner=size
    //            ^ ref read owner=size recv="items"
  var name: String = ""
  //  ^ def property scope=Props sig="var name: String = \"\""
    set(value) { field = value }
    //           ^ ref write
  val later by lazy { Thing() }
  //  ^ def property scope=Props sig="val later by lazy { Thing() }"
  //           ^ ref call owner=later
  //                  ^ ref instance owner=later
  lateinit var service: Service
  //           ^ def field scope=Props sig="lateinit var service: Service"
  private val handler = { x: Int -> x + 1 }
  //          ^ def field scope=Props sig="private val handler"
  init {
    val local = size
    //  ^ none
    check(local > 0)
//  ^ ref call owner=Props
  }
}

// == secondary constructors
class Pair2(val a: Int, val b: Int) {
//    ^ def class
//              ^ def field
//                          ^ def field
  /** Twice the same. */
  constructor(both: Int) : this(both, both) { check(both > 0) }
  // <- def method scope=Pair2 doc="Twice the same." sig="constructor(both: Int) : this(both, both)"
  //                                          ^ ref call owner=constructor
}

// == nested, inner and local classes
class Outer {
//    ^ def class
  class Nested
  //    ^ def class scope=Outer
  inner class Deep {
    //        ^ def class scope=Outer
    fun outer() = this@Outer.toString()
    //  ^ def method scope=Outer.Deep
    //                 ^ ref type owner=outer
    //                       ^ ref call owner=outer recv="this@Outer"
  }
  fun run() {
  //  ^ def method scope=Outer
    class Local
    //    ^ def class scope=Outer.run
  }
}

// == expect, actual and names in backticks
expect fun platform(): String
//         ^ def fn sig="expect fun platform(): String"
class Odd {
//    ^ def class
  fun `says hello`() {}
  //   ^ def method scope=Odd
}
