// Code generated from neon_arm64.h.kernels by internal/kernels. DO NOT EDIT.

// Macros of the kernels for NEON.
//
// The assembler does not know all instructions. Some macros take numbers of registers and
// make the instructions of them: d is the result, n and m are the arguments. The names
// end with the bits of a word.

// GREATER64 fills words where n is a larger integer than m.
#define GREATER64(m, n, d) WORD $(0x4ee03400 | (m)<<16 | (n)<<5 | (d)) // CMGT Vd.2D, Vn.2D, Vm.2D

// HALF32 divides words by 2, rounded down. ADDHALF32 adds that to d. SIGNS32 fills words with their signs.
#define HALF32(n, d) WORD $(0x4f000400 | 63<<16 | (n)<<5 | (d)) // SSHR Vd.4S, Vn.4S, #1
#define ADDHALF32(n, d) WORD $(0x4f001400 | 63<<16 | (n)<<5 | (d)) // SSRA Vd.4S, Vn.4S, #1
#define SIGNS32(n, d) WORD $(0x4f000400 | 33<<16 | (n)<<5 | (d)) // SSHR Vd.4S, Vn.4S, #31

// MULTIPLY32 multiplies floats. TOINT32 and TOFLOAT32 convert, TOINT32 rounds towards zero.
// LARGER32 fills words where the magnitude of n is larger than that of m, not with NaN.
#define MULTIPLY32(m, n, d) WORD $(0x6e20dc00 | 0<<22 | (m)<<16 | (n)<<5 | (d)) // FMUL Vd.4S, Vn.4S, Vm.4S
#define TOINT32(n, d) WORD $(0x4ea1b800 | 0<<22 | (n)<<5 | (d)) // FCVTZS Vd.4S, Vn.4S
#define TOFLOAT32(n, d) WORD $(0x4e21d800 | 0<<22 | (n)<<5 | (d)) // SCVTF Vd.4S, Vn.4S
#define LARGER32(m, n, d) WORD $(0x6ea0ec00 | 0<<22 | (m)<<16 | (n)<<5 | (d)) // FACGT Vd.4S, Vn.4S, Vm.4S

// LIFT32 is forwardLift, and UNLIFT32 is inverseLift, of vectors: x, y, z and w are registers,
// whose numbers follow. V16 is scratch.
#define LIFT32(x, y, z, w, nx, ny, nz, nw) \
	VADD w.S4, x.S4, x.S4; \
	VADD y.S4, z.S4, z.S4; \
	HALF32(nx, nx); \
	HALF32(nz, nz); \
	VSUB x.S4, w.S4, w.S4; \
	VSUB z.S4, y.S4, y.S4; \
	VADD z.S4, x.S4, x.S4; \
	VADD y.S4, w.S4, w.S4; \
	HALF32(nx, nx); \
	HALF32(nw, nw); \
	VSUB x.S4, z.S4, z.S4; \
	VSUB w.S4, y.S4, y.S4; \
	ADDHALF32(ny, nw); \
	HALF32(nw, 16); \
	VSUB V16.S4, y.S4, y.S4

#define UNLIFT32(x, y, z, w, nx, ny, nz, nw) \
	ADDHALF32(nw, ny); \
	HALF32(ny, 16); \
	VSUB V16.S4, w.S4, w.S4; \
	VADD w.S4, y.S4, y.S4; \
	VADD x.S4, z.S4, z.S4; \
	VADD w.S4, w.S4, w.S4; \
	VADD x.S4, x.S4, x.S4; \
	VSUB y.S4, w.S4, w.S4; \
	VSUB z.S4, x.S4, x.S4; \
	VADD z.S4, y.S4, y.S4; \
	VADD x.S4, w.S4, w.S4; \
	VADD z.S4, z.S4, z.S4; \
	VADD x.S4, x.S4, x.S4; \
	VSUB y.S4, z.S4, z.S4; \
	VSUB w.S4, x.S4, x.S4

// DELTAS32 takes the differences of the lossless mode, SUMS32 undoes it. They do not use the numbers.
#define DELTAS32(x, y, z, w, nx, ny, nz, nw) \
	VSUB z.S4, w.S4, w.S4; \
	VSUB y.S4, z.S4, z.S4; \
	VSUB x.S4, y.S4, y.S4; \
	VSUB z.S4, w.S4, w.S4; \
	VSUB y.S4, z.S4, z.S4; \
	VSUB z.S4, w.S4, w.S4

#define SUMS32(x, y, z, w, nx, ny, nz, nw) \
	VADD z.S4, w.S4, w.S4; \
	VADD y.S4, z.S4, z.S4; \
	VADD z.S4, w.S4, w.S4; \
	VADD x.S4, y.S4, y.S4; \
	VADD y.S4, z.S4, z.S4; \
	VADD z.S4, w.S4, w.S4

