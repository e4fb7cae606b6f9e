//go:build !purego

#include "textflag.h"

// Kernels for NEON. A block of 64 words of 32 bits fits registers V0 to V15: a register is
// a row of four values, and four registers are a slice.
//
// The assembler does not know all instructions. These macros take numbers of registers:
// d is the result, n and m are the arguments.

// HALF divides four words by 2, rounded down. ADDHALF adds that to d.
#define HALF(n, d) WORD $(0x4f3f0400 | (n)<<5 | (d))    // SSHR Vd.4S, Vn.4S, #1
#define ADDHALF(n, d) WORD $(0x4f3f1400 | (n)<<5 | (d)) // SSRA Vd.4S, Vn.4S, #1

// SIGNS fills words with their signs.
#define SIGNS(n, d) WORD $(0x4f210400 | (n)<<5 | (d)) // SSHR Vd.4S, Vn.4S, #31

// MULTIPLY multiplies floats. TOINT and TOFLOAT convert, TOINT rounds towards zero.
#define MULTIPLY(m, n, d) WORD $(0x6e20dc00 | (m)<<16 | (n)<<5 | (d)) // FMUL Vd.4S, Vn.4S, Vm.4S
#define TOINT(n, d) WORD $(0x4ea1b800 | (n)<<5 | (d))                 // FCVTZS Vd.4S, Vn.4S
#define TOFLOAT(n, d) WORD $(0x4e21d800 | (n)<<5 | (d))               // SCVTF Vd.4S, Vn.4S

// LARGER fills words where the magnitude of n is larger than that of m, not with NaN.
#define LARGER(m, n, d) WORD $(0x6ea0ec00 | (m)<<16 | (n)<<5 | (d)) // FACGT Vd.4S, Vn.4S, Vm.4S

// LIFT is forwardLift, and UNLIFT is inverseLift, of four vectors: x, y, z and w are
// registers, whose numbers follow. V16 is scratch.
#define LIFT(x, y, z, w, nx, ny, nz, nw) \
	VADD w.S4, x.S4, x.S4; \
	VADD y.S4, z.S4, z.S4; \
	HALF(nx, nx);          \
	HALF(nz, nz);          \
	VSUB x.S4, w.S4, w.S4; \
	VSUB z.S4, y.S4, y.S4; \
	VADD z.S4, x.S4, x.S4; \
	VADD y.S4, w.S4, w.S4; \
	HALF(nx, nx);          \
	HALF(nw, nw);          \
	VSUB x.S4, z.S4, z.S4; \
	VSUB w.S4, y.S4, y.S4; \
	ADDHALF(ny, nw);       \
	HALF(nw, 16);          \
	VSUB V16.S4, y.S4, y.S4

#define UNLIFT(x, y, z, w, nx, ny, nz, nw) \
	ADDHALF(nw, ny);         \
	HALF(ny, 16);            \
	VSUB V16.S4, w.S4, w.S4; \
	VADD w.S4, y.S4, y.S4;   \
	VADD x.S4, z.S4, z.S4;   \
	VADD w.S4, w.S4, w.S4;   \
	VADD x.S4, x.S4, x.S4;   \
	VSUB y.S4, w.S4, w.S4;   \
	VSUB z.S4, x.S4, x.S4;   \
	VADD z.S4, y.S4, y.S4;   \
	VADD x.S4, w.S4, w.S4;   \
	VADD z.S4, z.S4, z.S4;   \
	VADD x.S4, x.S4, x.S4;   \
	VSUB y.S4, z.S4, z.S4;   \
	VSUB w.S4, x.S4, x.S4

// DELTAS takes the differences of the lossless mode, SUMS undoes it.
#define DELTAS(x, y, z, w) \
	VSUB z.S4, w.S4, w.S4; \
	VSUB y.S4, z.S4, z.S4; \
	VSUB x.S4, y.S4, y.S4; \
	VSUB z.S4, w.S4, w.S4; \
	VSUB y.S4, z.S4, z.S4; \
	VSUB z.S4, w.S4, w.S4

