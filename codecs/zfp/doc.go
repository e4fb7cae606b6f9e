// Package zfp reads and writes arrays in zfp's compressed format, as libzfp 1.0 does
// with stream words of 64 bits: the same bits for the same elements and parameters, and
// the same elements for the same bits. Elements are int32, int64, float32 or float64,
// in arrays of 1 to 4 dimensions.
//
// # Stream
//
// An array is cut into blocks of 4 elements along each dimension: 4, 16, 64 or 256 of
// them. Blocks follow each other without gaps, in the order of their first elements in
// memory. Blocks at the array's end are filled up. Bits count from the lowest one of
// each byte on, and the last word is filled with zeros:
//
//	┌────────┬─────────┬─────────┬───┬─────────┬─────────────────┐
//	│ header │ block 0 │ block 1 │ … │ block n │ 0 to 63 bits, 0 │
//	└────────┴─────────┴─────────┴───┴─────────┴─────────────────┘
//
// The header is optional, see [Options] and [ParseHeader]:
//
//	 bits
//	   24  "zfp"
//	    8  version of the format: 5
//	   48  dimensions, each less one: 48 bits each in 1-D, 24 in 2-D, 16, 12
//	    2  number of dimensions, less one  ┐ the lowest bits of 52, with the
//	    2  type, less one                  ┘ last dimension's behind them
//	12/64  mode: a common one in short, or 0xfff and all four parameters
//
// A block of floats in the lossy modes has the following form. A block of integers
// begins at its planes.
//
//	┌───┬──────────────────┬──────────┬──────────┬───┬─────────┐
//	│ 1 │ exponent, 8 / 11 │ plane 31 │ plane 30 │ … │ padding │
//	└───┴──────────────────┴──────────┴──────────┴───┴─────────┘
//	┌───┬─────────┐
//	│ 0 │ padding │  zeros, or so small that no plane is kept
//	└───┴─────────┘
//
// The exponent is that of the block's largest magnitude, biased by 127 or 1023.
// Relative to it, the floats are turned into integers with two bits to spare, and the
// integers into coefficients: a transform along each axis decorrelates them, and they
// are sorted by their sequency. They are written in base −2, so that small coefficients
// of either sign have zeros in the upper bits. Plane k holds bit k of each coefficient.
//
// In the lossless mode the number of planes, minus one, comes before the planes, in 5
// or 6 bits, and the transform takes differences. Floats have one more bit in front:
//
//	┌───┬───┬──────────────────┬────────┬──────────┬───┐
//	│ 1 │ 0 │ exponent, 8 / 11 │ planes │ plane 31 │ … │  as above
//	├───┼───┼────────┬─────────┴┬───────┴──┬───┬───┴───┘
//	│ 1 │ 1 │ planes │ plane 31 │ plane 30 │ … │  the floats' bits as integers
//	├───┼───┴────────┴──────────┴──────────┴───┘
//	│ 0 │  zeros
//	└───┘
//
// A plane has two parts. The bits of the first n coefficients, up to the last one that
// had a one-bit in a plane above, are literal. The other bits follow in runs. A run
// begins with a group test, which is 1 if any bit that is set is left. Zeros up to the
// next one-bit follow. A test of 0 ends the plane. The one-bit of the very last
// coefficient is left out, because nothing else can follow:
//
//	n = 3, bits 1 0 1 0 0 1 1 0 0 …   →   1 0 1 · 1 0 0 1 · 1 1 · 0
//	                                              test    test  test
//
// # Modes
//
//	[Reversible]       lossless
//	[FixedAccuracy]    bounded absolute error
//	[FixedPrecision]   a fixed number of planes of each block: bounded relative error
//	[FixedRate]        blocks of one size: regions, see [DecodeRegion]
//	a literal [Params] zfp's expert mode, of which the others are cases
//
// # Limits
//
// The lossy modes are made for arrays whose elements lie close together:
//
//   - Integers must lie within ±2^30 (int32) or ±2^62 (int64). Sums of larger
//     integers wrap around, and decoding may give any values. FixedAccuracy has no
//     meaning for integers: it keeps all their planes, although not all of their bits
//     come back.
//   - A block keeps 30 bits (float32) or 62 (float64) below its largest magnitude,
//     before the transform rounds. A smaller tolerance cannot be met. Next to one
//     huge value, such as a fill value, other values lose their digits.
//   - Some blocks come back with other values: a block with an infinity, a block with
//     a NaN, and a block whose values are all below 2^-97 in float32 or 2^-961 in
//     float64, but not all zeros. A block of NaNs alone comes back as zeros. C leaves
//     the behaviour of libzfp for these blocks undefined. On every processor, this
//     package gives the results of libzfp on amd64.
//   - Negative zeros come back as zeros.
//
// None of this holds in the lossless mode.
//
// # Speed
//
// Kernels in assembly transform blocks and turn coefficients into planes and back. They also
// code and decode blocks of one and two dimensions and, with AVX-512, of three. There are
//
//   - kernels for AVX-512 with the extensions BW, CD, DQ, GFNI, VBMI, VBMI2 and VL (Intel since
//     Ice Lake, AMD since Zen 4);
//   - kernels for AVX2 and BMI2 (Intel since Haswell, AMD since Zen), which take 1.0 to
//     2.0 times as long;
//   - kernels for NEON (arm64), for blocks of two, three and four dimensions. Go codes the
//     planes of two.
//
// Otherwise, with the build tag purego, and if $ZMIGRATE_CPU is plain, functions in Go do
// the same. On a processor with AVX-512 they take two to six times as long. The streams
// and values are the same. KERNELS.md explains the kernels, and has the times.
//
// # Concurrency
//
// All functions can be called from several goroutines at once, for different
// destinations. They keep neither arguments nor state. A source is never read beyond
// its end. No bytes make a decoder panic, and a decoder allocates no more than a few
// kilobytes for each of its workers.
package zfp

//go:generate go run ../../internal/kernels
