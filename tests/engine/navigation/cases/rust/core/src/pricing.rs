use crate::model::{customer::Customer, Order};
//                                     ^ -> core/src/model/order.rs Order

pub const RATE: u32 = 3;

pub trait Price {
    fn price(&self) -> Money;
    fn doubled(&self) -> Money { self.price() }
//                                    ^ -> Price.price
}

#[derive(Debug)]
pub struct Money { pub cents: u32 }

impl Price for Order {
    fn price(&self) -> Money {
        ensure!(self.lines.is_empty());
//      ^ -> core/src/macros.rs ensure
//                         ^ external
        Money { cents: self.total() * RATE }
//      ^ -> Money
//              ^ -> Money.cents
//                          ^ -> core/src/model/order.rs Order.total
//                                    ^ -> RATE
    }
}

pub fn discount<P: Price>(of: &P, who: &Customer) -> u32 {
    of.price().cents - who.level.rebate()
//     ^ -> Price.price
//             ^ -> Money.cents
//                         ^ -> core/src/model/customer.rs Customer.level
//                               ^ -> core/src/model/customer.rs Level.rebate
}
