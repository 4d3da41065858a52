mod support;

use shop_core::{open, store::Keep, Purchase};
//                           ^ -> core/src/store.rs Keep
//                                 ^ -> core/src/model/order.rs Order

#[test]
fn flow() {
    support::ready();
//           ^ -> core/tests/support/mod.rs ready
    let mut store = open();
    store.keep(Purchase::new(support::someone()).unwrap());
//        ^ -> core/src/store.rs Store.keep
//                       ^ -> core/src/model/order.rs Order.new
    shop_core::close();
//             ^ -> core/src/close.rs close
    shop_core::discount(&store, &support::someone());
//             ^ -> core/src/pricing.rs discount
}
