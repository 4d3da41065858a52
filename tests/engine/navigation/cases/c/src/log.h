#ifdef DEBUG
#define LOG(...) log_write(stderr, __VA_ARGS__)
//               ^ -> src/log.c log_write, src/log.h log_write
#else
#define LOG(...)
#endif
void log_write(void *to, const char *text, ...);
