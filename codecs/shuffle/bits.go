package shuffle

import "encoding/binary"

// Bits are shuffled in tiles of some elements that fit into the processor's first
// cache: first their bytes, then the bits of each plane of bytes.
const (
	tileBytes   = 16 << 10 // room for a tile of 64 elements of 256 bytes; larger elements get room of their own
	tileAims    = 8 << 10  // bytes of a tile of small elements
	groupLength = 64       // the bit kernels combine one bit of so many elements to a word
)

// tileLength returns the number of elements of a tile: a multiple of
// groupLength.
func tileLength(size int) int { return max(tileAims/size, groupLength) &^ (groupLength - 1) }

// tileRoom returns room for n bytes: buffer, if it is large enough.
func tileRoom(buffer *[tileBytes]byte, n int) []byte {
	if n <= len(buffer) {
		return buffer[:]
	}
	return make([]byte, n)
}

// EncodeBits shuffles the bits of the elements of size bytes in src into dst. Bytes
// after the last whole element are copied. As in Blosc, everything is copied if the
// number of elements is not a multiple of eight.
//
// dst has the length of src and does not overlap it; size is at least 1.
func EncodeBits(dst, src []byte, size int) {
	checkArguments(dst, src, size)
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	var buffer [tileBytes]byte
	step := tileLength(size)
	room := tileRoom(&buffer, min(step, n)*size)
	for start := 0; start < n; start += step {
		count := min(step, n-start)
		tile := src[start*size:][:count*size]
		if size > 1 {
			tile = room[:count*size]
			EncodeBytes(tile, src[start*size:][:count*size], size)
		}
		for j := range size {
			encodePlane(dst[j*n+start/8:], tile[j*count:][:count], n/8)
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// DecodeBits undoes [EncodeBits], with the same demands on its arguments.
func DecodeBits(dst, src []byte, size int) {
	checkArguments(dst, src, size)
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	var buffer [tileBytes]byte
	step := tileLength(size)
	room := tileRoom(&buffer, min(step, n)*size)
	for start := 0; start < n; start += step {
		count := min(step, n-start)
		elements := dst[start*size:][:count*size]
		tile := elements
		if size > 1 {
			tile = room[:count*size]
		}
		for j := range size {
			decodePlane(tile[j*count:][:count], src[j*n+start/8:], n/8)
		}
		if size > 1 {
			DecodeBytes(elements, tile, size)
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// encodePlane writes bit t of the bytes of src to the len(src)/8 bytes of rows
// from t*stride on. The length of src is a multiple of eight.
func encodePlane(rows, src []byte, stride int) {
	i := 0
	if len(src) >= 128 && simd() {
		i = len(src) &^ 127
		encodeBits(&rows[0], &src[0], stride, i)
	}
	for ; i+groupLength <= len(src); i += groupLength {
		s := src[i:][:groupLength]
		a0, a1 := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:])
		a2, a3 := binary.LittleEndian.Uint64(s[16:]), binary.LittleEndian.Uint64(s[24:])
		a4, a5 := binary.LittleEndian.Uint64(s[32:]), binary.LittleEndian.Uint64(s[40:])
		a6, a7 := binary.LittleEndian.Uint64(s[48:]), binary.LittleEndian.Uint64(s[56:])
		a0, a1, a2, a3, a4, a5, a6, a7 = transposeBytes(a0, a1, a2, a3, a4, a5, a6, a7)
		a0, a1, a2, a3, a4, a5, a6, a7 = transposeBits(a0, a1, a2, a3, a4, a5, a6, a7)
		d := rows[i/8:]
		binary.LittleEndian.PutUint64(d, a0)
		binary.LittleEndian.PutUint64(d[stride:], a1)
		binary.LittleEndian.PutUint64(d[2*stride:], a2)
		binary.LittleEndian.PutUint64(d[3*stride:], a3)
		binary.LittleEndian.PutUint64(d[4*stride:], a4)
		binary.LittleEndian.PutUint64(d[5*stride:], a5)
		binary.LittleEndian.PutUint64(d[6*stride:], a6)
		binary.LittleEndian.PutUint64(d[7*stride:], a7)
	}
	for ; i < len(src); i += 8 {
		a := transposeWord(binary.LittleEndian.Uint64(src[i:]))
		for t := range 8 {
			rows[i/8+t*stride] = byte(a >> (8 * t))
		}
	}
}

// decodePlane is the inverse of encodePlane.
func decodePlane(dst, rows []byte, stride int) {
	i := 0
	if len(dst) >= 128 && simd() {
		i = len(dst) &^ 127
		decodeBits(&dst[0], &rows[0], stride, i)
	}
	for ; i+groupLength <= len(dst); i += groupLength {
		s := rows[i/8:]
		a0, a1 := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[stride:])
		a2, a3 := binary.LittleEndian.Uint64(s[2*stride:]), binary.LittleEndian.Uint64(s[3*stride:])
		a4, a5 := binary.LittleEndian.Uint64(s[4*stride:]), binary.LittleEndian.Uint64(s[5*stride:])
		a6, a7 := binary.LittleEndian.Uint64(s[6*stride:]), binary.LittleEndian.Uint64(s[7*stride:])
		a0, a1, a2, a3, a4, a5, a6, a7 = transposeBits(a0, a1, a2, a3, a4, a5, a6, a7)
		a0, a1, a2, a3, a4, a5, a6, a7 = transposeBytes(a0, a1, a2, a3, a4, a5, a6, a7)
		d := dst[i:][:groupLength]
		binary.LittleEndian.PutUint64(d, a0)
		binary.LittleEndian.PutUint64(d[8:], a1)
		binary.LittleEndian.PutUint64(d[16:], a2)
		binary.LittleEndian.PutUint64(d[24:], a3)
		binary.LittleEndian.PutUint64(d[32:], a4)
		binary.LittleEndian.PutUint64(d[40:], a5)
		binary.LittleEndian.PutUint64(d[48:], a6)
		binary.LittleEndian.PutUint64(d[56:], a7)
	}
	for ; i < len(dst); i += 8 {
		var a uint64
		for t := range 8 {
			a |= uint64(rows[i/8+t*stride]) << (8 * t)
		}
		binary.LittleEndian.PutUint64(dst[i:], transposeWord(a))
	}
}

// transposeWord moves bit t of byte i to bit i of byte t.
func transposeWord(a uint64) uint64 {
	t := (a ^ a>>7) & 0x00aa00aa00aa00aa
	a ^= t ^ t<<7
	t = (a ^ a>>14) & 0x0000cccc0000cccc
	a ^= t ^ t<<14
	t = (a ^ a>>28) & 0x00000000f0f0f0f0
	return a ^ t ^ t<<28
}
