#[macro_use]
mod macros;
pub mod model;
pub mod store;
mod pricing;

pub use model::Order as Purchase;
//             ^ -> core/src/model/order.rs Order
pub use pricing::*;
mod close;
pub use close::close;

pub fn open() -> store::Store { store::Store::default() }
//                      ^ -> core/src/store.rs Store

fn both() { close::deeper(); close(); }
//                 ^ -> core/src/close.rs deeper
//                           ^ -> core/src/close.rs close
