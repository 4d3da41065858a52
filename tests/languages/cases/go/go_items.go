// Package shapes draws.
// <- comment
package shapes

// == single import
import "fmt"
// <- import module="fmt"
//      ^ ref import

// == grouped, aliased, dot and blank imports
import (
	str "strings"
	// <- import module="strings" alias="str"
	. "math"
	// <- import module="math" alias="."
	_ "embed"
	// <- import module="embed" alias="_"
	"example.org/lib/v2"
	// <- import module="example.org/lib/v2"
)

// == constant with doc
// Limit is the most.
const Limit = 3
//    ^ def const vis=public sig="const Limit = 3" doc="Limit is the most."

// == constants with iota
const (
	// Red is first.
	Red Color = iota // trailing words
	// <- def const vis=public sig="Red Color = iota" doc="Red is first."
	//  ^ ref type owner=Red
	green
	// <- def const vis=internal sig="green" doc=""
	a, B = 1, 2
	// <- def const vis=internal sig="a, B = 1, 2" scope=""
	// ^ def const vis=public scope=""
)

// == single constant in a group
const (
	Only = "x"
	// <- def const sig="Only = \"x\"" end=+0
)

// == variables
var ErrGone, errLost = errors.New("gone"), lib.Err
//  ^ def var vis=public sig="var ErrGone, errLost = errors.New(\"gone\"), lib.Err"
//           ^ def var vis=internal scope=""
//                            ^ ref call recv=errors
//                                             ^ ref read recv=lib
var (
	// Registry of makers.
	Registry = map[string]Maker{}
	// <- def var doc="Registry of makers." sig="Registry = map[string]Maker{}"
	//                    ^ ref type owner=Registry
	table lib.Table
	// <- def var vis=internal sig="table lib.Table"
	//        ^ ref type owner=table
)

// == variable that holds a function
var Hook = func(n int) error {
//  ^ def var sig="var Hook = func(n int) error" end=+2
	return run(n)
	//     ^ ref call owner=Hook
}

// == struct with fields, tags and embedding
// Shape is a form.
type Shape struct {
//   ^ def struct vis=public sig="type Shape struct" doc="Shape is a form." end=+11
	Base
	// <- ref inherit owner=Shape
	*lib.Node
	//   ^ ref inherit owner=Shape
	lib.Box[Shape]
	//  ^ ref inherit owner=Shape
	// Name of it.
	Name string `json:"name"`
	// <- def field scope=Shape vis=public doc="Name of it." sig="Name string `json:\"name\"`"
	x, Y  int
	// <- def field scope=Shape vis=internal sig="x, Y int"
	// ^ def field scope=Shape vis=public
	on    func(e Event) error
	// <- def field scope=Shape sig="on func(e Event) error"
	//           ^ ref type owner=on
	inner struct {
	// <- def field scope=Shape
		depth int
		// <- def field scope=Shape.inner
	}
}

// == generic struct
type Pair[K comparable, V Number | ~int] struct {
//   ^ def struct sig="type Pair[K comparable, V Number | ~int] struct"
//          ^ ref type
//                        ^ ref type owner=Pair
	key K
	// <- def field scope=Pair
}

// == interface with methods and embedding
type Drawer interface {
//   ^ def interface sig="type Drawer interface" end=+6
	fmt.Stringer
	//  ^ ref inherit owner=Drawer
	Closer
	// <- ref inherit owner=Drawer
	// Draw draws.
	Draw(to Canvas, scale float64) (n int, err error)
	// <- def method scope=Drawer vis=public doc="Draw draws." sig="Draw(to Canvas, scale float64) (n int, err error)"
	//      ^ ref type owner=Draw
	//                    ^ none
	reset()
	// <- def method scope=Drawer vis=internal
}

// == type constraint
type Number interface {
//   ^ def interface
	~int | Special
	//     ^ ref type owner=Number
}
type Empty interface{}
//   ^ def interface sig="type Empty interface"

// == defined types and aliases
type Color int
//   ^ def type vis=public sig="type Color int"
type Alias = lib.Other
//   ^ def type sig="type Alias = lib.Other"
//               ^ ref type owner=Alias
type handler func(Request) Reply
//   ^ def type vis=internal sig="type handler func(Request) Reply"
//                ^ ref type owner=handler

// == grouped types
type (
	// Left one.
	Left struct {
	// <- def struct scope="" sig="Left struct" doc="Left one." end=+2
		n int
		// <- def field scope=Left
	}
	Right interface{ Turn() }
	// <- def interface scope="" sig="Right interface"
	//               ^ def method scope=Right
	Side = Left
	// <- def type scope="" sig="Side = Left"
	//     ^ ref type owner=Side
)
// == names that nobody can use
var _ Shape = (*Square)(nil)
//  ^ none
//    ^ ref type
const _ = 1
//    ^ none