// QUANTIZE32 multiplies floats by V24 and converts them. What does not fit becomes V25, the
// smallest integer. V26 has 2^31.
#define QUANTIZE32(v, n) \
	MULTIPLY32(24, n, 16); \
	LARGER32(16, 26, 17); \
	TOINT32(16, n); \
	VBIF V17.B16, V25.B16, v.B16

// DEQUANTIZE32 converts integers to floats, and multiplies them by V24.
#define DEQUANTIZE32(v, n) \
	TOFLOAT32(n, n); \
	MULTIPLY32(24, n, n)

// EXACT32 quantizes floats, and clears in V27 those that do not come back. V28 has the scale
// that undoes it.
#define EXACT32(v, n) \
	MULTIPLY32(24, n, 16); \
	LARGER32(16, 26, 17); \
	TOINT32(16, 18); \
	VBIF V17.B16, V25.B16, V18.B16; \
	TOFLOAT32(18, 18); \
	MULTIPLY32(28, 18, 18); \
	VCMEQ v.S4, V18.S4, V18.S4; \
	VAND V18.B16, V27.B16, V27.B16

// MAGNITUDE32 is signMagnitude.
#define MAGNITUDE32(v, n) \
	SIGNS32(n, 16); \
	VUSHR $1, V16.S4, V16.S4; \
	VEOR V16.B16, v.B16, v.B16

// NEGABINARY32 turns words into negabinary, and collects their bits in V25. V24 has the mask.
// UNNEGABINARY32 undoes it.
#define NEGABINARY32(v) \
	VADD V24.S4, v.S4, v.S4; \
	VEOR V24.B16, v.B16, v.B16; \
	VORR v.B16, V25.B16, V25.B16

#define UNNEGABINARY32(v) \
	VEOR V24.B16, v.B16, v.B16; \
	VSUB V24.S4, v.S4, v.S4

// FILL32 fills a register with a word.
#define FILL32(word, v) \
	MOVW $word, R9; \
	VDUP R9, v.S4

// HALF64 divides words by 2, rounded down. ADDHALF64 adds that to d. SIGNS64 fills words with their signs.
#define HALF64(n, d) WORD $(0x4f000400 | 127<<16 | (n)<<5 | (d)) // SSHR Vd.2D, Vn.2D, #1
#define ADDHALF64(n, d) WORD $(0x4f001400 | 127<<16 | (n)<<5 | (d)) // SSRA Vd.2D, Vn.2D, #1
#define SIGNS64(n, d) WORD $(0x4f000400 | 65<<16 | (n)<<5 | (d)) // SSHR Vd.2D, Vn.2D, #63

// MULTIPLY64 multiplies floats. TOINT64 and TOFLOAT64 convert, TOINT64 rounds towards zero.
// LARGER64 fills words where the magnitude of n is larger than that of m, not with NaN.
#define MULTIPLY64(m, n, d) WORD $(0x6e20dc00 | 1<<22 | (m)<<16 | (n)<<5 | (d)) // FMUL Vd.2D, Vn.2D, Vm.2D
#define TOINT64(n, d) WORD $(0x4ea1b800 | 1<<22 | (n)<<5 | (d)) // FCVTZS Vd.2D, Vn.2D
#define TOFLOAT64(n, d) WORD $(0x4e21d800 | 1<<22 | (n)<<5 | (d)) // SCVTF Vd.2D, Vn.2D
#define LARGER64(m, n, d) WORD $(0x6ea0ec00 | 1<<22 | (m)<<16 | (n)<<5 | (d)) // FACGT Vd.2D, Vn.2D, Vm.2D

// LIFT64 is forwardLift, and UNLIFT64 is inverseLift, of vectors: x, y, z and w are registers,
// whose numbers follow. V16 is scratch.
#define LIFT64(x, y, z, w, nx, ny, nz, nw) \
	VADD w.D2, x.D2, x.D2; \
	VADD y.D2, z.D2, z.D2; \
	HALF64(nx, nx); \
	HALF64(nz, nz); \
	VSUB x.D2, w.D2, w.D2; \
	VSUB z.D2, y.D2, y.D2; \
	VADD z.D2, x.D2, x.D2; \
	VADD y.D2, w.D2, w.D2; \
	HALF64(nx, nx); \
	HALF64(nw, nw); \
	VSUB x.D2, z.D2, z.D2; \
	VSUB w.D2, y.D2, y.D2; \
	ADDHALF64(ny, nw); \
	HALF64(nw, 16); \
	VSUB V16.D2, y.D2, y.D2

