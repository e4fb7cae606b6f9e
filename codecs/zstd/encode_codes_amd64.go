//go:build !purego

package zstd

import (
	"encoding/binary"
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// codePair is two streams of codes in the making, in which a kernel goes on.
type codePair struct {
	src    [2]*byte  // the symbols, four for each step
	out    [2]*byte  // where the streams go on
	acc, n [2]uint64 // the last n bits of a stream, at most 7, which are not in out yet
	fours  int       // number of steps, of four symbols of each stream
}

// encodePairKernel encodes symbols, the last ones first. It needs BMI2, and at least one step. It writes
// eight bytes at a time. It encodes two streams because the steps of one have to wait for each other.
//
// A word is a code in the highest bits, and its length in the lowest eight.
//
//go:noescape
func encodePairKernel(p *codePair, words *[256]uint64)

// wordsKernel makes words of the codes of a huffmanTable. It needs AVX2.
//
//go:noescape
func wordsKernel(words *[256]uint64, codes *[256]uint32)

// encodePairKernel512 does the same as encodePairKernel, with the codes of a huffmanTable. It needs
// AVX-512, and at least sixteen steps.
//
//go:noescape
func encodePairKernel512(p *codePair, codes *[256]uint32)

// lastFirst512 lists places of 64 symbols, the last one first: in each sixteen, eight of the second half
// and then eight of the first one.
var lastFirst512 = func() (places [64]uint8) {
	for i := range places {
		places[i] = uint8(63 - i/16*8 - i%8 - i%16/8*32)
	}
	return places
}()

// evens512 lists every second place of two registers of 32-bit numbers.
var evens512 = [16]uint32{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}

// leastPair is the fewest symbols of a stream for which kernels pay.
const leastPair = 256

// encodePair encodes a to dstA and b to dstB, as encode does. b is as long as a, or up to three
// bytes shorter.
func (t *huffmanTable) encodePair(dstA, dstB, a, b []byte) (sizeA, sizeB int) {
	if len(b) < leastPair || cpu.Used() < cpu.AVX2 {
		return t.encode(dstA, a), t.encode(dstB, b)
	}
	p := codePair{fours: len(b) / 4}
	dst, src := [2][]byte{dstA, dstB}, [2][]byte{a, b}
	for i, s := range src {
		at := 0
		for k := len(s) - 1; k >= 4*p.fours; k-- { // of b at most three, of a at most six
			code := t.codes[s[k]]
			p.acc[i] |= uint64(code>>8) << p.n[i]
			p.n[i] += uint64(code & 0xff)
			binary.LittleEndian.PutUint16(dst[i][at:], uint16(p.acc[i]))
			at += int(p.n[i] >> 3)
			p.acc[i] >>= p.n[i] &^ 7
			p.n[i] &= 7
		}
		p.src[i], p.out[i] = &s[0], &dst[i][at]
	}
	if cpu.Used() >= cpu.AVX512 {
		encodePairKernel512(&p, &t.codes)
	} else {
		var words [256]uint64
		wordsKernel(&words, &t.codes)
		encodePairKernel(&p, &words)
	}
	var sizes [2]int
	for i := range dst {
		at := int(uintptr(unsafe.Pointer(p.out[i])) - uintptr(unsafe.Pointer(unsafe.SliceData(dst[i]))))
		dst[i][at] = byte(p.acc[i] | 1<<p.n[i]) // the one-bit at the end
		sizes[i] = at + 1
	}
	return sizes[0], sizes[1]
}
