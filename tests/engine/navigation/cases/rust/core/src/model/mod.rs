pub mod customer;
mod order;

pub use self::order::{Line, Order};
//                          ^ -> core/src/model/order.rs Order
