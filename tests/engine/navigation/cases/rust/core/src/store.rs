use crate::{model::Order, pricing::{self, Money}};

pub mod memory;

pub trait Keep { fn keep(&mut self, order: Order); }

#[derive(Default)]
pub struct Store { orders: Vec<Order>, cache: memory::Cache }
//                                                    ^ -> core/src/store/memory.rs Cache

impl Store {
    pub async fn find(&self, at: usize) -> Option<&Order> {
        self.cache.hit(at);
//                 ^ -> core/src/store/memory.rs Cache.hit
        self.orders.get(at)
//                  ^ external
    }
    pub fn sum(&self) -> Money { pricing::zero() }
//                                        ^ unresolved
}

impl Keep for Store {
    fn keep(&mut self, order: Order) { self.orders.push(order) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use super::super::pricing::Price as _;

    fn make() -> Store { Store::default() }

    #[test]
    fn works() {
        let mut store = make();
//                      ^ -> tests.make
        store.sum().cents;
//            ^ -> Store.sum
//                  ^ -> core/src/pricing.rs Money.cents
        super::memory::touch();
//                     ^ -> core/src/store/memory.rs touch
    }
}
