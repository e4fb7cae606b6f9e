package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// deltas reads the encoding DELTA_BINARY_PACKED:
//
//	| values in a block | miniblocks in a block | values | first value | block | … |
//	block: | least delta | bit width of each miniblock (bytes) | miniblocks |
//
// Numbers in front are varints, the first value and the least delta zigzag.
// What is packed is added to the least delta, and that to the value before.
type deltas struct {
	data  []byte
	mini  int // values in a miniblock
	minis int // in a block

	left   int // values that are not in next
	value  int64
	least  int64
	widths []byte  // of the miniblocks of the block that are left
	next   []int64 // values of the miniblock that are left
	memory []int64 // for them
}

func newDeltas(data []byte) (*deltas, error) {
	d := &deltas{data: data}
	block, minis, count := d.varint(), d.varint(), d.varint()
	d.value = d.zigzag()
	const most = 1 << 16
	if d.data == nil || block > most || minis > most || minis == 0 || block%minis != 0 || block/minis == 0 || block/minis%8 != 0 || count > 1<<40 {
		return nil, fmt.Errorf("%w: deltas of %d values in blocks of %d and %d miniblocks", ErrCorrupt, count, block, minis)
	}
	d.mini, d.minis, d.left = int(block/minis), int(minis), int(count)
	if d.left > 0 {
		d.left--
		d.next = []int64{d.value}
	}
	return d, nil
}

// varint reads a number; data becomes nil when there is none.
func (d *deltas) varint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.data = nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *deltas) zigzag() int64 {
	v := d.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// some returns values that come next, at least one and at most most.
func (d *deltas) some(most int) ([]int64, error) {
	if len(d.next) == 0 {
		if d.left == 0 {
			return nil, fmt.Errorf("%w: deltas end too early", ErrCorrupt)
		}
		width, packed, err := d.miniblock()
		if err != nil {
			return nil, err
		}
		if d.memory == nil {
			d.memory = make([]int64, d.mini)
		}
		d.next = d.memory[:min(d.mini, d.left)]
		d.left -= len(d.next)
		d.sum(width, packed)
	}
	n := min(most, len(d.next))
	list := d.next[:n]
	d.next = d.next[n:]
	return list, nil
}

// one returns the next value.
func (d *deltas) one() (int64, error) {
	list, err := d.some(1)
	if err != nil {
		return 0, err
	}
	return list[0], nil
}

// miniblock takes the next miniblock off, and the front of the next block where
// it has to.
func (d *deltas) miniblock() (width int, packed []byte, err error) {
	if len(d.widths) == 0 {
		d.least = d.zigzag()
		if len(d.data) < d.minis {
			return 0, nil, fmt.Errorf("%w: a block of deltas breaks off", ErrCorrupt)
		}
		d.widths, d.data = d.data[:d.minis], d.data[d.minis:]
	}
	width, d.widths = int(d.widths[0]), d.widths[1:]
	if width > 64 {
		return 0, nil, fmt.Errorf("%w: deltas of %d bits", ErrCorrupt, width)
	}
	if need := (min(d.mini, d.left)*width + 7) / 8; len(d.data) < need {
		return 0, nil, fmt.Errorf("%w: a miniblock of deltas breaks off", ErrCorrupt)
	}
	size := min(d.mini/8*width, len(d.data)) // the last one may lack what nobody needs
	packed, d.data = d.data[:size], d.data[size:]
	return width, packed, nil
}

// sum fills next with the values of a miniblock.
func (d *deltas) sum(width int, packed []byte) {
	value, least, bit := d.value, d.least, 0
	mask := ^uint64(0) >> (64 - width)
	next := d.next
	if width == 0 {
		for i := range next {
			value += least
			next[i] = value
		}
		next = nil
	}
	if width <= 56 { // within the 8 bytes where a number begins
		i := 0
		for ; i < len(next) && bit/8+8 <= len(packed); i++ {
			value += least + int64(binary.LittleEndian.Uint64(packed[bit/8:])>>(bit%8)&mask)
			next[i] = value
			bit += width
		}
		next = next[i:]
	}
	for i := range next {
		at, shift := bit/8, bit%8
		var v uint64
		if at+8 <= len(packed) {
			v = binary.LittleEndian.Uint64(packed[at:]) >> shift
		} else {
			var last [8]byte
			copy(last[:], packed[min(at, len(packed)):])
			v = binary.LittleEndian.Uint64(last[:]) >> shift
		}
		if shift+width > 64 && at+8 < len(packed) {
			v |= uint64(packed[at+8]) << (64 - shift)
		}
		value += least + int64(v&mask)
		next[i] = value
		bit += width
	}
	d.value = value
}

// rest returns the bytes behind all values, none of which was read before.
func (d deltas) rest() ([]byte, error) {
	for d.left > 0 {
		if _, _, err := d.miniblock(); err != nil {
			return nil, err
		}
		d.left -= min(d.left, d.mini)
	}
	return d.data, nil
}

// deltaNumbers are integers of width bytes, 4 or 8.
type deltaNumbers struct {
	deltas *deltas
	width  int
}

func (d *deltaNumbers) item() ([]byte, error) { return nil, errNoItems }

func (d *deltaNumbers) fixed(p []byte, n int) error {
	for n > 0 {
		list, err := d.deltas.some(n)
		if err != nil {
			return err
		}
		if d.width == 4 {
			for i, v := range list {
				binary.LittleEndian.PutUint32(p[4*i:], uint32(v))
			}
		} else {
			for i, v := range list {
				binary.LittleEndian.PutUint64(p[8*i:], uint64(v))
			}
		}
		p, n = p[len(list)*d.width:], n-len(list)
	}
	return nil
}

// deltaLengths is the encoding DELTA_LENGTH_BYTE_ARRAY: the lengths of all
// values, then their bytes.
type deltaLengths struct {
	lengths *deltas
	data    []byte
}

func newDeltaLengths(data []byte) (*deltaLengths, error) {
	lengths, err := newDeltas(data)
	if err != nil {
		return nil, err
	}
	rest, err := lengths.rest()
	return &deltaLengths{lengths, rest}, err
}

func (d *deltaLengths) item() ([]byte, error) {
	n, err := d.lengths.one()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(d.data)) {
		return nil, fmt.Errorf("%w: a value of %d bytes, %d are left", ErrCorrupt, n, len(d.data))
	}
	value := d.data[:n]
	d.data = d.data[n:]
	return value, nil
}

