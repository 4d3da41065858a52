package app

import (
	"fmt"
	net "net/http"
)

// Store keeps pages.
type Store struct {
//   ^ bases: Base
	Base
    limit int
//  ^ types: limit: int annotation
//  ^ visibility: internal
}

// Sized is what has a size.
type Sized interface {
	Closer
    Size(unit string) (n int, err error)
//  ^ params: unit: string
//  ^ returns: (n int, err error)
}

// Load reads one page.
func (s *Store) Load(url string, a, b int, rest ...Page) (*Page, error) {
//              ^ params: url: string | a: int | b: int | rest: Page
//              ^ returns: (*Page, error)
//              ^ visibility: public
//              ^ doc: Load reads one page.
//              ^ calls: Client, Store, f, fmt.Println, net.Get
//              ^ imports: fmt, net/http
//              ^ reads: a, ch, client, err, fmt, i, left, net, other, p, rest, s, s.cache, total, url, y
//              ^ writes: _, body, client, e, err, f, g, i, left, other, p, right, total, x, y
//              ^ mutations: p.Seen, s.cache[], s.hits, s.last
//              ^ aliases: other=client, right=left, s.last=url
//              ^ types: url: string annotation, a: int annotation, b: int annotation, rest: Page annotation, client: Client constructor, total: int annotation, x: int literal, y: string literal, i: int literal, p.Seen: bool literal, f: func literal, e: Store constructor, g: []int constructor, left: int literal
//              ^ branches: 5
//              ^ loops: 2
//              ^ breaks: 1
//              ^ continues: 1
//              ^ returned: 1
//              ^ has names: Client, Page, url
	client := &Client{url}
	other := client
	var total int = 0
	x, y := 1, "a"
	s.cache[url] = other
	s.last = url
	total += a
	s.hits++
	for i := 0; i < total; i++ {
		if i > 2 {
			break
		} else if i == 1 {
			continue
		}
	}
	for _, p := range rest {
		p.Seen = true
	}
	switch y {
	case "b":
		fmt.Println(other)
	default:
	}
	switch v := y.(type) {
	case int:
	}
	select {
	case <-ch:
	}
	f := func(q int) int { return 1 }
	e := Store{}
	g := []int{1}
	left, right := 1, left
	body, err := net.Get(f(1))
	return nil, err
}
