package pcodec

import (
	"fmt"
	"math/bits"
)

// latent is the type of the values of a latent variable.
type latent interface {
	uint8 | uint16 | uint32 | uint64
}

// width returns the number of bits of a type.
func width[L latent]() uint { return uint(bits.Len64(uint64(^L(0)))) }

// middle returns the middle of a type's range: its highest bit.
func middle[L latent]() L { return ^(^L(0) >> 1) }

const (
	maxStateBits = 14 // binary logarithm of the largest tANS table
	binCountBits = 15
	lanes        = 4 // interleaved tANS decoders
)

// bin is a range of values of a latent variable.
type bin[L latent] struct {
	lower  L
	weight uint16 // number of tANS states that select the bin
	width  uint8  // bits of the offset that is added to lower
}

// state is an entry of a tANS table: the value of a decoder's state, and how to find
// the next state.
type state[L latent] struct {
	lower L
	next  uint16 // the next state, to which a number of the given bits of the stream is added
	bits  uint8
	width uint8 // bits of the offset
}

// variable decodes a latent variable.
type variable[L latent] struct {
	states  []state[L] // empty if the variable has no bins
	log     uint       // binary logarithm of the number of states
	widest  uint8      // the largest width of all bins
	current [lanes]uint32
	left    int // number of latents of the page that have not been read
	values  [batch]L
	widths  [batch]uint8
	predict predictor[L]
}

// readVariable reads the bins of a latent variable.
func readVariable[L latent](r *reader) (*variable[L], error) {
	v := &variable[L]{log: uint(r.read(4))}
	count := int(r.read(binCountBits))
	w := width[L]()
	widthBits := uint(bits.Len(w))
	switch {
	case r.short || count*int(v.log+w+widthBits) > r.end-r.pos:
		return nil, errShort
	case v.log > maxStateBits:
		return nil, fmt.Errorf("a table of 2^%d states, more than 2^%d: %w", v.log, maxStateBits, ErrCorrupt)
	case count > 1<<v.log || count <= 1 && v.log > 0:
		return nil, fmt.Errorf("%d bins in a table of 2^%d states: %w", count, v.log, ErrCorrupt)
	}
	bins := make([]bin[L], count)
	total := 0
	for i := range bins {
		b := &bins[i]
		b.weight = uint16(r.read(v.log)) + 1
		b.lower = L(r.read(w))
		b.width = uint8(r.read(widthBits))
		if uint(b.width) > w {
			return nil, fmt.Errorf("offsets of %d bits in a latent variable of %d bits: %w", b.width, w, ErrCorrupt)
		}
		v.widest = max(v.widest, b.width)
		total += int(b.weight)
	}
	if count == 0 {
		return v, nil
	}
	if total != 1<<v.log {
		return nil, fmt.Errorf("bins of weight %d in a table of 2^%d states: %w", total, v.log, ErrCorrupt)
	}
	v.states = newStates(bins, v.log)
	if count == 1 {
		for i := range v.widths {
			v.widths[i] = v.widest
		}
	}
	return v, nil
}

// spread returns the bin that each of 2^log tANS states selects. It places the bins in
// order with an odd stride, so that it reaches every state once.
func spread[L latent](bins []bin[L], log uint) []uint16 {
	size := 1 << log
	stride := 3*size/5 | 1
	owner := make([]uint16, size)
	at := 0
	for i, b := range bins {
		for range b.weight {
			owner[at] = uint16(i)
			at = (at + stride) & (size - 1)
		}
	}
	return owner
}

// newStates builds a tANS table of 2^log states. The bins' weights add up to this
// number; newStates changes them.
func newStates[L latent](bins []bin[L], log uint) []state[L] {
	size := 1 << log
	states := make([]state[L], size)
	for i, owner := range spread(bins, log) {
		b := &bins[owner]
		// The states of a bin are numbered upwards from its weight. Bits of the stream
		// bring a number into the range from size to 2*size.
		need := log + 1 - uint(bits.Len16(b.weight))
		states[i] = state[L]{
			lower: b.lower,
			next:  uint16(int(b.weight)<<need - size),
			bits:  uint8(need),
			width: b.width,
		}
		b.weight++
	}
	return states
}

