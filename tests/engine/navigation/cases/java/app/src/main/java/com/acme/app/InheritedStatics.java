package com.acme.app;

import static com.acme.units.Metre.*;

class InheritedStatics {
  int run() {
    Side side = Side.LEFT;
//                   ^ -> core/src/main/java/com/acme/units/Unit.java Unit.Side.LEFT
    return SCALE;
//         ^ -> core/src/main/java/com/acme/units/Unit.java Unit.SCALE
  }

  int half(int value) { return value; }

  int own() { return half(1); }
//                   ^ -> InheritedStatics.half
}
