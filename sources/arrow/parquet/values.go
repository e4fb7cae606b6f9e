package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Encodings of the specification.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingBitPacked       = 4 // of levels
	encodingDeltaBinary     = 5
	encodingDeltaLength     = 6
	encodingDeltaByteArray  = 7
	encodingDictionary      = 8
	encodingByteStreamSplit = 9
)

// values reads the values of a page one after the other. A column needs one of the two
// methods: Node.Width tells which.
type values interface {
	// fixed fills p with n values of fixed width.
	fixed(p []byte, n int) error
	// item returns a value of any length. It is valid until the next call.
	item() ([]byte, error)
}

// errNoItems is the cause of an error about an encoding that does not have values of
// the wanted kind.
var errNoItems = errors.New("the encoding does not suit the type of the column")

// newValues returns the reader of a page's values.
func newValues(leaf *Node, encoding int, data []byte, d *dictionary) (values, error) {
	width := leaf.Width()
	switch {
	case len(data) == 0: // all entries of the page are null
		return &plainFixed{nil, max(width, 1)}, nil
	case encoding == encodingPlain && leaf.Physical == Boolean:
		return &plainBits{data: data}, nil
	case encoding == encodingPlain && width > 0:
		return &plainFixed{data, width}, nil
	case encoding == encodingPlain:
		return &plainBytes{data}, nil
	case encoding == encodingDictionary || encoding == encodingPlainDictionary:
		if d == nil {
			return nil, fmt.Errorf("%w: a page of a dictionary's indices without the dictionary", ErrCorrupt)
		}
		if data[0] > 32 {
			return nil, fmt.Errorf("%w: indices of %d bits", ErrCorrupt, data[0])
		}
		return &indices{dictionary: d, numbers: hybrid{data: data[1:], width: int(data[0])}}, nil
	case encoding == encodingRLE && leaf.Physical == Boolean:
		if len(data) < 4 {
			return nil, fmt.Errorf("%w: booleans without the length of their runs", ErrCorrupt)
		}
		return &runBits{hybrid{data: data[4:], width: 1}}, nil
	case encoding == encodingDeltaBinary && (leaf.Physical == Int32 || leaf.Physical == Int64):
		d, err := newDeltas(data)
		return &deltaNumbers{d, width}, err
	case encoding == encodingDeltaLength && leaf.Physical == ByteArray:
		return newDeltaLengths(data)
	case encoding == encodingDeltaByteArray && (leaf.Physical == ByteArray || leaf.Physical == FixedLenByteArray):
		return newDeltaStrings(data)
	case encoding == encodingByteStreamSplit && width > 0:
		if len(data)%width != 0 {
			return nil, fmt.Errorf("%w: %d bytes of values of %d", ErrCorrupt, len(data), width)
		}
		return &split{data: data, width: width}, nil
	default:
		return nil, unsuited(leaf, encoding)
	}
}

// suits reports whether [newValues] reads values of a leaf in an encoding. Encodings of
// levels suit all leaves, because the footer does not say what is in which encoding.
func suits(leaf *Node, encoding int) bool {
	switch encoding {
	case encodingPlain, encodingPlainDictionary, encodingDictionary, encodingRLE, encodingBitPacked:
		return true
	case encodingDeltaBinary:
		return leaf.Physical == Int32 || leaf.Physical == Int64
	case encodingDeltaLength:
		return leaf.Physical == ByteArray
	case encodingDeltaByteArray:
		return leaf.Physical == ByteArray || leaf.Physical == FixedLenByteArray
	case encodingByteStreamSplit:
		return leaf.Width() > 0
	default:
		return false
	}
}

// unsuited returns the error about an encoding that does not suit a leaf.
func unsuited(leaf *Node, encoding int) error {
	return fmt.Errorf("%w: the encoding %s of values of the physical type %s: write the file again, such as with pyarrow", ErrUnsupported, encodingName(encoding), leaf.physicalName())
}