func (d *deltaLengths) fixed(p []byte, n int) error { return items(d, p, n) }

// deltaStrings is the encoding DELTA_BYTE_ARRAY: how many bytes each value
// shares with the one before, then the rest of each as deltaLengths.
type deltaStrings struct {
	shared   *deltas
	suffixes *deltaLengths
	last     []byte
}

func newDeltaStrings(data []byte) (*deltaStrings, error) {
	shared, err := newDeltas(data)
	if err != nil {
		return nil, err
	}
	rest, err := shared.rest()
	if err != nil {
		return nil, err
	}
	suffixes, err := newDeltaLengths(rest)
	return &deltaStrings{shared: shared, suffixes: suffixes}, err
}

func (d *deltaStrings) item() ([]byte, error) {
	n, err := d.shared.one()
	if err != nil {
		return nil, err
	}
	suffix, err := d.suffixes.item()
	if err != nil {
		return nil, err
	}
	if n < 0 || n > int64(len(d.last)) {
		return nil, fmt.Errorf("%w: a value shares %d bytes with one of %d", ErrCorrupt, n, len(d.last))
	}
	d.last = append(d.last[:n], suffix...)
	return d.last, nil
}

func (d *deltaStrings) fixed(p []byte, n int) error { return items(d, p, n) }

// split is the encoding BYTE_STREAM_SPLIT: the first bytes of all values, then
// the second ones, and so on.
type split struct {
	data  []byte
	width int
	at    int
}

func (s *split) item() ([]byte, error) { return nil, errNoItems }

func (s *split) fixed(p []byte, n int) error {
	count := len(s.data) / s.width
	if n > count-s.at {
		return fmt.Errorf("%w: %d values are wanted, %d are left", ErrCorrupt, n, count-s.at)
	}
	switch s.width {
	case 4:
		s.join4(p, n, count)
	case 8:
		s.join8(p, n, count)
	default:
		for k := range s.width {
			for i, b := range s.stream(k, n, count) {
				p[i*s.width+k] = b
			}
		}
	}
	s.at += n
	return nil
}

// stream is byte k of the next n values of count.
func (s *split) stream(k, n, count int) []byte { return s.data[k*count+s.at:][:n] }

func (s *split) join4(p []byte, n, count int) {
	b0, b1, b2, b3 := s.stream(0, n, count), s.stream(1, n, count), s.stream(2, n, count), s.stream(3, n, count)
	for i := range b0 {
		v := uint32(b0[i]) | uint32(b1[i])<<8 | uint32(b2[i])<<16 | uint32(b3[i])<<24
		binary.LittleEndian.PutUint32(p[4*i:], v)
	}
}

func (s *split) join8(p []byte, n, count int) {
	b0, b1, b2, b3 := s.stream(0, n, count), s.stream(1, n, count), s.stream(2, n, count), s.stream(3, n, count)
	b4, b5, b6, b7 := s.stream(4, n, count), s.stream(5, n, count), s.stream(6, n, count), s.stream(7, n, count)
	for i := range b0 {
		low := uint64(b0[i]) | uint64(b1[i])<<8 | uint64(b2[i])<<16 | uint64(b3[i])<<24
		high := uint64(b4[i]) | uint64(b5[i])<<8 | uint64(b6[i])<<16 | uint64(b7[i])<<24
		binary.LittleEndian.PutUint64(p[8*i:], low|high<<32)
	}
}

// bitsFor is how many bits a level up to most takes.
func bitsFor(most int) int { return bits.Len(uint(most)) }
