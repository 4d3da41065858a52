use super::customer::Customer;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Line { pub amount: u32 }

pub struct Order {
    pub customer: Arc<Customer>,
    pub lines: Vec<Line>,
    state: Mutex<State>,
}

struct State { open: bool }

impl State {
    fn close(&mut self) { self.open = false; }
//                             ^ -> State.open
}

impl Order {
    pub fn new(customer: Customer) -> Result<Order, Error> {
        let state = Mutex::new(State { open: true });
//                             ^ -> State
        Ok(Order { customer: Arc::new(customer), lines: vec![], state })
//         ^ -> Order
//                                                              ^ -> Order.state
    }

    pub fn total(&self) -> u32 {
        self.state.lock().unwrap().close();
//                                 ^ -> State.close
        let lines = &self.lines;
        for line in lines.iter() {
            check(line.amount);
//          ^ -> check
//                     ^ -> Line.amount
        }
        self.lines[0].amount
//                    ^ -> Line.amount
    }

    pub fn shadow(&self, line: Line) {
        let line = line.amount;
//                      ^ -> Line.amount
        line.amount();
//           ^ external
        let pick = |line| line.amount;
//                             ^ unresolved
    }
}

pub struct Error;

fn check(amount: u32) {
    missing_here(amount);
//  ^ external
}
