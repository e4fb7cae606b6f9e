//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// A slice of 16 words of 64 bits fits registers V0 to V7: two registers are a row of four
// values.

// COLUMNS64 transposes 4 by 4 words of 64 bits: a, b, … h are two registers for each row,
// and s, t, … z two registers for each column.
#define COLUMNS64(a, b, c, d, e, f, g, h, s, t, u, v, w, x, y, z) \
	VTRN1 c.D2, a.D2, s.D2; \
	VTRN1 g.D2, e.D2, t.D2; \
	VTRN2 c.D2, a.D2, u.D2; \
	VTRN2 g.D2, e.D2, v.D2; \
	VTRN1 d.D2, b.D2, w.D2; \
	VTRN1 h.D2, f.D2, x.D2; \
	VTRN2 d.D2, b.D2, y.D2; \
	VTRN2 h.D2, f.D2, z.D2

// TOCOLUMNS goes from rows in V0 to V7 to columns in V8 to V15, TOROWS goes back.
#define TOCOLUMNS COLUMNS64(V0, V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15)
#define TOROWS COLUMNS64(V8, V9, V10, V11, V12, V13, V14, V15, V0, V1, V2, V3, V4, V5, V6, V7)

// EACH8 applies an operation to all registers of a slice.
#define EACH8(op) \
	op(V0, 0); \
	op(V1, 1); \
	op(V2, 2); \
	op(V3, 3); \
	op(V4, 4); \
	op(V5, 5); \
	op(V6, 6); \
	op(V7, 7)

// MAX64 takes the maximum of magnitudes to V16. V18 has the mask, V17 and v are scratch.
#define MAX64(v, n) \
	VAND V18.B16, v.B16, v.B16; \
	GREATER64(16, n, 17);       \
	VBIT V17.B16, v.B16, V16.B16

// LOADSLICE loads a slice from R1.
#define LOADSLICE \
	VLD1.P 64(R1), [V0.D2, V1.D2, V2.D2, V3.D2]; \
	VLD1.P 64(R1), [V4.D2, V5.D2, V6.D2, V7.D2]

// func gather64Short(q, src unsafe.Pointer, sy, sz int) int64
TEXT ·gather64Short(SB), NOSPLIT, $0-40
	MOVD q+0(FP), R0
	MOVD src+8(FP), R1
	MOVD sy+16(FP), R2
	MOVD sz+24(FP), R3
	MOVD $4, R4
	FILL64(0x7fffffffffffffff, V18)
	VEOR V16.B16, V16.B16, V16.B16

slice:
	ADD  R1, R2, R6
	ADD  R6, R2, R7
	ADD  R7, R2, R8
	VLD1 (R1), [V0.D2, V1.D2]
	VLD1 (R6), [V2.D2, V3.D2]
	VLD1 (R7), [V4.D2, V5.D2]
	VLD1 (R8), [V6.D2, V7.D2]
	ADD  R3, R1
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	EACH8(MAX64)
	SUBS $1, R4
	BNE  slice
	VMOV V16.D[0], R3
	VMOV V16.D[1], R4
	CMP  R4, R3
	CSEL GT, R3, R4, R3
	MOVD R3, ret+32(FP)
	RET

// func exact64Short(q *int64, scale, back float64) bool
TEXT ·exact64Short(SB), NOSPLIT, $0-25
	MOVD q+0(FP), R1
	FMOVD scale+8(FP), F24
	VDUP V24.D[0], V24.D2
	FMOVD back+16(FP), F28
	VDUP V28.D[0], V28.D2
	FILL64(0x8000000000000000, V25)
	FILL64(0x43e0000000000000, V26)
	VCMEQ V27.D2, V27.D2, V27.D2
	MOVD $4, R4

slice:
	LOADSLICE
	EACH8(EXACT64)
	SUBS $1, R4
	BNE  slice
	VMOV V27.D[0], R3
	VMOV V27.D[1], R4
	AND  R4, R3
	CMN  $1, R3
	CSET EQ, R3
	MOVB R3, ret+24(FP)
	RET

// COLUMN64 loads two vectors along an axis from R0, R5, R6 and R7, and STORECOLUMN64
// stores them and moves on.
#define COLUMN64 \
	VLD1 (R0), [V0.D2]; \
	VLD1 (R5), [V1.D2]; \
	VLD1 (R6), [V2.D2]; \
	VLD1 (R7), [V3.D2]

#define STORECOLUMN64 \
	VST1.P [V0.D2], 16(R0); \
	VST1.P [V1.D2], 16(R5); \
	VST1.P [V2.D2], 16(R6); \
	VST1.P [V3.D2], 16(R7)

// ORWORDS64 collects the bits of the words of V25 in R3.
#define ORWORDS64 \
	VMOV V25.D[0], R3; \
	VMOV V25.D[1], R4; \
	ORR  R4, R3

// func transform64Short(c, q *int64, scale float64, mode int) int64
TEXT ·transform64Short(SB), NOSPLIT, $0-40
	MOVD c+0(FP), R0
	MOVD q+8(FP), R1
	FMOVD scale+16(FP), F24
	VDUP V24.D[0], V24.D2
	MOVD mode+24(FP), R2
	FILL64(0x8000000000000000, V25)
	FILL64(0x43e0000000000000, V26)
	MOVD $4, R4

slice:
	LOADSLICE
	TBZ  $1, R2, noQuantize
	EACH8(QUANTIZE64)

noQuantize:
	TBZ  $2, R2, noMagnitude
	EACH8(MAGNITUDE64)

