package com.acme.model

interface Named {
  val title: String
  fun describe(): String = title
  //                       ^ -> Named.title
}

abstract class Entity(val id: Long) : Named {
//                                    ^ -> Named
  open fun save(): Boolean = id > 0
  //                         ^ -> Entity.id

  protected fun touch(): Entity {
    save()
//  ^ -> Entity.save
    return this
  }
}

sealed class Status {
  object Open : Status()
  //            ^ -> Status
  data class Closed(val reason: String) : Status()

  fun isOpen(): Boolean = this is Open
  //                              ^ -> Status.Open
}

private fun secret(): Int = 1
