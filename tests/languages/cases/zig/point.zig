//! Points and shapes.
// <- doc
// == imports
const std = @import("std");
// <- import module=std alias=std
//    ^ none
const helper = @import("util/helper.zig").help;
// <- import module=util/helper.zig name=help alias=helper
//                                        ^ ref import
pub usingnamespace @import("c.zig");
// <- import module=c.zig name=*
const c = @cImport({
//    ^ def const vis=private end=+2
    @cInclude("stdio.h");
//  ^ import module=stdio.h
});
// == constants and variables
const Allocator = std.mem.Allocator;
//    ^ def const vis=private sig="const Allocator = std.mem.Allocator"
//                        ^ ref read owner=Allocator recv=std.mem
/// The most.
pub const limit: usize = 10;
//        ^ def const vis=public sig="pub const limit: usize = 10" doc="The most."
var counter: Count = 0;
//  ^ def var vis=private sig="var counter: Count = 0"
//           ^ ref type owner=counter
threadlocal var cache: u8 = 1;
//              ^ def var vis=private sig="threadlocal var cache: u8 = 1"
// == struct with documentation, fields and members
/// A place.
// <- doc
pub const Point = struct {
//        ^ def struct vis=public sig="pub const Point = struct" doc="A place." end=+26
    x: i32 = 0,
//  ^ def field scope=Point vis=public sig="x: i32 = 0"
    owner: ?*Owner,
//  ^ def field scope=Point vis=public
    pub const zero = Point{ .x = 0, .owner = null };
//            ^ def const scope=Point vis=public
//                   ^ ref instance owner=zero
//                           ^ ref write owner=zero recv=Point
    const Self = @This();
//        ^ def const scope=Point vis=private
    // == method, its parameters and locals
    /// Makes one.
    pub fn init(x: i32, comptime T: type, alloc: std.mem.Allocator) !Self {
//         ^ def method scope=Point vis=public sig="pub fn init(x: i32, comptime T: type, alloc: std.mem.Allocator) !Self" doc="Makes one." end=+12
//                                                       ^ ref type owner=init recv=std.mem
//                                                                   ^ ref type owner=init
        var made = Self{ .x = x, .owner = null };
//                 ^ ref instance owner=init
//                            ^ none
        made.x = 2;
//           ^ ref write owner=init recv=made
        counter += 1;
//      ^ ref write owner=init
        const found = try helper(x);
//                        ^ ref call owner=init
        defer found.close();
//                  ^ ref call owner=init recv=found
        for (list, 0..) |item, index| {
            std.debug.print("{}", .{item + index});
//                    ^ ref call owner=init recv=std.debug
//                                  ^ none
        }
        if (maybe) |value| use(value) else |err| return err;
//                         ^ ref call owner=init
        _ = alloc;
//      ^ none
        return made;
    }
    // == errors that are returned and matched
    fn check(self: *Point) !void {
//     ^ def method scope=Point vis=private sig="fn check(self: *Point) !void" end=+5
//                  ^ ref type owner=check
        switch (self.run()) {
//                   ^ ref call owner=check recv=self
            error.Late => {},
//                ^ ref type owner=check
            else => return error.Bad,
//                               ^ ref throw owner=check
        }
    }
    // == nested container
    pub const Inner = struct { deep: u8 };
//            ^ def struct scope=Point vis=public sig="pub const Inner = struct"
//                             ^ def field scope=Point.Inner vis=public
};
// == enumeration
const Color = enum(u8) {
//    ^ def enum vis=private sig="const Color = enum(u8)" end=+6
    red,
//  ^ def field scope=Color vis=public sig="red"
    green = 2,
//  ^ def field scope=Color vis=public sig="green = 2"
    pub fn next(color: Color) Color {
//         ^ def method scope=Color vis=public
        return .green;
//              ^ ref read owner=next recv="?"
    }
};
// == union
const Shape = union(enum) {
//    ^ def struct vis=private sig="const Shape = union(enum)" end=+3
    circle: f32,
//  ^ def field scope=Shape vis=public
    none,
//  ^ def field scope=Shape vis=public
};
// == opaque and packed containers
const Handle = opaque {};
//    ^ def struct vis=private sig="const Handle = opaque"
pub const Flags = packed struct(u8) { on: bool };
//        ^ def struct vis=public sig="pub const Flags = packed struct(u8)"
//                                    ^ def field scope=Flags vis=public
// == error set
const Errors = error{ Late, Bad };
//    ^ def enum vis=private sig="const Errors = error"
//                    ^ def field scope=Errors vis=public
//                          ^ def field scope=Errors vis=public
// == functions of the file
pub fn top(n: u8) void {
//     ^ def fn vis=public sig="pub fn top(n: u8) void" end=+2
    Point.init(n) catch unreachable;
//  ^ ref type owner=top
//        ^ ref call owner=top recv=Point
}
inline fn small() void {}
//        ^ def fn vis=private sig="inline fn small() void"
export fn shown() void {}
//        ^ def fn vis=public sig="export fn shown() void"
extern "c" fn puts(s: [*:0]const u8) c_int;
//            ^ def fn vis=private sig="extern \"c\" fn puts(s: [*:0]const u8) c_int"
// == function that gives a type
pub fn List(comptime T: type) type {
//     ^ def fn vis=public end=+5
    return struct {
        items: []T,
//      ^ def field scope=List vis=public
        pub fn append(self: *@This(), item: T) void { self.items = item; }
//             ^ def method scope=List vis=public
//                                                         ^ ref write owner=append recv=self
    };
}
// == struct inside a function
fn local() void {
// ^ def fn vis=private end=+3
    const Pair = struct { a: u8 };
//        ^ def struct scope=local vis=private sig="const Pair = struct"
//                        ^ def field scope=local.Pair vis=public
    const plain = 1;
//        ^ none
}
// == names in quotation marks
const @"while" = 1;
//      ^ def const vis=private
// == tests
test "makes points" {
//    ^ def fn vis=private sig="test \"makes points\"" end=+2
    try std.testing.expect(true);
//                  ^ ref call owner="makes points" recv=std.testing
}
test Point {}
//   ^ ref read
// == comptime block
comptime {
    _ = Point;
//      ^ ref read
}
