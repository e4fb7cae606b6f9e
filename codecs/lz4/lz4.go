// Package lz4 compresses blocks in the LZ4 block format, as fast as the reference
// implementation. Like the reference, it has an acceleration, which makes it faster
// still. Any decoder of LZ4 blocks reads the blocks, such as that of
// github.com/pierrec/lz4/v4.
//
// A block is a sequence of
//
//	1 byte      L<<4 | M
//	0…  bytes   if L is 15: numbers to add to L, up to and including the first that is not 255
//	L   bytes   literals
//	2   bytes   distance, little-endian: repeat M+4 bytes from that far back
//	0…  bytes   if M is 15: numbers to add to M, likewise
//
// The last sequence ends after its literals, which are at least five bytes. No
// repetition begins in the last twelve bytes.
package lz4

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

const (
	shortBits    = 13 // bits of a hash in contents of less than 64 KiB
	longBits     = 12 // bits of a hash in longer contents: a small table leaves room in the first cache
	minMatch     = 4
	lastLiterals = 5
	matchLimit   = 12 // bytes at the end in which no repetition begins
	farthest     = 1<<16 - 1
	skipBits     = 6 // after 1<<skipBits failures in a row the search takes longer steps
	wild         = 16
)

// MaxEncodedSize returns the largest size of the block of n bytes.
func MaxEncodedSize(n int) int { return n + n/255 + 16 }

// Encoder makes blocks. Its zero value is ready. It is for one goroutine.
type Encoder struct {
	table [1 << shortBits]uint32 // latest position of some bytes with a hash
}

// hasher maps the low bytes of a word to an index of the table: four bytes in short
// contents, and five in longer ones, where four equal bytes are too often a
// coincidence.
type hasher struct{ cut, shift uint }

func (h hasher) of(v uint64) uint64 { return v << (h.cut & 63) * 889523592379 >> (h.shift & 63) }

// load32 and load64 read little-endian words at a position, without a check: Encode
// stays at least eight bytes away from the end of the bytes that it searches and
// compares. With checks it takes a fifth to a third longer.
func load32(b []byte, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:])
}

func load64(b []byte, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:])
}

// Encode writes the block of src, which has less than 2 GiB, to the start of dst. It
// returns the length of the block, or 0 if it does not fit; MaxEncodedSize(len(src))
// bytes are always enough. Bytes of dst behind the block are undefined. The
// acceleration, 1 or more, is the number of bytes by which a search advances in each
// step but the first.
func (e *Encoder) Encode(dst, src []byte, acceleration int) int {
	limit := len(src) - matchLimit // repetitions begin before it
	if limit <= 1 {
		return finish(dst, 0, src)
	}
	table, hash := &e.table, hasher{32, 64 - shortBits}
	if len(src) > farthest {
		hash = hasher{24, 64 - longBits}
	}
	clear(table[:1<<(64-hash.shift)])
	op, anchor, ip := 0, 0, 1
	for {
		ref, step := 0, 1
		for attempts := max(acceleration, 1) << skipBits; ; attempts++ {
			if ip >= limit {
				return finish(dst, op, src[anchor:])
			}
			slot := &table[hash.of(load64(src, ip))]
			ref = int(*slot)
			*slot = uint32(ip)
			// In noise either test may fail, but only the first one fails predictably.
			if load32(src, ref) == load32(src, ip) && ip-ref <= farthest {
				break
			}
			ip += step
			step = attempts >> skipBits
		}
		for ip > anchor && ref > 0 && src[ip-1] == src[ref-1] {
			ip, ref = ip-1, ref-1
		}
		// The loop is for repetitions that follow each other without literals.
		for {
			n := equal(src, ref+minMatch, ip+minMatch)
			if op = sequence(dst, op, src[anchor:], ip-anchor, ip-ref, n); op == 0 {
				return 0
			}
			ip += minMatch + n
			anchor = ip
			if ip >= limit {
				return finish(dst, op, src[anchor:])
			}
			table[hash.of(load64(src, ip-2))] = uint32(ip - 2)
			slot := &table[hash.of(load64(src, ip))]
			ref = int(*slot)
			*slot = uint32(ip)
			if ip-ref > farthest || load32(src, ref) != load32(src, ip) {
				break
			}
		}
		ip++
	}
}

// equal returns how many bytes of src agree from a on and from b on, where b > a. It
// stops before the last literals.
func equal(src []byte, a, b int) int {
	start, end := b, len(src)-lastLiterals
	for b+8 <= end {
		if x := load64(src, a) ^ load64(src, b); x != 0 {
			return b - start + bits.TrailingZeros64(x)/8
		}
		a, b = a+8, b+8
	}
	for b < end && src[a] == src[b] {
		a, b = a+1, b+1
	}
	return b - start
}

// sequence writes a sequence at op: the first literals bytes of src, and a repetition
// of n+4 bytes from a distance. It returns the end of the sequence, or 0 if it does not
// fit.
func sequence(dst []byte, op int, src []byte, literals, distance, n int) int {
	if literals < 15 && n < 15 && op+1+wild <= len(dst) && wild <= len(src) {
		dst[op] = byte(literals<<4 | n)
		*(*[wild]byte)(dst[op+1:]) = *(*[wild]byte)(src)
		op += 1 + literals
		binary.LittleEndian.PutUint16(dst[op:], uint16(distance))
		return op + 2
	}
	if 1+lengthSize(literals)+literals+2+lengthSize(n) > len(dst)-op {
		return 0
	}
	dst[op] = byte(min(literals, 15)<<4 | min(n, 15))
	op = length(dst, op+1, literals)
	op += copy(dst[op:], src[:literals])
	binary.LittleEndian.PutUint16(dst[op:], uint16(distance))
	return length(dst, op+2, n)
}

// lengthSize returns how many bytes length writes.
func lengthSize(n int) int {
	if n < 15 {
		return 0
	}
	return (n-15)/255 + 1
}

// length writes the part of n that does not fit into four bits, and returns its end.
func length(dst []byte, op, n int) int {
	if n < 15 {
		return op
	}
	for n -= 15; n >= 255; n -= 255 {
		dst[op] = 255
		op++
	}
	dst[op] = byte(n)
	return op + 1
}

// finish writes the last sequence, which has all of src as literals.
func finish(dst []byte, op int, src []byte) int {
	if 1+lengthSize(len(src))+len(src) > len(dst)-op {
		return 0
	}
	dst[op] = byte(min(len(src), 15) << 4)
	op = length(dst, op+1, len(src))
	return op + copy(dst[op:], src)
}
