package store_test

import (
	"testing"

	. "example.org/shop/store"
)

func use(t *testing.T) {}

func TestAdd(t *testing.T) {
	use(t)
#^ -> use
	tests := []struct{ name string }{{name: "a"}}
	for _, tt := range tests {
		_ = tt.name
	}
	s, err := New(nil)
//         ^ -> store/store.go New
	s.Add(&Item{Name: "n"})
// ^ -> store/store.go Store.Add
//      ^ -> store/item.go Item
	t.Fatal(err)
// ^ external
}
