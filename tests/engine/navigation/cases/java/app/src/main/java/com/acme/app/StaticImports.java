package com.acme.app;

import static com.acme.units.Unit.SCALE;
//                                ^ -> core/src/main/java/com/acme/units/Unit.java Unit.SCALE
import static com.acme.units.Unit.Parts;
//                                ^ -> core/src/main/java/com/acme/units/Unit.java Unit.Parts
import static com.acme.units.Unit.Parts.half;
//                                      ^ -> core/src/main/java/com/acme/units/Unit.java Unit.Parts.half
import static com.acme.units.Unit.Side.*;
import static com.acme.units.Metre.Side;
//                                 ^ -> core/src/main/java/com/acme/units/Unit.java Unit.Side
import static org.junit.Assert.assertTrue;
//                             ^ external

class StaticImports {
  int run() {
    Side side = LEFT;
//              ^ -> core/src/main/java/com/acme/units/Unit.java Unit.Side.LEFT
    assertTrue(side != RIGHT);
//  ^ external
//                     ^ -> core/src/main/java/com/acme/units/Unit.java Unit.Side.RIGHT
    Parts.half(1);
//        ^ -> core/src/main/java/com/acme/units/Unit.java Unit.Parts.half
    return half(SCALE);
//         ^ -> core/src/main/java/com/acme/units/Unit.java Unit.Parts.half
//              ^ -> core/src/main/java/com/acme/units/Unit.java Unit.SCALE
  }
}
