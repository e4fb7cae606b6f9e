//go:build (!amd64 && !arm64) || purego

package zfp

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// The functions in Go do all the work.
func hasKernels(cpu.Level, int) bool { return false }
func hasCoders(cpu.Level, int) bool  { return false }

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string { return "" }

func gather32Short(_, _ unsafe.Pointer, _, _ int) int32                     { return 0 }
func exact32Short(_ *int32, _, _ float32) bool                              { return false }
func transform32Short(_, _ *int32, _ float32, _ int) int32                  { return 0 }
func planes32Short(_ *planes, _ *int32, _ *sorting, _, _ int)               {}
func coefficients32Short(_ *int32, _ *planes, _ *sorting, _ int)            {}
func inverse32Short(_ unsafe.Pointer, _, _ int, _ *int32, _ float32, _ int) {}
func finish4x32Short(_ *int32, _ int) int32                                 { return 0 }
func begin4x32Short(_ *int32, _ int)                                        {}
func gather64Short(_, _ unsafe.Pointer, _, _ int) int64                     { return 0 }
func exact64Short(_ *int64, _, _ float64) bool                              { return false }
func transform64Short(_, _ *int64, _ float64, _ int) int64                  { return 0 }
func planes64Short(_ *planes, _ *int64, _ *sorting, _, _ int)               {}
func coefficients64Short(_ *int64, _ *planes, _ *sorting, _ int)            {}
func inverse64Short(_ unsafe.Pointer, _, _ int, _ *int64, _ float64, _ int) {}
func finish4x64Short(_ *int64, _ int) int64                                 { return 0 }
func begin4x64Short(_ *int64, _ int)                                        {}

func gatherRows32Short(_ *block[int32], _ *[16]int32, _ unsafe.Pointer, _, _ int) {}
func gatherRows64Short(_ *block[int64], _ *[16]int64, _ unsafe.Pointer, _, _ int) {}

func forwardRows32Short(_ *int32, _ *block[int32], _ *run[int32], _, _ int) int        { return 0 }
func inverseRows32Short(_ unsafe.Pointer, _ int, _ *int32, _ *run[int32], _, _, _ int) {}
func quantizeRows64Short(_, _ *block[int64], _ *run[int64], _, _ int) int              { return 0 }
func transformRows64Short(_ *planes, _ *block[int64], _ *run[int64], _, _ int)         {}

func inverseRows64Short(_ unsafe.Pointer, _ int, _ *planes, _ *block[int64], _ *run[int64], _, _, _ int) {
}