#define SUMS(x, y, z, w) \
	VADD z.S4, w.S4, w.S4; \
	VADD y.S4, z.S4, z.S4; \
	VADD z.S4, w.S4, w.S4; \
	VADD x.S4, y.S4, y.S4; \
	VADD y.S4, z.S4, z.S4; \
	VADD z.S4, w.S4, w.S4

// WORDS transposes four by four words. V16 to V19 are scratch.
#define WORDS(a, b, c, d) \
	VTRN1 b.S4, a.S4, V16.S4;   \
	VTRN2 b.S4, a.S4, V17.S4;   \
	VTRN1 d.S4, c.S4, V18.S4;   \
	VTRN2 d.S4, c.S4, V19.S4;   \
	VTRN1 V18.D2, V16.D2, a.D2; \
	VTRN1 V19.D2, V17.D2, b.D2; \
	VTRN2 V18.D2, V16.D2, c.D2; \
	VTRN2 V19.D2, V17.D2, d.D2

// SLICES applies an operation to each slice, COLUMNS to the vectors along z.
#define SLICES(op) \
	op(V0, V1, V2, V3);   \
	op(V4, V5, V6, V7);   \
	op(V8, V9, V10, V11); \
	op(V12, V13, V14, V15)

#define COLUMNS(op) \
	op(V0, V4, V8, V12);  \
	op(V1, V5, V9, V13);  \
	op(V2, V6, V10, V14); \
	op(V3, V7, V11, V15)

// LIFTSLICES is SLICES for LIFT or UNLIFT, LIFTCOLUMNS is COLUMNS.
#define LIFTSLICES(op) \
	op(V0, V1, V2, V3, 0, 1, 2, 3);     \
	op(V4, V5, V6, V7, 4, 5, 6, 7);     \
	op(V8, V9, V10, V11, 8, 9, 10, 11); \
	op(V12, V13, V14, V15, 12, 13, 14, 15)

#define LIFTCOLUMNS(op) \
	op(V0, V4, V8, V12, 0, 4, 8, 12);   \
	op(V1, V5, V9, V13, 1, 5, 9, 13);   \
	op(V2, V6, V10, V14, 2, 6, 10, 14); \
	op(V3, V7, V11, V15, 3, 7, 11, 15)

// EACH applies an operation to all registers of a block.
#define EACH(op) \
	op(V0, 0); \
	op(V1, 1); \
	op(V2, 2); \
	op(V3, 3); \
	op(V4, 4); \
	op(V5, 5); \
	op(V6, 6); \
	op(V7, 7); \
	op(V8, 8); \
	op(V9, 9); \
	op(V10, 10); \
	op(V11, 11); \
	op(V12, 12); \
	op(V13, 13); \
	op(V14, 14); \
	op(V15, 15)

// QUANTIZE multiplies floats by V24 and converts them. What does not fit becomes V25, the
// smallest integer. V26 has 2^31.
#define QUANTIZE(v, n) \
	MULTIPLY(24, n, 16); \
	LARGER(16, 26, 17);  \
	TOINT(16, n);        \
	VBIF V17.B16, V25.B16, v.B16

// DEQUANTIZE converts integers to floats, and multiplies them by V24.
#define DEQUANTIZE(v, n) \
	TOFLOAT(n, n); \
	MULTIPLY(24, n, n)

// MAGNITUDE is signMagnitude.
#define MAGNITUDE(v, n) \
	SIGNS(n, 16);               \
	VUSHR $1, V16.S4, V16.S4;   \
	VEOR  V16.B16, v.B16, v.B16

// NEGABINARY turns words into negabinary, and collects their bits in V25. V24 has the mask.
#define NEGABINARY(v, n) \
	VADD V24.S4, v.S4, v.S4;    \
	VEOR V24.B16, v.B16, v.B16; \
	VORR v.B16, V25.B16, V25.B16

// UNNEGABINARY undoes it.
#define UNNEGABINARY(v, n) \
	VEOR V24.B16, v.B16, v.B16; \
	VSUB V24.S4, v.S4, v.S4

