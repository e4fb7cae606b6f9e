package ndarray

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"iter"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
)

// Heap holds the bytes of elements of variable size. The memory of an [Array]
// of such a type holds for each element where in the heap its bytes are and
// how many; all zero is an element without bytes. A heap only grows; an array
// that is written, and all views of it, have their heap to themselves.
//
// The bytes lie in segments, none of which ever moves: a heap that grows copies
// nothing and leaves nothing behind. A long element that equals one before it
// takes no bytes of its own.
//
// The zero value takes memory of its own as it needs it.
type Heap struct {
	// Account is asked before there is more memory, and pays for it; nil: nobody is.
	Account Account

	segments [][]byte // of elements; an element lies in one of them
	open     []byte   // the segment that may have room for more
	last     int      // its number
	used     int      // bytes of it
	err      error    // why the heap does not grow any more
	items    int      // elements that were put
	seed     maphash.Seed
	seen     map[uint64]place // elements by their hash
	shared   int              // elements without bytes of their own
	discards bool
}

// Account is the memory that a heap, and whoever reads elements of variable size,
// may take. It serves one goroutine at a time.
type Account interface {
	// Lend returns n bytes at least, with undefined content, that stay with the
	// account. An error says that there are not so many.
	Lend(n int) ([]byte, error)
	// Take counts n bytes that the caller is about to make. An error says that
	// there are not so many.
	Take(n int) error
	// Room is the most bytes that there may be at this moment.
	Room() int
	// Give counts n bytes back.
	Give(n int)
}

// place is where in a heap an element is.
type place struct{ at, length uint64 }

// reference is what the memory of an array holds of an element of variable
// size: its place in the heap and its length, 8 bytes each.
const reference = 16

// ItemSize returns the bytes that an element takes in the memory of an array,
// which for types of variable size is the same for all.
func ItemSize(t dtype.Type) int {
	if size := t.Size(); size > 0 {
		return size
	}
	return reference
}

const (
	// A place is the number of a segment and a byte of it, in so many bits.
	segmentBits = 40
	// Segments have between so many bytes. Elements of more than ownSegment have
	// one to themselves.
	leastSegment, mostSegment, ownSegment = 64, 1 << 20, 1 << 18
	// leastShared is the length from which on an element is looked for among those
	// before it, of which mostSeen are remembered.
	leastShared, mostSeen = 256, 4096
)

func (h *Heap) get(ref []byte) []byte {
	length := binary.NativeEndian.Uint64(ref[8:])
	if length == 0 {
		return []byte{}
	}
	return h.bytes(place{binary.NativeEndian.Uint64(ref), length})
}

func (h *Heap) bytes(p place) []byte {
	from := p.at & (1<<segmentBits - 1)
	return h.segments[p.at>>segmentBits][from : from+p.length]
}

// put appends an element. One that there is no memory for has no bytes, and neither
// have those behind it.
func (h *Heap) put(ref, element []byte) {
	if h.err == nil {
		h.items++
	}
	p := place{length: uint64(len(element))}
	switch {
	case len(element) == 0 || h.err != nil || h.discards:
		p.length = 0
	case len(element) >= leastShared:
		p = h.share(element)
	default:
		p = h.store(element)
	}
	binary.NativeEndian.PutUint64(ref, p.at)
	binary.NativeEndian.PutUint64(ref[8:], p.length)
}

// share is store for an element that may be there already. Where nothing has
// repeated for long, nothing is looked for any more.
func (h *Heap) share(element []byte) place {
	if h.seen == nil {
		h.seen, h.seed = map[uint64]place{}, maphash.MakeSeed()
	}
	full := len(h.seen) == mostSeen
	if full && h.shared == 0 {
		return h.store(element)
	}
	hash := maphash.Bytes(h.seed, element)
	same, ok := h.seen[hash]
	if ok && bytes.Equal(h.bytes(same), element) {
		h.shared++
		return same
	}
	p := h.store(element)
	if !ok && !full && h.err == nil {
		h.seen[hash] = p
	}
	return p
}

// store puts an element behind the others.
func (h *Heap) store(element []byte) place {
	n := len(element)
	if n > ownSegment {
		segment := h.grow(n)
		if segment == nil {
			return place{}
		}
		return place{uint64(len(h.segments)-1) << segmentBits, uint64(copy(segment, element))}
	}
	if n > len(h.open)-h.used {
		size := leastSegment
		if h.open != nil {
			size = min(2*len(h.open), mostSegment)
		}
		segment := h.grow(max(size, n))
		if segment == nil {
			return place{}
		}
		h.open, h.last, h.used = segment, len(h.segments)-1, 0
	}
	p := place{uint64(h.last)<<segmentBits | uint64(h.used), uint64(n)}
	h.used += copy(h.open[h.used:], element)
	return p
}

// grow adds a segment of n bytes at least. It is nil where there is no memory for
// it.
func (h *Heap) grow(n int) (segment []byte) {
	if h.Account == nil {
		segment = make([]byte, n)
	} else if segment, h.err = h.Account.Lend(n); h.err != nil {
		return nil
	}
	h.segments = append(h.segments, segment)
	return segment
}

