//go:build !amd64 || purego

package zfp

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// There are no kernels with registers of 512 bits, and none that load four blocks.

func hasFours(cpu.Level) bool { return false }

func gather32(_, _ unsafe.Pointer, _, _ int) int32                                          { return 0 }
func gather64(_, _ unsafe.Pointer, _, _ int) int64                                          { return 0 }
func exact32(_ *block[int32], _ *int32, _, _ float32) bool                                  { return false }
func exact64(_ *block[int64], _ *int64, _, _ float64) bool                                  { return false }
func forward32(_ *planes, _ *int32, _ *[64]uint8, _ float32, _, _ int) int32                { return 0 }
func forward64(_ *planes, _ *int64, _ *[64]uint8, _ float64, _, _ int) int64                { return 0 }
func inverse32(_ unsafe.Pointer, _, _ int, _ *planes, _ *[4][64]uint8, _ float32, _, _ int) {}
func inverse64(_ unsafe.Pointer, _, _ int, _ *planes, _ *[64]uint8, _ float64, _, _ int)    {}

func gatherFour32(_ *block[int32], _ *[16]int32, _ unsafe.Pointer, _, _ int)      {}
func gatherFour64(_ *block[int64], _ *[16]int64, _ unsafe.Pointer, _, _ int)      {}
func gatherFour32Short(_ *block[int32], _ *[16]int32, _ unsafe.Pointer, _, _ int) {}
func gatherFour64Short(_ *block[int64], _ *[16]int64, _ unsafe.Pointer, _, _ int) {}

func gatherRows32(_ *block[int32], _ *[16]int32, _ unsafe.Pointer, _, _ int) {}
func gatherRows64(_ *block[int64], _ *[16]int64, _ unsafe.Pointer, _, _ int) {}

func forwardRows32(_ *planes, _ *block[int32], _ *[64]uint8, _ *run[int32], _, _, _ int) int {
	return 0
}

func forwardRows64(_ *planes, _ *block[int64], _ *[64]uint8, _ *run[int64], _, _, _ int) int {
	return 0
}

func inverseRows32(_ unsafe.Pointer, _ int, _ *planes, _ *[4][64]uint8, _ *run[int32], _, _, _, _ int) {
}

func inverseRows64(_ unsafe.Pointer, _ int, _ *planes, _ *[64]uint8, _ *run[int64], _, _, _, _ int) {
}

func codeNibbles(_ *nibbleChunk, _ *nibbleState, _ *uint64, _ *nibbleTables, _, _, _, _ int) int {
	return 0
}

func readNibbles(_ *nibbleRow, _ *byte, _ *[8 << 8]uint64) {}

func readBlocks16(_ *reader16, _ *byte, _ unsafe.Pointer, _ *[1 << 10]uint32, _ int) {}

func writeBlock16(_ *writer16, _ *byte, _ unsafe.Pointer, _ *[256]uint32) {}

func writePlanes64(_ *bitWriter, _ *planes, _, _, _ int) {}

func readPlanes64(_ *bitReader, _ *planes, _, _, _ int) (low, length int) { return 0, 0 }

func splitNibbles(_ *uint64, _ *byte) {}

func decodeFixed(_ *uint64, _ *fixedRow, _ *fixedTables, _, _ int) (left int) { return 0 }

func forward4x32(_, _ *block[int32], _ float32, _ int) int32         { return 0 }
func forward4x64(_, _ *block[int64], _ float64, _ int) int64         { return 0 }
func planes4x32(_ *wideBlock, _ *block[int32], _ *[256]uint8, _ int) {}
func planes4x64(_ *wideBlock, _ *block[int64], _ *[256]uint8, _ int) {}

func coefficients32(_ *int32, _ *planes, _ *[4][64]uint8, _ int) {}
func coefficients64(_ *int64, _ *planes, _ *[64]uint8, _ int)    {}

func inverse4x32(_ unsafe.Pointer, _, _, _ int, _ *block[int32], _ float32, _ int) {}
func inverse4x64(_ unsafe.Pointer, _, _, _ int, _ *block[int64], _ float64, _ int) {}

func codeNibblesShort(_ *nibbleChunk, _ *nibbleState, _ *uint64, _ *nibbleShuffles, _, _, _, _ int) int {
	return 0
}

func splitNibblesShort(_ *uint64, _ *byte) {}

func decodeFixedShort(_ *uint64, _ *fixedRow, _ *nibbleShuffles, _, _ int) (left int) { return 0 }