// FILL fills a register with a word.
#define FILL(word, v) \
	MOVW $word, R9; \
	VDUP R9, v.S4

// ORWORDS collects the bits of the words of V25 in R3.
#define ORWORDS \
	VMOV V25.D[0], R3; \
	VMOV V25.D[1], R4; \
	ORR  R4, R3;       \
	ORR  R3>>32, R3

// LOADBLOCK loads a block from R1, STOREBLOCK stores one to R0.
#define LOADBLOCK \
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4];   \
	VLD1.P 64(R1), [V4.S4, V5.S4, V6.S4, V7.S4];   \
	VLD1.P 64(R1), [V8.S4, V9.S4, V10.S4, V11.S4]; \
	VLD1.P 64(R1), [V12.S4, V13.S4, V14.S4, V15.S4]

#define STOREBLOCK \
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0);   \
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R0);   \
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R0); \
	VST1.P [V12.S4, V13.S4, V14.S4, V15.S4], 64(R0)

// GATHERROW copies a row, and takes the maximum of its magnitudes to V4. V5 has the mask.
#define GATHERROW(v) \
	VAND  V5.B16, v.B16, v.B16; \
	VUMAX v.S4, V4.S4, V4.S4

// func gather32Short(q, src unsafe.Pointer, sy, sz int) int32
TEXT ·gather32Short(SB), NOSPLIT, $0-36
	MOVD q+0(FP), R0
	MOVD src+8(FP), R1
	MOVD sy+16(FP), R2
	MOVD sz+24(FP), R3
	MOVD $4, R4
	FILL(0x7fffffff, V5)
	VEOR V4.B16, V4.B16, V4.B16

slice:
	ADD  R1, R2, R6
	ADD  R6, R2, R7
	ADD  R7, R2, R8
	VLD1 (R1), [V0.S4]
	VLD1 (R6), [V1.S4]
	VLD1 (R7), [V2.S4]
	VLD1 (R8), [V3.S4]
	ADD  R3, R1
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	GATHERROW(V0)
	GATHERROW(V1)
	GATHERROW(V2)
	GATHERROW(V3)
	SUBS $1, R4
	BNE  slice
	VEXT $8, V4.B16, V4.B16, V5.B16
	VUMAX V5.S4, V4.S4, V4.S4
	VEXT $4, V4.B16, V4.B16, V5.B16
	VUMAX V5.S4, V4.S4, V4.S4
	VMOV V4.S[0], R3
	MOVW R3, ret+32(FP)
	RET

// EXACT quantizes four floats, and clears in V27 those that do not come back. V28 has the
// scale that undoes it.
#define EXACT(v, n) \
	MULTIPLY(24, n, 16);           \
	LARGER(16, 26, 17);            \
	TOINT(16, 18);                 \
	VBIF V17.B16, V25.B16, V18.B16; \
	TOFLOAT(18, 18);               \
	MULTIPLY(28, 18, 18);          \
	VCMEQ v.S4, V18.S4, V18.S4;    \
	VAND V18.B16, V27.B16, V27.B16

// func exact32Short(q *int32, scale, back float32) bool
TEXT ·exact32Short(SB), NOSPLIT, $0-17
	MOVD q+0(FP), R1
	LOADBLOCK
	FMOVS scale+8(FP), F24
	VDUP V24.S[0], V24.S4
	FMOVS back+12(FP), F28
	VDUP V28.S[0], V28.S4
	FILL(0x80000000, V25)
	FILL(0x4f000000, V26)
	VCMEQ V27.S4, V27.S4, V27.S4
	EACH(EXACT)
	VMOV V27.D[0], R3
	VMOV V27.D[1], R4
	AND  R4, R3
	CMN  $1, R3
	CSET EQ, R3
	MOVB R3, ret+16(FP)
	RET

// func transform32Short(c, q *int32, scale float32, mode int) int32
TEXT ·transform32Short(SB), NOSPLIT, $0-36
	MOVD c+0(FP), R0
	MOVD q+8(FP), R1
	MOVD mode+24(FP), R2
	LOADBLOCK
	TBZ  $1, R2, noQuantize
	FMOVS scale+16(FP), F24
	VDUP V24.S[0], V24.S4
	FILL(0x80000000, V25)
	FILL(0x4f000000, V26)
	EACH(QUANTIZE)