// plainFixed is the encoding PLAIN of values of one width.
type plainFixed struct {
	data  []byte
	width int
}

func (d *plainFixed) item() ([]byte, error) { return nil, errNoItems }

func (d *plainFixed) fixed(p []byte, n int) error {
	if n > len(d.data)/d.width {
		return fmt.Errorf("%w: %d values of %d bytes are wanted, %d bytes are left", ErrCorrupt, n, d.width, len(d.data))
	}
	copy(p, d.data[:n*d.width])
	d.data = d.data[n*d.width:]
	return nil
}

// plainBytes is the encoding PLAIN of byte arrays: each follows its length.
type plainBytes struct{ data []byte }

func (d *plainBytes) item() ([]byte, error) {
	if len(d.data) < 4 {
		return nil, fmt.Errorf("%w: values end too early", ErrCorrupt)
	}
	n := binary.LittleEndian.Uint32(d.data)
	if uint64(n) > uint64(len(d.data)-4) {
		return nil, fmt.Errorf("%w: a value of %d bytes, %d are left", ErrCorrupt, n, len(d.data)-4)
	}
	value := d.data[4 : 4+n]
	d.data = d.data[4+n:]
	return value, nil
}

func (d *plainBytes) fixed([]byte, int) error { return errNoItems }

// plainBits is the encoding PLAIN of booleans: a bit each, the lowest first.
type plainBits struct {
	data []byte
	at   int
}

func (d *plainBits) item() ([]byte, error) { return nil, errNoItems }

func (d *plainBits) fixed(p []byte, n int) error {
	if n > len(d.data)*8-d.at {
		return fmt.Errorf("%w: %d booleans are wanted, %d are left", ErrCorrupt, n, len(d.data)*8-d.at)
	}
	for i := range p[:n] {
		p[i] = d.data[d.at/8] >> (d.at % 8) & 1
		d.at++
	}
	return nil
}

// runBits is the encoding RLE of booleans.
type runBits struct{ numbers hybrid }

func (d *runBits) item() ([]byte, error) { return nil, errNoItems }

func (d *runBits) fixed(p []byte, n int) error {
	var list [512]uint32
	for n > 0 {
		some := list[:min(n, len(list))]
		if err := d.numbers.read(some); err != nil {
			return err
		}
		for i, bit := range some {
			p[i] = byte(bit & 1)
		}
		p, n = p[len(some):], n-len(some)
	}
	return nil
}

// dictionary is the values of a dictionary page.
type dictionary struct {
	data  []byte   // nil for four and eight
	width int      // of values of one width, else 0
	count int      // number of values
	ends  []uint32 // of values of any width: beginning and end of each value, in pairs
	four  []uint32 // the values, if they have four bytes
	eight []uint64 // the values, if they have eight bytes
}

func newDictionary(leaf *Node, data []byte, count int) (*dictionary, error) {
	d := &dictionary{data: data, width: leaf.Width(), count: count}
	if count < 0 || leaf.Physical == Boolean {
		return nil, fmt.Errorf("%w: a dictionary of %d values of physical type %d", ErrCorrupt, count, leaf.Physical)
	}
	if d.width > 0 {
		if count > len(data)/d.width {
			return nil, fmt.Errorf("%w: a dictionary of %d values in %d bytes", ErrCorrupt, count, len(data))
		}
		switch d.width {
		case 4:
			d.data, d.four = nil, make([]uint32, count)
			for i := range d.four {
				d.four[i] = binary.LittleEndian.Uint32(data[4*i:])
			}
		case 8:
			d.data, d.eight = nil, make([]uint64, count)
			for i := range d.eight {
				d.eight[i] = binary.LittleEndian.Uint64(data[8*i:])
			}
		}
		return d, nil
	}
	if count > len(data)/4 {
		return nil, fmt.Errorf("%w: a dictionary of %d values in %d bytes", ErrCorrupt, count, len(data))
	}
	plain := &plainBytes{data}
	d.ends = make([]uint32, 0, 2*count)
	for range count {
		value, err := plain.item()
		if err != nil {
			return nil, fmt.Errorf("dictionary: %w", err)
		}
		end := uint32(len(data) - len(plain.data))
		d.ends = append(d.ends, end-uint32(len(value)), end)
	}
	return d, nil
}

