// Package store keeps orders.
package store

import (
	"errors"
	"sync"

	clock "example.org/shop/internal/go-clock"
)

var ErrGone = errors.New("gone")
//                   ^ external

const limit = 3

type Base struct {
	mu    sync.Mutex
	clock clock.Clock
//           ^ -> internal/go-clock/clock.go Clock
}

func (b *Base) stamp() int64 {
	b.mu.Lock()
// ^ -> Base.mu
//    ^ external
	return b.clock.Now()
//              ^ -> internal/go-clock/clock.go Clock.Now
}

type Store struct {
	*Base
//^ -> Base
	items map[string]*Item
	queue chan Item
	log   []Line
}

type Line struct{ text string }

func New(c clock.Clock) (*Store, error) {
	s := &Store{Base: &Base{clock: c}, items: map[string]*Item{}}
//     ^ -> Store
//                       ^ -> Base.clock
//                                  ^ -> Store.items
	if limit > 2 {
//  ^ -> limit
		return s, nil
	}
	return nil, ErrGone
//           ^ -> ErrGone
}

func (s *Store) Add(item *Item) {
	s.stamp()
// ^ -> Base.stamp
	s.items[item.Name] = item
// ^ -> Store.items
//            ^ -> store/item.go Item.Name
	s.items["a"].Rename("b")
//            ^ -> store/item.go Item.Rename
	s.Base.stamp()
//      ^ -> Base.stamp
	for _, line := range s.log {
		use(line.text)
//^ -> store/item.go use
//         ^ -> Line.text
	}
	got := <-s.queue
	got.Rename(limitName(limit))
//   ^ -> store/item.go Item.Rename
//          ^ -> store/item.go limitName
	len := func(x *Line) int { return 1 }
	len(nil)
#^ external
}
