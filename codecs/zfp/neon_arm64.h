// Macros of the kernels for NEON.
//
// The assembler does not know all instructions. Some macros take numbers of registers and
// make the instructions of them: d is the result, n and m are the arguments. The names
// end with the bits of a word.

// HALF divides words by 2, rounded down. ADDHALF adds that to d.
#define HALF32(n, d) WORD $(0x4f3f0400 | (n)<<5 | (d))    // SSHR Vd.4S, Vn.4S, #1
#define HALF64(n, d) WORD $(0x4f7f0400 | (n)<<5 | (d))    // SSHR Vd.2D, Vn.2D, #1
#define ADDHALF32(n, d) WORD $(0x4f3f1400 | (n)<<5 | (d)) // SSRA Vd.4S, Vn.4S, #1
#define ADDHALF64(n, d) WORD $(0x4f7f1400 | (n)<<5 | (d)) // SSRA Vd.2D, Vn.2D, #1

// SIGNS fills words with their signs.
#define SIGNS32(n, d) WORD $(0x4f210400 | (n)<<5 | (d)) // SSHR Vd.4S, Vn.4S, #31
#define SIGNS64(n, d) WORD $(0x4f410400 | (n)<<5 | (d)) // SSHR Vd.2D, Vn.2D, #63

// MULTIPLY multiplies floats. TOINT and TOFLOAT convert, TOINT rounds towards zero.
#define MULTIPLY32(m, n, d) WORD $(0x6e20dc00 | (m)<<16 | (n)<<5 | (d)) // FMUL Vd.4S, Vn.4S, Vm.4S
#define MULTIPLY64(m, n, d) WORD $(0x6e60dc00 | (m)<<16 | (n)<<5 | (d)) // FMUL Vd.2D, Vn.2D, Vm.2D
#define TOINT32(n, d) WORD $(0x4ea1b800 | (n)<<5 | (d))                 // FCVTZS Vd.4S, Vn.4S
#define TOINT64(n, d) WORD $(0x4ee1b800 | (n)<<5 | (d))                 // FCVTZS Vd.2D, Vn.2D
#define TOFLOAT32(n, d) WORD $(0x4e21d800 | (n)<<5 | (d))               // SCVTF Vd.4S, Vn.4S
#define TOFLOAT64(n, d) WORD $(0x4e61d800 | (n)<<5 | (d))               // SCVTF Vd.2D, Vn.2D

// LARGER fills words where the magnitude of n is larger than that of m, not with NaN.
// GREATER64 does it where n is a larger integer than m.
#define LARGER32(m, n, d) WORD $(0x6ea0ec00 | (m)<<16 | (n)<<5 | (d))  // FACGT Vd.4S, Vn.4S, Vm.4S
#define LARGER64(m, n, d) WORD $(0x6ee0ec00 | (m)<<16 | (n)<<5 | (d))  // FACGT Vd.2D, Vn.2D, Vm.2D
#define GREATER64(m, n, d) WORD $(0x4ee03400 | (m)<<16 | (n)<<5 | (d)) // CMGT Vd.2D, Vn.2D, Vm.2D

// LIFT is forwardLift, and UNLIFT is inverseLift, of vectors: x, y, z and w are registers,
// whose numbers follow. T is the kind of words, HALF and ADDHALF are for their size. V16 is
// scratch.
#define LIFT(T, HALF, ADDHALF, x, y, z, w, nx, ny, nz, nw) \
	VADD w.T, x.T, x.T; \
	VADD y.T, z.T, z.T; \
	HALF(nx, nx);       \
	HALF(nz, nz);       \
	VSUB x.T, w.T, w.T; \
	VSUB z.T, y.T, y.T; \
	VADD z.T, x.T, x.T; \
	VADD y.T, w.T, w.T; \
	HALF(nx, nx);       \
	HALF(nw, nw);       \
	VSUB x.T, z.T, z.T; \
	VSUB w.T, y.T, y.T; \
	ADDHALF(ny, nw);    \
	HALF(nw, 16);       \
	VSUB V16.T, y.T, y.T

#define UNLIFT(T, HALF, ADDHALF, x, y, z, w, nx, ny, nz, nw) \
	ADDHALF(nw, ny);      \
	HALF(ny, 16);         \
	VSUB V16.T, w.T, w.T; \
	VADD w.T, y.T, y.T;   \
	VADD x.T, z.T, z.T;   \
	VADD w.T, w.T, w.T;   \
	VADD x.T, x.T, x.T;   \
	VSUB y.T, w.T, w.T;   \
	VSUB z.T, x.T, x.T;   \
	VADD z.T, y.T, y.T;   \
	VADD x.T, w.T, w.T;   \
	VADD z.T, z.T, z.T;   \
	VADD x.T, x.T, x.T;   \
	VSUB y.T, z.T, z.T;   \
	VSUB w.T, x.T, x.T

