use std::collections::HashMap;

pub trait Weighs {
    fn weigh(&self) -> u32;
}

#[derive(Debug)]
pub struct Parcel {
    pub code: String,
}

impl Weighs for Parcel {
    fn weigh(&self) -> u32 {
        let known: HashMap<String, u32> = HashMap::new();
        known.len() as u32
    }
}

pub(crate) fn sort_parcels(parcels: &mut Vec<Parcel>) {
    parcels.sort_by(|a, b| a.code.cmp(&b.code));
}
