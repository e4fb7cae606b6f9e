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

const (
	// A place is the index of a segment and a byte offset in it. The offset has
	// segmentBits bits.
	segmentBits = 40
	// A segment has from leastSegment to mostSegment bytes. An element of more than
	// ownSegment bytes has a segment to itself.
	leastSegment, mostSegment, ownSegment = 64, 1 << 20, 1 << 18
	// An element of leastShared bytes or more is looked for among earlier elements, of
	// which mostSeen are remembered.
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

// put appends an element and writes its reference to ref. If there is no memory for the
// element, it has no bytes, and neither have later elements.
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

// share is store for an element that may equal an earlier one. If no element has
// repeated for long, share looks for none any more.
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

// grow adds a segment of at least n bytes. It returns nil if there is no memory for the
// segment.
func (h *Heap) grow(n int) (segment []byte) {
	if h.Account == nil {
		segment = make([]byte, n)
	} else if segment, h.err = h.Account.Lend(n); h.err != nil {
		return nil
	}
	h.segments = append(h.segments, segment)
	return segment
}

// Err says why some elements that were put have no bytes. It is nil if all elements have
// their bytes, or if h is nil.
func (h *Heap) Err() error {
	if h == nil {
		return nil
	}
	return h.err
}

// Put returns how many elements were put, up to the first for which there was no
// memory.
func (h *Heap) Put() int { return h.items }

// Discard makes the heap keep nothing: elements that are put have no bytes. It is for a
// caller who needs only other results of reading the elements. The heap may be nil.
func (h *Heap) Discard() {
	if h != nil {
		h.discards = true
	}
}

// Tally counts memory that is taken beside a heap, and gives all of it back at once. The
// zero value has no account.
type Tally struct {
	account Account
	taken   int
}

// Tally returns a tally of the heap's account. The heap may be nil, as for an array
// whose elements have a fixed size.
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

// Lend implements [Account]: the caller owns the memory until the tally gives
// everything back.
func (t *Tally) Lend(n int) ([]byte, error) {
	if err := t.Take(n); err != nil {
		return nil, err
	}
	return make([]byte, n), nil
}

// Borrow makes the account of dst's heap pay for the heap of a, whose elements are on
// their way to dst, until the returned tally gives the memory back.
func (a Array) Borrow(dst Array) *Tally {
	t := dst.Heap.Tally()
	if a.Heap != nil {
		a.Heap.Account = t
	}
	return t
}

// Items iterates over the elements in C order. Each is a view of the array's memory, or
// of its heap, and must not be modified.
func (a Array) Items() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if slices.Contains(a.Shape, 0) {
			return // no elements, however long the other dimensions are
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

// SetItems sets the elements in C order to the results of next, until next returns an
// error or there is no memory for an element. The bytes are copied.
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

// each calls f with the offset of each element, from dimension k on, in C order, until
// f returns false.
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

// fillItems is Fill for elements of variable size. All elements share the bytes of the
// value.
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

// sameShape reports whether both arrays have the same shape, and either both or neither
// have a heap.
func sameShape(a, b Array) bool {
	return slices.Equal(a.Shape, b.Shape) && ItemSize(a.Type) == ItemSize(b.Type) && (a.Heap == nil) == (b.Heap == nil)
}
