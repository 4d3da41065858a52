// == before broken syntax
class Early { int kept; }
//    ^ def class vis=internal sig="class Early"
//                ^ def field scope=Early vis=private sig="int kept"
// == after broken syntax
class Torn { int = = 3 +; }
class Late { void Still() { Here(); } }
//    ^ def class vis=internal sig="class Late"
//                ^ def method scope=Late vis=private sig="void Still()"
//                          ^ ref call owner=Still
