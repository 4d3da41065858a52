package broken;

// == definitions around broken syntax survive
class Before {
//    ^ def class
    int ok() { return make(); }
//      ^ def method scope=Before
//                    ^ ref call owner=ok
    void bad() { int = ; Foo( }
//       ^ def method scope=Before
    void last() { callMe(); }
//       ^ def method scope=Before
//                ^ ref call owner=last
}

// == class after the damage
class After { int field; }
//    ^ def class scope=""
//                ^ def field scope=After
