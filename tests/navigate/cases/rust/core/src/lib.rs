#[macro_use]
mod macros;
pub mod model;
pub mod store;
mod pricing;

pub use model::Order as Purchase;
//             ^ -> core/src/model/order.rs Order
pub use pricing::*;

pub fn open() -> store::Store { store::Store::default() }
//                      ^ -> core/src/store.rs Store
