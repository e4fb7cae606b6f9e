//go:build !amd64 || purego

package packing

func simd() bool { return false }

// Kernels names the extensions of the processor that the kernels of this package use. It returns ""
// if there are no kernels.
func Kernels() string { return "" }

func pack(*int16, *float32, int, *Packer) int { return 0 }
func unpack(*float32, *int16, int, *Unpacker) {}
