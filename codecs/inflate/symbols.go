package inflate

import "encoding/binary"

const (
	longest = 258 // bytes of a repetition
	// The fast loop runs while at least this many bytes are left on both sides. It
	// writes up to three bytes and then a repetition in words of 8 bytes, and it reads
	// two words.
	roomOut = 3 + longest + 8
	roomIn  = 16
)

// symbols decodes the symbols of a block into dst, from n on, and returns the end.
func (d *Decoder) symbols(dst []byte, n int) (int, error) {
	n, done, err := d.fast(dst, n)
	for !done && err == nil {
		n, done, err = d.careful(dst, n)
	}
	return n, err
}

// fast decodes symbols while both sides have enough room.
func (d *Decoder) fast(dst []byte, n int) (end int, done bool, err error) {
	src, at, hold, have := d.src, d.at, d.hold, d.n
	literals, distances := &d.literals, &d.distances
	defer func() { d.at, d.hold, d.n = at, hold, have }()
	for n+roomOut <= len(dst) && at+roomIn <= len(src) {
		hold |= binary.LittleEndian.Uint64(src[at:]) << (have & 63)
		at += int(63-have) >> 3
		have |= 56
		e := literals[hold&(1<<literalBits-1)]
		if e&isByte != 0 { // up to three bytes, of at most 11 bits each
			hold >>= e & 63
			have -= uint(e & 63)
			dst[n] = byte(e >> 16)
			n++
			e = literals[hold&(1<<literalBits-1)]
			if e&isByte != 0 {
				hold >>= e & 63
				have -= uint(e & 63)
				dst[n] = byte(e >> 16)
				n++
				e = literals[hold&(1<<literalBits-1)]
				if e&isByte != 0 {
					hold >>= e & 63
					have -= uint(e & 63)
					dst[n] = byte(e >> 16)
					n++
					continue
				}
			}
		}
		if e&special != 0 {
			if e&second == second {
				e = literals[(uint64(e>>16)+hold>>literalBits&(1<<(e&15)-1))%literalTable]
			}
			if e&isByte != 0 {
				hold >>= e & 63
				have -= uint(e & 63)
				dst[n] = byte(e >> 16)
				n++
				continue
			}
			if e&special != 0 {
				if e&invalid == invalid {
					return 0, false, corrupt("there is no such code")
				}
				hold >>= e & 63
				have -= uint(e & 63)
				return n, true, nil
			}
		}
		length := int(e>>16) + int(hold&(1<<(e&63)-1)>>(e>>8&15))
		hold >>= e & 63
		have -= uint(e & 63)
		if have < 32 { // a distance takes up to 28 bits
			hold |= binary.LittleEndian.Uint64(src[at:]) << (have & 63)
			at += int(63-have) >> 3
			have |= 56
		}
		e = distances[hold&(1<<distanceBits-1)]
		if e&special != 0 {
			if e&second == second {
				e = distances[(uint64(e>>16)+hold>>distanceBits&(1<<(e&15)-1))%distanceTable]
			}
			if e&special != 0 {
				return 0, false, corrupt("there is no such code")
			}
		}
		distance := int(e>>16) + int(hold&(1<<(e&63)-1)>>(e>>8&15))
		hold >>= e & 63
		have -= uint(e & 63)
		if distance > n {
			return 0, false, corrupt("a repetition from %d bytes back, after %d", distance, n)
		}
		repeat(dst, n, distance, length)
		n += length
	}
	return n, false, nil
}

// repeat copies length bytes to byte n of dst, from distance bytes before it. It may
// write up to 7 further bytes.
func repeat(dst []byte, n, distance, length int) {
	to := dst[n : n+length+8]
	switch {
	case distance >= 8:
		from := dst[n-distance : n-distance+length+8]
		for i := 0; i < length; i += 8 {
			binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(from[i:]))
		}
	case distance == 1:
		v := uint64(dst[n-1]) * 0x0101010101010101
		for i := 0; i < length; i += 8 {
			binary.LittleEndian.PutUint64(to[i:], v)
		}
	default:
		from := dst[n-distance:]
		for i := range length {
			to[i] = from[i]
		}
	}
}

// careful decodes one symbol, which may be cut off anywhere.
func (d *Decoder) careful(dst []byte, n int) (next int, done bool, err error) {
	e, length, err := d.symbol(d.literals[:], literalBits)
	switch {
	case err != nil || e&end == end:
		return n, true, err
	case n == len(dst) || e&isByte == 0 && length > len(dst)-n:
		return 0, false, ErrTooLarge
	case e&isByte != 0:
		dst[n] = byte(length)
		return n + 1, false, nil
	}
	_, distance, err := d.symbol(d.distances[:], distanceBits)
	if err != nil {
		return 0, false, err
	}
	if distance > n {
		return 0, false, corrupt("a repetition from %d bytes back, after %d", distance, n)
	}
	for range length {
		dst[n] = dst[n-distance]
		n++
	}
	return n, false, nil
}

// symbol reads a symbol with the table of a code, which has the given width. It returns
// the table's entry and the value.
func (d *Decoder) symbol(table []entry, width uint) (entry, int, error) {
	d.refill()
	e := table[d.hold&(1<<width-1)]
	if e&second == second {
		e = table[uint64(e>>16)+d.hold>>width&(1<<(e&15)-1)]
	}
	if e&invalid == invalid {
		return 0, 0, corrupt("there is no such code")
	}
	all := uint(e & 0xff)
	code := uint(e>>8) & 15
	if e&end == end {
		code = all
	}
	more, ok := d.take(all)
	if !ok {
		return 0, 0, corrupt("it is cut off within a block")
	}
	return e, int(e&^isByte>>16) + int(more>>code), nil
}
