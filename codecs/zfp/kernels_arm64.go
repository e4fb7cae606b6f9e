//go:build !purego

package zfp

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// hasKernels tells whether a level has kernels for blocks of dims dimensions.
func hasKernels(l cpu.Level, dims int) bool { return l >= cpu.Baseline && dims >= 3 }

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
