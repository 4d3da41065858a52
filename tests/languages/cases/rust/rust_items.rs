//! Crate doc, not the doc of the constant below.
// <- doc

// == plain comment
// Just a remark.
// <- comment

// == constant and static
const LIMIT: usize = 3;
//    ^ def const vis=private sig="const LIMIT: usize = 3" doc=""
pub static mut COUNTER: Counter = Counter::new(0);
//             ^ def const vis=public sig="pub static mut COUNTER: Counter = Counter::new(0)"
//                      ^ ref type owner=COUNTER
//                                ^ ref type owner=COUNTER
//                                         ^ ref call owner=COUNTER recv=Counter

// == documented struct with attributes between
/// A point
/// in space.
// <- doc
#[derive(Debug, Clone, serde::Serialize)]
//^ ref decorator
//       ^ ref decorator
//              ^ ref decorator
//                     ^ none
//                            ^ ref decorator recv=serde
#[repr(C)]
//^ ref decorator
pub struct Point<'a, T: fmt::Display>
//         ^ def struct vis=public end=+8 sig="pub struct Point<'a, T: fmt::Display> where T: Send + 'a"
//                           ^ ref type owner=Point
where
    T: Send + 'a,
//     ^ ref type owner=Point
{
    // == struct fields and their visibility
    /// The x.
    pub x: &'a T,
//      ^ def field scope=Point vis=public sig="pub x: &'a T" doc="The x."
    pub(crate) y: Vec<Label>,
//             ^ def field scope=Point vis=internal
//                ^ ref type owner=y
//                    ^ ref type owner=y
    z: i32,
//  ^ def field scope=Point vis=private sig="z: i32"
}

// == tuple, unit struct and union
pub(super) struct Pair(pub u8, Label);
//                ^ def struct vis=internal sig="pub(super) struct Pair(pub u8, Label)"
//                             ^ ref type owner=Pair
struct Unit;
//     ^ def struct vis=private sig="struct Unit"
pub union Bits { word: u32 }
//        ^ def struct vis=public sig="pub union Bits"
//               ^ def field scope=Bits vis=private

// == enum and variants
/** All shapes. */
// <- doc
pub(in crate::geometry) enum Shape {
//                           ^ def enum vis=internal sig="pub(in crate::geometry) enum Shape" doc="All shapes." end=+7
    /// Nothing.
    Empty,
//  ^ def field scope=Shape vis=public doc="Nothing."
    #[serde(rename = "c")]
//    ^ ref decorator owner=Shape
    Circle(Radius),
//  ^ def field scope=Shape vis=public sig="Circle(Radius)"
//         ^ ref type owner=Circle
    Rect { w: u32, h: u32 },
//  ^ def field scope=Shape sig="Rect { w: u32, h: u32 }"
//         ^ def field scope=Shape::Rect vis=public
//                 ^ def field scope=Shape::Rect vis=public
    Coded = 7,
//  ^ def field scope=Shape sig="Coded = 7"
}

// == trait with supertraits
pub trait Draw: Named + fmt::Debug + From<Shape> {
//        ^ def trait vis=public sig="pub trait Draw: Named + fmt::Debug + From<Shape>"
//              ^ ref inherit owner=Draw
//                           ^ ref inherit owner=Draw
//                                   ^ ref inherit owner=Draw
//                                        ^ ref type owner=Draw
    // == associated items of a trait
    const DEPTH: u8 = 1;
//        ^ def const scope=Draw vis=public
    type Output: Clone;
//       ^ def type scope=Draw vis=public sig="type Output: Clone"
//               ^ ref type owner=Output
    /// Draws it.
    fn draw(&self, canvas: &mut Canvas) -> Self::Output;
//     ^ def method scope=Draw vis=public sig="fn draw(&self, canvas: &mut Canvas) -> Self::Output" doc="Draws it."
//                              ^ ref type owner=draw
    fn twice(&self) { self.once(); }
//     ^ def method scope=Draw vis=public sig="fn twice(&self)"
//                         ^ ref call owner=twice recv=self
}

// == inherent impl
impl<'a, T> Point<'a, T> {
//          ^ def impl sig="impl<'a, T> Point<'a, T>" scope="" end=+4
    pub const ORIGIN: i32 = 0;
//            ^ def const scope=Point vis=public
    pub fn x(&self) -> &T { self.x }
//         ^ def method scope=Point vis=public sig="pub fn x(&self) -> &T"
//                               ^ ref read owner=x recv=self
    fn hidden(&mut self) { self.z = 1; self.z += 2; }
//     ^ def method scope=Point vis=private
//                              ^ ref write owner=hidden recv=self
//                                          ^ ref write owner=hidden recv=self
}

// == trait impl: members are as public as the trait
impl<T> Draw for geometry::Pair<T> where T: Copy {
//      ^ ref inherit owner=Pair
//                         ^ def impl sig="impl<T> Draw for geometry::Pair<T> where T: Copy" vis=private
    type Output = Unit;
//       ^ def type scope=Pair vis=public
//                ^ ref type owner=Output
    fn draw(&self, canvas: &mut Canvas) -> Unit { Unit }
//     ^ def method scope=Pair vis=public
}
impl fmt::Display for &Unit {}
//        ^ ref inherit owner=Unit
//                     ^ def impl sig="impl fmt::Display for &Unit"
impl From<u8> for dyn Draw {}
//   ^ ref inherit
//                    ^ def impl
impl Draw for [u8; 4] {}
//            ^ def impl sig="impl Draw for [u8; 4]"
unsafe impl Send for u64 {}
//          ^ ref inherit
//                   ^ def impl sig="unsafe impl Send for u64"

// == type alias
pub type Table<K> = HashMap<K, Vec<Shape>>;
//       ^ def type vis=public sig="pub type Table<K> = HashMap<K, Vec<Shape>>"
//                  ^ ref type owner=Table
//                                 ^ ref type owner=Table

// == module with inner doc and nesting
pub mod inner {
//      ^ def mod vis=public sig="pub mod inner" doc="Inner words." end=+7
    //! Inner words.
//  ^ doc
    use super::Shape;
//  ^ import module="super" name="Shape"
    pub mod deep {
//          ^ def mod scope=inner doc=""
        pub struct Core;
//                 ^ def struct scope=inner::deep vis=public
        impl Core { pub fn go() {} }
//           ^ def impl scope=inner::deep
//                         ^ def method scope=inner::deep::Core
    }
}
mod elsewhere;
//  ^ def mod sig="mod elsewhere" vis=private

// == macros by example
#[macro_export]
//^ ref decorator
macro_rules! square {
//           ^ def macro sig="macro_rules! square" vis=public
    // first
    ($x:expr) => { multiply($x, $x) };
//                 ^ ref call owner=square
    () => {};
}
macro_rules! local { () => {} }
//           ^ def macro vis=private

// == foreign functions
extern "C" {
    pub fn ffi_open(path: *const Handle) -> i32;
//         ^ def fn scope="" vis=public sig="pub fn ffi_open(path: *const Handle) -> i32"
//                               ^ ref type owner=ffi_open
    static ERRNO: i32;
//         ^ def const vis=private
}
