package com.example.code

import com.example.core.Thing

// == documentation right behind the imports
/**
 * The most that is taken.
 */
const val MOST = 12
//        ^ def const vis=public doc="The most that is taken." sig="const val MOST = 12"

// == top-level properties
val table = mapOf("a" to 1)
//  ^ def const sig="val table = mapOf(\"a\" to 1)"
//          ^ ref call owner=table
//                    ^ ref call recv="'"
private var counter = 0
//          ^ def var vis=private
internal val half: Int get() = MOST / 2
//           ^ def property vis=internal sig="internal val half: Int"
//                             ^ ref read owner=half
val (left, right) = both()
//   ^ def var
//         ^ def var
val shared by lazy { Thing() }
//  ^ def property

// == functions: expression body, defaults, vararg, function types
fun take(n: Int = MOST, vararg rest: String, then: (Int) -> Unit = {}): List<Thing> = emptyList()
//  ^ def fn sig="fun take(n: Int = MOST, vararg rest: String, then: (Int) -> Unit = {}): List<Thing>"
//                ^ ref read owner=take
//       ^ none
//                                                                      ^ ref type
//                                                                           ^ ref type
//                                                                                    ^ ref call owner=take

// == suspend, inline, operator and infix functions
suspend inline fun <reified T> load(key: String): T where T : Any = fetch(key)
//                             ^ def fn sig="suspend inline fun <reified T> load(key: String): T where T : Any"
//                          ^ none
//                                                            ^ ref type
//                                                                  ^ ref call
operator fun Thing.plus(other: Thing): Thing = merge(other)
//                 ^ def fn sig="operator fun Thing.plus(other: Thing): Thing"
//           ^ ref type owner=plus
infix fun Int.times2(by: Int) = this * by
//            ^ def fn

// == extension functions and properties
/** Louder. */
fun String?.shout(): String = this!!.uppercase()
//          ^ def fn scope="" doc="Louder." sig="fun String?.shout(): String"
//                                   ^ ref call recv="this"
fun <T> List<T>.second(): T = this[1]
//              ^ def fn sig="fun <T> List<T>.second(): T"
val Thing.Companion.best: Int get() = 1
//                  ^ def property sig="val Thing.Companion.best: Int"

// == calls, chains, safe calls and infix calls
fun calls(thing: Thing, other: Thing?) {
//  ^ def fn
  thing.make(1).name.trim()
  //    ^ ref call owner=calls recv="thing"
  //            ^ ref read recv="thing.make()"
  //                 ^ ref call recv="thing.make().name"
  other?.make()?.name
  //     ^ ref call recv="other"
  //             ^ ref read recv="other.make()"
  other!!.name
  //      ^ ref read recv="other"
  thing plus thing
  //    ^ ref call recv="thing"
  run { make(2) }
//^ ref call owner=calls
//      ^ ref call owner=calls recv=""
  take(n = 3, then = ::println)
  //   ^ none
  //                   ^ ref read
  Thing.Inner(1)
//^ ref type
  //    ^ ref instance recv="Thing"
  Thing::make
  //     ^ ref read recv="Thing"
}

// == writes
fun writes(thing: Thing) {
//  ^ def fn
  counter = 1
// ^ none
  counter += 2
  thing.name = "x"
  //    ^ ref write recv="thing"
  thing.parts[0] = 1
  //    ^ ref read recv="thing"
  counter++
  --counter
  //^ ref write
}

// == throws and catches
fun fails() {
//  ^ def fn
  try {
    throw IllegalStateException("no")
    //    ^ ref throw owner=fails
  } catch (e: java.io.IOException) {
    //                ^ ref type
    throw com.example.Bad(e)
    //                ^ ref throw
  }
}

// == loops, branches and patterns
fun flow(items: List<Thing>, state: Any): Int {
//  ^ def fn
  for (item in items) item.go()
  //                       ^ ref call recv="item"
  for ((key, value) in table) use(key, value)
  //                   ^ ref read
  when (val s = state) {
    is Thing -> s.go()
    // ^ ref type
    //            ^ ref call recv="s"
    in 1..3 -> return 1
    !in table.keys, null -> {}
    //  ^ ref read
    else -> while (true) { break }
  }
  return if (state is Thing && state !in items) 1 else 2
  //                  ^ ref type
}

// == lambdas, anonymous functions and objects
fun blocks(items: List<Thing>) {
//  ^ def fn
  items.map { it.name }.forEach { name -> println(name) }
  //                ^ none
  //             ^ ref read recv="it"
  //                                      ^ ref call
  val double = fun(x: Int): Int { return x * 2 }
  //  ^ none
  val task = object : Runnable, Named("x") {
    //                ^ ref inherit
    //                          ^ ref inherit
    override fun run() = double(1)
    //           ^ def method scope=blocks
    //                   ^ ref call owner=run
  }
  task.run()
  //   ^ ref call recv="task"
}

// == local functions
fun outer(): Int {
//  ^ def fn
  fun inner(a: Int): Int = a
  //  ^ def fn scope=outer
  return inner(1)
  //     ^ ref call owner=outer
}

// == strings hold code
fun text(thing: Thing): String = "is $counter and ${thing.name} ok"
//  ^ def fn
//                                    ^ ref read
//                                                        ^ ref read recv="thing"

// == casts
fun casts(any: Any) {
//  ^ def fn
  val t = any as Thing
  //             ^ ref type
  val u = (any as? Thing)?.make()
  //                       ^ ref call recv="Thing()"
}

// == what the grammar alone cannot read
class Short { companion object { const val ONE = 0b01 } }
//    ^ def class
//                                         ^ def const scope=Short
class Late
//    ^ def class sig="class Late @Inject constructor(val dep: Thing)"
  @Inject
  constructor(val dep: Thing)
  //              ^ def field scope=Late
fun kind(c: Char) =
//  ^ def fn
  when (c) {
    in '0'..'9' -> digit(c)
    in 'a'..'z' -> letter(c)
    //             ^ ref call owner=kind
    else -> 0
  }
