// == includes
#include <stdio.h>
// <- import module=stdio.h
#include "ring/buffer.h"
// <- import module=ring/buffer.h
// == object-like and function-like macros
#define RING_LIMIT 64
//      ^ def const vis=public sig="#define RING_LIMIT 64"
#define RING_NEXT(index, size) \
//      ^ def macro vis=public sig="#define RING_NEXT(index, size)" end=+1
    (((index) + 1) % (size))
// == function with a comment before it
/* Adds a value and says whether there was room. */
// <- comment
int ring_push(struct ring *ring, int value) {
//  ^ def fn vis=public sig="int ring_push(struct ring *ring, int value)" doc="Adds a value and says whether there was room." end=+5
//                   ^ ref type owner=ring_push
    ring->slots[ring->head] = value;
    ring->head = RING_NEXT(ring->head, ring->size);
//        ^ ref write owner=ring_push recv=ring
//               ^ ref call owner=ring_push
    last_pushed = value;
//  ^ ref write owner=ring_push
    return ring_room(ring) > 0;
//         ^ ref call owner=ring_push
}
// == documentation comment
/**
// <- doc
 * Takes the oldest value.
 */
int ring_pop(struct ring *ring);
//  ^ def fn vis=public sig="int ring_pop(struct ring *ring)" doc="Takes the oldest value."
//                  ^ ref type owner=ring_pop
// == multi-line signature with a pointer result
static inline const char *
ring_label(const struct ring *ring,
// <- def fn vis=private sig="static inline const char * ring_label(const struct ring *ring, char *into, size_t room)" end=+6
//                      ^ ref type owner=ring_label
           char *into,   /* may be null */
// <- comment
           size_t room)
{
    const char *local = into;
    return local;
}
// == struct with fields
struct ring {
//     ^ def struct vis=public sig="struct ring" end=+5
    int head, *slots;
//      ^ def field scope=ring vis=public sig="int head, *slots"
//             ^ def field scope=ring vis=public sig="int head, *slots"
    unsigned size : 12;
//           ^ def field scope=ring vis=public sig="unsigned size : 12"
    char name[32];
//       ^ def field scope=ring vis=public sig="char name[32]"
    struct ring *next;
//         ^ ref type owner=next
//               ^ def field scope=ring vis=public sig="struct ring *next"
};
// == nested anonymous struct and union
struct packet {
//     ^ def struct vis=public sig="struct packet" end=+6
    union {
        int number;
//          ^ def field scope=packet vis=public sig="int number"
        char bytes[4];
//           ^ def field scope=packet vis=public sig="char bytes[4]"
    };
    struct { int left, right; } margin;
//               ^ def field scope=packet::margin vis=public sig="int left, right"
//                     ^ def field scope=packet::margin vis=public sig="int left, right"
//                              ^ def field scope=packet vis=public sig="struct {…} margin"
};
// == union
union word { long whole; short half[2]; };
//    ^ def struct vis=public sig="union word"
//                ^ def field scope=word vis=public sig="long whole"
//                             ^ def field scope=word vis=public sig="short half[2]"
// == enum with values
enum mode { MODE_READ, MODE_WRITE = 4 };
//   ^ def enum vis=public sig="enum mode"
//          ^ def field scope=mode vis=public sig=MODE_READ
//                     ^ def field scope=mode vis=public sig="MODE_WRITE = 4"
// == typedef of a named struct
typedef struct node { struct node *next; int value; } Node, *NodePtr;
//             ^ def struct vis=public sig="struct node"
//                           ^ ref type owner=next
//                                 ^ def field scope=node vis=public sig="struct node *next"
//                                           ^ def field scope=node vis=public sig="int value"
//                                                    ^ def type vis=public sig="typedef struct node {…} Node, *NodePtr"
//                                                           ^ def type vis=public sig="typedef struct node {…} Node, *NodePtr"
// == typedef of an anonymous struct
typedef struct {
    double x, y;
//         ^ def field scope=Point vis=public sig="double x, y"
//            ^ def field scope=Point vis=public sig="double x, y"
} Point;
//^ def type vis=public sig="typedef struct {…} Point"
// == typedef of an anonymous enum
typedef enum { RED, GREEN } Color;
//             ^ def field scope=Color vis=public sig=RED
//                  ^ def field scope=Color vis=public sig=GREEN
//                          ^ def type vis=public sig="typedef enum {…} Color"
// == plain typedefs
typedef unsigned long ring_size, *ring_size_ref;
//                    ^ def type vis=public sig="typedef unsigned long ring_size, *ring_size_ref"
//                                ^ def type vis=public sig="typedef unsigned long ring_size, *ring_size_ref"
typedef int grid_row[8];
//          ^ def type vis=public sig="typedef int grid_row[8]"
// == typedef of a function pointer
typedef int (*visit_fn)(Node *node, void *extra);
//            ^ def type vis=public sig="typedef int (*visit_fn)(Node *node, void *extra)"
//                      ^ ref type owner=visit_fn
// == field that is a function pointer
struct table { int (*compare)(const void *, const void *); Point (*make)(void); };
//     ^ def struct vis=public sig="struct table"
//                   ^ def field scope=table vis=public sig="int (*compare)(const void *, const void *)"
//                                                         ^ ref type owner=make
//                                                                 ^ def field scope=table vis=public sig="Point (*make)(void)"
// == global variables and constants
int counter = 0, limits[2];
//  ^ def var vis=public sig="int counter = 0, limits[2]"
//               ^ def var vis=public sig="int counter = 0, limits[2]"
static Node *free_list;
//     ^ ref type owner=free_list
//           ^ def var vis=private sig="static Node *free_list"
extern int shared_level;
//         ^ def var vis=public sig="extern int shared_level"
const int MAX_DEPTH = 9;
//        ^ def const vis=public sig="const int MAX_DEPTH = 9"
static const char *const names[] = {
//                       ^ def const vis=private sig="static const char *const names[]" end=+3
    "one",
    "two",
};
// == global function pointer
int (*on_event)(int code) = default_handler;
//    ^ def var vis=public sig="int (*on_event)(int code) = default_handler"
// == struct defined with a variable
static struct config { int level; } config = { .level = 3 };
//            ^ def struct vis=private sig="struct config"
//                         ^ def field scope=config vis=public sig="int level"
//                                  ^ def var vis=private sig="static struct config {…} config = { .level = 3 }"
//                                              ^ ref write owner=config
// == table of functions
static struct table ops = { compare_nodes, .make = make_point };
//            ^ ref type owner=ops
//                  ^ def var vis=private sig="static struct table ops"
//                          ^ ref read owner=ops
//                                          ^ ref write owner=ops
//                                                 ^ ref read owner=ops
// == forward declaration is no definition
struct opaque;
//     ^ ref type
// == function that returns a function pointer
void (*choose(int kind, void (*fallback)(int)))(int) {
//     ^ def fn vis=public sig="void (*choose(int kind, void (*fallback)(int)))(int)" end=+2
    return fallback;
}
// == calls through pointers
void run_all(struct table *table, Node *first) {
//   ^ def fn vis=public sig="void run_all(struct table *table, Node *first)" end=+7
//                  ^ ref type owner=run_all
//                                ^ ref type owner=run_all
    Node *node;
//  ^ ref type owner=run_all
    for (node = first; node; node = node->next) {
//       ^ ref write owner=run_all
//                           ^ ref write owner=run_all
        table->compare(node, first);
//             ^ ref call owner=run_all recv=table
        (*table->make)();
//               ^ ref call owner=run_all recv=table
        walk(node, &counter);
//      ^ ref call owner=run_all
//                  ^ ref read owner=run_all
    }
}
// == casts and sizeof name types
void *make_node(void) {
//    ^ def fn vis=public sig="void *make_node(void)" end=+4
    struct node *fresh = (Node *)malloc(sizeof(Node));
//         ^ ref type owner=make_node
//                        ^ ref type owner=make_node
//                               ^ ref call owner=make_node
    fresh->value++;
//         ^ ref write owner=make_node recv=fresh
    return fresh;
}
