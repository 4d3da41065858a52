#import "Shop.h"
int main(void) {
    Shop *shop = [Shop new];
//  ^ -> Shop.h Shop
    Item *item = nil;
//  ^ -> Item.h Item
    shop_count();
//  ^ -> Shop.h shop_count, Shop.m shop_count
    Color color = ColorBlue;
//  ^ -> Item.h Color
//                ^ -> Item.h ColorBlue
    int most = HELPER_MAX;
//             ^ unresolved
    return shop_count() + missing();
//         ^ -> Shop.h shop_count, Shop.m shop_count
//                        ^ external
}