noMagnitude:
	TOCOLUMNS
	TBNZ $0, R2, lossless
	LIFT64(V8, V10, V12, V14, 8, 10, 12, 14)
	LIFT64(V9, V11, V13, V15, 9, 11, 13, 15)
	TOROWS
	LIFT64(V0, V2, V4, V6, 0, 2, 4, 6)
	LIFT64(V1, V3, V5, V7, 1, 3, 5, 7)
	B    store

lossless:
	DELTAS64(V8, V10, V12, V14)
	DELTAS64(V9, V11, V13, V15)
	TOROWS
	DELTAS64(V0, V2, V4, V6)
	DELTAS64(V1, V3, V5, V7)

store:
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	SUBS $1, R4
	BNE  slice

	// The transform along z.
	SUB  $512, R0
	ADD  $128, R0, R5
	ADD  $256, R0, R6
	ADD  $384, R0, R7
	MOVD $8, R8
	FILL64(0xaaaaaaaaaaaaaaaa, V24)
	VEOR V25.B16, V25.B16, V25.B16

column:
	COLUMN64
	TBNZ $0, R2, losslessColumn
	LIFT64(V0, V1, V2, V3, 0, 1, 2, 3)
	B    negabinary

losslessColumn:
	DELTAS64(V0, V1, V2, V3)

negabinary:
	TBNZ $3, R2, storeColumn
	NEGABINARY64(V0)
	NEGABINARY64(V1)
	NEGABINARY64(V2)
	NEGABINARY64(V3)

storeColumn:
	STORECOLUMN64
	SUBS $1, R8
	BNE  column
	ORWORDS64
	MOVD R3, ret+32(FP)
	RET

// func inverse64Short(dst unsafe.Pointer, sy, sz int, c *int64, scale float64, mode int)
TEXT ·inverse64Short(SB), NOSPLIT, $0-48
	MOVD c+24(FP), R0
	MOVD mode+40(FP), R2
	ADD  $128, R0, R5
	ADD  $256, R0, R6
	ADD  $384, R0, R7
	MOVD $8, R8

	// The transform along z.
column:
	COLUMN64
	TBNZ $0, R2, losslessColumn
	UNLIFT64(V0, V1, V2, V3, 0, 1, 2, 3)
	B    storeColumn

losslessColumn:
	SUMS64(V0, V1, V2, V3)

storeColumn:
	STORECOLUMN64
	SUBS $1, R8
	BNE  column
	MOVD dst+0(FP), R0
	MOVD sy+8(FP), R3
	MOVD sz+16(FP), R10
	MOVD c+24(FP), R1
	FMOVD scale+32(FP), F24
	VDUP V24.D[0], V24.D2
	MOVD $4, R4

slice:
	LOADSLICE
	TBNZ $0, R2, lossless
	UNLIFT64(V0, V2, V4, V6, 0, 2, 4, 6)
	UNLIFT64(V1, V3, V5, V7, 1, 3, 5, 7)
	TOCOLUMNS
	UNLIFT64(V8, V10, V12, V14, 8, 10, 12, 14)
	UNLIFT64(V9, V11, V13, V15, 9, 11, 13, 15)
	B    rows

lossless:
	SUMS64(V0, V2, V4, V6)
	SUMS64(V1, V3, V5, V7)
	TOCOLUMNS
	SUMS64(V8, V10, V12, V14)
	SUMS64(V9, V11, V13, V15)

rows:
	TOROWS
	TBZ  $1, R2, noDequantize
	EACH8(DEQUANTIZE64)

noDequantize:
	TBZ  $2, R2, store
	EACH8(MAGNITUDE64)

store:
	ADD  R0, R3, R5
	ADD  R5, R3, R6
	ADD  R6, R3, R7
	VST1 [V0.D2, V1.D2], (R0)
	VST1 [V2.D2, V3.D2], (R5)
	VST1 [V4.D2, V5.D2], (R6)
	VST1 [V6.D2, V7.D2], (R7)
	ADD  R10, R0
	SUBS $1, R4
	BNE  slice
	RET

// func finish4x64Short(q *int64, mode int) int64
TEXT ·finish4x64Short(SB), NOSPLIT, $0-24
	MOVD q+0(FP), R0
	MOVD mode+8(FP), R2
	ADD  $512, R0, R5
	ADD  $1024, R0, R6
	ADD  $1536, R0, R7
	MOVD $32, R8
	FILL64(0xaaaaaaaaaaaaaaaa, V24)
	VEOR V25.B16, V25.B16, V25.B16

column:
	COLUMN64
	TBNZ $0, R2, lossless
	LIFT64(V0, V1, V2, V3, 0, 1, 2, 3)
	B    store

lossless:
	DELTAS64(V0, V1, V2, V3)

store:
	NEGABINARY64(V0)
	NEGABINARY64(V1)
	NEGABINARY64(V2)
	NEGABINARY64(V3)
	STORECOLUMN64
	SUBS $1, R8
	BNE  column
	ORWORDS64
	MOVD R3, ret+16(FP)
	RET

// func begin4x64Short(q *int64, mode int)
TEXT ·begin4x64Short(SB), NOSPLIT, $0-16
	MOVD q+0(FP), R0
	MOVD mode+8(FP), R2
	ADD  $512, R0, R5
	ADD  $1024, R0, R6
	ADD  $1536, R0, R7
	MOVD $32, R8

column:
	COLUMN64
	TBNZ $0, R2, lossless
	UNLIFT64(V0, V1, V2, V3, 0, 1, 2, 3)
	B    store

lossless:
	SUMS64(V0, V1, V2, V3)

store:
	STORECOLUMN64
	SUBS $1, R8
	BNE  column
	RET
