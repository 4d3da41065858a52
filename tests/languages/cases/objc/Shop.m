// == imports
#import <Foundation/Foundation.h>
// <- import module=Foundation/Foundation.h
#import "Basket.h"
// <- import module=Basket.h
// == module import
@import UIKit;
// <- import module=UIKit
// == forward class
@class Basket;
//     ^ ref type
// == class with a superclass and protocols
/// Sells things.
// <- doc
@interface Shop : NSObject <Selling, NSCopying>
//         ^ def class scope="" vis=public sig="@interface Shop : NSObject <Selling, NSCopying>" doc="Sells things." end=+9
//                ^ ref inherit owner=Shop
// == instance variable
{
    int _count;
//      ^ def field scope=Shop
}
// == property
@property (nonatomic, copy) NSString *name;
//                                    ^ def property scope=Shop sig="@property (nonatomic, copy) NSString *name"
//                          ^ ref type owner=name
// == several properties
@property (nonatomic) int total, rest;
//                        ^ def property scope=Shop
//                               ^ def property scope=Shop
// == method with several words
/** Adds one. */
// <- doc
- (void)addItem:(Item *)item count:(NSInteger)count;
//      ^ def method scope=Shop sig="- (void)addItem:(Item *)item count:(NSInteger)count" doc="Adds one."
//               ^ ref type owner=addItem
// == class method
+ (instancetype)shared;
//              ^ def method scope=Shop
@end
// == category
@interface Shop (Discount)
//         ^ def impl end=+2
- (double)discount;
//        ^ def method scope=Shop
@end
// == protocol
@protocol Selling <NSObject>
//        ^ def interface sig="@protocol Selling <NSObject>" end=+5
//                 ^ ref inherit owner=Selling
@required
- (void)sell;
//      ^ def method scope=Selling
@optional
- (void)refund:(Item *)item;
//      ^ def method scope=Selling
@end
// == enumeration made by a macro
typedef NS_ENUM(NSInteger, State) {
//                         ^ def enum end=+3
    StateOpen = 0,
//  ^ def field scope=State
    StateClosed,
//  ^ def field scope=State
};
// == block type
typedef void (^Handler)(NSError *error);
//             ^ def type
// == constant
static const int kMost = 3;
//               ^ def const vis=private
// == plain function
int helper(int a) { return a + kMost; }
//  ^ def fn sig="int helper(int a)"
// == implementation
@implementation Shop
//              ^ def impl sig="@implementation Shop" end=+5
- (void)addItem:(Item *)item count:(NSInteger)count {
//      ^ def method scope=Shop end=+3
    [self.basket put:item];
//               ^ ref call owner=addItem
    helper(2);
//  ^ ref call owner=addItem
}
@end
// == versions that a declaration is for
@interface Clock : NSObject
//         ^ def class
@property (copy) NSString *zone SHOP_API_AVAILABLE(ios(10), macosx(10.12));
//                         ^ def property scope=Clock
- (void)ring:(id)sender API_AVAILABLE(ios(10), macosx(10.12));
//      ^ def method scope=Clock
@end
