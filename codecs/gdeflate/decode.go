package gdeflate

import (
	"encoding/binary"
	"fmt"
)

// Decoder decodes pages. Its zero value is ready.
type Decoder struct {
	in   []byte // words that no lane has taken yet
	lane int    // the lane whose turn it is
	buf  [lanes]uint64
	left [lanes]uint // bits in buf
	cut  bool        // a word was missing

	pending [lanes]repetition

	litLen, dist huffman
	fixed        bool // the codes are those of the fixed type
}

// repetition is a repetition whose distance is not yet known.
type repetition struct {
	length int // 0: there is none
	at     int // in the output
}

// Decode decodes a page into dst, which has the length of the content, at most
// PageSize.
func (d *Decoder) Decode(dst, page []byte) error {
	d.in, d.lane, d.cut = page, 0, false
	d.buf, d.left, d.pending = [lanes]uint64{}, [lanes]uint{}, [lanes]repetition{}
	for range lanes {
		d.advance()
	}
	n := 0
	for last := false; !last; {
		d.lane = 0
		last = d.take(1) == 1
		kind := d.take(2)
		d.refill()
		if d.cut {
			return fmt.Errorf("%w: it ends after %d of %d bytes", ErrCorrupt, n, len(dst))
		}
		var err error
		if kind == blockStored {
			n, err = d.stored(dst, n)
		} else if err = d.codes(kind); err == nil {
			n, err = d.symbols(dst, n)
		}
		if err != nil {
			return err
		}
	}
	if d.cut || n != len(dst) {
		return fmt.Errorf("%w: it holds %d bytes, not %d", ErrCorrupt, n, len(dst))
	}
	for _, b := range d.in {
		if b != 0 {
			return fmt.Errorf("%w: %d bytes behind its end", ErrCorrupt, len(d.in))
		}
	}
	return nil
}

// refill gives the lane its next word if it needs one.
func (d *Decoder) refill() {
	if d.left[d.lane] >= wordBits {
		return
	}
	if len(d.in) < wordSize {
		d.cut = true
		return
	}
	d.buf[d.lane] |= uint64(binary.LittleEndian.Uint32(d.in)) << d.left[d.lane]
	d.in = d.in[wordSize:]
	d.left[d.lane] += wordBits
}

// advance ends the turn of a lane.
func (d *Decoder) advance() {
	d.refill()
	d.lane = (d.lane + 1) % lanes
}

// take removes up to 16 bits from the lane. After a cut it returns zeros.
func (d *Decoder) take(n uint) int {
	v := int(d.buf[d.lane] & (1<<n - 1))
	d.buf[d.lane] >>= n
	d.left[d.lane] -= min(n, d.left[d.lane])
	return v
}

// symbol removes a symbol from the lane, or returns -1.
func (d *Decoder) symbol(h *huffman) int {
	s, n := h.decode(d.buf[d.lane])
	if n == 0 || n > d.left[d.lane] {
		return -1
	}
	d.take(n)
	return s
}

// stored copies the bytes of a stored block to dst[n:] and returns their end.
func (d *Decoder) stored(dst []byte, n int) (int, error) {
	size := d.take(16)
	if size > len(dst)-n {
		return n, fmt.Errorf("%w: it holds more than %d bytes", ErrCorrupt, len(dst))
	}
	for i := range size {
		dst[n+i] = byte(d.take(8))
		d.advance()
	}
	for range lanes {
		d.advance()
	}
	return n + size, nil
}

// codes reads the codes of a block that is not stored.
func (d *Decoder) codes(kind int) error {
	switch {
	case kind == blockFixed && d.fixed:
		return nil
	case kind == blockFixed:
		list := fixedLengths()
		d.fixed = d.litLen.init(list[:maxLitLen]) && d.dist.init(list[maxLitLen:])
		return nil
	case kind != blockDynamic:
		return fmt.Errorf("%w: a block of unknown type", ErrCorrupt)
	}
	d.fixed = false
	litLen, dist, count := d.take(5)+257, d.take(5)+1, d.take(4)+4
	d.refill()
	var lengths [maxLitLen + maxDist]uint8
	for _, at := range lengthOrder[:count] {
		lengths[at] = uint8(d.take(3))
		d.advance()
	}
	d.lane = 0
	// The memory of the second code is unused until the lengths are known.
	code := &d.dist
	if !code.init(lengths[:maxLengths]) {
		return fmt.Errorf("%w: no code of code lengths", ErrCorrupt)
	}
	clear(lengths[:maxLengths])
	for i := 0; i < litLen+dist; {
		s, n := d.symbol(code), 1
		var length uint8
		switch {
		case s < 0 || s == 16 && i == 0:
			return fmt.Errorf("%w: a bad code length", ErrCorrupt)
		case s < 16:
			length = uint8(s)
		default:
			if s == 16 {
				length = lengths[i-1]
			}
			r := repeats[s-16]
			n = int(r.base) + d.take(uint(r.extra))
		}
		if n > litLen+dist-i {
			return fmt.Errorf("%w: too many code lengths", ErrCorrupt)
		}
		for range n {
			lengths[i] = length
			i++
		}
		d.advance()
	}
	if !d.litLen.init(lengths[:litLen]) || !d.dist.init(lengths[litLen:litLen+dist]) {
		return fmt.Errorf("%w: no Huffman code", ErrCorrupt)
	}
	return nil
}

// symbols decodes the symbols of a block to dst[n:] and returns the end.
func (d *Decoder) symbols(dst []byte, n int) (int, error) {
	d.lane = 0
	for {
		if d.pending[d.lane].length > 0 {
			if err := d.repeat(dst); err != nil {
				return n, err
			}
			d.advance()
			continue
		}
		s := d.symbol(&d.litLen)
		switch {
		case s < 0 || s > lastLength:
			return n, fmt.Errorf("%w: a bad symbol after %d bytes", ErrCorrupt, n)
		case s == endOfBlock:
			for range lanes {
				if d.pending[d.lane].length > 0 {
					if err := d.repeat(dst); err != nil {
						return n, err
					}
				}
				d.advance()
			}
			return n, nil
		case n == len(dst):
			return n, fmt.Errorf("%w: it holds more than %d bytes", ErrCorrupt, n)
		case s < endOfBlock:
			dst[n] = byte(s)
			n++
		default:
			v := lengthValues[s-257]
			length := int(v.base) + d.take(uint(v.extra))
			if length > len(dst)-n {
				return n, fmt.Errorf("%w: it holds more than %d bytes", ErrCorrupt, len(dst))
			}
			d.pending[d.lane] = repetition{length, n}
			n += length
		}
		d.advance()
	}
}

// repeat reads the distance of the lane's repetition and copies it.
func (d *Decoder) repeat(dst []byte) error {
	s := d.symbol(&d.dist)
	if s < 0 {
		return fmt.Errorf("%w: a bad distance", ErrCorrupt)
	}
	r, v := d.pending[d.lane], distValues[s]
	distance := int(v.base) + d.take(uint(v.extra))
	if distance > r.at {
		return fmt.Errorf("%w: a distance of %d after %d bytes", ErrCorrupt, distance, r.at)
	}
	d.pending[d.lane] = repetition{}
	to, from := dst[r.at:r.at+r.length], dst[r.at-distance:r.at+r.length-distance]
	if distance >= r.length {
		copy(to, from)
		return nil
	}
	for i := range to { // the repetition may continue in its own output
		to[i] = from[i]
	}
	return nil
}
