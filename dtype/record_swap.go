package dtype

import "fmt"

// swap describes bytes of an element that are to be swapped, from one offset on. There
// are n words, each word bytes long. If by is not nil, there are n elements of that
// type instead, each word bytes long, and by swaps their words.
type swap struct {
	offset, word, n int
	by              Ordered
}

// worded is a type that can tell where in an element its words are.
type worded interface {
	// words calls add for each stretch of words of an element that starts at byte at.
	words(at int, add func(swap))
}

func addSwaps(t Type, at int, add func(swap)) {
	if w, ok := t.(worded); ok {
		w.words(at, add)
	} else if by, ok := t.(Ordered); ok {
		add(swap{at, t.Size(), 1, by})
	}
}

// addRepeated adds the words of n elements of one type, which start at byte at. It
// makes one swap however many elements there are. Otherwise a number in a type's text
// would decide how much memory the type takes.
func addRepeated(t Ordered, at, n int, add func(swap)) {
	whole := swap{at, t.Size(), n, t}
	addSwaps(t, at, func(s swap) {
		if s.by == nil && s.word*s.n == t.Size() {
			s.n *= n
			whole = s
		}
	})
	add(whole)
}

// add appends a swap, and joins it with the last one if their words are equal and
// adjacent.
func (t *record) add(s swap) {
	if k := len(t.swaps) - 1; k >= 0 {
		last := &t.swaps[k]
		if last.by == s.by && last.word == s.word && last.offset+last.word*last.n == s.offset {
			last.n += s.n
			return
		}
	}
	t.swaps = append(t.swaps, s)
}

// words adds the swaps of the record one by one if they are few. A longer list is one
// swap, which the record carries out itself. Otherwise each of several nested records
// would hold a copy of the list.
func (t *orderedRecord) words(at int, add func(swap)) {
	const few = 16
	if len(t.swaps) > few {
		add(swap{at, t.size, 1, t})
		return
	}
	for _, s := range t.swaps {
		s.offset += at
		add(s)
	}
}

// reorder converts an element between the host's order and the declared orders, in
// either direction.
func (t *record) reorder(s []byte) {
	if swapper := declaredSwapper(t); swapper != nil {
		swapper.SwapInto(s, s)
	}
}

// Swapper returns a type whose SwapInto converts elements of type t between the given
// order and the host's order, in either direction. It returns nil if the two orders are
// the same. Mixed stands for the orders that the fields of a record declare.
//
// For a type that is not [Ordered] the order has no meaning. For a type that is,
// NoOrder panics, and Mixed panics unless t is a [Record]: a caller who reads elements
// has to know their order.
func Swapper(t Type, order Order) Ordered {
	o, ordered := t.(Ordered)
	_, isRecord := t.(Record)
	switch {
	case !ordered || order == Native:
		return nil
	case order == Little || order == Big:
		return o
	case order != Mixed || !isRecord:
		panic(fmt.Sprintf("dtype: byte order %v of elements of data type %s", order, t.Name()))
	}
	return declaredSwapper(t)
}

// declaredSwapper is [Swapper] for Mixed.
func declaredSwapper(t Type) Ordered {
	swapper := &orderedRecord{record{size: t.Size()}}
	addForeign(t, Mixed, 0, swapper.add)
	if len(swapper.swaps) == 0 {
		return nil
	}
	return swapper
}

// addForeign adds the words, in an element at byte at, that are not in the host's
// order. An order other than Little and Big stands for the orders that the fields of
// records declare.
func addForeign(t Type, order Order, at int, add func(swap)) {
	if order == Little || order == Big {
		if order != Native {
			addSwaps(t, at, add)
		}
		return
	}
	switch t := t.(type) {
	case subarrayType:
		if by := declaredSwapper(t.subarrayOf().element); by != nil {
			addRepeated(by, at, t.subarrayOf().n, add)
		}
	case Record:
		for _, f := range t.Fields() {
			addForeign(f.Type, f.declared(), at+f.Offset, add)
		}
	}
}

// orderedRecord is a record with words of several bytes.
type orderedRecord struct{ record }

// SwapInto implements [Ordered].
func (t *orderedRecord) SwapInto(dst, src []byte) {
	if s := t.swaps[0]; s.word*s.n == t.size {
		s.apply(dst, src) // all elements together are one stretch of equal words
		return
	}
	dst = dst[:len(src)]
	copy(dst, src)
	for _, s := range t.swaps {
		for at := s.offset; at < len(dst); at += t.size {
			words := dst[at : at+s.word*s.n]
			s.apply(words, words)
		}
	}
}

func (s swap) apply(dst, src []byte) {
	if s.by != nil {
		s.by.SwapInto(dst, src)
	} else {
		SwapWords(s.word, dst, src)
	}
}
