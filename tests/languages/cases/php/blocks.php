<?php
// == a namespace with a block
namespace Shop\Parts {
//        ^ def mod sig="namespace Shop\\Parts" end=+3
    class Wheel { public function turn() {} }
//        ^ def class scope="Shop\\Parts"
//                                ^ def method scope="Shop\\Parts::Wheel"
    function wheel() {}
//           ^ def fn scope="Shop\\Parts"
}

// == a block without a name
namespace {
    function main() { Shop\Parts\wheel(); }
//           ^ def fn
//                               ^ ref call recv="Shop\\Parts\\"
}
