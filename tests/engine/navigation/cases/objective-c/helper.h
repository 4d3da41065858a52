#define HELPER_MAX 10
static inline int helper_add(int a, int b) { return a + b + HELPER_MAX; }
//                                                          ^ -> HELPER_MAX
