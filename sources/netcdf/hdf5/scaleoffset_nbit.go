package hdf5

import (
	"encoding/binary"
	"math"
	"slices"
)

// bitReader reads numbers of a few bits, the most significant bit first. The caller
// makes sure that there are enough bytes.
type bitReader struct {
	data []byte
	at   int // number of bits read
}

// read returns the next n bits, at most 64.
func (r *bitReader) read(n int) uint64 {
	var v uint64
	for n > 0 {
		free := 8 - r.at%8
		k := min(free, n)
		v = v<<k | uint64(r.data[r.at/8])>>(free-k)&(1<<k-1)
		r.at += k
		n -= k
	}
	return v
}

// putWord writes the low bytes of v as an element, in the given byte order.
func putWord(dst []byte, v uint64, big bool) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(dst, b[:])
	if big {
		slices.Reverse(dst)
	}
}

// scaleOffset undoes the filter scaleoffset. It stores each element as its distance
// from the least element, in as few bits as the greatest distance needs. Floats are
// first multiplied by a power of ten and rounded. A distance with all bits set stands
// for the fill value.
//
// A chunk begins with 21 bytes: the number of bits of a distance (4 bytes), the size of a
// number (1 byte), the least element as a number of that size, which is 8 in the files of
// the library, and unused bytes. The distances follow. Chunks of integers are unchanged if
// the writer asked for all of their bits.
func scaleOffset(p []uint32) (step, error) {
	if len(p) == 2 {
		return neverApplied, nil
	}
	if len(p) < 8 {
		return nil, corrupt("%d parameters", len(p))
	}
	s := &scaled{
		digits: int(int32(p[1])), count: uint64(p[2]), float: p[3] == 1, size: int(p[4]),
		big: p[6] == 1, hasFill: p[7] == 1,
	}
	if p[3] > 1 || s.float && (p[0] != 0 || s.size != 4 && s.size != 8) || !s.float && p[0] != 2 ||
		!slices.Contains([]int{1, 2, 4, 8}, s.size) {
		return nil, unsupported("scale type %d for elements of class %d and %d bytes", p[0], p[3], p[4])
	}
	if !s.float && s.digits == 8*s.size {
		return func(_, src []byte) ([]byte, error) { return src, nil }, nil
	}
	if s.hasFill {
		for i, word := range p[8:min(len(p), 10)] {
			s.fill |= uint64(word) << (32 * i)
		}
		if s.size < 8 {
			s.fill &= 1<<(8*s.size) - 1
		}
	}
	return s.decode, nil
}

// scaled holds the parameters of a scaleoffset filter.
type scaled struct {
	digits  int // for floats, the exponent of ten; for integers, the number of bits that the writer asked for, or 0
	count   uint64
	float   bool
	size    int // bytes of an element
	big     bool
	hasFill bool
	fill    uint64
}

func (s *scaled) decode(dst, src []byte) ([]byte, error) {
	const header = 21
	if len(src) < header {
		return nil, corrupt("%d bytes are too few for a header", len(src))
	}
	if s.count > uint64(len(dst)/s.size) {
		return nil, tooMuch(len(dst))
	}
	n := int(s.count)
	width := binary.LittleEndian.Uint32(src)
	least := binary.LittleEndian.Uint64(src[5:])
	if k := src[4]; k < 8 {
		least &= 1<<(8*k) - 1
	}
	packed := src[header:]
	if width > uint32(8*s.size) || uint64(n)*uint64(width) > 8*uint64(len(packed)) {
		return nil, corrupt("%d elements of %d bits in %d bytes", n, width, len(packed))
	}
	dst = dst[:n*s.size]
	bits := bitReader{data: packed}
	if int(width) == 8*s.size { // the chunk has the elements themselves, little-endian
		copy(dst, packed)
		for i := 0; s.big && i < len(dst); i += s.size {
			slices.Reverse(dst[i : i+s.size])
		}
		return dst, nil
	}
	filled := uint64(1)<<width - 1
	value := s.valuer(least)
	for i := 0; i < len(dst); i += s.size {
		v := bits.read(int(width))
		if s.hasFill && v == filled {
			v = s.fill
		} else {
			v = value(v)
		}
		putWord(dst[i:i+s.size], v, s.big)
	}
	return dst, nil
}

// valuer returns a function that turns a distance from the least element into an
// element.
func (s *scaled) valuer(least uint64) func(uint64) uint64 {
	switch {
	case !s.float:
		return func(v uint64) uint64 { return v + least }
	case s.size == 4:
		from, scale := math.Float32frombits(uint32(least)), float32(math.Pow10(s.digits))
		return func(v uint64) uint64 { return uint64(math.Float32bits(float32(float32(int32(v))/scale) + from)) }
	default:
		from, scale := math.Float64frombits(least), math.Pow10(s.digits)
		return func(v uint64) uint64 { return math.Float64bits(float64(float64(int64(v))/scale) + from) }
	}
}

