// == a macro in the head of a class
SHOP_BEGIN_NAMESPACE
namespace shop {
//        ^ def mod
class SHOP_EXPORT Till : public Box {
//                ^ def class scope=shop end=+6
//                              ^ ref inherit
 public:
    Till();
//  ^ def method scope=shop::Till vis=public
    virtual ~Till();
//          ^ def method scope=shop::Till vis=public
    int total_ = 0;
//      ^ def field scope=shop::Till vis=public
    struct SHOP_ALIGNED(8) Slot { int n; };
//                         ^ def struct scope=shop::Till
//                                    ^ def field scope=shop::Till::Slot
};
struct SHOP_EXPORT Options {
//                 ^ def struct scope=shop end=+3
    Options();
//  ^ def method scope=shop::Options vis=public
    bool strict = false;
//       ^ def field scope=shop::Options vis=public
};
// == macros that say what a function needs
class Desk {
//    ^ def class scope=shop end=+9
 public:
    void close() SHOP_REQUIRES(mutex_);
//       ^ def method scope=shop::Desk vis=public sig="void close()"
    int open(int day) const SHOP_EXCLUDES(mutex_) {
//      ^ def method scope=shop::Desk vis=public end=+2
        return first(day);
//             ^ ref call owner=open
    }
 private:
    Mutex mutex_;
//        ^ def field scope=shop::Desk vis=private
    int count_ GUARDED_BY(mutex_) = 0;
//      ^ def field scope=shop::Desk vis=private
};
// == a macro before a declaration
SHOP_API int visits();
//           ^ def fn scope=shop
SHOP_API std::vector<int> days(const Desk& desk);
//                        ^ def fn scope=shop
}
SHOP_END_NAMESPACE
