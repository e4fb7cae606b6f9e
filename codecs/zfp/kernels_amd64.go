//go:build !purego

package zfp

import "unsafe"

// hasKernels tells whether the processor has what the functions below need:
// AVX-512 with the extensions BW, DQ and VBMI. They do not check their
// arguments. Those without a word on dimensions work on blocks of three.
var hasKernels = detect()

func detect() bool

// gather32 copies a block to q, whose rows and slices are sy and sz bytes
// apart, and returns its largest magnitude, read as that of floats.
//
//go:noescape
func gather32(q *block[int32], src unsafe.Pointer, sy, sz int) int32

// exact32 quantizes floats from q to c, and reports whether they give the same
// bits when they are multiplied by back.
//
//go:noescape
func exact32(c, q *block[int32], scale, back float32) bool

// forward32 makes planes of a block, those from the byte of plane bottom on, and
// returns the bits that are set in any coefficient.
//
//go:noescape
func forward32(p *planes, q *block[int32], order *[64]uint8, scale float32, mode, bottom int) int32

// inverse32 makes a block of planes, those from the byte of plane bottom on, and
// copies it to rows and slices that are sy and sz bytes apart.
//
//go:noescape
func inverse32(dst unsafe.Pointer, sy, sz int, p *planes, order *[4][64]uint8, scale float32, mode, bottom int)

// gather64, exact64, forward64 and inverse64 do the same with 64 bits.
//
//go:noescape
func gather64(q *block[int64], src unsafe.Pointer, sy, sz int) int64

//go:noescape
func exact64(c, q *block[int64], scale, back float64) bool

//go:noescape
func forward64(p *planes, q *block[int64], order *[64]uint8, scale float64, mode, bottom int) int64

//go:noescape
func inverse64(dst unsafe.Pointer, sy, sz int, p *planes, order *[64]uint8, scale float64, mode, bottom int)

// gatherRows32 copies 64 elements to q, 4 rows that are sy bytes apart, and
// gives the largest magnitude of each block of dims dimensions. The kernels of
// rows say in rows32_amd64.s where they have their blocks.
//
//go:noescape
func gatherRows32(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, dims int)

// forwardRows32 is forward32 for such blocks, with a scale for each. In mode
// modeMagnitudes it quantizes the blocks that come back the same, and returns
// which ones; of the others it takes the magnitudes.
//
//go:noescape
func forwardRows32(p *planes, q *block[int32], order *[64]uint8, r *run[int32], mode, bottom, dims int) int

// inverseRows32 undoes forwardRows32; exact are the blocks that are quantized.
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

// forward4x32 and forward4x64 transform a block of four dimensions from q to c,
// its coefficients in the order that transposed has, and return the bits that
// are set in any of them.
//
//go:noescape
func forward4x32(c, q *block[int32], scale float32, mode int) int32

//go:noescape
func forward4x64(c, q *block[int64], scale float64, mode int) int64

// planes32 and planes64 make planes of 64 coefficients, from the byte of plane
// bottom on.
//
//go:noescape
func planes32(p *planes, c *int32, order *[64]uint8, bottom int)

//go:noescape
func planes64(p *planes, c *int64, bottom int)

// coefficients32 and coefficients64 make 64 coefficients of planes, those from
// the byte of plane bottom on, no longer in negabinary.
//
//go:noescape
func coefficients32(c *int32, p *planes, order *[4][64]uint8, bottom int)

//go:noescape
func coefficients64(c *int64, p *planes, order *[64]uint8, bottom int)

// inverse4x32 and inverse4x64 transform a block of four dimensions back, whose
// coefficients are where transposed has them, and copy it to rows, slices and
// blocks of three dimensions that are sy, sz and sw bytes apart. inverse4x64
// changes c.
//
//go:noescape
func inverse4x32(dst unsafe.Pointer, sy, sz, sw int, c *block[int32], scale float32, mode int)

//go:noescape
func inverse4x64(dst unsafe.Pointer, sy, sz, sw int, c *block[int64], scale float64, mode int)
