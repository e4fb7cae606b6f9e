//go:build !purego

package zfp

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// hasKernels tells whether a level has kernels for elements of some bits and blocks of dims
// dimensions.
func hasKernels(l cpu.Level, bits, dims int) bool {
	return l >= cpu.Baseline && bits == 32 && dims >= 3
}

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string {
	if cpu.Used() >= cpu.Baseline {
		return "NEON"
	}
	return ""
}

// The functions below are those of kernels_short_amd64.go.

//go:noescape
func gather32Short(q, src unsafe.Pointer, sy, sz int) int32

//go:noescape
func exact32Short(q *int32, scale, back float32) bool

//go:noescape
func transform32Short(c, q *int32, scale float32, mode int) int32

//go:noescape
func planes32Short(p *planes, c *int32, order *sorting, top, bottom int)

//go:noescape
func coefficients32Short(c *int32, p *planes, order *sorting, bottom int)

//go:noescape
func inverse32Short(dst unsafe.Pointer, sy, sz int, c *int32, scale float32, mode int)

//go:noescape
func finish4x32Short(q *int32, mode int) int32

//go:noescape
func begin4x32Short(q *int32, mode int)
