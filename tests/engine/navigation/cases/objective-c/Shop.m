#import "Shop.h"
#include "helper.h"
static int total = 0;
@implementation Shop
- (void)addItem:(Item *)item {
//               ^ -> Item.h Item
    total = helper_add(total, 1);
//  ^ -> total
//          ^ -> helper.h helper_add
    Color color = ColorRed;
//  ^ -> Item.h Color
//                ^ -> Item.h ColorRed
    [Item alloc];
}
- (void)sell {
    shop_count();
//  ^ -> Shop.h shop_count, Shop.m shop_count
    total = HELPER_MAX;
//          ^ -> helper.h HELPER_MAX
}
@end
int shop_count(void) { return total; }
//                            ^ -> total
