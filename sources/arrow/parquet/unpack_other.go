//go:build !amd64 || purego

package parquet

func simd() bool { return false }

// Kernels names the extensions of the processor that the kernel of this package uses. It returns
// "" if there is no kernel.
func Kernels() string { return "" }

func unpackKernel(*uint32, *byte, int, *packedWidth) {}
