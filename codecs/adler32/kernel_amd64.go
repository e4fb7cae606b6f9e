//go:build !purego

package adler32

import "github.com/zmigrate/zmigrate/internal/cpu"

func simd() bool { return cpu.Used() >= cpu.AVX2 }

// Kernels names the extensions of the processor that the kernel of this package uses. It returns
// "" if there is no kernel.
func Kernels() string {
	if simd() {
		return "AVX2"
	}
	return ""
}

// products returns the sum of n bytes, and the sum in which each byte counts as often as there are
// bytes from it to the end. n is a multiple of 64, not zero, and at most a mebibyte.
//
//go:noescape
func products(data *byte, n int) (lower, upper uint64)
