const std = @import("std");
const shapes = @import("shapes.zig");
const Point = @import("shapes.zig").Point;
const Circle = shapes.Circle;

const limit = 10;

fn helper(n: u8) u8 {
    return n + limit;
//             ^ -> limit
}

pub fn run(point: Point, other: *shapes.Circle) !void {
//                ^ -> src/shapes.zig Point
//                                      ^ -> src/shapes.zig Circle
    const sum = helper(1);
//              ^ -> helper
    _ = point.length(sum);
//            ^ -> src/shapes.zig length
    _ = point.x;
//            ^ -> src/shapes.zig Point.x
    other.grow();
//        ^ -> src/shapes.zig grow
    std.debug.print("x", .{});
//            ^ external
    var made = Point{ .x = 1 };
//             ^ -> src/shapes.zig Point
//                     ^ -> src/shapes.zig Point.x
    made.length(2);
//       ^ -> src/shapes.zig length
    shapes.area(other);
//         ^ -> src/shapes.zig area
    shapes.missing();
//         ^ unresolved
    const circle = Circle.init();
//                        ^ -> src/shapes.zig init
    circle.grow();
//         ^ -> src/shapes.zig grow
    const later = try shapes.area(other);
//                           ^ -> src/shapes.zig area
    later.go();
//        ^ external
    unknown.go();
//          ^ external
}
