use shop_core::model::customer::Customer;

pub fn ready() {}

pub fn someone() -> Customer { Customer::new("x") }
//                                       ^ -> core/src/model/customer.rs Customer.new