#define UNLIFT64(x, y, z, w, nx, ny, nz, nw) \
	ADDHALF64(nw, ny); \
	HALF64(ny, 16); \
	VSUB V16.D2, w.D2, w.D2; \
	VADD w.D2, y.D2, y.D2; \
	VADD x.D2, z.D2, z.D2; \
	VADD w.D2, w.D2, w.D2; \
	VADD x.D2, x.D2, x.D2; \
	VSUB y.D2, w.D2, w.D2; \
	VSUB z.D2, x.D2, x.D2; \
	VADD z.D2, y.D2, y.D2; \
	VADD x.D2, w.D2, w.D2; \
	VADD z.D2, z.D2, z.D2; \
	VADD x.D2, x.D2, x.D2; \
	VSUB y.D2, z.D2, z.D2; \
	VSUB w.D2, x.D2, x.D2

// DELTAS64 takes the differences of the lossless mode, SUMS64 undoes it. They do not use the numbers.
#define DELTAS64(x, y, z, w, nx, ny, nz, nw) \
	VSUB z.D2, w.D2, w.D2; \
	VSUB y.D2, z.D2, z.D2; \
	VSUB x.D2, y.D2, y.D2; \
	VSUB z.D2, w.D2, w.D2; \
	VSUB y.D2, z.D2, z.D2; \
	VSUB z.D2, w.D2, w.D2

#define SUMS64(x, y, z, w, nx, ny, nz, nw) \
	VADD z.D2, w.D2, w.D2; \
	VADD y.D2, z.D2, z.D2; \
	VADD z.D2, w.D2, w.D2; \
	VADD x.D2, y.D2, y.D2; \
	VADD y.D2, z.D2, z.D2; \
	VADD z.D2, w.D2, w.D2

// QUANTIZE64 multiplies floats by V24 and converts them. What does not fit becomes V25, the
// smallest integer. V26 has 2^63.
#define QUANTIZE64(v, n) \
	MULTIPLY64(24, n, 16); \
	LARGER64(16, 26, 17); \
	TOINT64(16, n); \
	VBIF V17.B16, V25.B16, v.B16

// DEQUANTIZE64 converts integers to floats, and multiplies them by V24.
#define DEQUANTIZE64(v, n) \
	TOFLOAT64(n, n); \
	MULTIPLY64(24, n, n)

// EXACT64 quantizes floats, and clears in V27 those that do not come back. V28 has the scale
// that undoes it.
#define EXACT64(v, n) \
	MULTIPLY64(24, n, 16); \
	LARGER64(16, 26, 17); \
	TOINT64(16, 18); \
	VBIF V17.B16, V25.B16, V18.B16; \
	TOFLOAT64(18, 18); \
	MULTIPLY64(28, 18, 18); \
	VCMEQ v.D2, V18.D2, V18.D2; \
	VAND V18.B16, V27.B16, V27.B16

// MAGNITUDE64 is signMagnitude.
#define MAGNITUDE64(v, n) \
	SIGNS64(n, 16); \
	VUSHR $1, V16.D2, V16.D2; \
	VEOR V16.B16, v.B16, v.B16

// NEGABINARY64 turns words into negabinary, and collects their bits in V25. V24 has the mask.
// UNNEGABINARY64 undoes it.
#define NEGABINARY64(v) \
	VADD V24.D2, v.D2, v.D2; \
	VEOR V24.B16, v.B16, v.B16; \
	VORR v.B16, V25.B16, V25.B16

#define UNNEGABINARY64(v) \
	VEOR V24.B16, v.B16, v.B16; \
	VSUB V24.D2, v.D2, v.D2

// FILL64 fills a register with a word.
#define FILL64(word, v) \
	MOVD $word, R9; \
	VDUP R9, v.D2

// TOCOLUMNS64 goes from rows of words in V0 to V7 to columns in V8 to V15, TOROWS64 goes back. A row and a
// column have two registers.
#define TOCOLUMNS64 \
	VTRN1 V2.D2, V0.D2, V8.D2; \
	VTRN1 V6.D2, V4.D2, V9.D2; \
	VTRN2 V2.D2, V0.D2, V10.D2; \
	VTRN2 V6.D2, V4.D2, V11.D2; \
	VTRN1 V3.D2, V1.D2, V12.D2; \
	VTRN1 V7.D2, V5.D2, V13.D2; \
	VTRN2 V3.D2, V1.D2, V14.D2; \
	VTRN2 V7.D2, V5.D2, V15.D2

