//go:build !purego

package packing

import "github.com/zmigrate/zmigrate/internal/cpu"

func simd() bool { return cpu.Used() >= cpu.AVX2 }

// Kernels names the extensions of the processor that the kernels of this package use. It returns ""
// if there are no kernels.
func Kernels() string {
	if simd() {
		return "AVX2"
	}
	return ""
}

// pack is Pack for n elements, a multiple of sixteen that is not zero.
//
//go:noescape
func pack(to *int16, from *float32, n int, p *Packer) int

// unpack is Unpack for n elements, a multiple of sixteen that is not zero.
//
//go:noescape
func unpack(to *float32, from *int16, n int, u *Unpacker)
