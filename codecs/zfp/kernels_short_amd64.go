//go:build !purego

package zfp

import "unsafe"

// gather32Short and gather64Short are gather32 and gather64.
//
//go:noescape
func gather32Short(q, src unsafe.Pointer, sy, sz int) int32

//go:noescape
func gather64Short(q, src unsafe.Pointer, sy, sz int) int64

// gatherFour32Short and gatherFour64Short are gatherFour32 and gatherFour64.
//
//go:noescape
func gatherFour32Short(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, sz int)

//go:noescape
func gatherFour64Short(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, sz int)

// exact32Short and exact64Short report whether 64 floats give the same bits when they are
// quantized and multiplied by back.
//
//go:noescape
func exact32Short(q *int32, scale, back float32) bool

//go:noescape
func exact64Short(q *int64, scale, back float64) bool

// transform32Short and transform64Short transform a block of three dimensions from q to c. Without modePart, they
// turn the coefficients into negabinary, and return the bits that are set in any of
// them.
//
//go:noescape
func transform32Short(c, q *int32, scale float32, mode int) int32

//go:noescape
func transform64Short(c, q *int64, scale float64, mode int) int64

// finish4x32Short and finish4x64Short transform a block of four dimensions along its last
// axis. They turn the coefficients into negabinary, and return the bits that are set in
// any of them.
//
//go:noescape
func finish4x32Short(q *int32, mode int) int32

//go:noescape
func finish4x64Short(q *int64, mode int) int64

// planes32Short and planes64Short turn 64 coefficients into planes, from the byte of plane
// bottom up to that of plane top-1. top is greater than 0.
//
//go:noescape
func planes32Short(p *planes, c *int32, order *sorting, top, bottom int)

//go:noescape
func planes64Short(p *planes, c *int64, order *sorting, top, bottom int)

// coefficients32Short and coefficients64Short turn planes, from the byte of plane bottom on,
// into 64 coefficients, which are no longer in negabinary.
//
//go:noescape
func coefficients32Short(c *int32, p *planes, order *sorting, bottom int)

//go:noescape
func coefficients64Short(c *int64, p *planes, order *sorting, bottom int)

// begin4x32Short and begin4x64Short transform a block of four dimensions back along its last
// axis.
//
//go:noescape
func begin4x32Short(q *int32, mode int)

//go:noescape
func begin4x64Short(q *int64, mode int)

// inverse32Short and inverse64Short transform a block of three dimensions back. They copy it to
// rows and slices that are sy and sz bytes apart. inverse64Short changes c.
//
//go:noescape
func inverse32Short(dst unsafe.Pointer, sy, sz int, c *int32, scale float32, mode int)

//go:noescape
func inverse64Short(dst unsafe.Pointer, sy, sz int, c *int64, scale float64, mode int)

// gatherRows32Short and gatherRows64Short are gatherRows32 and gatherRows64.
//
//go:noescape
func gatherRows32Short(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, dims int)

//go:noescape
func gatherRows64Short(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, dims int)

// forwardRows32Short is forwardRows32 without its last step: it leaves coefficients in c
// for blocks of two dimensions, too, in the order of sortRun32.
//
//go:noescape
func forwardRows32Short(c *int32, q *block[int32], r *run[int32], mode, dims int) int

// inverseRows32Short is inverseRows32 without its first step. Coefficients of two
// dimensions are no longer in negabinary.
//
//go:noescape
func inverseRows32Short(dst unsafe.Pointer, sy int, c *int32, r *run[int32], mode, dims, exact int)

// quantizeRows64Short quantizes a run of blocks from q to c. In mode modeMagnitudes it
// takes the magnitudes of blocks that do not come back unchanged, and returns which blocks
// do.
//
//go:noescape
func quantizeRows64Short(c, q *block[int64], r *run[int64], mode, dims int) int

// transformRows64Short transforms a run of blocks in c, of two dimensions to c, of one
// dimension to p.
//
//go:noescape
func transformRows64Short(p *planes, c *block[int64], r *run[int64], mode, dims int)

// inverseRows64Short is inverseRows32Short with 64 bits. The coefficients of one dimension
// are in p.
//
//go:noescape
func inverseRows64Short(dst unsafe.Pointer, sy int, p *planes, c *block[int64], r *run[int64], mode, dims, exact int)

// codeNibblesShort, splitNibblesShort and decodeFixedShort are codeNibbles, splitNibbles and
// decodeFixed.
//
//go:noescape
func codeNibblesShort(to *nibbleChunk, s *nibbleState, c *uint64, t *nibbleShuffles, shift, top, planes, limit int) int

//go:noescape
func splitNibblesShort(c *uint64, s *byte)

//go:noescape
func decodeFixedShort(c *uint64, r *fixedRow, t *nibbleShuffles, skip, planes int) (left int)
