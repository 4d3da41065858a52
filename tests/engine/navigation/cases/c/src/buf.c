#include "../include/net/buf.h"

static int check(buf_t *list) { return list->count; }

int buf_push(buf_t *list, struct buf *b) {
    b->next = list->head;
    list->head = b;
//        ^ -> include/net/buf.h buf_list::head
    return check(list);
//         ^ -> check
}
