//go:build !purego

package zfp

import "unsafe"

// gather32AVX2 and gather64AVX2 are gather32 and gather64.
//
//go:noescape
func gather32AVX2(q, src unsafe.Pointer, sy, sz int) int32

//go:noescape
func gather64AVX2(q, src unsafe.Pointer, sy, sz int) int64

// exact32AVX2 and exact64AVX2 report whether 64 floats give the same bits when they are
// quantized and multiplied by back.
//
//go:noescape
func exact32AVX2(q *int32, scale, back float32) bool

//go:noescape
func exact64AVX2(q *int64, scale, back float64) bool

// transform32AVX2 and transform64AVX2 transform a block of three dimensions from q to c. Without modePart, they
// turn the coefficients into negabinary, and return the bits that are set in any of
// them.
//
//go:noescape
func transform32AVX2(c, q *int32, scale float32, mode int) int32

//go:noescape
func transform64AVX2(c, q *int64, scale float64, mode int) int64

// finish4x32AVX2 and finish4x64AVX2 transform a block of four dimensions along its last
// axis. They turn the coefficients into negabinary, and return the bits that are set in
// any of them.
//
//go:noescape
func finish4x32AVX2(q *int32, mode int) int32

//go:noescape
func finish4x64AVX2(q *int64, mode int) int64

// planes32AVX2 and planes64AVX2 turn 64 coefficients into planes, from the byte of plane
// bottom up to that of plane top-1. top is greater than 0.
//
//go:noescape
func planes32AVX2(p *planes, c *int32, order *sorting, top, bottom int)

//go:noescape
func planes64AVX2(p *planes, c *int64, order *sorting, top, bottom int)

// coefficients32AVX2 and coefficients64AVX2 turn planes, from the byte of plane bottom on,
// into 64 coefficients, which are no longer in negabinary.
//
//go:noescape
func coefficients32AVX2(c *int32, p *planes, order *sorting, bottom int)

//go:noescape
func coefficients64AVX2(c *int64, p *planes, order *sorting, bottom int)

// begin4x32AVX2 and begin4x64AVX2 transform a block of four dimensions back along its last
// axis.
//
//go:noescape
func begin4x32AVX2(q *int32, mode int)

//go:noescape
func begin4x64AVX2(q *int64, mode int)

// inverse32AVX2 and inverse64AVX2 transform a block of three dimensions back. They copy it to
// rows and slices that are sy and sz bytes apart. inverse64AVX2 changes c.
//
//go:noescape
func inverse32AVX2(dst unsafe.Pointer, sy, sz int, c *int32, scale float32, mode int)

//go:noescape
func inverse64AVX2(dst unsafe.Pointer, sy, sz int, c *int64, scale float64, mode int)
