#pragma once
#include <stdio.h>

struct buf {
    int len;
    FILE *spill;
//  ^ external
    char *data;
    struct buf *next;
};

typedef struct buf_list {
    struct buf *head;
    int count;
} buf_t;

static inline int buf_len(struct buf *b) { return b->len; }
//                                                   ^ -> buf::len
int buf_push(buf_t *list, struct buf *b);
