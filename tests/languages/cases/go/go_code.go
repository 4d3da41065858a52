package shapes

// == function with a multi-line signature
// Build builds
// a shape.
func Build[T any](
//   ^ def fn vis=public sig="func Build[T any]( ctx context.Context, opts ...Option[T], ) (out *Shape, err error)" end=+5
	ctx context.Context,
	// <- none
	//          ^ ref type owner=Build
	opts ...Option[T],
	//      ^ ref type owner=Build
) (out *Shape, err error) {
//      ^ ref type owner=Build
	return finish(out)
	//     ^ ref call owner=Build recv=""
}

// == methods by value, pointer and generic receiver
func (s Shape) Area() float64 { return s.w * s.h }
//      ^ ref type owner=Area
//             ^ def method scope=Shape vis=public sig="func (s Shape) Area() float64"
//                                       ^ ref read owner=Area recv=s
// grow grows.
func (s *Shape) grow(by int) { s.w += by }
//              ^ def method scope=Shape vis=internal doc="grow grows." sig="func (s *Shape) grow(by int)"
//                               ^ ref write owner=grow recv=s
func (p *Pair[K, V]) Key() K { return p.key }
//                   ^ def method scope=Pair sig="func (p *Pair[K, V]) Key() K"
func (Pair[K, V]) Zero() {}
//                ^ def method scope=Pair

// == body elsewhere
func asmAdd(a, b int) int
//   ^ def fn vis=internal sig="func asmAdd(a, b int) int"

// == calls in every form
func calls(v *Shape) {
//   ^ def fn
	helper(1)
	// <- ref call owner=calls recv=""
	fmt.Println(v.name)
	//  ^ ref call recv=fmt
	//            ^ ref read recv=v
	v.inner.list.Add(2)
	//^ ref read recv=v
	//      ^ ref read recv=v.inner
	//           ^ ref call recv=v.inner.list
	go func() { work() }()
	//          ^ ref call owner=calls
	defer v.mu.Unlock()
	//         ^ ref call recv=v.mu
	Map[int, string](v)
	// <- ref call
	lib.Filter[Item](v)
	//  ^ ref call recv=lib
	//         ^ ref type
}

// == composite literals and new
func literals() {
//   ^ def fn
	a := Shape{Name: "x", inner: other}
	// <- none
	//   ^ ref instance owner=literals
	//         ^ ref write recv=Shape
	//                    ^ ref write recv=Shape
	//                           ^ ref read recv=""
	b := &lib.Node{}
	// <- none
	//        ^ ref instance recv=lib
	c := Pair[int, string]{key: 1}
	//   ^ ref instance
	d := new(Shape)
	//   ^ ref call
	//       ^ ref instance
	e := []Shape{{Name: "y"}}
	//     ^ ref type
	//            ^ ref write recv=Shape
	f := map[Color]*lib.Node{Red: {size: 1}}
	//                       ^ ref read recv=""
	//                             ^ ref write recv=lib.Node
}

// == local variables, constants and types
func locals() {
//   ^ def fn
	const step = 2
	//    ^ none
	var total lib.Sum
	//  ^ none
	//            ^ ref type owner=locals
	type row struct{ id int }
	//   ^ def struct scope=locals vis=internal sig="type row struct"
	//               ^ def field scope=locals.row
}

// == assignments
func assign(s *Shape) {
//   ^ def fn
	count = 1
	// <- ref write
	s.Name, s.x = "n", 2
	//^ ref write recv=s
	//        ^ ref write recv=s
	_ = s
	// <- none
	count++
	// <- ref write
	s.x--
	//^ ref write recv=s
}

// == type switch and assertion
func kinds(v any) {
//   ^ def fn
	switch t := v.(type) {
	case *Shape, lib.Node:
	//    ^ ref type owner=kinds
	//               ^ ref type
		use(t)
	}
	w := v.(Drawer)
	// <- none
	//      ^ ref type
}

// == comment apart from a function is not its doc
// Loose words.

func apart() {}
//   ^ def fn doc=""

// == block comment as doc
/* Block words. */
func Blocked() { /* inside */ }
//   ^ def fn doc="Block words." sig="func Blocked()"

// == unicode identifiers
func Größe(länge int) int { return länge }
//   ^ def fn vis=public sig="func Größe(länge int) int"
func Äußern() {}
//   ^ def fn vis=public

// == generic constraint in a function
func Sum[K comparable, V int64 | Special](m map[K]V) V { return add[V](m) }
//   ^ def fn sig="func Sum[K comparable, V int64 | Special](m map[K]V) V"
//                               ^ ref type owner=Sum
//                                                              ^ ref call owner=Sum