#define TOROWS64 \
	VTRN1 V10.D2, V8.D2, V0.D2; \
	VTRN1 V14.D2, V12.D2, V1.D2; \
	VTRN2 V10.D2, V8.D2, V2.D2; \
	VTRN2 V14.D2, V12.D2, V3.D2; \
	VTRN1 V11.D2, V9.D2, V4.D2; \
	VTRN1 V15.D2, V13.D2, V5.D2; \
	VTRN2 V11.D2, V9.D2, V6.D2; \
	VTRN2 V15.D2, V13.D2, V7.D2

// WORDS32 transposes four by four words. V16 to V19 are scratch.
#define WORDS32(a, b, c, d) \
	VTRN1 b.S4, a.S4, V16.S4; \
	VTRN2 b.S4, a.S4, V17.S4; \
	VTRN1 d.S4, c.S4, V18.S4; \
	VTRN2 d.S4, c.S4, V19.S4; \
	VTRN1 V18.D2, V16.D2, a.D2; \
	VTRN1 V19.D2, V17.D2, b.D2; \
	VTRN2 V18.D2, V16.D2, c.D2; \
	VTRN2 V19.D2, V17.D2, d.D2

// SWAPBITS exchanges the bits of quadwords that the mask low has with those that lie s
// above them, which high has; t and u are scratch.
#define SWAPBITS(s, v, low, high, t, u) \
	VUSHR $s, v.D2, t.D2;          \
	VSHL  $s, v.D2, u.D2;          \
	VBIT  low.B16, t.B16, v.B16;   \
	VBIT  high.B16, u.B16, v.B16

// BITS8 transposes the 8 by 8 bits of each quadword of a, b, c and d: bit j of byte i
// becomes bit i of byte j. low, high, t and u are scratch.
#define BITS8(a, b, c, d, low, high, t, u) \
	MOVD $·swapBits(SB), R9; \
	VLD1.P 32(R9), [low.B16, high.B16]; \
	SWAPBITS(7, a, low, high, t, u); \
	SWAPBITS(7, b, low, high, t, u); \
	SWAPBITS(7, c, low, high, t, u); \
	SWAPBITS(7, d, low, high, t, u); \
	VLD1.P 32(R9), [low.B16, high.B16]; \
	SWAPBITS(14, a, low, high, t, u); \
	SWAPBITS(14, b, low, high, t, u); \
	SWAPBITS(14, c, low, high, t, u); \
	SWAPBITS(14, d, low, high, t, u); \
	VLD1.P 32(R9), [low.B16, high.B16]; \
	SWAPBITS(28, a, low, high, t, u); \
	SWAPBITS(28, b, low, high, t, u); \
	SWAPBITS(28, c, low, high, t, u); \
	SWAPBITS(28, d, low, high, t, u)

// TABLE4 picks 64 bytes of a, b, c and d by the indexes in i, j, k and l.
#define TABLE4(a, b, c, d, i, j, k, l, to0, to1, to2, to3) \
	VTBL i.B16, [a.B16, b.B16, c.B16, d.B16], to0.B16; \
	VTBL j.B16, [a.B16, b.B16, c.B16, d.B16], to1.B16; \
	VTBL k.B16, [a.B16, b.B16, c.B16, d.B16], to2.B16; \
	VTBL l.B16, [a.B16, b.B16, c.B16, d.B16], to3.B16

// OCTET makes 8 planes at R0, and at bytes behind that, of the bytes in a, b, c and d: it
// sorts them, transposes the bits of each 8 coefficients, and puts equal bytes together.
#define OCTET(a, b, c, d, at) \
	TABLE4(a, b, c, d, V28, V29, V30, V31, V16, V17, V18, V19); \
	BITS8(V16, V17, V18, V19, V20, V21, V22, V23); \
	TABLE4(V16, V17, V18, V19, V24, V25, V26, V27, V20, V21, V22, V23); \
	ADD  $at, R0, R9; \
	VST1 [V20.B16, V21.B16, V22.B16, V23.B16], (R9)

// UNOCTET undoes OCTET, or goes to empty if the planes are empty.
#define UNOCTET(a, b, c, d, at, empty) \
	ADD  $at, R1, R9; \
	VLD1 (R9), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	VORR V17.B16, V16.B16, V20.B16; \
	VORR V19.B16, V18.B16, V21.B16; \
	VORR V21.B16, V20.B16, V20.B16; \
	VMOV V20.D[0], R5; \
	VMOV V20.D[1], R6; \
	ORR  R6, R5; \
	CBZ  R5, empty; \
	TABLE4(V16, V17, V18, V19, V24, V25, V26, V27, V20, V21, V22, V23); \
	BITS8(V20, V21, V22, V23, V16, V17, V18, V19); \
	TABLE4(V20, V21, V22, V23, V28, V29, V30, V31, a, b, c, d)