noQuantize:
	TBZ  $2, R2, noMagnitude
	EACH(MAGNITUDE)

noMagnitude:
	SLICES(WORDS)
	TBNZ $0, R2, lossless
	LIFTSLICES(LIFT)
	SLICES(WORDS)
	LIFTSLICES(LIFT)
	LIFTCOLUMNS(LIFT)
	B    store

lossless:
	SLICES(DELTAS)
	SLICES(WORDS)
	SLICES(DELTAS)
	COLUMNS(DELTAS)

store:
	TBNZ $3, R2, coefficients
	FILL(0xaaaaaaaa, V24)
	VEOR V25.B16, V25.B16, V25.B16
	EACH(NEGABINARY)
	ORWORDS
	MOVW R3, ret+32(FP)

coefficients:
	STOREBLOCK
	RET

// func inverse32Short(dst unsafe.Pointer, sy, sz int, c *int32, scale float32, mode int)
TEXT ·inverse32Short(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD sy+8(FP), R3
	MOVD sz+16(FP), R4
	MOVD c+24(FP), R1
	MOVD mode+40(FP), R2
	LOADBLOCK
	TBNZ $0, R2, lossless
	LIFTCOLUMNS(UNLIFT)
	LIFTSLICES(UNLIFT)
	SLICES(WORDS)
	LIFTSLICES(UNLIFT)
	B    rows

lossless:
	COLUMNS(SUMS)
	SLICES(SUMS)
	SLICES(WORDS)
	SLICES(SUMS)

rows:
	SLICES(WORDS)
	TBZ  $1, R2, noDequantize
	FMOVS scale+32(FP), F24
	VDUP V24.S[0], V24.S4
	EACH(DEQUANTIZE)

noDequantize:
	TBZ  $2, R2, store
	EACH(MAGNITUDE)

store:
	ADD  R0, R3, R5
	ADD  R5, R3, R6
	ADD  R6, R3, R7
	VST1 [V0.S4], (R0)
	VST1 [V1.S4], (R5)
	VST1 [V2.S4], (R6)
	VST1 [V3.S4], (R7)
	ADD  R4, R0
	ADD  R4, R5
	ADD  R4, R6
	ADD  R4, R7
	VST1 [V4.S4], (R0)
	VST1 [V5.S4], (R5)
	VST1 [V6.S4], (R6)
	VST1 [V7.S4], (R7)
	ADD  R4, R0
	ADD  R4, R5
	ADD  R4, R6
	ADD  R4, R7
	VST1 [V8.S4], (R0)
	VST1 [V9.S4], (R5)
	VST1 [V10.S4], (R6)
	VST1 [V11.S4], (R7)
	ADD  R4, R0
	ADD  R4, R5
	ADD  R4, R6
	ADD  R4, R7
	VST1 [V12.S4], (R0)
	VST1 [V13.S4], (R5)
	VST1 [V14.S4], (R6)
	VST1 [V15.S4], (R7)
	RET

// func finish4x32Short(q *int32, mode int) int32
TEXT ·finish4x32Short(SB), NOSPLIT, $0-20
	MOVD q+0(FP), R0
	MOVD mode+8(FP), R2
	ADD  $256, R0, R5
	ADD  $512, R0, R6
	ADD  $768, R0, R7
	MOVD $16, R8
	FILL(0xaaaaaaaa, V24)
	VEOR V25.B16, V25.B16, V25.B16

column:
	VLD1 (R0), [V0.S4]
	VLD1 (R5), [V1.S4]
	VLD1 (R6), [V2.S4]
	VLD1 (R7), [V3.S4]
	TBNZ $0, R2, lossless
	LIFT(V0, V1, V2, V3, 0, 1, 2, 3)
	B    store

lossless:
	DELTAS(V0, V1, V2, V3)

store:
	NEGABINARY(V0, 0)
	NEGABINARY(V1, 1)
	NEGABINARY(V2, 2)
	NEGABINARY(V3, 3)
	VST1.P [V0.S4], 16(R0)
	VST1.P [V1.S4], 16(R5)
	VST1.P [V2.S4], 16(R6)
	VST1.P [V3.S4], 16(R7)
	SUBS $1, R8
	BNE  column
	ORWORDS
	MOVW R3, ret+16(FP)
	RET

// func begin4x32Short(q *int32, mode int)
TEXT ·begin4x32Short(SB), NOSPLIT, $0-16
	MOVD q+0(FP), R0
	MOVD mode+8(FP), R2
	ADD  $256, R0, R5
	ADD  $512, R0, R6
	ADD  $768, R0, R7
	MOVD $16, R8

column:
	VLD1 (R0), [V0.S4]
	VLD1 (R5), [V1.S4]
	VLD1 (R6), [V2.S4]
	VLD1 (R7), [V3.S4]
	TBNZ $0, R2, lossless
	UNLIFT(V0, V1, V2, V3, 0, 1, 2, 3)
	B    store

lossless:
	SUMS(V0, V1, V2, V3)

store:
	VST1.P [V0.S4], 16(R0)
	VST1.P [V1.S4], 16(R5)
	VST1.P [V2.S4], 16(R6)
	VST1.P [V3.S4], 16(R7)
	SUBS $1, R8
	BNE  column
	RET

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

// BYTES4 puts byte 0 of the 16 words at R1 into a, byte 1 into b, and so on. V16 to V23
// are scratch.
#define BYTES4(a, b, c, d) \
	VLD1.P 64(R1), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	VUZP1 V17.B16, V16.B16, V20.B16; \
	VUZP2 V17.B16, V16.B16, V21.B16; \
	VUZP1 V19.B16, V18.B16, V22.B16; \
	VUZP2 V19.B16, V18.B16, V23.B16; \
	VUZP1 V22.B16, V20.B16, a.B16; \
	VUZP2 V22.B16, V20.B16, c.B16; \
	VUZP1 V23.B16, V21.B16, b.B16; \
	VUZP2 V23.B16, V21.B16, d.B16

// OCTET makes 8 planes at R0, and at bytes behind that, of the bytes in a, b, c and d: it
// sorts them, transposes the bits of each 8 coefficients, and puts equal bytes together.
#define OCTET(a, b, c, d, at) \
	TABLE4(a, b, c, d, V28, V29, V30, V31, V16, V17, V18, V19); \
	BITS8(V16, V17, V18, V19, V20, V21, V22, V23); \
	TABLE4(V16, V17, V18, V19, V24, V25, V26, V27, V20, V21, V22, V23); \
	ADD  $at, R0, R9; \
	VST1 [V20.B16, V21.B16, V22.B16, V23.B16], (R9)

// func planes32Short(p *planes, c *int32, order *sorting, top, bottom int)
TEXT ·planes32Short(SB), NOSPLIT, $0-40
	MOVD p+0(FP), R0
	MOVD c+8(FP), R1
	MOVD order+16(FP), R2
	MOVD top+24(FP), R3
	MOVD bottom+32(FP), R4
	VLD1 (R2), [V28.B16, V29.B16, V30.B16, V31.B16]
	MOVD $·bytes8(SB), R9
	VLD1 (R9), [V24.B16, V25.B16, V26.B16, V27.B16]
	BYTES4(V0, V4, V8, V12)
	BYTES4(V1, V5, V9, V13)
	BYTES4(V2, V6, V10, V14)
	BYTES4(V3, V7, V11, V15)
	CMP  $24, R3
	BLE  byte2
	OCTET(V12, V13, V14, V15, 192)

byte2:
	CMP  $24, R4
	BGE  done
	CMP  $16, R3
	BLE  byte1
	OCTET(V8, V9, V10, V11, 128)

byte1:
	CMP  $16, R4
	BGE  done
	CMP  $8, R3
	BLE  byte0
	OCTET(V4, V5, V6, V7, 64)

byte0:
	CMP  $8, R4
	BGE  done
	OCTET(V0, V1, V2, V3, 0)

done:
	RET

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

// WORDS4 undoes BYTES4 and negabinary, and stores the words at R0.
#define WORDS4(a, b, c, d) \
	VZIP1 b.B16, a.B16, V16.B16; \
	VZIP2 b.B16, a.B16, V17.B16; \
	VZIP1 d.B16, c.B16, V18.B16; \
	VZIP2 d.B16, c.B16, V19.B16; \
	VZIP1 V18.H8, V16.H8, V20.H8; \
	VZIP2 V18.H8, V16.H8, V21.H8; \
	VZIP1 V19.H8, V17.H8, V22.H8; \
	VZIP2 V19.H8, V17.H8, V23.H8; \
	UNNEGABINARY(V20, 20); \
	UNNEGABINARY(V21, 21); \
	UNNEGABINARY(V22, 22); \
	UNNEGABINARY(V23, 23); \
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R0)

