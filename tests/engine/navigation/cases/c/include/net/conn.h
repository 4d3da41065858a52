#ifndef NET_CONN_H
#define NET_CONN_H

#include "buf.h"

#define CONN_MAX 64
#define conn_live(c) ((c)->state == CONN_OPEN && conn_check(c))
//                                               ^ -> src/conn.c conn_check, include/net/conn.h conn_check
//                                  ^ -> CONN_OPEN

typedef enum { CONN_OPEN, CONN_SHUT } conn_state;
enum level { LOW = 1, HIGH };

struct conn {
    conn_state state;
//  ^ -> conn_state
    struct buf *in;
//         ^ -> include/net/buf.h buf
    buf_t out[2];
//  ^ -> include/net/buf.h buf_t
    struct { int sent; int lost; } stats;
    int (*on_read)(struct conn *c, int size);
};
typedef struct conn conn;

extern conn *current;

conn *conn_new(int fd);
int conn_check(conn *c);
int conn_send(conn *c, const char *text);
int only_declared(conn *c);

#endif
