// == what stands before an error
int sound_before(int value) { return value; }
//  ^ def fn vis=public sig="int sound_before(int value)"
// == what stands after an error
int = = 3 +;
struct sound_after { int kept; };
//     ^ def struct vis=public sig="struct sound_after"
//                       ^ def field scope=sound_after vis=public sig="int kept"
int sound_last(void) { return call_last(); }
//  ^ def fn vis=public sig="int sound_last(void)"
//                            ^ ref call owner=sound_last
