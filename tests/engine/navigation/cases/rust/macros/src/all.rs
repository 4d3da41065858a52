mod parts;

pub fn expand() -> u8 { parts::piece() }
//                             ^ -> macros/src/parts.rs piece
