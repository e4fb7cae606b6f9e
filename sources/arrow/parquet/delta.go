package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/zmigrate/zmigrate/codecs/shuffle"
)

// deltas reads the encoding DELTA_BINARY_PACKED:
//
//	| values in a block | miniblocks in a block | values | first value | block | … |
//	block: | least delta | bit width of each miniblock (bytes) | miniblocks |
//
// The numbers in the header and in front of a block are varints, the first value and
// the least delta zigzag varints. A packed number plus the least delta is the
// difference from the value before.
type deltas struct {
	data  []byte
	mini  int // values in a miniblock
	minis int // miniblocks in a block

	left   int // number of values that are neither read nor in next
	value  int64
	least  int64
	widths []byte  // widths of the remaining miniblocks of the block
	next   []int64 // remaining values of the miniblock
	memory []int64 // memory for next
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

// varint reads a number. If there is none, it sets data to nil.
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

// some returns some of the next values: at least one, and no more than most.
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

// miniblock takes the next miniblock, and before it the header of the next block if
// needed. packed has eight further bytes at its end, if there are so many.
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
	size := min(d.mini/8*width, len(d.data)) // the last miniblock may lack unneeded bytes
	packed, d.data = d.data[:min(size+8, len(d.data))], d.data[size:]
	return width, packed, nil
}

// sum fills next with the values of a miniblock.
func (d *deltas) sum(width int, packed []byte) {
	value, least, next := d.value, d.least, d.next
	if width == 0 {
		for i := range next {
			value += least
			next[i] = value
		}
		d.value = value
		return
	}
	if width <= 32 {
		var group [8]uint32
		for ; len(next) >= 8 && len(packed) >= width+8; next, packed = next[8:], packed[width:] {
			unpackGroup(&group, packed, uint(width))
			list := (*[8]int64)(next)
			for i, x := range &group {
				value += least + int64(x)
				list[i] = value
			}
		}
	}
	mask := ^uint64(0) >> (64 - width)
	for i := range next {
		at, shift := i*width/8, i*width%8
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
	}
	d.value = value
}

// rest returns the bytes behind all values. No value may have been read before.
func (d deltas) rest() ([]byte, error) {
	for d.left > 0 {
		if _, _, err := d.miniblock(); err != nil {
			return nil, err
		}
		d.left -= min(d.left, d.mini)
	}
	return d.data, nil
}

// deltaNumbers reads integers of width bytes, 4 or 8.
type deltaNumbers struct {
	deltas *deltas
	width  int
}

func (d *deltaNumbers) item() ([]byte, error) { return nil, errNoItems }

func (d *deltaNumbers) fixed(p []byte, n int) error {
	for n > 0 {
		count, err := d.deltas.straight(p[:n*d.width], d.width)
		if err != nil {
			return err
		}
		if count == 0 {
			list, err := d.deltas.some(n)
			if err != nil {
				return err
			}
			for i, v := range list {
				if d.width == 4 {
					binary.LittleEndian.PutUint32(p[4*i:], uint32(v))
				} else {
					binary.LittleEndian.PutUint64(p[8*i:], uint64(v))
				}
			}
			count = len(list)
		}
		p, n = p[count*d.width:], n-count
	}
	return nil
}

// straight writes the values of the next miniblock to p, in size bytes each, 4 or 8,
// and returns their number. It returns 0 if the present miniblock has values left, if p
// has less room, or if the miniblock is not of the usual kind.
func (d *deltas) straight(p []byte, size int) (int, error) {
	if len(d.next) > 0 || d.left < d.mini || len(p) < d.mini*size {
		return 0, nil
	}
	before := *d
	width, packed, err := d.miniblock()
	if err != nil {
		return 0, err
	}
	if width == 0 || width > 32 || len(packed) < d.mini/8*width+8 {
		*d = before
		return 0, nil
	}
	value, least := d.value, d.least
	var group [8]uint32
	for range d.mini / 8 {
		unpackGroup(&group, packed, uint(width))
		if size == 4 {
			to := (*[32]byte)(p)
			for i, x := range &group {
				value += least + int64(x)
				binary.LittleEndian.PutUint32(to[4*i:4*i+4], uint32(value))
			}
		} else {
			to := (*[64]byte)(p)
			for i, x := range &group {
				value += least + int64(x)
				binary.LittleEndian.PutUint64(to[8*i:8*i+8], uint64(value))
			}
		}
		packed, p = packed[width:], p[8*size:]
	}
	d.value = value
	d.left -= d.mini
	return d.mini, nil
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

// deltaStrings is the encoding DELTA_BYTE_ARRAY: how many bytes each value shares with
// the one before, then the rest of each value in the encoding of deltaLengths.
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

// split is the encoding BYTE_STREAM_SPLIT: the first bytes of all values, then the
// second bytes, and so on.
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
	shuffle.DecodeSome(p[:n*s.width], s.data, s.width, s.at)
	s.at += n
	return nil
}

// bitsFor returns how many bits a level up to most takes.
func bitsFor(most int) int { return bits.Len(uint(most)) }
