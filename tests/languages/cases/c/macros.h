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
struct SHOP_PACKED slot {
/*                 ^ def struct end=+2 */
    int size;
/*      ^ def field scope=slot */
};
SHOP_END_DECLS
