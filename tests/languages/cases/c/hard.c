// == conditional compilation at file level
#ifdef USE_POLL
//     ^ ref read
static int backend = 1;
//         ^ def var vis=private sig="static int backend = 1"
int wait_poll(int timeout);
//  ^ def fn vis=public sig="int wait_poll(int timeout)"
#elif defined(USE_EPOLL)
//            ^ ref read
int wait_epoll(int timeout);
//  ^ def fn vis=public sig="int wait_epoll(int timeout)"
#else
const int backend_none = 0;
//        ^ def const vis=public sig="const int backend_none = 0"
int wait_select(int timeout) { return timeout; }
//  ^ def fn vis=public sig="int wait_select(int timeout)"
#endif
// == conditional inside a function has only locals
int measure(int depth) {
//  ^ def fn vis=public sig="int measure(int depth)" end=+7
#if DEBUG
    int traced = depth;
    int helper(int);
#endif
    struct frame { int top; } frame;
//         ^ def struct scope=measure vis=public sig="struct frame"
//                     ^ def field scope=measure::frame vis=public sig="int top"
    return frame.top;
}
// == conditional inside a struct
struct options {
//     ^ def struct vis=public sig="struct options" end=+6
#ifdef WIDE
//     ^ ref read owner=options
    long span;
//       ^ def field scope=options vis=public sig="long span"
#else
    short span_small;
//        ^ def field scope=options vis=public sig="short span_small"
#endif
};
// == attributes
__attribute__((noreturn)) void stop_now(const char *why);
//                             ^ def fn vis=public sig="__attribute__((noreturn)) void stop_now(const char *why)"
static void __attribute__((unused)) quiet(void) { }
//                                  ^ def fn vis=private sig="static void __attribute__((unused)) quiet(void)"
// == old style parameters
int legacy(first, second)
//  ^ def fn vis=public sig="int legacy(first, second)" end=+5
    int first;
    char second;
{
    return first + second;
}
// == unicode identifiers
int größe(int länge) {
//  ^ def fn vis=public sig="int größe(int länge)" end=+2
    return länge * faktor_π(länge);
//                  ^ ref call owner=größe
}
// == initializers with designators
static const int lookup[] = { [0] = 4, [1] = 5 };
//               ^ def const vis=private sig="static const int lookup[]"
// == trailing comment is not documentation
int before_it; // belongs to before_it
// <- comment
//  ^ def var vis=public sig="int before_it"
int after_it;
//  ^ def var vis=public sig="int after_it"
// == macro without a value and multi-line macro
#define WITH_LOGGING
//      ^ def const vis=public sig="#define WITH_LOGGING"
#define SWAP(a, b) do { \
//      ^ def macro vis=public sig="#define SWAP(a, b)" end=+4
    int held = (a);     \
    (a) = (b);          \
    (b) = held;         \
} while (0)
// == pointer to pointer
char **split_words(const char *text, int *count);
//     ^ def fn vis=public sig="char **split_words(const char *text, int *count)"
