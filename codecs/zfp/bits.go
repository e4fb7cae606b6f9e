package zfp

import "encoding/binary"

// A bitWriter appends bits to a buffer, the lowest bit first. It stores eight bytes at
// a time, and the planes of a block in an array of fixed length. So the buffer needs
// slack bytes of room behind the last bit; the bytes there are not kept.
type bitWriter struct {
	buf []byte // uses all of its capacity
	pos int    // number of bits written
	acc uint64 // the last pos%8 of them
}

// slack is the room in bytes that bitWriters and bitReaders need behind the bits of a
// block. It is more than the planes of 64 coefficients take.
const slack = 1024 + 16

// reserve makes room for n bits.
func (w *bitWriter) reserve(n int) {
	need := w.pos>>3 + n>>3 + slack
	if need <= len(w.buf) {
		return
	}
	buf := make([]byte, max(need, len(w.buf)+len(w.buf)/2))
	copy(buf, w.buf[:min(w.pos>>3+1, len(w.buf))])
	w.buf = buf
}

// put writes the lowest n bits of v, at most 56. The other bits must be 0.
func (w *bitWriter) put(v uint64, n int) {
	s := w.pos & 7
	v = w.acc | v<<s
	binary.LittleEndian.PutUint64(w.buf[w.pos>>3:], v)
	w.acc = v >> ((s + n) & 56)
	w.pos += n
}

// put64 writes the lowest n bits of v, at most 64. The other bits must be 0.
func (w *bitWriter) put64(v uint64, n int) {
	w.put(v&(1<<32-1), min(n, 32))
	w.put(v>>32, max(n-32, 0))
}

// pad writes n zero bits.
func (w *bitWriter) pad(n int) {
	for ; n > 56; n -= 56 {
		w.put(0, 56)
	}
	w.put(0, n)
}

// cut drops the bits from position end on.
func (w *bitWriter) cut(end int) {
	w.acc = uint64(w.buf[end>>3]) & (1<<(end&7) - 1)
	w.pos = end
}

// append copies n bits from the start of a buffer, which has slack further bytes. The
// caller has reserved room.
func (w *bitWriter) append(from []byte, n int) {
	i := 0
	for ; n >= 56; n -= 56 {
		w.put(binary.LittleEndian.Uint64(from[i:])&(1<<56-1), 56)
		i += 7
	}
	w.put(binary.LittleEndian.Uint64(from[i:])&(1<<n-1), n)
}

// A bitReader reads bits, the lowest first, from a buffer with slack bytes behind the
// bits of the blocks that it reads.
type bitReader struct {
	buf []byte
	pos int // number of bits read
}

// window returns the 64 bits from position pos on.
func window(buf []byte, pos int) uint64 {
	b := buf[pos>>3:][:9]
	s := pos & 7
	return binary.LittleEndian.Uint64(b)>>s | uint64(b[8])<<1<<(63-s)
}

// get reads n bits, at most 64.
func (r *bitReader) get(n int) uint64 {
	v := window(r.buf, r.pos)
	r.pos += n
	if n >= 64 {
		return v
	}
	return v & (1<<n - 1)
}
