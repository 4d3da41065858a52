#[derive(Default)]
pub struct Cache;

impl Cache {
    pub fn hit(&self, at: usize) -> bool { crate::pricing::RATE > 1 }
//                                                         ^ -> core/src/pricing.rs RATE
}

impl From<u8> for Cache { fn from(of: u8) -> Cache { Cache } }
impl From<u16> for Cache { fn from(of: u16) -> Cache { Cache } }

pub fn touch() { let _made = Cache::from(1); }
//                                  ^ ambiguous 2
