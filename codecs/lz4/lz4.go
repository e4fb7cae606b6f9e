// Package lz4 compresses blocks in the LZ4 block format, as fast as the
// reference does and with the same knob to make it faster still: acceleration.
// Any decoder of LZ4 blocks reads them, such as that of
// github.com/pierrec/lz4/v4.
//
// A block is a sequence of
//
//	1 byte      L<<4 | M
//	0…  bytes   if L is 15: numbers to add to it, up to and with the first that is not 255
//	L   bytes   literals
//	2   bytes   distance, little-endian: repeat M+4 bytes from that far back
//	0…  bytes   if M is 15: numbers to add to it, likewise
//
// of which the last ends after its literals. These are at least five bytes, and
// no repetition begins in the last twelve.
package lz4

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

const (
	shortBits    = 13 // of a hash in contents of less than 64 KiB
	longBits     = 12 // and in longer ones: the table leaves room in the first cache
	minMatch     = 4
	lastLiterals = 5
	matchLimit   = 12 // bytes at the end that no repetition begins in
	farthest     = 1<<16 - 1
	skipBits     = 6 // after 1<<skipBits failures in a row the search takes longer steps
	wild         = 16
)

// MaxEncodedSize returns how large the block of n bytes can be.
func MaxEncodedSize(n int) int { return n + n/255 + 16 }

// Encoder makes blocks. Its zero value is ready. It is for one goroutine.
type Encoder struct {
	table [1 << shortBits]uint32 // latest position of some bytes with that hash
}

// hasher maps the low bytes of a word to an index of the table: four of short
// contents, five of longer ones, in which four are found too often by chance.
type hasher struct{ cut, shift uint }

func (h hasher) of(v uint64) uint64 { return v << (h.cut & 63) * 889523592379 >> (h.shift & 63) }

// load32 and load64 read little-endian words at a position. They do not check
// it: Encode stays at least eight bytes from the end of what it searches and
// compares. With checks it takes a fifth to a third longer.
func load32(b []byte, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:])
}

func load64(b []byte, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:])
}

// Encode writes the block of src, of less than 2 GiB, to the start of dst and
// returns its length, 0 when it does not fit; in MaxEncodedSize(len(src)) bytes
// it always does. What lies behind the block in dst is undefined. Acceleration
// is 1 or more: by how many bytes a search advances at a time, but for its
// first step.
func (e *Encoder) Encode(dst, src []byte, acceleration int) int {
	limit := len(src) - matchLimit // repetitions begin before
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
			// In noise either test may fail, but only the first does so predictably.
			if load32(src, ref) == load32(src, ip) && ip-ref <= farthest {
				break
			}
			ip += step
			step = attempts >> skipBits
		}
		for ip > anchor && ref > 0 && src[ip-1] == src[ref-1] {
			ip, ref = ip-1, ref-1
		}
		// A repetition, and those that follow it without literals.
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

// equal returns how many bytes of src from a and from b > a on agree, up to the
// last literals.
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

// sequence writes a sequence at op: the first literals bytes of src, and the
// repetition of n+4 bytes from a distance. It returns where the sequence ends,
// 0 when it does not fit.
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

// length writes what of n does not fit into four bits, and returns where it
// ends.
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

// finish writes the last sequence, all of src as literals.
func finish(dst []byte, op int, src []byte) int {
	if 1+lengthSize(len(src))+len(src) > len(dst)-op {
		return 0
	}
	dst[op] = byte(min(len(src), 15) << 4)
	op = length(dst, op+1, len(src))
	return op + copy(dst[op:], src)
}
