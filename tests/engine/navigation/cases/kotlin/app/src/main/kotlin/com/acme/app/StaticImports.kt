package com.acme.app

import com.acme.model.Level.HIGH
//                          ^ -> core/src/main/kotlin/com/acme/model/Order.kt Level.HIGH
import com.acme.model.Legacy.boot
//                           ^ -> core/src/main/java/com/acme/model/Legacy.java Legacy.boot
import com.acme.util.Money.Factory.of
//                                 ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.Factory.of
import com.acme.util.Registry.add
//                            ^ -> core/src/main/kotlin/com/acme/util/Registry.kt Registry.add
import com.acme.util.Registry.clear as empty
import org.junit.Assert.assertTrue
//                      ^ external

fun useStatics() {
  add(HIGH)
//^ -> core/src/main/kotlin/com/acme/util/Registry.kt Registry.add
//    ^ -> core/src/main/kotlin/com/acme/model/Order.kt Level.HIGH
  empty()
//^ -> core/src/main/kotlin/com/acme/util/Registry.kt Registry.clear
  of("3").cents
//^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.Factory.of
//        ^ -> core/src/main/kotlin/com/acme/util/Money.kt Money.cents
  boot()
//^ -> core/src/main/java/com/acme/model/Legacy.java Legacy.boot
  assertTrue(true)
//^ external
}