// LIFT32, UNLIFT32, LIFT64 and UNLIFT64 are these macros for words of one size.
#define LIFT32(x, y, z, w, nx, ny, nz, nw) LIFT(S4, HALF32, ADDHALF32, x, y, z, w, nx, ny, nz, nw)
#define UNLIFT32(x, y, z, w, nx, ny, nz, nw) UNLIFT(S4, HALF32, ADDHALF32, x, y, z, w, nx, ny, nz, nw)
#define LIFT64(x, y, z, w, nx, ny, nz, nw) LIFT(D2, HALF64, ADDHALF64, x, y, z, w, nx, ny, nz, nw)
#define UNLIFT64(x, y, z, w, nx, ny, nz, nw) UNLIFT(D2, HALF64, ADDHALF64, x, y, z, w, nx, ny, nz, nw)

// DELTAS takes the differences of the lossless mode, SUMS undoes it.
#define DELTAS(T, x, y, z, w) \
	VSUB z.T, w.T, w.T; \
	VSUB y.T, z.T, z.T; \
	VSUB x.T, y.T, y.T; \
	VSUB z.T, w.T, w.T; \
	VSUB y.T, z.T, z.T; \
	VSUB z.T, w.T, w.T

#define SUMS(T, x, y, z, w) \
	VADD z.T, w.T, w.T; \
	VADD y.T, z.T, z.T; \
	VADD z.T, w.T, w.T; \
	VADD x.T, y.T, y.T; \
	VADD y.T, z.T, z.T; \
	VADD z.T, w.T, w.T

#define DELTAS32(x, y, z, w) DELTAS(S4, x, y, z, w)
#define SUMS32(x, y, z, w) SUMS(S4, x, y, z, w)
#define DELTAS64(x, y, z, w) DELTAS(D2, x, y, z, w)
#define SUMS64(x, y, z, w) SUMS(D2, x, y, z, w)

// QUANTIZE32 multiplies floats by V24 and converts them. What does not fit becomes V25, the
// smallest integer. V26 has 2^31. In QUANTIZE64 it has 2^63.
#define QUANTIZE32(v, n) \
	MULTIPLY32(24, n, 16); \
	LARGER32(16, 26, 17);  \
	TOINT32(16, n);        \
	VBIF V17.B16, V25.B16, v.B16

#define QUANTIZE64(v, n) \
	MULTIPLY64(24, n, 16); \
	LARGER64(16, 26, 17);  \
	TOINT64(16, n);        \
	VBIF V17.B16, V25.B16, v.B16

// DEQUANTIZE converts integers to floats, and multiplies them by V24.
#define DEQUANTIZE32(v, n) \
	TOFLOAT32(n, n); \
	MULTIPLY32(24, n, n)

#define DEQUANTIZE64(v, n) \
	TOFLOAT64(n, n); \
	MULTIPLY64(24, n, n)

// EXACT32 and EXACT64 quantize floats, and clear in V27 those that do not come back. V28
// has the scale that undoes it.
#define EXACT32(v, n) \
	MULTIPLY32(24, n, 16);          \
	LARGER32(16, 26, 17);           \
	TOINT32(16, 18);                \
	VBIF V17.B16, V25.B16, V18.B16; \
	TOFLOAT32(18, 18);              \
	MULTIPLY32(28, 18, 18);         \
	VCMEQ v.S4, V18.S4, V18.S4;     \
	VAND V18.B16, V27.B16, V27.B16

#define EXACT64(v, n) \
	MULTIPLY64(24, n, 16);          \
	LARGER64(16, 26, 17);           \
	TOINT64(16, 18);                \
	VBIF V17.B16, V25.B16, V18.B16; \
	TOFLOAT64(18, 18);              \
	MULTIPLY64(28, 18, 18);         \
	VCMEQ v.D2, V18.D2, V18.D2;     \
	VAND V18.B16, V27.B16, V27.B16

// MAGNITUDE is signMagnitude.
#define MAGNITUDE32(v, n) \
	SIGNS32(n, 16);           \
	VUSHR $1, V16.S4, V16.S4; \
	VEOR  V16.B16, v.B16, v.B16

#define MAGNITUDE64(v, n) \
	SIGNS64(n, 16);           \
	VUSHR $1, V16.D2, V16.D2; \
	VEOR  V16.B16, v.B16, v.B16

// NEGABINARY turns words into negabinary, and collects their bits in V25. V24 has the mask.
#define NEGABINARY32(v) \
	VADD V24.S4, v.S4, v.S4;    \
	VEOR V24.B16, v.B16, v.B16; \
	VORR v.B16, V25.B16, V25.B16

#define NEGABINARY64(v) \
	VADD V24.D2, v.D2, v.D2;    \
	VEOR V24.B16, v.B16, v.B16; \
	VORR v.B16, V25.B16, V25.B16

// UNNEGABINARY undoes it.
#define UNNEGABINARY32(v) \
	VEOR V24.B16, v.B16, v.B16; \
	VSUB V24.S4, v.S4, v.S4

#define UNNEGABINARY64(v) \
	VEOR V24.B16, v.B16, v.B16; \
	VSUB V24.D2, v.D2, v.D2

// FILL32 and FILL64 fill a register with a word.
#define FILL32(word, v) \
	MOVW $word, R9; \
	VDUP R9, v.S4

#define FILL64(word, v) \
	MOVD $word, R9; \
	VDUP R9, v.D2

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
