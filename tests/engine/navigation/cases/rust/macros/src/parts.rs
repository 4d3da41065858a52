pub fn piece() -> u8 { super::expand() }
//                            ^ -> macros/src/all.rs expand
