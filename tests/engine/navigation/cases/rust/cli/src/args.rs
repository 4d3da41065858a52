pub struct Args { pub at: usize }

impl Args {
    pub fn read() -> std::io::Result<Self> { Ok(Args { at: 1 }) }
//                                              ^ -> Args
}