// CLEAR clears four registers.
#define CLEAR(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// func coefficients32Short(c *int32, p *planes, order *sorting, bottom int)
TEXT ·coefficients32Short(SB), NOSPLIT, $0-32
	MOVD c+0(FP), R0
	MOVD p+8(FP), R1
	MOVD order+16(FP), R2
	MOVD bottom+24(FP), R4
	VLD1 (R2), [V28.B16, V29.B16, V30.B16, V31.B16]
	MOVD $·bytes8(SB), R9
	VLD1 (R9), [V24.B16, V25.B16, V26.B16, V27.B16]
	SLICES(CLEAR)
	UNOCTET(V12, V13, V14, V15, 192, byte2)

byte2:
	CMP  $24, R4
	BGE  words
	UNOCTET(V8, V9, V10, V11, 128, byte1)

byte1:
	CMP  $16, R4
	BGE  words
	UNOCTET(V4, V5, V6, V7, 64, byte0)

byte0:
	CMP  $8, R4
	BGE  words
	UNOCTET(V0, V1, V2, V3, 0, words)

words:
	FILL(0xaaaaaaaa, V24)
	WORDS4(V0, V4, V8, V12)
	WORDS4(V1, V5, V9, V13)
	WORDS4(V2, V6, V10, V14)
	WORDS4(V3, V7, V11, V15)
	RET

