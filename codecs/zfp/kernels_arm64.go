//go:build !purego

package zfp

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// hasKernels tells whether a level has kernels for blocks of dims dimensions.
func hasKernels(l cpu.Level, dims int) bool { return l >= cpu.Baseline && dims >= 2 }

// hasCoders tells whether a level has kernels that code planes of blocks of some dimensions.
func hasCoders(cpu.Level, int) bool { return false }

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string {
	if cpu.Used() >= cpu.Baseline {
		return "NEON"
	}
	return ""
}

// forwardRows32Short is that of kernels_short_amd64.go, for two dimensions.
func forwardRows32Short(c *int32, q *block[int32], r *run[int32], mode, dims int) (exact int) {
	to := (*block[int32])(unsafe.Pointer(c))
	if mode&modeQuantized == 0 {
		copy(to[:64], q[:64])
	} else {
		exact = quantizeRows32Short(to, q, r, mode, dims)
	}
	transformRows32Short(nil, to, r, mode, dims)
	return exact
}

// The functions below are those of kernels_short_amd64.go. Those of runs are for two dimensions,
// and quantizeRows32Short and transformRows32Short are those for 64 bits with 32.

//go:noescape
func gatherRows32Short(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, dims int)

//go:noescape
func quantizeRows32Short(c, q *block[int32], r *run[int32], mode, dims int) int

//go:noescape
func transformRows32Short(p *planes, c *block[int32], r *run[int32], mode, dims int)

//go:noescape
func inverseRows32Short(dst unsafe.Pointer, sy int, c *int32, r *run[int32], mode, dims, exact int)

//go:noescape
func gatherRows64Short(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, dims int)

//go:noescape
func quantizeRows64Short(c, q *block[int64], r *run[int64], mode, dims int) int

//go:noescape
func transformRows64Short(p *planes, c *block[int64], r *run[int64], mode, dims int)

//go:noescape
func inverseRows64Short(dst unsafe.Pointer, sy int, p *planes, c *block[int64], r *run[int64], mode, dims, exact int)

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

//go:noescape
func gather64Short(q, src unsafe.Pointer, sy, sz int) int64

//go:noescape
func exact64Short(q *int64, scale, back float64) bool

//go:noescape
func transform64Short(c, q *int64, scale float64, mode int) int64

//go:noescape
func planes64Short(p *planes, c *int64, order *sorting, top, bottom int)

//go:noescape
func coefficients64Short(c *int64, p *planes, order *sorting, bottom int)

//go:noescape
func inverse64Short(dst unsafe.Pointer, sy, sz int, c *int64, scale float64, mode int)

//go:noescape
func finish4x64Short(q *int64, mode int) int64

//go:noescape
func begin4x64Short(q *int64, mode int)
