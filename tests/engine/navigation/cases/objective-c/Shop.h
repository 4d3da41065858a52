#import <Foundation/Foundation.h>
#import "Item.h"
@protocol Selling
- (void)sell;
@end
@interface Shop : NSObject <Selling>
//                          ^ -> Selling
@property Item *best;
//        ^ -> Item.h Item
- (void)addItem:(Item *)item;
//               ^ -> Item.h Item
@end
int shop_count(void);