// Err is why elements that were put have no bytes, nil where all have theirs, or
// where h is nil.
func (h *Heap) Err() error {
	if h == nil {
		return nil
	}
	return h.err
}

// Put is how many elements were put, up to the first for which there was no memory.
func (h *Heap) Put() int { return h.items }

// Discard makes a heap that keeps nothing: elements that are put have no bytes. It is
// for whoever wants to know something else of them. The heap may be nil.
func (h *Heap) Discard() {
	if h != nil {
		h.discards = true
	}
}

// Tally counts memory that somebody takes beside a heap, and gives it back
// together. The zero value takes from nobody.
type Tally struct {
	account Account
	taken   int
}

// Tally returns a tally of the heap's account. The heap may be nil, that of an array
// whose elements have a size.
func (h *Heap) Tally() *Tally {
	if h == nil {
		return &Tally{}
	}
	return &Tally{account: h.Account}
}

// Take implements [Account].
func (t *Tally) Take(n int) error {
	if t.account == nil {
		return nil
	}
	err := t.account.Take(n)
	if err == nil {
		t.taken += n
	}
	return err
}

// Give implements [Account].
func (t *Tally) Give(n int) {
	if t.account != nil {
		t.account.Give(n)
		t.taken -= n
	}
}

// End gives back all that was taken.
func (t *Tally) End() { t.Give(t.taken) }

// Room implements [Account].
func (t *Tally) Room() int {
	if t.account == nil {
		return math.MaxInt
	}
	return t.account.Room()
}

// Lend implements [Account]: the memory is the caller's until all is given back.
func (t *Tally) Lend(n int) ([]byte, error) {
	if err := t.Take(n); err != nil {
		return nil, err
	}
	return make([]byte, n), nil
}

// Borrow has the heap of a, an array of elements on their way to dst, paid for by the
// account of dst's heap, until the tally that it returns gives it back.
func (a Array) Borrow(dst Array) *Tally {
	t := dst.Heap.Tally()
	if a.Heap != nil {
		a.Heap.Account = t
	}
	return t
}

// Items goes through the elements in C order. Each is a view of the array's
// memory, or of its heap, not to be modified.
func (a Array) Items() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if slices.Contains(a.Shape, 0) {
			return // however many there are along the others
		}
		size := ItemSize(a.Type)
		a.each(0, a.Offset, func(at int) bool {
			item := a.Data[at : at+size]
			if a.Heap != nil {
				item = a.Heap.get(item)
			}
			return yield(item)
		})
	}
}

// SetItems sets the elements in C order to what next returns, until that is an
// error, or there is no memory for them. The bytes are copied.
func (a Array) SetItems(next func() ([]byte, error)) (err error) {
	size := ItemSize(a.Type)
	a.each(0, a.Offset, func(at int) bool {
		var item []byte
		if item, err = next(); err != nil {
			return false
		}
		if a.Heap != nil {
			a.Heap.put(a.Data[at:at+size], item)
			err = a.Heap.err
		} else {
			copy(a.Data[at:at+size], item)
		}
		return err == nil
	})
	return err
}

// each calls f with the offset of each element at and below dimension k, in C
// order, until f returns false.
func (a Array) each(k, at int, f func(at int) bool) bool {
	if k == len(a.Shape) {
		return f(at)
	}
	for range a.Shape[k] {
		if !a.each(k+1, at, f) {
			return false
		}
		at += a.Strides[k]
	}
	return true
}

// copyItems is Copy for elements of variable size, from dimension k on.
func copyItems(dst, src Array, k, d, s int) {
	if k == len(dst.Shape) {
		dst.Heap.put(dst.Data[d:d+reference], src.Heap.get(src.Data[s:s+reference]))
		return
	}
	for range dst.Shape[k] {
		copyItems(dst, src, k+1, d, s)
		d, s = d+dst.Strides[k], s+src.Strides[k]
	}
}

// fillItems is Fill for elements of variable size. They share the bytes.
func fillItems(a Array, value dtype.Scalar) {
	ref := make([]byte, reference)
	a.Heap.put(ref, value)
	a.each(0, a.Offset, func(at int) bool {
		copy(a.Data[at:], ref)
		return true
	})
}

// uniformItems is Uniform for elements of variable size.
func uniformItems(a Array, value dtype.Scalar) bool {
	for item := range a.Items() {
		if !bytes.Equal(item, value) {
			return false
		}
	}
	return true
}

// newHeap returns the heap that an array of type t needs, nil for none.
func newHeap(t dtype.Type) *Heap {
	if t.Size() > 0 {
		return nil
	}
	return &Heap{}
}

// sameShape reports whether both arrays have as many elements in each
// dimension, and of the same kind of memory.
func sameShape(a, b Array) bool {
	return slices.Equal(a.Shape, b.Shape) && ItemSize(a.Type) == ItemSize(b.Type) && (a.Heap == nil) == (b.Heap == nil)
}
