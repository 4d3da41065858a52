// == lambdas and locals are no definitions
int compute(int seed) {
//  ^ def fn vis=public sig="int compute(int seed)" end=+5
    int local = seed;
    auto twice = [&](int value) { return value * local; };
    Widget widget(seed);
//  ^ ref type owner=compute
//                ^ ref type owner=compute
    return twice(local);
//         ^ ref call owner=compute
}
// == calls
void calls(Service* service, Cache cache) {
//   ^ def fn vis=public sig="void calls(Service* service, Cache cache)" end=+10
//         ^ ref type owner=calls
//                           ^ ref type owner=calls
    service->start();
//           ^ ref call owner=calls recv=service
    cache.lookup<int>(3);
//        ^ ref call owner=calls
    Registry::shared();
//            ^ ref call owner=calls recv=Registry
    app::core::boot<Mode>(1);
//             ^ ref call owner=calls
//                  ^ ref type owner=calls
    make<Widget>(2);
//  ^ ref call owner=calls
//       ^ ref type owner=calls
    service->state = 4;
//           ^ ref write owner=calls recv=service
    auto made = new app::Window<int>(1);
//                       ^ ref instance owner=calls
    auto brace = Point{1, 2};
//               ^ ref instance owner=calls
    throw std::runtime_error("bad");
//             ^ ref throw owner=calls
}
// == global variables and constants
constexpr int kSize = 8;
//            ^ def const vis=public sig="constexpr int kSize = 8"
static const char* const kNames[] = {"a", "b"};
//                       ^ def const vis=private sig="static const char* const kNames[]"
extern int level;
//         ^ def var vis=public sig="extern int level"
int Polygon::count = 0;
//           ^ def var scope=Polygon vis=public sig="int Polygon::count = 0"
inline int spare{3};
//         ^ def var vis=public sig="inline int spare"
Point& origin = kOrigin;
// <- ref type owner=origin
//     ^ def var vis=public sig="Point& origin = kOrigin"
// == C linkage
extern "C" {
void c_call(int code);
//   ^ def fn vis=public sig="void c_call(int code)"
}
extern "C" int c_single(void);
//             ^ def fn vis=public sig="extern \"C\" int c_single(void)"
// == preprocessor
#define VERSION 3
//      ^ def const vis=public sig="#define VERSION 3"
#define CHECK(condition) \
//      ^ def macro vis=public sig="#define CHECK(condition)" end=+1
    do { verify(condition); } while (0)
#if VERSION > 2
void newer();
//   ^ def fn vis=public sig="void newer()"
#else
void older();
//   ^ def fn vis=public sig="void older()"
#endif
// == trailing return type and attribute
[[nodiscard]] auto measure(int width) -> double;
//^ ref decorator owner=measure
//                 ^ def fn vis=public sig="auto measure(int width) -> double"
auto area(int w, int h) -> decltype(w * h) { return w * h; }
//   ^ def fn vis=public sig="auto area(int w, int h) -> decltype(w * h)"
// == class behind an export macro
class EXPORTED Facade {
//             ^ def class vis=public sig="class EXPORTED Facade" end=+2
    void open() { start(); }
//       ^ def method scope=Facade vis=private sig="void open()"
//                ^ ref call owner=open
};
// == union and bit field
union Slot { int whole; unsigned part : 4; };
//    ^ def struct vis=public sig="union Slot"
//               ^ def field scope=Slot vis=public sig="int whole"
//                               ^ def field scope=Slot vis=public sig="unsigned part : 4"
// == unicode identifiers
class Größe { int länge_; };
//    ^ def class vis=public sig="class Größe"
//                  ^ def field scope=Größe vis=private sig="int länge_"
// == static function is private to the file
static int helper() { return 1; }
//         ^ def fn vis=private sig="static int helper()"
// == catch and casts
void guarded() {
//   ^ def fn vis=public sig="void guarded()" end=+3
    try { static_cast<Derived*>(base)->go(); }
//        ^ ref call owner=guarded
//                    ^ ref type owner=guarded
//                                     ^ ref call owner=guarded recv="Derived()"
    catch (const net::Timeout& error) { log(error); }
//                    ^ ref type owner=guarded
//                                      ^ ref call owner=guarded
}
// == exported declarations
export int visible_everywhere(int x);
//         ^ def fn vis=public sig="export int visible_everywhere(int x)"
// == defaulted outside the class
struct Quiet { Quiet(); ~Quiet(); };
//     ^ def struct
//             ^ def method scope=Quiet
//                      ^ def method scope=Quiet
Quiet::Quiet() = default;
//     ^ def method scope=Quiet vis=public sig="Quiet::Quiet() = default"
Quiet::~Quiet() = default;
//     ^ def method scope=Quiet vis=public
// == declarators within declarators
typedef Quiet* (*Maker)(int size);
//               ^ def type
template <class K> struct Shelf<K>::Slot { const char* (*name_)(void*); };
//                                  ^ def struct scope=Shelf
//                                                       ^ def field scope=Shelf::Slot