// begin reads the beginning of a page of count latents with delta encoding d.
func (v *variable[L]) begin(r *reader, count int, d delta) error {
	v.predict = predictor[L]{delta: d}
	if err := v.predict.begin(r, count); err != nil {
		return err
	}
	for i := range v.current {
		v.current[i] = uint32(r.read(v.log))
	}
	v.left = max(0, count-d.stored)
	if len(v.states) == 0 && v.left > 0 {
		return fmt.Errorf("%d latents without a bin: %w", v.left, ErrCorrupt)
	}
	return nil
}

// read decodes the latents of the next batch, before delta decoding, of a page with at
// least count numbers left. The latents for which the delta state stands are not in the
// page, and are zero.
func (v *variable[L]) read(r *reader, count int) ([]L, error) {
	n := min(count, v.left)
	v.left -= n
	clear(v.values[n:count])
	if n == 0 {
		return v.values[:count], nil
	}
	r.reserve()
	if len(v.states) > 1 {
		v.readBins(r, n)
	} else {
		lower := v.states[0].lower
		for i := range v.values[:n] {
			v.values[i] = lower
		}
	}
	switch {
	case v.widest > 57:
		r.pos = addWideOffsets(r.data, r.pos, v.values[:n], v.widths[:n])
	case v.widest > 0:
		r.pos = addOffsets(r.data, r.pos, v.values[:n], v.widths[:n])
	}
	if r.pos > r.end {
		return nil, errShort
	}
	return v.values[:count], nil
}

// readBins steps through the tANS table, and stores the lower bound of each bin and the
// width of its offsets.
func (v *variable[L]) readBins(r *reader, n int) {
	states, data, pos := v.states, r.data, r.pos
	s0, s1, s2, s3 := v.current[0], v.current[1], v.current[2], v.current[3]
	i := 0
	for ; i+lanes <= n; i += lanes {
		values := v.values[i : i+lanes : i+lanes]
		widths := v.widths[i : i+lanes : i+lanes]
		w := word(data, pos>>3) >> (pos & 7) // at least 57 bits; 4*maxStateBits are needed

		a := &states[s0]
		values[0], widths[0] = a.lower, a.width
		s0 = uint32(a.next) + uint32(w&(1<<(a.bits&63)-1))
		w >>= a.bits & 63
		pos += int(a.bits)

		b := &states[s1]
		values[1], widths[1] = b.lower, b.width
		s1 = uint32(b.next) + uint32(w&(1<<(b.bits&63)-1))
		w >>= b.bits & 63
		pos += int(b.bits)

		c := &states[s2]
		values[2], widths[2] = c.lower, c.width
		s2 = uint32(c.next) + uint32(w&(1<<(c.bits&63)-1))
		w >>= c.bits & 63
		pos += int(c.bits)

		d := &states[s3]
		values[3], widths[3] = d.lower, d.width
		s3 = uint32(d.next) + uint32(w&(1<<(d.bits&63)-1))
		pos += int(d.bits)
	}
	v.current = [lanes]uint32{s0, s1, s2, s3}
	for ; i < n; i++ { // only at the end of a page
		s := &v.current[i%lanes]
		a := &states[*s]
		v.values[i], v.widths[i] = a.lower, a.width
		*s = uint32(a.next) + uint32(word(data, pos>>3)>>(pos&7)&(1<<a.bits-1))
		pos += int(a.bits)
	}
	r.pos = pos
}

// addOffsets adds to each value an offset of the given width, which is at most 57 bits.
// It returns the position behind the offsets.
func addOffsets[L latent](data []byte, pos int, values []L, widths []uint8) int {
	widths = widths[:len(values)]
	for i, n := range widths {
		values[i] += L(word(data, pos>>3) >> (pos & 7) & (1<<(n&63) - 1))
		pos += int(n)
	}
	return pos
}

// addWideOffsets is addOffsets for offsets of up to 64 bits.
func addWideOffsets[L latent](data []byte, pos int, values []L, widths []uint8) int {
	widths = widths[:len(values)]
	for i, n := range widths {
		at, skip := pos>>3, uint(pos&7)
		w := word(data, at)>>skip | uint64(data[at+8])<<1<<(63-skip)
		values[i] += L(w & (1<<n - 1))
		pos += int(n)
	}
	return pos
}
