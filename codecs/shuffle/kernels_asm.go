//go:build (amd64 || arm64) && !purego

package shuffle

import (
	"strings"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// simd tells whether the functions below may be used. They do not check their arguments:
// the caller makes sure that all memory of count elements exists.
func simd() bool { return cpu.Used() >= cpu.Baseline }

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string {
	if simd() {
		return strings.ToUpper(cpu.Baseline.String())
	}
	return ""
}

// encode2 shuffles the bytes of count elements of two bytes, a multiple of 16,
// to planes that are stride bytes apart; decode2 is the inverse.
//
//go:noescape
func encode2(dst, src *byte, stride, count int)

//go:noescape
func decode2(dst, src *byte, stride, count int)

// encode4 and decode4 do the same with elements of four bytes.
//
//go:noescape
func encode4(dst, src *byte, stride, count int)

//go:noescape
func decode4(dst, src *byte, stride, count int)

// encode8 and decode8 do the same with eight bytes of elements of size bytes.
//
//go:noescape
func encode8(dst, src *byte, stride, count, size int)

//go:noescape
func decode8(dst, src *byte, stride, count, size int)

// encodeBits shuffles the bits of count bytes, a multiple of 128, to rows that
// are stride bytes apart; decodeBits is the inverse.
//
//go:noescape
func encodeBits(dst, src *byte, stride, count int)

//go:noescape
func decodeBits(dst, src *byte, stride, count int)
