//go:build !amd64 || purego

package adler32

func simd() bool { return false }

// Kernels names the extensions of the processor that the kernel of this package uses. It returns
// "" if there is no kernel.
func Kernels() string { return "" }

func products(*byte, int) (lower, upper uint64) { return 0, 0 }
