//go:build !purego

package parquet

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

// unpackKernel unpacks groups, at least one, of which each has sixteen bytes from its beginning on.
//
//go:noescape
func unpackKernel(to *uint32, from *byte, groups int, w *packedWidth)
