macro_rules! ensure {
    ($x:expr) => { if !$x { return } };
}
