#include "net/conn.h"

extern void log_write(void *to, const char *text, ...);
extern int elsewhere;

int main(int argc, char **argv) {
    conn *c = conn_new(3);
//            ^ -> src/conn.c conn_new, include/net/conn.h conn_new
    conn_check(c);
//  ^ -> src/conn.c conn_check, include/net/conn.h conn_check
    conn_new(4)->in->data = argv[0];
//               ^ -> include/net/conn.h conn::in
//                   ^ -> include/net/buf.h buf::data
    current->state = CONN_SHUT;
//  ^ -> include/net/conn.h current, src/conn.c current
//           ^ -> include/net/conn.h conn::state
//                   ^ -> include/net/conn.h conn_state::CONN_SHUT
    only_declared(c);
//  ^ -> include/net/conn.h only_declared
    check(c);
//  ^ external
    LOG("x");
//  ^ unresolved
    ((struct conn *)argv)->in = 0;
//                         ^ -> include/net/conn.h conn::in
    struct conn copy = { .state = CONN_OPEN };
//                        ^ unresolved
    copy.stats.lost = (*c).stats.sent;
//             ^ -> include/net/conn.h conn::stats::lost
//                               ^ -> include/net/conn.h conn::stats::sent
    log_write(0, "end");
//  ^ -> src/log.c log_write, src/log.h log_write, log_write
    int (*f)(int) = 0;
    return f(argc);
//         ^ external
}
