package com.acme.util

const val SUFFIX = "!"
val defaultMoney = Money(0)
//                 ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money

fun String.shout(): String = uppercase() + SUFFIX
//                                         ^ -> SUFFIX

fun Money.isFree(): Boolean = cents == 0L
//                            ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.cents

val Money.half: Long get() = this.cents / 2
//                                ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.cents

infix fun Money.minus(other: Money): Money = Money(cents - other.cents)

fun <T : Any> T.logged(): T {
  println(this)
  return this
}

typealias Price = Money
