package zstd

import "encoding/binary"

// bitWriter appends numbers of a few bits each. The first numbers are in the lowest
// bits of the first bytes.
type bitWriter struct {
	out  []byte
	bits uint64
	n    uint // number of bits that are not in out; fewer than 8 after put
}

// put appends the n lowest bits of value, at most 56; the others must be zero.
func (w *bitWriter) put(value uint64, n uint) {
	w.bits |= value << w.n
	w.n += n
	for w.n >= 8 {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
		w.n -= 8
	}
}

// flush completes the last byte with zeros, and returns all bytes.
func (w *bitWriter) flush() []byte {
	if w.n > 0 {
		w.out = append(w.out, byte(w.bits))
	}
	return w.out
}

// end appends a one-bit, which tells a decoder where the bits end, and flushes.
func (w *bitWriter) end() []byte {
	w.put(1, 1)
	return w.flush()
}

func load32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func load64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
