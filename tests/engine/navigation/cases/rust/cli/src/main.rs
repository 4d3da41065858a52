mod args;

use engine::{model::customer::{Customer, Level}, Purchase};
use serde::Serialize;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = args::Args::read()?;
//                          ^ -> cli/src/args.rs Args.read
    let store = engine::open();
//                      ^ -> core/src/lib.rs open
    if let Some(order) = store.find(given.at).await {
//                             ^ -> core/src/store.rs Store.find
//                                        ^ -> cli/src/args.rs Args.at
        order.total();
//            ^ -> core/src/model/order.rs Order.total
        println!("{} {}", order.total(), order.customer.name);
//      ^ external
//                              ^ -> core/src/model/order.rs Order.total
//                                                      ^ -> core/src/model/customer.rs Customer.name
    }
    let who = Customer { name: String::new(), level: Level::Gold { since: 1 } };
//                       ^ -> core/src/model/customer.rs Customer.name
//                                     ^ external
//                                                          ^ -> core/src/model/customer.rs Level.Gold
    let bought = Purchase::new(who)?;
    bought.customer.level.rebate();
//                        ^ -> core/src/model/customer.rs Level.rebate
    shopmac::expand();
//           ^ -> macros/src/all.rs expand
    serde::export(1);
//         ^ external
    unknown().go();
//            ^ unresolved
    Ok(())
}
