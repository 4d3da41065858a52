// == what stands before a mistake is found
package com.example.broken

class Whole(val part: Int) {
//    ^ def class
//              ^ def field scope=Whole
  fun fine(): Int = part
  //  ^ def method scope=Whole
  //                ^ ref read owner=fine
}

// == what stands behind a mistake is found
fun wrong(a: Int {
//  ^ def fn
}

fun after(): Int {
//  ^ def fn
  return help(1)
  //     ^ ref call owner=after
}

interface Kept {
//        ^ def interface
  fun kept()
  //  ^ def method scope=Kept
}