// nbit undoes the filter nbit, which stores only the meaningful bits of each element.
// The parameters are their own number, whether all bits are stored, the number of
// elements, and a description of the datatype, which texts and opaque elements lack.
func nbit(p []uint32) (step, error) {
	switch {
	case len(p) == 0:
		return neverApplied, nil
	case len(p) >= 3 && p[1] != 0:
		return func(_, src []byte) ([]byte, error) { return src, nil }, nil
	case len(p) < 5 || p[0] < 5 || p[0] > uint32(len(p)):
		return nil, corrupt("%d parameters", len(p))
	}
	d := &nbitType{}
	rest, err := d.parse(p[3:p[0]], 0)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 || d.size == 0 {
		return nil, corrupt("parameters of a datatype of %d bytes, with %d left over", d.size, len(rest))
	}
	count := uint64(p[2])
	return func(dst, src []byte) ([]byte, error) {
		if count > uint64(len(dst)/d.size) {
			return nil, tooMuch(len(dst))
		}
		n := int(count)
		if uint64(n)*uint64(d.bits()) > 8*uint64(len(src)) {
			return nil, corrupt("%d elements of %d bits in %d bytes", n, d.bits(), len(src))
		}
		dst = dst[:n*d.size]
		clear(dst)
		bits := bitReader{data: src}
		for i := range n {
			d.decode(dst[i*d.size:(i+1)*d.size], &bits)
		}
		return dst, nil
	}, nil
}

// nbitType is a datatype as the filter nbit describes it, flattened into its leaves.
type nbitType struct {
	size   int // bytes
	leaves []nbitLeaf
}

// nbitLeaf is a number, or bytes that are stored whole.
type nbitLeaf struct {
	at, size  int // place and bytes in the element
	precision int // number of meaningful bits; 0: all bytes are stored
	shift     int // number of bits below the meaningful ones
	big       bool
}

// The classes in the parameters of nbit.
const (
	nbitAtomic = iota + 1
	nbitArray
	nbitCompound
	nbitWhole
)

// maxLeaves bounds the leaves of an element, and maxNesting the nesting of datatypes.
const (
	maxLeaves  = 1 << 16
	maxNesting = 32
)

// parse reads the datatype at the beginning of the parameters, and returns the
// parameters behind it.
func (t *nbitType) parse(p []uint32, depth int) ([]uint32, error) {
	short := corrupt("the parameters end within a datatype")
	if len(p) < 2 || depth > maxNesting {
		return nil, short
	}
	class := p[0]
	t.size = int(p[1])
	if t.size > maxChunk {
		return nil, corrupt("an element of %d bytes", t.size)
	}
	switch p = p[2:]; class {
	case nbitAtomic:
		if len(p) < 3 {
			return nil, short
		}
		leaf := nbitLeaf{size: t.size, big: p[0] == 1, precision: int(p[1]), shift: int(p[2])}
		if leaf.size > 8 || leaf.precision == 0 || leaf.precision+leaf.shift > 8*leaf.size {
			return nil, unsupported("%d bits from bit %d on of %d bytes", leaf.precision, leaf.shift, leaf.size)
		}
		t.leaves = []nbitLeaf{leaf}
		return p[3:], nil
	case nbitWhole:
		t.leaves = []nbitLeaf{{size: t.size}}
		return p, nil
	case nbitArray:
		var base nbitType
		rest, err := base.parse(p, depth+1)
		if err != nil {
			return nil, err
		}
		if base.size == 0 || len(base.leaves) == 0 || t.size%base.size != 0 {
			return nil, corrupt("an array of %d bytes of elements of %d", t.size, base.size)
		}
		for at := 0; at < t.size; at += base.size {
			if err := t.take(base, at); err != nil {
				return nil, err
			}
		}
		return rest, nil
	case nbitCompound:
		if len(p) < 1 {
			return nil, short
		}
		members := p[0]
		p = p[1:]
		for range members {
			if len(p) < 1 {
				return nil, short
			}
			var member nbitType
			at := int(p[0])
			rest, err := member.parse(p[1:], depth+1)
			if err != nil {
				return nil, err
			}
			if err := t.take(member, at); err != nil {
				return nil, err
			}
			p = rest
		}
		return p, nil
	default:
		return nil, unsupported("datatype class %d", class)
	}
}

// take adds the leaves of part, which begins at byte at.
func (t *nbitType) take(part nbitType, at int) error {
	if at+part.size > t.size || len(t.leaves)+len(part.leaves) > maxLeaves {
		return corrupt("a part of %d bytes at byte %d of %d, or more than %d parts", part.size, at, t.size, maxLeaves)
	}
	for _, leaf := range part.leaves {
		leaf.at += at
		t.leaves = append(t.leaves, leaf)
	}
	return nil
}

// bits returns the number of bits of an element in the file.
func (t *nbitType) bits() int {
	n := 0
	for _, leaf := range t.leaves {
		if leaf.precision == 0 {
			n += 8 * leaf.size
		}
		n += leaf.precision
	}
	return n
}

// decode reads an element.
func (t *nbitType) decode(dst []byte, bits *bitReader) {
	for _, leaf := range t.leaves {
		part := dst[leaf.at : leaf.at+leaf.size]
		if leaf.precision > 0 {
			putWord(part, bits.read(leaf.precision)<<leaf.shift, leaf.big)
			continue
		}
		for i := range part {
			part[i] = byte(bits.read(8))
		}
	}
}
