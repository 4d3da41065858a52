// == scripts: statements at the top
plugins {
  kotlin("jvm")
//^ ref call
}

val version = "1.0"
//  ^ def const

dependencies {
  implementation(project(":core"))
  //             ^ ref call
}

// == functions in scripts
fun helper(name: String) = name.uppercase()
//  ^ def fn
tasks.register("x") { doLast { helper("y") } }
//    ^ ref call recv="tasks"
//                             ^ ref call
