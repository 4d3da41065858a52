pub const Point = struct {
    x: i32,
    pub fn length(self: Point, n: u8) i32 {
        return self.x + helper(n);
//                  ^ -> x
//                      ^ -> helper
    }
};

pub const Circle = struct {
    center: Point,
//          ^ -> Point
    pub fn init() Circle {
//                ^ -> Circle
        return Circle{ .center = undefined };
//                      ^ -> center
    }
    pub fn grow(self: *Circle) void {
        _ = self.center.length(1);
//                      ^ -> length
        scale(self);
//      ^ -> scale
    }
    fn scale(self: *Circle) void {
        _ = self;
    }
};

fn helper(n: u8) u8 {
    return n;
}

pub fn area(circle: *Circle) !u8 {
    _ = circle.center;
//             ^ -> center
    return 1;
}
