#include <stdlib.h>
#include <stdio.h>
#include "net/conn.h"
#include "log.h"

conn *current;

static int check(conn *c) {
    return c->state == CONN_OPEN;
//            ^ -> include/net/conn.h conn::state
//                     ^ -> include/net/conn.h conn_state::CONN_OPEN
}

conn *conn_new(int fd) {
    conn *c = malloc(sizeof(conn));
//            ^ external
//                          ^ -> include/net/conn.h conn
    c->stats.sent = fd;
//           ^ -> include/net/conn.h conn::stats::sent
    c->in->len = 0;
//         ^ -> include/net/buf.h buf::len
    c->out[0].head->next = NULL;
//                  ^ -> include/net/buf.h buf::next
    c->out[1].count++;
//            ^ -> include/net/buf.h buf_list::count
    LOG("made %d", fd);
//  ^ -> src/log.h LOG
    return c;
}

int conn_check(conn *c) {
    return check(c) && buf_len(c->in) < CONN_MAX;
//         ^ -> check
//                     ^ -> include/net/buf.h buf_len
//                                      ^ -> include/net/conn.h CONN_MAX
}

int conn_send(conn *c, const char *text) {
    struct conn **all = &c;
    all[0]->on_read(c, HIGH);
//          ^ -> include/net/conn.h conn::on_read
//                     ^ -> include/net/conn.h level::HIGH
    printf("%s", text);
//  ^ external
    return conn_live(c) + buf_push(c->out, c->in);
//         ^ -> include/net/conn.h conn_live
//                        ^ -> src/buf.c buf_push, include/net/buf.h buf_push
}
