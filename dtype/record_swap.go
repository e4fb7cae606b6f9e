package dtype

import "fmt"

// swap is a place in an element whose words are to be swapped: n of them, each
// word bytes long. Or, where by is not nil, n elements of that type, each word
// bytes long, which swaps their words itself.
type swap struct {
	offset, word, n int
	by              Ordered
}

// worded is a type that knows where in an element its words are.
type worded interface {
	// words calls add for the words of an element that starts at byte at.
	words(at int, add func(swap))
}

func addSwaps(t Type, at int, add func(swap)) {
	if w, ok := t.(worded); ok {
		w.words(at, add)
	} else if by, ok := t.(Ordered); ok {
		add(swap{at, t.Size(), 1, by})
	}
}

// addRepeated adds the words of n elements of one type, which start at byte at.
// It takes one swap however many elements there are, so that the memory that a
// type takes does not grow with a number in its text.
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

// add notes words to swap and joins rows of equal ones.
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

// words gives a few swaps one by one, and a longer list as one swap by the
// record itself: records in each other would else each have a copy of it.
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

// reorder turns an element between the host's order and the declared orders.
func (t *record) reorder(s []byte) {
	if swapper := declaredSwapper(t); swapper != nil {
		swapper.SwapInto(s, s)
	}
}

// Swapper returns what turns elements of type t that are stored in the given
// order into the host's order and back, and nil where they are the same. Mixed
// stands for the orders that the fields of a record declare.
//
// For a type that is not [Ordered] the order means nothing. For one that is,
// NoOrder panics, and so does Mixed if it is no [Record]: whoever reads the
// elements has to know in which order they are.
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

// addForeign adds the words of an element at byte at that are not in the
// host's order. Other orders than Little and Big stand for those that the
// fields of records declare.
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
		s.apply(dst, src) // the elements are one row of equal words
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
