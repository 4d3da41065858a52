<?php

namespace Old\Parts {
    class Wheel
    {
        public function turn(): Wheel
//                              ^ -> Wheel
        {
            return helper_of($this)->turn();
//                 ^ -> helper_of
//                                   ^ -> Wheel::turn
        }
    }

    function helper_of(Wheel $wheel): Wheel
    {
        shop_name();
//      ^ -> src/helpers.php shop_name

        return $wheel;
    }
}

namespace {
    use Old\Parts\Wheel;
//                ^ -> Wheel

    Old\Parts\helper_of(new Wheel())->turn();
//            ^ -> helper_of
//                          ^ -> Wheel
//                                    ^ -> Wheel::turn
    new Old\Parts\Door();
//                ^ external
}
