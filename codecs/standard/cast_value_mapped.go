package standard

import (
	"sync"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// kernel returns a kernel that writes the map's values for elements that are keys. cast
// converts all other elements.
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
	mapBlock = 512 // how many elements are searched at a time
	fewKeys  = 2   // the most keys that each element is compared with one by one
)

// mapping is a castMap on the bits of elements.
type mapping[D, S word] struct {
	keys   []S // without NaN
	values []D
	byKey  map[S]D
	sieve  [1 << 8]uint8 // 1 at the hash of each key
	one    S             // the number one, which every type has

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
			c.add(key^(^S(0)-^S(0)>>1), value) // zero with the other sign
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

// bitsOf returns the bits of an element whose type is as wide as W.
func bitsOf[W word](f castForm, s dtype.Scalar) W {
	a := ndarray.New(f.typ, []int{1})
	copy(a.Data, s)
	list, _ := ndarray.As[W](a)
	return list[0]
}

// wordOf returns the bits of the number that text spells. The type must have that
// number.
func wordOf[W word](f castForm, text string) W {
	s, err := f.typ.ParseScalar(dtype.V3, []byte(text))
	if err != nil {
		panic(err)
	}
	return bitsOf[W](f, s)
}

// hashOf hashes a word to a byte: the upper byte of a product that depends on every bit
// of the word.
func hashOf[S word](v S) uint8 { return uint8(uint64(v) * 0x9e3779b97f4a7c15 >> 56) }

// found lists the elements of a block that are keys, in any order, with their values.
type found[D word] struct {
	n int
	// at has room for the NaNs, for all elements after them, and for one more that is
	// written and not counted.
	at     [2*mapBlock + 1]uint16
	value  [mapBlock]D
	others []byte // room for the block without its keys, up to 8 bytes for each element
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

// set gives a value to the elements that were found from number from on.
func (f *found[D]) set(from int, value D) {
	for i := from; i < f.n; i++ {
		f.value[i] = value
	}
}

// searchKey appends the indexes at which key occurs to the first n entries of at, and
// returns the new number of entries. It has no branches, because these would be taken
// at random.
func searchKey[S word](at *[2*mapBlock + 1]uint16, n int, block []S, key S) int {
	for i, v := range block {
		at[n] = uint16(i)
		if v == key {
			n++
		}
	}
	return n
}

// searchNaN is searchKey for NaN. It comes first, so there are no entries before.
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

// siftKeys is searchKey for all keys at once. It also appends some elements that are no
// keys.
func siftKeys[S word](at *[2*mapBlock + 1]uint16, n int, block []S, sieve *[1 << 8]uint8) int {
	for i, v := range block {
		at[n] = uint16(i)
		n += int(sieve[hashOf(v)])
	}
	return n
}

// kernel returns a kernel that gives cast a one in place of each key.
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
