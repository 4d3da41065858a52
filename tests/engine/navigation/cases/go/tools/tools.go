package tools

// Trace is called through the other module's path.
func Trace(name string) func() { return func() { println(name) } }
//                                               ^ external
