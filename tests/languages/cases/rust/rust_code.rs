// == imports: plain, path, alias
use rand;
//  ^ import module="rand"
use std::io::Read;
//           ^ ref import
//           ^ import module="std::io" name="Read"
use std::fmt as format;
//       ^ ref import
// <- import module="std" name="fmt" alias="format"
use rand as dice;
// <- import module="rand" alias="dice"

// == imports: nested lists
use std::{fs, io::{self, Write as W}, path::*};
//        ^ import module="std" name="fs"
//            ^ import module="std" name="io"
//                       ^ import module="std::io" name="Write" alias="W"
//                                    ^ import module="std::path" name="*"
//        ^ ref import
//                       ^ ref import
use crate::{
    alpha::beta::{Gamma, delta::Epsilon},
//  ^ import module="crate::alpha::beta" name="Gamma"
//  ^ import module="crate::alpha::beta::delta" name="Epsilon"
//                ^ ref import
//                              ^ ref import
    zeta::{self as z},
//  ^ import module="crate" name="zeta" alias="z"
};
use {one, two::three};
//   ^ import module="one"
//        ^ import module="two" name="three"

// == imports: re-export, glob, extern crate
pub use crate::prelude::*;
//  ^ import module="crate::prelude" name="*"
pub(crate) use self::helpers::assist;
//         ^ import module="self::helpers" name="assist"
extern crate alloc;
//           ^ import module="alloc"
extern crate core as base;
//           ^ import module="core" alias="base"
//           ^ ref import

// == multi-line generic signature
/// Sends all.
///
/// With care.
pub async unsafe fn send_all<S, E>(
//                  ^ def fn vis=public end=+9 sig="pub async unsafe fn send_all<S, E>( mut sink: S, items: impl Iterator<Item = &'static str>, ) -> Result<Vec<u8>, io::Error> where S: Sink<E> + Unpin, E: Into<io::Error>"
    mut sink: S,
//      ^ none
    items: impl Iterator<Item = &'static str>,
//              ^ ref type owner=send_all
) -> Result<Vec<u8>, io::Error>
//   ^ ref type owner=send_all
//                       ^ ref type owner=send_all
where
    S: Sink<E> + Unpin,
//     ^ ref type owner=send_all
    E: Into<io::Error>,
{
    sink.flush().await?
//       ^ ref call owner=send_all recv=sink
}

// == calls in every form
pub(crate) const fn calls(v: &State) -> u32 {
//                  ^ def fn vis=internal sig="pub(crate) const fn calls(v: &State) -> u32"
    helper(1);
//  ^ ref call owner=calls recv=""
    fs::read("x");
//  ^ ref read recv=""
//      ^ ref call recv=fs
    Builder::<u8>::new().with(2).build();
//  ^ ref type
//                 ^ ref call
//                       ^ ref call
//                               ^ ref call
    parse::<Num>("3");
//  ^ ref call
//          ^ ref type
    v.items.iter().collect::<Vec<_>>();
//    ^ ref read recv=v
//          ^ ref call recv=v.items
//                 ^ ref call
    <State as Reset>::reset(v);
//   ^ ref type
//            ^ ref type
//                    ^ ref call
    Self::other()
//  ^ none
//        ^ ref call recv=Self
}

// == macro calls and calls inside their tokens
fn macros(list: &[u8]) {
// ^ def fn vis=private
    println!("{} {}", total(list), list.size(1));
//  ^ ref call owner=macros
//                    ^ ref call owner=macros recv=""
//                                      ^ ref call owner=macros recv=list
    std::assert_eq!(list, Kind::make((1, 2)));
//       ^ ref call recv=std
//                              ^ ref call recv=Kind
//                  ^ none
}

// == struct literals
fn build() -> Config {
// ^ def fn
//            ^ ref type owner=build
    let name = "n";
//      ^ none
    let c = Config { name, level: 3, ..Config::default() };
//      ^ none
//          ^ ref instance owner=build
//                   ^ ref write recv=Config
//                         ^ ref write recv=Config
//                                             ^ ref call recv=Config
    models::User::<Id> { id: 1 };
//          ^ ref instance recv=models
//                 ^ ref type
    Event::Created { at: 0 }
//         ^ ref instance recv=Event
}

// == assignment
fn assign(cfg: &mut Config) {
// ^ def fn
    cfg.level = 4;
//      ^ ref write recv=cfg
    total += 1;
//  ^ ref write
}

// == patterns
fn matching(e: Event) -> u8 {
// ^ def fn
    match e {
        Event::Closed => 1,
//      ^ ref type owner=matching
//             ^ ref read recv=Event
        Event::Failed(code) => code,
//             ^ ref read recv=Event
        Event::Created { at } => at,
//             ^ ref type
        _ => 0,
    }
}

// == items local to a function, closures are not definitions
fn outer() {
// ^ def fn scope=""
    fn nested(a: u8) -> u8 { a }
//     ^ def fn scope=outer sig="fn nested(a: u8) -> u8"
    const STEP: u8 = 2;
//        ^ def const scope=outer
    let double = |n: u8| nested(n) * STEP;
//      ^ none
//                       ^ ref call owner=outer
}

// == attributes with paths and arguments
#[tokio::test(flavor = "multi_thread")]
//       ^ ref decorator recv=tokio
// a remark between attribute and function
#[cfg(feature = "x")]
//^ ref decorator
async fn works() {}
//       ^ def fn sig="async fn works()"

// == unicode identifiers
fn größe(länge: u32) -> u32 { länge }
// ^ def fn sig="fn größe(länge: u32) -> u32"
struct Größe;
//     ^ def struct

// == raw identifiers and lifetimes
fn r#match<'long>(s: &'long str) -> &'long str { s }
// ^ def fn sig="fn r#match<'long>(s: &'long str) -> &'long str"

// == items inside an item macro
cfg_unix! {
// <- ref call recv=""
    pub fn open(path: &Path) -> Handle { connect(path) }
//         ^ def fn vis=public sig="pub fn open(path: &Path) -> Handle" scope=""
//                                       ^ ref call owner=open
    struct Socket { fd: i32 }
//         ^ def struct vis=private
//                  ^ def field scope=Socket
    impl Socket { fn close(&self) {} }
//       ^ def impl
//                   ^ def method scope=Socket
    cfg_net! {
//  ^ ref call
        pub use self::imp::Net;
//      ^ import module="self::imp" name="Net"
    }
    mod imp;
//      ^ def mod
}
// == items for a macro that adds to the language
bits! {
// <- ref call
    pub struct Flags: u32 { const A = 1; }
//             ^ def struct vis=public
}
fn quoting() { quote! { fn generated() {} } }
// ^ def fn
//                         ^ ref call