// indices is the encoding RLE_DICTIONARY.
type indices struct {
	dictionary *dictionary
	numbers    hybrid
	ahead      [128]uint32 // indices of items, read ahead
	from, to   int         // the unused part of ahead
}

func (d *indices) outside(k uint32) error {
	return fmt.Errorf("%w: index %d, but the dictionary has %d values", ErrCorrupt, k, d.dictionary.count)
}

func (d *indices) item() ([]byte, error) {
	if d.from == d.to {
		n, err := d.numbers.next(d.ahead[:])
		if err != nil {
			return nil, err
		}
		d.from, d.to = 0, n
	}
	k := d.ahead[d.from]
	d.from++
	if uint64(k) >= uint64(d.dictionary.count) {
		return nil, d.outside(k)
	}
	return d.dictionary.data[d.dictionary.ends[2*k]:d.dictionary.ends[2*k+1]], nil
}

func (d *indices) fixed(p []byte, n int) error {
	var list [512]uint32
	width := d.dictionary.width
	for p = p[:n*width]; n > 0; {
		if done := d.runs(p, n); done > 0 {
			p, n = p[done*width:], n-done
			continue
		}
		run, k, err := d.numbers.run(n)
		switch {
		case err != nil:
			return err
		case run > 0 && int(k) >= d.dictionary.count:
			return d.outside(k)
		case run > 0:
			d.dictionary.repeat(p, run, int(k))
		default:
			if run, err = d.numbers.next(list[:min(n, len(list))]); err != nil {
				return err
			}
			if bad := d.dictionary.gather(p[:run*width], list[:run]); bad >= 0 {
				return d.outside(list[bad])
			}
		}
		p, n = p[run*width:], n-run
	}
	return nil
}

// runs writes whole runs with short heads to the beginning of p, which has room for n values, up to
// anything else. It returns how many values it has written. There are none if they do not have
// four or eight bytes.
func (d *indices) runs(p []byte, n int) int {
	h, four, eight := &d.numbers, d.dictionary.four, d.dictionary.eight
	size := (h.width + 7) / 8
	if h.left > 0 || size > 2 {
		return 0
	}
	data, left := h.data, n
	for len(data) >= 4 {
		head, used := int(data[0]), 1
		if head >= 0x80 {
			head, used = head&0x7f|int(data[1])<<7, 2
		}
		k := int(binary.LittleEndian.Uint16(data[used:])) & (1<<(8*size) - 1)
		count := head >> 1
		if head&1 != 0 || head >= 1<<14 || count > left {
			break // packed numbers, a longer head, or more than there is room for
		}
		switch {
		case k < len(four):
			repeatWord(p, 4*count, uint64(four[k])<<32|uint64(four[k]))
			p = p[4*count:]
		case k < len(eight):
			repeatWord(p, 8*count, eight[k])
			p = p[8*count:]
		default:
			h.data = data
			return n - left
		}
		data, left = data[used+size:], left-count
	}
	h.data = data
	return n - left
}

// repeat fills the beginning of p with n times value k. It may change bytes of p behind them.
func (d *dictionary) repeat(p []byte, n, k int) {
	switch d.width {
	case 4:
		repeatWord(p, 4*n, uint64(d.four[k])<<32|uint64(d.four[k]))
	case 8:
		repeatWord(p, 8*n, d.eight[k])
	default:
		p = p[:n*d.width]
		for done := copy(p, d.data[k*d.width:][:d.width]); done < len(p); {
			done += copy(p[done:], p[:done])
		}
	}
}

