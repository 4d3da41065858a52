#import <Foundation/Foundation.h>
typedef NS_ENUM(NSInteger, Color) { ColorRed, ColorBlue };
@interface Item : NSObject
@property Color color;
//        ^ -> Color
@end
