package standard

import (
	"encoding/binary"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// bitForm says which bits of a word are stored.
type bitForm struct {
	first, bits uint
	signed      bool // bits above them are copies of the highest
}

// half is the number of bits that go between a register of 64 and memory at
// once. Words with more bits to store go in two steps.
const half = 32

// bitWriter appends bits to out, the lowest first.
type bitWriter struct {
	out  []byte
	held uint64 // bits that wait for others
	n    uint   // how many, less than half between calls
}

// finish appends the bits that wait, and zeros up to the end of the byte.
func (w *bitWriter) finish() []byte {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.out = append(w.out, byte(w.held))
		w.held >>= 8
	}
	return w.out
}

// packWords returns the loop that appends the bits of each word.
func packWords[T word](form bitForm) func(*bitWriter, ndarray.Array) {
	low := min(form.bits, half)
	high := form.bits - low
	lowMask, highMask := uint64(1)<<low-1, uint64(1)<<high-1
	return func(w *bitWriter, a ndarray.Array) {
		words, _ := ndarray.As[T](a)
		out, held, n := w.out, w.held, w.n
		for _, v := range words {
			x := uint64(v) >> form.first
			held |= x & lowMask << n
			if n += low; n >= half {
				out = binary.LittleEndian.AppendUint32(out, uint32(held))
				held >>= half
				n -= half
			}
			if high == 0 {
				continue
			}
			held |= x >> low & highMask << n
			if n += high; n >= half {
				out = binary.LittleEndian.AppendUint32(out, uint32(held))
				held >>= half
				n -= half
			}
		}
		w.out, w.held, w.n = out, held, n
	}
}

// bitReader takes bits from in, the lowest first. What is behind its end is
// zeros.
type bitReader struct {
	in   []byte
	held uint64
	n    uint
}

// take fills the register to at least half of its bits.
func (r *bitReader) take(held uint64, n uint) (uint64, uint) {
	if len(r.in) >= half/8 {
		held |= uint64(binary.LittleEndian.Uint32(r.in)) << n
		r.in = r.in[half/8:]
		return held, n + half
	}
	for i, b := range r.in {
		held |= uint64(b) << (n + 8*uint(i))
	}
	r.in = nil
	return held, n + half
}

// unpackWords returns the loop that is the reverse of packWords.
func unpackWords[T word](form bitForm) func(*bitReader, ndarray.Array) {
	low := min(form.bits, half)
	high := form.bits - low
	lowMask, highMask := uint64(1)<<low-1, uint64(1)<<high-1
	above := 64 - form.bits
	return func(r *bitReader, a ndarray.Array) {
		words, _ := ndarray.As[T](a)
		held, n := r.held, r.n
		for i := range words {
			if n < low {
				held, n = r.take(held, n)
			}
			x := held & lowMask
			held >>= low
			n -= low
			if high > 0 {
				if n < high {
					held, n = r.take(held, n)
				}
				x |= held & highMask << low
				held >>= high
				n -= high
			}
			if form.signed {
				x = uint64(int64(x<<above) >> above)
			}
			words[i] = T(x << form.first)
		}
		r.held, r.n = held, n
	}
}
