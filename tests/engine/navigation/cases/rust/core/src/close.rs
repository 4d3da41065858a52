pub fn close() {}

pub fn deeper() {}
