package main

import (
	"fmt"
	"os"

	"example.org/shop/billing/v2"
	st "example.org/shop/store"
	"example.org/shop/internal/go-clock"
	"example.org/tools"
	yaml "gopkg.in/yaml.v3"
	"gopkg.in/missing-go.v2"
)

type app struct {
	store  *st.Store
//          ^ -> store/store.go Store
	pricer billing.Pricer
}

func main() {
	defer tools.Trace("main")()
//           ^ -> tools/tools.go Trace
	s, err := st.New(clock.System())
//            ^ -> store/store.go New
//                      ^ -> internal/go-clock/clock.go System
	if err != nil {
		fmt.Println(err.Error())
//    ^ external
		os.Exit(1)
	}
	a := app{store: s}
//        ^ -> app.store
	a.run(nil)
// ^ -> app.run
	yaml.Unmarshal(nil, &a)
//    ^ external
	missing.Call()
//       ^ external
}

func (a *app) run(each func()) {
	a.store.Add(&st.Item{Name: "x"})
//       ^ -> store/store.go Store.Add
//               ^ -> store/item.go Item
//                    ^ -> store/item.go Item.Name
	rate, _ := billing.Default()
	fmt.Println(rate.Percent, len("x"))
//                ^ -> billing/v2/billing.go Rate.Percent
//                         ^ external
	a.pricer.Price(rate).Cents++
//        ^ -> billing/v2/billing.go Pricer.Price
//                    ^ -> billing/v2/billing.go Money.Cents
	each()
#^ external
	helper().Go()
//        ^ unresolved
	func(rate *st.Item) { rate.Rename("r") }(nil)
//                          ^ -> store/item.go Item.Rename
}
