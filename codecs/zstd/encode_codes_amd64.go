//go:build !purego

package zstd

import (
	"encoding/binary"
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// codePair is two streams of codes in the making, in which encodePairKernel goes on.
type codePair struct {
	words *[256]uint64
	src   [2]*byte // the symbols, four for each step
	out   [2]*byte // where the streams go on
	// The last n bits of a stream, at most 7, are not in out yet. They are the highest bits of
	// acc. The lowest eight bits of acc mean nothing, and neither do the bits of n above its
	// lowest eight.
	acc, n [2]uint64
	fours  int // number of steps, of four symbols of each stream; at least 1
}

// encodePairKernel encodes symbols, the last ones first. It needs BMI2, and writes eight bytes at a
// time. It encodes two streams because the steps of one have to wait for each other.
//
//go:noescape
func encodePairKernel(p *codePair)

// leastPair is the fewest symbols of a stream for which encodePairKernel pays.
const leastPair = 256

// encodePair encodes a to dstA and b to dstB, as encode does. b is as long as a, or up to three
// bytes shorter.
func (t *huffmanTable) encodePair(dstA, dstB, a, b []byte) (sizeA, sizeB int) {
	if len(b) < leastPair || cpu.Used() < cpu.AVX2 {
		return t.encode(dstA, a), t.encode(dstB, b)
	}
	// A word is a code in the highest bits, and its length in the lowest eight.
	var words [256]uint64
	for s, c := range t.codes[:t.symbols] {
		if length := c & 0xff; length > 0 {
			words[s] = uint64(c>>8)<<(64-length) | uint64(length)
		}
	}
	p := codePair{words: &words, fours: len(b) / 4}
	dst, src := [2][]byte{dstA, dstB}, [2][]byte{a, b}
	var at [2]int
	put := func(i, from, to int) { // at most four symbols
		for k := to - 1; k >= from; k-- {
			word := words[src[i][k]]
			p.acc[i] = p.acc[i]>>(word&63) | word
			p.n[i] += word
		}
		binary.LittleEndian.PutUint64(dst[i][at[i]:], p.acc[i]>>(-p.n[i]&63))
		at[i] += int(uint8(p.n[i]) >> 3)
		p.n[i] &= 7
	}
	for i := range src {
		end := len(src[i])
		put(i, end&^3, end)
		if end &^= 3; end > 4*p.fours { // only a has so many
			put(i, end-4, end)
		}
		p.src[i], p.out[i] = &src[i][0], &dst[i][at[i]]
	}
	encodePairKernel(&p)
	var sizes [2]int
	for i := range src {
		at[i] = int(uintptr(unsafe.Pointer(p.out[i])) - uintptr(unsafe.Pointer(unsafe.SliceData(dst[i]))))
		// The one-bit at the end.
		n := p.n[i] + 1
		binary.LittleEndian.PutUint64(dst[i][at[i]:], (p.acc[i]>>1|1<<63)>>(64-n))
		sizes[i] = at[i] + int(n+7)>>3
	}
	return sizes[0], sizes[1]
}
