//go:build !purego

package zfp

import (
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// hasKernels tells whether a level has kernels for blocks of some dimensions.
func hasKernels(l cpu.Level, _ int) bool { return l >= cpu.AVX2 }

// hasCoders tells whether a level has kernels that code planes of blocks of some dimensions.
func hasCoders(l cpu.Level, dims int) bool {
	return dims <= 2 && l >= cpu.AVX2 || dims == 3 && l >= cpu.PEXT
}

// hasFours tells whether a level has kernels that load four blocks of three dimensions.
func hasFours(l cpu.Level) bool { return l >= cpu.AVX2 }

// Kernels names the extensions of the processor that the kernels of this package use. It
// returns "" if functions in Go do all the work.
func Kernels() string {
	switch l := cpu.Used(); {
	case l >= cpu.AVX512:
		return "AVX-512"
	case l >= cpu.AVX2:
		return "AVX2"
	}
	return ""
}

// The functions below do not check their arguments. If a comment does not name
// dimensions, the function works on blocks of three. The functions whose names end with
// Short need the level AVX2, readPlanes64 and writePlanes64 the level PEXT, and the others AVX512.

// gather32 copies a block to q, whose rows and slices are sy and sz bytes
// apart, and returns its largest magnitude, read as that of floats.
//
//go:noescape
func gather32(q, src unsafe.Pointer, sy, sz int) int32

// gatherFour32 copies four neighbouring blocks along x to q, one behind the other, whose rows
// and slices are sy and sz bytes apart. It sets their largest magnitudes, read as those of
// floats, in the first words of the lanes of 128 bits of largest.
//
//go:noescape
func gatherFour32(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, sz int)

//go:noescape
func gatherFour64(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, sz int)

// exact32 quantizes floats from q to c, and reports whether they give the same
// bits when they are multiplied by back.
//
//go:noescape
func exact32(c *block[int32], q *int32, scale, back float32) bool

// forward32 turns a block into planes, from the byte of plane bottom on. It returns the
// bits that are set in any coefficient.
//
//go:noescape
func forward32(p *planes, q *int32, order *[64]uint8, scale float32, mode, bottom int) int32

// inverse32 turns planes, from the byte of plane bottom on, into a block. It copies the
// block to rows and slices that are sy and sz bytes apart.
//
//go:noescape
func inverse32(dst unsafe.Pointer, sy, sz int, p *planes, order *[4][64]uint8, scale float32, mode, bottom int)

// gather64, exact64, forward64 and inverse64 do the same with 64 bits.
//
//go:noescape
func gather64(q, src unsafe.Pointer, sy, sz int) int64

//go:noescape
func exact64(c *block[int64], q *int64, scale, back float64) bool

//go:noescape
func forward64(p *planes, q *int64, order *[64]uint8, scale float64, mode, bottom int) int64

//go:noescape
func inverse64(dst unsafe.Pointer, sy, sz int, p *planes, order *[64]uint8, scale float64, mode, bottom int)

// gatherRows32 copies 64 elements to q, from 4 rows that are sy bytes apart. It sets
// the largest magnitude of each block of dims dimensions. rows_amd64.s says where the
// kernels of rows have their blocks.
//
//go:noescape
func gatherRows32(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, dims int)

// forwardRows32 is forward32 for such blocks, with a scale for each block. In mode
// modeMagnitudes it quantizes the blocks that come back unchanged, and returns which
// blocks these are. Of the other blocks it takes the magnitudes. For blocks of one
// dimension it leaves the coefficients in p, as bits of words of 32 bits: 16 words have
// coefficient i of all blocks, and follow the words of the coefficients before. With 64
// bits, the upper halves follow in p[32:].
//
//go:noescape
func forwardRows32(p *planes, q *block[int32], order *[64]uint8, r *run[int32], mode, bottom, dims int) int

// inverseRows32 undoes forwardRows32. exact tells which blocks are quantized.
//
//go:noescape
func inverseRows32(dst unsafe.Pointer, sy int, p *planes, order *[4][64]uint8, r *run[int32], mode, bottom, dims, exact int)

// gatherRows64, forwardRows64 and inverseRows64 do the same with 64 bits.
//
//go:noescape
func gatherRows64(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, dims int)

//go:noescape
func forwardRows64(p *planes, q *block[int64], order *[64]uint8, r *run[int64], mode, bottom, dims int) int

//go:noescape
func inverseRows64(dst unsafe.Pointer, sy int, p *planes, order *[64]uint8, r *run[int64], mode, bottom, dims, exact int)

// codeNibbles codes planes of a row in chunks, from plane top-1 down. The coefficients
// are in the form in which forwardRows32 leaves them, with plane top-1 at bit 31-shift.
// There must be a plane. It stops when all blocks have limit bits, and returns the
// number of chunks.
//
//go:noescape
func codeNibbles(to *nibbleChunk, s *nibbleState, c *uint64, t *nibbleTables, shift, top, planes, limit int) int

// readNibbles reads the planes of a row from a stream that has 8 further bytes.
//
//go:noescape
func readNibbles(r *nibbleRow, buf *byte, codes *[8 << 8]uint64)

// readBlocks16 reads blocks of 16 coefficients from a stream that has 16 further bytes.
// It writes planes to words of 16 bits that are 8 bytes apart. The words of a block
// follow those of the block before.
//
//go:noescape
func readBlocks16(r *reader16, buf *byte, to unsafe.Pointer, tails *[1 << 10]uint32, blocks int)

// writeBlock16 writes planes of a block of 16 coefficients. The planes are in words of
// 16 bits that are 8 bytes apart.
//
//go:noescape
func writeBlock16(w *writer16, buf *byte, from unsafe.Pointer, spreads *[256]uint32)

// writePlanes64 is [bitWriter.putPlanes].
//
//go:noescape
func writePlanes64(w *bitWriter, p *planes, top, bottom, end int)

// readPlanes64 reads planes k-1 down to bottom of a block of 64 coefficients. It stops in
// front of a plane that may reach bit end. It returns the lowest plane that it read, and the
// number of coefficients up to the last one with a one-bit. The stream has 24 bytes behind
// the planes.
//
//go:noescape
func readPlanes64(r *bitReader, p *planes, k, bottom, end int) (low, length int)

// splitNibbles turns 32 planes of a row, from byte s of its strings on, into
// coefficients in the form in which forwardRows32 leaves them.
//
//go:noescape
func splitNibbles(c *uint64, s *byte)

// decodeFixed decodes planes of a row, behind skip bits, into coefficients in the form
// in which forwardRows32 leaves them. It returns the number of planes that are left at
// the end of the longest block.
//
//go:noescape
func decodeFixed(c *uint64, r *fixedRow, t *fixedTables, skip, planes int) (left int)

// forward4x32 and forward4x64 transform a block of four dimensions from q to c, with
// the coefficients in the order of transposed. They return the bits that are set in any
// coefficient.
//
//go:noescape
func forward4x32(c, q *block[int32], scale float32, mode int) int32

//go:noescape
func forward4x64(c, q *block[int64], scale float64, mode int) int64

// planes4x32 and planes4x64 turn the coefficients of a block of four dimensions into
// planes, from the byte of plane bottom on. planes4x64 changes c.
//
//go:noescape
func planes4x32(p *wideBlock, c *block[int32], order *[256]uint8, bottom int)

//go:noescape
func planes4x64(p *wideBlock, c *block[int64], order *[256]uint8, bottom int)

// coefficients32 and coefficients64 turn planes, from the byte of plane bottom on, into
// 64 coefficients, which are no longer in negabinary.
//
//go:noescape
func coefficients32(c *int32, p *planes, order *[4][64]uint8, bottom int)

//go:noescape
func coefficients64(c *int64, p *planes, order *[64]uint8, bottom int)

// inverse4x32 and inverse4x64 transform a block of four dimensions back, with its
// coefficients in the order of transposed. They copy it to rows, slices and blocks of
// three dimensions that are sy, sz and sw bytes apart. inverse4x64 changes c.
//
//go:noescape
func inverse4x32(dst unsafe.Pointer, sy, sz, sw int, c *block[int32], scale float32, mode int)

//go:noescape
func inverse4x64(dst unsafe.Pointer, sy, sz, sw int, c *block[int64], scale float64, mode int)
