use std::fmt;

pub enum Level {
    Plain,
    Gold { since: u32 },
}

use Level::*;

impl Level {
    pub fn rebate(&self) -> u32 {
        match self {
            Plain => 0,
//          ^ -> Level.Plain
            Self::Gold { .. } => 1,
//                ^ -> Level.Gold
        }
    }
}

pub struct Customer {
    pub name: String,
    pub level: Level,
}

impl Customer {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_string(), level: Level::Plain }
//             ^ -> Customer.name
//                        ^ external
//                                                   ^ -> Level.Plain
    }
}

impl fmt::Display for Customer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
//        ^ external
//                        ^ -> Customer.name
    }
}
