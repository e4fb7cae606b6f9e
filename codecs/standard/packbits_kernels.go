package standard

import (
	"encoding/binary"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// bitForm says which bits of a word are stored.
type bitForm struct {
	first, bits uint
	signed      bool // decoding copies the highest stored bit to the bits above
}

// half is how many bits move at once between a register of 64 bits and memory. A word
// with more stored bits moves in two steps.
const half = 32

// bitWriter appends bits to out, the lowest bit first.
type bitWriter struct {
	out  []byte
	held uint64 // bits that are not written yet
	n    uint   // the number of these bits; less than half between calls
}

// finish appends the bits that are not written yet, and zeros up to a whole byte.
func (w *bitWriter) finish() []byte {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.out = append(w.out, byte(w.held))
		w.held >>= 8
	}
	return w.out
}

// packWords returns the loop that appends the stored bits of each word.
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

// bitReader takes bits from in, the lowest bit first. Zeros follow its end.
type bitReader struct {
	in   []byte
	held uint64
	n    uint
}

// take fills the register until at least half of its bits are valid.
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

// unpackWords returns the loop that reverses packWords.
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
