package com.acme.util

object Registry {
  private val all = mutableListOf<Any>()

  fun add(item: Any): Registry {
    all.add(item)
//  ^ -> Registry.all
    return this
  }

  fun clear() {}
}
