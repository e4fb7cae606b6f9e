//go:build !purego

package zstd

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// countKernel sets counts to the number of occurrences of each byte among the n bytes at src, on any
// amd64 processor. n is a multiple of eight, and not zero. tables are zero before, and have the counts by
// place afterwards.
//
//go:noescape
func countKernel(counts *[256]uint32, tables *[8][256]uint32, src *byte, n int)

func count(counts *[256]uint32, src []byte) {
	if !simd() || len(src) < fewBytes {
		countPlain(counts, src)
		return
	}
	var tables [8][256]uint32
	whole := len(src) &^ 7
	countKernel(counts, &tables, unsafe.SliceData(src), whole)
	for _, b := range src[whole:] {
		counts[b]++
	}
}

// weighKernel does the same as weighPlain. The frequencies are at most maxBlock together. It needs AVX2.
//
//go:noescape
func weighKernel(a, b *[256]uint32, logarithms *uint64) int

func weigh(a, b *[256]uint32) int {
	if cpu.Used() < cpu.AVX2 {
		return weighPlain(a, b)
	}
	return weighKernel(a, b, &log256[0])
}
