package broken

// == definitions around broken syntax survive
func Before() Item { return make2() }
//   ^ def fn vis=public
//                          ^ ref call owner=Before

var = ;

type After struct {
//   ^ def struct
	field int
	// <- def field scope=After
}

// == a broken statement leaves the function
func (a *After) Last() {
//              ^ def method scope=After
	x := := 3
	callMe()
	// <- ref call owner=Last
}
