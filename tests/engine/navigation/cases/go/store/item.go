package store

type Item struct {
	Name string
	next *Item
}

type Items []Item

type Alias = Item

func (i *Item) Rename(name string) *Item {
	i.Name = name
// ^ -> Item.Name
	i.next.Rename(name).Rename(name)
//      ^ -> Item.Rename
//                   ^ -> Item.Rename
	return i
}

func (all Items) First() *Item { return &all[0] }

func limitName(n int) string { return "x" }

func use(text string) {}

func pick(all Items, any interface{}) {
	for _, one := range all {
		one.Rename("q")
//    ^ -> Item.Rename
	}
	all.First().Rename("z")
//           ^ -> Item.Rename
	item := any.(*Item)
	item.Rename("w")
//    ^ -> Item.Rename
	{
		item := 3
		item.Rename("no")
//     ^ unresolved
	}
	item.Rename("again")
//    ^ -> Item.Rename
	any.Unknown()
//   ^ unresolved
	_ = []Alias{{Name: "s"}}
//            ^ -> Item.Name
	other := new(Alias)
	other.Rename("v")
//     ^ -> Item.Rename
}

func both() { sync_() }
//            ^ ambiguous 2