// repeatWord fills the first n bytes of p, a multiple of four, with a word. It may change bytes of p
// behind them.
func repeatWord(p []byte, n int, word uint64) {
	const some = 64 // bytes that are written at a time
	at := 0
	for ; at < n && len(p)-at >= some; at += some {
		to := p[at : at+some : at+some]
		binary.LittleEndian.PutUint64(to[0:], word)
		binary.LittleEndian.PutUint64(to[8:], word)
		binary.LittleEndian.PutUint64(to[16:], word)
		binary.LittleEndian.PutUint64(to[24:], word)
		binary.LittleEndian.PutUint64(to[32:], word)
		binary.LittleEndian.PutUint64(to[40:], word)
		binary.LittleEndian.PutUint64(to[48:], word)
		binary.LittleEndian.PutUint64(to[56:], word)
	}
	for ; at < n; at += 4 {
		binary.LittleEndian.PutUint32(p[at:], uint32(word))
		word = word>>32 | word<<32
	}
}

// gather fills p with the values at some indices. It returns the position in list of
// the first index beyond the dictionary, or -1 if there is none.
func (d *dictionary) gather(p []byte, list []uint32) int {
	switch d.width {
	case 4:
		return gatherFour(p, list, d.four)
	case 8:
		return gatherEight(p, list, d.eight)
	default:
		for i, k := range list {
			if int(k) >= d.count {
				return i
			}
			copy(p[i*d.width:(i+1)*d.width], d.data[int(k)*d.width:])
		}
	}
	return -1
}

// gatherFour is gather for values of four bytes.
func gatherFour(p []byte, list, values []uint32) int {
	at := 0
	for ; len(list)-at >= 4; at += 4 {
		k, to := (*[4]uint32)(list[at:]), (*[16]byte)(p[4*at:])
		k0, k1, k2, k3 := int(k[0]), int(k[1]), int(k[2]), int(k[3])
		if k0 >= len(values) || k1 >= len(values) || k2 >= len(values) || k3 >= len(values) {
			break
		}
		binary.LittleEndian.PutUint32(to[0:], values[k0])
		binary.LittleEndian.PutUint32(to[4:], values[k1])
		binary.LittleEndian.PutUint32(to[8:], values[k2])
		binary.LittleEndian.PutUint32(to[12:], values[k3])
	}
	for ; at < len(list); at++ {
		if int(list[at]) >= len(values) {
			return at
		}
		binary.LittleEndian.PutUint32(p[4*at:], values[list[at]])
	}
	return -1
}

// gatherEight is gather for values of eight bytes.
func gatherEight(p []byte, list []uint32, values []uint64) int {
	at := 0
	for ; len(list)-at >= 4; at += 4 {
		k, to := (*[4]uint32)(list[at:]), (*[32]byte)(p[8*at:])
		k0, k1, k2, k3 := int(k[0]), int(k[1]), int(k[2]), int(k[3])
		if k0 >= len(values) || k1 >= len(values) || k2 >= len(values) || k3 >= len(values) {
			break
		}
		binary.LittleEndian.PutUint64(to[0:], values[k0])
		binary.LittleEndian.PutUint64(to[8:], values[k1])
		binary.LittleEndian.PutUint64(to[16:], values[k2])
		binary.LittleEndian.PutUint64(to[24:], values[k3])
	}
	for ; at < len(list); at++ {
		if int(list[at]) >= len(values) {
			return at
		}
		binary.LittleEndian.PutUint64(p[8*at:], values[list[at]])
	}
	return -1
}

// items fills p with n values of one width, from an encoding that only has values of
// any length.
func items(v values, p []byte, n int) error {
	width := len(p) / max(n, 1)
	for i := range n {
		value, err := v.item()
		if err != nil {
			return err
		}
		if len(value) != width {
			return fmt.Errorf("%w: a value of %d bytes in a column of values of %d bytes", ErrCorrupt, len(value), width)
		}
		copy(p[i*width:], value)
	}
	return nil
}
