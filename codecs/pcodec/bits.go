package pcodec

import (
	"encoding/binary"
	"fmt"
)

// batch is the number of latents that are coded together.
const batch = 256

// margin is the most bytes that decoding one batch of a latent variable may read
// without checks: the bits of the states and of the offsets, the bits of a first byte,
// and the two words of the last load.
const margin = batch*(maxStateBits+64)/8 + 1 + 16

var errShort = fmt.Errorf("it is cut short: %w", ErrCorrupt)

// reader reads bit fields, the lowest bits first.
type reader struct {
	data  []byte
	pos   int  // of the next bit
	end   int  // number of bits, without those that reserve added
	short bool // a read went beyond the end
}

func newReader(src []byte) *reader {
	return &reader{data: src, end: 8 * len(src)}
}

// read returns a field of up to 64 bits. Beyond the end it returns 0 and sets
// short, which stays set.
func (r *reader) read(bits uint) uint64 {
	if int(bits) > r.end-r.pos {
		r.short = true
		return 0
	}
	var v uint64
	for have := uint(0); have < bits; {
		skip := uint(r.pos & 7)
		take := min(8-skip, bits-have)
		v |= uint64(r.data[r.pos>>3]) >> skip & (1<<take - 1) << have
		have += take
		r.pos += int(take)
	}
	return v
}

// align moves to the start of the next byte. The skipped bits must be zero.
func (r *reader) align() error {
	if r.read(uint(-r.pos&7)) != 0 {
		return fmt.Errorf("padding bits are set: %w", ErrCorrupt)
	}
	if r.short {
		return errShort
	}
	return nil
}

// bytes returns the next n bytes, or nil if there are fewer. The position must
// be at the start of a byte.
func (r *reader) bytes(n int) []byte {
	if n > (r.end-r.pos)/8 {
		r.short = true
		return nil
	}
	start := r.pos >> 3
	r.pos += 8 * n
	return r.data[start : start+n : start+n]
}

// reserve makes sure that margin bytes can be read from data at the position. Near the
// end it replaces data by a copy of the rest, with zeros behind it.
func (r *reader) reserve() {
	start, end := r.pos>>3, r.end>>3
	if len(r.data)-start >= margin {
		return
	}
	rest := make([]byte, end-start+margin)
	copy(rest, r.data[start:end])
	r.data = rest
	r.pos -= 8 * start
	r.end -= 8 * start
}

// word returns the 64 bits that begin in byte i of data.
func word(data []byte, i int) uint64 {
	return binary.LittleEndian.Uint64(data[i:])
}
