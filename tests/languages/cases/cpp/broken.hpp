// == before broken syntax
struct Early { int kept; };
//     ^ def struct vis=public sig="struct Early"
//                 ^ def field scope=Early vis=public sig="int kept"
// == after broken syntax
int = = 3 +;
class Late {
//    ^ def class vis=public sig="class Late" end=+3
public:
    void still() { here(); }
//       ^ def method scope=Late vis=public sig="void still()"
//                 ^ ref call owner=still
};