// Masks of the bits that BITS8 exchanges: the lower and the upper ones of each step.
DATA ·swapBits+0(SB)/8, $0x00aa00aa00aa00aa
DATA ·swapBits+8(SB)/8, $0x00aa00aa00aa00aa
DATA ·swapBits+16(SB)/8, $0x5500550055005500
DATA ·swapBits+24(SB)/8, $0x5500550055005500
DATA ·swapBits+32(SB)/8, $0x0000cccc0000cccc
DATA ·swapBits+40(SB)/8, $0x0000cccc0000cccc
DATA ·swapBits+48(SB)/8, $0x3333000033330000
DATA ·swapBits+56(SB)/8, $0x3333000033330000
DATA ·swapBits+64(SB)/8, $0x00000000f0f0f0f0
DATA ·swapBits+72(SB)/8, $0x00000000f0f0f0f0
DATA ·swapBits+80(SB)/8, $0x0f0f0f0f00000000
DATA ·swapBits+88(SB)/8, $0x0f0f0f0f00000000
GLOBL ·swapBits(SB), RODATA|NOPTR, $96

// Indexes that transpose 8 by 8 bytes.
DATA ·bytes8+0(SB)/8, $0x3830282018100800
DATA ·bytes8+8(SB)/8, $0x3931292119110901
DATA ·bytes8+16(SB)/8, $0x3a322a221a120a02
DATA ·bytes8+24(SB)/8, $0x3b332b231b130b03
DATA ·bytes8+32(SB)/8, $0x3c342c241c140c04
DATA ·bytes8+40(SB)/8, $0x3d352d251d150d05
DATA ·bytes8+48(SB)/8, $0x3e362e261e160e06
DATA ·bytes8+56(SB)/8, $0x3f372f271f170f07
GLOBL ·bytes8(SB), RODATA|NOPTR, $64
