/* == macros around declarations */
SHOP_BEGIN_DECLS
SHOP_API int (shop_open)(struct till *till);
/*            ^ def fn */
SHOP_API void (*shop_hook)(struct till *till) SHOP_ATTR;
/*              ^ def var */
SHOP_API const char *shop_name(void) SHOP_PURE;
/*                   ^ def fn */
SHOP_STATIC struct till *shop_merge(struct till *one, struct till *two);
/*                       ^ def fn */
/* == a macro in the head of a struct */
struct SHOP_ALIGNED(8) slot {
/*                     ^ def struct end=+2 */
    int size;
/*      ^ def field scope=slot */
};
struct SHOP_PACKED tray {
/*                 ^ def struct end=+2 */
    int slots;
/*      ^ def field scope=tray */
};
/* == declarators within declarators */
void *(*shop_alloc)(size_t size);
/*      ^ def var */
typedef void (shop_visit)(struct slot *slot);
/*            ^ def type */
typedef struct slot *(shop_find)(int key);
/*                    ^ def type */
static long shop_table[8][256] = {{0}};
/*          ^ def var */
extern int shop_grid[2][3];
/*         ^ def var */
SHOP_END_DECLS
