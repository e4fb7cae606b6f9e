package standard

import (
	"sync"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// elements.Kernel returns cast for the elements that are no keys, and their values for
// those that are.
func (m castMap) kernel(to, from castForm, cast elements.Kernel) elements.Kernel {
	if len(m) == 0 {
		return cast
	}
	switch from.typ.Size() {
	case 2:
		return mapElements[uint16](m, to, from, cast)
	case 4:
		return mapElements[uint32](m, to, from, cast)
	default:
		return mapElements[uint64](m, to, from, cast)
	}
}

func mapElements[S word](m castMap, to, from castForm, cast elements.Kernel) elements.Kernel {
	switch to.typ.Size() {
	case 1:
		return newMapping[uint8, S](m, to, from).kernel(cast)
	case 2:
		return newMapping[uint16, S](m, to, from).kernel(cast)
	case 4:
		return newMapping[uint32, S](m, to, from).kernel(cast)
	default:
		return newMapping[uint64, S](m, to, from).kernel(cast)
	}
}

const (
	mapBlock = 512 // elements that are searched at a time
	fewKeys  = 2   // up to so many keys, each element is compared with all
)

// mapping is a castMap over the bits of elements.
type mapping[D, S word] struct {
	keys   []S // but NaN
	values []D
	byKey  map[S]D
	sieve  [1 << 8]uint8 // 1 at the hash of each key
	one    S             // an element that every type can hold

	nan      bool // whether NaN is a key
	ofNaN    D
	infinity S // without the sign bit, only NaNs are greater
}

func newMapping[D, S word](m castMap, to, from castForm) *mapping[D, S] {
	c := &mapping[D, S]{one: wordOf[S](from, "1"), byKey: map[S]D{}}
	if from.kind == dtype.Float {
		c.infinity = wordOf[S](from, `"Infinity"`)
	}
	for _, e := range m {
		value, key := bitsOf[D](to, e.value), bitsOf[S](from, e.key)
		switch {
		case from.isNaN(e.key):
			c.nan, c.ofNaN = true, value
			continue
		case from.kind == dtype.Float && e.number == 0:
			c.add(key^(^S(0)-^S(0)>>1), value) // with the other sign
		}
		c.add(key, value)
	}
	return c
}

func (m *mapping[D, S]) add(key S, value D) {
	m.keys, m.values = append(m.keys, key), append(m.values, value)
	m.byKey[key] = value
	m.sieve[hashOf(key)] = 1
}

// bitsOf are those of an element of a type as wide as W.
func bitsOf[W word](f castForm, s dtype.Scalar) W {
	a := ndarray.New(f.typ, []int{1})
	copy(a.Data, s)
	list, _ := ndarray.As[W](a)
	return list[0]
}

// wordOf are the bits of a number that the type has.
func wordOf[W word](f castForm, text string) W {
	s, err := f.typ.ParseScalar(dtype.V3, []byte(text))
	if err != nil {
		panic(err)
	}
	return bitsOf[W](f, s)
}

// hashOf spreads words over a byte: it is the upper one of a product in which
// every bit of the word counts.
func hashOf[S word](v S) uint8 { return uint8(uint64(v) * 0x9e3779b97f4a7c15 >> 56) }

// found is which elements of a block are keys, in no order, and their values.
type found[D word] struct {
	n int
	// There is room for NaNs, for all elements after them, and for one that is
	// written and does not count.
	at     [2*mapBlock + 1]uint16
	value  [mapBlock]D
	others []byte // room for the block without keys, up to 8 bytes each
}

// search finds all keys in a block.
func (m *mapping[D, S]) search(f *found[D], block []S) {
	f.n = 0
	if m.nan {
		f.n = searchNaN(&f.at, block, m.infinity)
		f.set(0, m.ofNaN)
	}
	if len(m.keys) <= fewKeys {
		for i, key := range m.keys {
			before := f.n
			f.n = searchKey(&f.at, before, block, key)
			f.set(before, m.values[i])
		}
		return
	}
	sifted := f.at[f.n:siftKeys(&f.at, f.n, block, &m.sieve)]
	for _, i := range sifted {
		if value, ok := m.byKey[block[i]]; ok {
			f.at[f.n], f.value[f.n] = i, value
			f.n++
		}
	}
}

// set gives a value to the elements that were found last.
func (f *found[D]) set(from int, value D) {
	for i := from; i < f.n; i++ {
		f.value[i] = value
	}
}

// searchKey appends the indexes of a key to n others and returns how many there
// are then. It has no branches, which could be taken at random.
func searchKey[S word](at *[2*mapBlock + 1]uint16, n int, block []S, key S) int {
	for i, v := range block {
		at[n] = uint16(i)
		if v == key {
			n++
		}
	}
	return n
}

// searchNaN is searchKey for NaN; none was found before.
func searchNaN[S word](at *[2*mapBlock + 1]uint16, block []S, infinity S) int {
	n := 0
	for i, v := range block {
		at[n] = uint16(i)
		if v<<1 > infinity<<1 {
			n++
		}
	}
	return n
}

// siftKeys is searchKey for any number of keys at once, with some elements that
// are none.
func siftKeys[S word](at *[2*mapBlock + 1]uint16, n int, block []S, sieve *[1 << 8]uint8) int {
	for i, v := range block {
		at[n] = uint16(i)
		n += int(sieve[hashOf(v)])
	}
	return n
}

// elements.Kernel lets cast see a one in the place of each key.
func (m *mapping[D, S]) kernel(cast elements.Kernel) elements.Kernel {
	lent := &sync.Pool{New: func() any { return &found[D]{others: make([]byte, 8*mapBlock)} }}
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		from, _ := ndarray.As[S](src)
		f := lent.Get().(*found[D])
		defer lent.Put(f)
		for at := 0; at < len(from); at += mapBlock {
			end := min(len(from), at+mapBlock)
			part := elements.Line(src.Type, src.Data[at*src.Type.Size():end*src.Type.Size()])
			m.search(f, from[at:end])
			if f.n > 0 {
				part = elements.Line(src.Type, f.others[:copy(f.others, part.Data)])
				others, _ := ndarray.As[S](part)
				for _, i := range f.at[:f.n] {
					others[i] = m.one
				}
			}
			if bad := cast(elements.Line(dst.Type, dst.Data[at*dst.Type.Size():end*dst.Type.Size()]), part); bad >= 0 {
				return at + bad
			}
			block := to[at:end]
			for i, k := range f.at[:f.n] {
				block[k] = f.value[i]
			}
		}
		return -1
	}
}
