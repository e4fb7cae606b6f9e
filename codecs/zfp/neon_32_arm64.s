//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// A block of 64 words of 32 bits fits registers V0 to V15: a register is a row of four
// values, and four registers are a slice.

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

// LIFTSLICES is SLICES for LIFT32 or UNLIFT32, LIFTCOLUMNS is COLUMNS.
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

// NEGABINARYOF is NEGABINARY32 for EACH.
#define NEGABINARYOF(v, n) NEGABINARY32(v)

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
	FILL32(0x7fffffff, V5)
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

// func exact32Short(q *int32, scale, back float32) bool
TEXT ·exact32Short(SB), NOSPLIT, $0-17
	MOVD q+0(FP), R1
	LOADBLOCK
	FMOVS scale+8(FP), F24
	VDUP V24.S[0], V24.S4
	FMOVS back+12(FP), F28
	VDUP V28.S[0], V28.S4
	FILL32(0x80000000, V25)
	FILL32(0x4f000000, V26)
	VCMEQ V27.S4, V27.S4, V27.S4
	EACH(EXACT32)
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
	FILL32(0x80000000, V25)
	FILL32(0x4f000000, V26)
	EACH(QUANTIZE32)

noQuantize:
	TBZ  $2, R2, noMagnitude
	EACH(MAGNITUDE32)

noMagnitude:
	SLICES(WORDS)
	TBNZ $0, R2, lossless
	LIFTSLICES(LIFT32)
	SLICES(WORDS)
	LIFTSLICES(LIFT32)
	LIFTCOLUMNS(LIFT32)
	B    store

lossless:
	SLICES(DELTAS32)
	SLICES(WORDS)
	SLICES(DELTAS32)
	COLUMNS(DELTAS32)

store:
	TBNZ $3, R2, coefficients
	FILL32(0xaaaaaaaa, V24)
	VEOR V25.B16, V25.B16, V25.B16
	EACH(NEGABINARYOF)
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
	LIFTCOLUMNS(UNLIFT32)
	LIFTSLICES(UNLIFT32)
	SLICES(WORDS)
	LIFTSLICES(UNLIFT32)
	B    rows

lossless:
	COLUMNS(SUMS32)
	SLICES(SUMS32)
	SLICES(WORDS)
	SLICES(SUMS32)

rows:
	SLICES(WORDS)
	TBZ  $1, R2, noDequantize
	FMOVS scale+32(FP), F24
	VDUP V24.S[0], V24.S4
	EACH(DEQUANTIZE32)

noDequantize:
	TBZ  $2, R2, store
	EACH(MAGNITUDE32)

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
	FILL32(0xaaaaaaaa, V24)
	VEOR V25.B16, V25.B16, V25.B16

column:
	VLD1 (R0), [V0.S4]
	VLD1 (R5), [V1.S4]
	VLD1 (R6), [V2.S4]
	VLD1 (R7), [V3.S4]
	TBNZ $0, R2, lossless
	LIFT32(V0, V1, V2, V3, 0, 1, 2, 3)
	B    store

lossless:
	DELTAS32(V0, V1, V2, V3)

store:
	NEGABINARY32(V0)
	NEGABINARY32(V1)
	NEGABINARY32(V2)
	NEGABINARY32(V3)
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
	UNLIFT32(V0, V1, V2, V3, 0, 1, 2, 3)
	B    store

lossless:
	SUMS32(V0, V1, V2, V3)

store:
	VST1.P [V0.S4], 16(R0)
	VST1.P [V1.S4], 16(R5)
	VST1.P [V2.S4], 16(R6)
	VST1.P [V3.S4], 16(R7)
	SUBS $1, R8
	BNE  column
	RET
