package com.acme.util

class Money(val cents: Long) {
  operator fun plus(other: Money): Money = Money(cents + other.cents)
  //                                                           ^ -> Money.cents

  companion object Factory {
    fun of(text: String): Money = Money(text.toLong())
    //                            ^ -> Money
  }
}
