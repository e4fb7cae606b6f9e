// Code generated from neon_runs_arm64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// FOURROWS sets R10 to R13 to four rows that begin at from.
#define FOURROWS(from, distance) \
	MOVD from, R10;          \
	ADD  distance, R10, R11; \
	ADD  distance, R11, R12; \
	ADD  distance, R12, R13

// These kernels work on runs: 4 neighbouring blocks of two dimensions. A run has 4 rows of 16 values. A kernel
// handles one block after the other.

// READ32 loads a block from the rows that R10 to R13 point to, WRITE32 stores it there.
#define READ32 \
	VLD1 (R10), [V0.S4]; \
	VLD1 (R11), [V1.S4]; \
	VLD1 (R12), [V2.S4]; \
	VLD1 (R13), [V3.S4]

#define WRITE32 \
	VST1 [V0.S4], (R10); \
	VST1 [V1.S4], (R11); \
	VST1 [V2.S4], (R12); \
	VST1 [V3.S4], (R13)

// INROWS32 applies op to rows, INCOLUMNS32 to columns. With 32 bits these have the same registers.
#define INROWS32(op) \
	op(V0, V1, V2, V3, 0, 1, 2, 3)

#define INCOLUMNS32(op) \
	INROWS32(op)

#define TOCOLUMNS32 WORDS32(V0, V1, V2, V3)
#define TOROWS32 WORDS32(V0, V1, V2, V3)

// func gatherRows32Short(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, dims int)
TEXT ·gatherRows32Short(SB), NOSPLIT, $0-40
	MOVD q+0(FP), R0
	MOVD largest+8(FP), R1
	MOVD src+16(FP), R2
	MOVD sy+24(FP), R3
	MOVD $4, R4
	FILL32(0x7fffffff, V29)

block:
	FOURROWS(R2, R3)
	READ32
	FOURROWS(R0, $64)
	WRITE32
	VEOR V20.B16, V20.B16, V20.B16
	VAND V29.B16, V0.B16, V0.B16
	VUMAX V0.S4, V20.S4, V20.S4
	VAND V29.B16, V1.B16, V1.B16
	VUMAX V1.S4, V20.S4, V20.S4
	VAND V29.B16, V2.B16, V2.B16
	VUMAX V2.S4, V20.S4, V20.S4
	VAND V29.B16, V3.B16, V3.B16
	VUMAX V3.S4, V20.S4, V20.S4
	VEXT $8, V20.B16, V20.B16, V21.B16
	VUMAX V21.S4, V20.S4, V20.S4
	VEXT $4, V20.B16, V20.B16, V21.B16
	VUMAX V21.S4, V20.S4, V20.S4
	VMOV V20.S[0], R5
	MOVW R5, (R1)
	ADD  $16, R0
	ADD  $16, R1
	ADD  $16, R2
	SUBS $1, R4
	BNE  block
	RET

// func quantizeRows32Short(c, q *block[int32], r *run[int32], mode, dims int) int
TEXT ·quantizeRows32Short(SB), NOSPLIT, $0-48
	MOVD c+0(FP), R0
	MOVD q+8(FP), R1
	MOVD r+16(FP), R2
	MOVD mode+24(FP), R3
	MOVD $4, R4
	MOVD $0, R7
	MOVD $15, R8
	FILL32(0x80000000, V25)
	FILL32(0x4f000000, V26)

block:
	FOURROWS(R1, $64)
	READ32
	FOURROWS(R0, $64)
	MOVWU (R2), R9
	VDUP R9, V24.S4
	TBZ  $2, R3, quantize

	// Where not all values of a block come back, their magnitudes are taken.
	MOVWU 64(R2), R9
	VDUP R9, V28.S4
	VCMEQ V27.S4, V27.S4, V27.S4
	EXACT32(V0, 0)
	EXACT32(V1, 1)
	EXACT32(V2, 2)
	EXACT32(V3, 3)
	VMOV V27.D[0], R5
	VMOV V27.D[1], R6
	AND  R6, R5
	CMN  $1, R5
	BNE  magnitudes
	ORR  R8, R7

quantize:
	QUANTIZE32(V0, 0)
	QUANTIZE32(V1, 1)
	QUANTIZE32(V2, 2)
	QUANTIZE32(V3, 3)
	B    store

magnitudes:
	MAGNITUDE32(V0, 0)
	MAGNITUDE32(V1, 1)
	MAGNITUDE32(V2, 2)
	MAGNITUDE32(V3, 3)

store:
	WRITE32
	LSL  $4, R8
	ADD  $16, R0
	ADD  $16, R1
	ADD  $16, R2
	SUBS $1, R4
	BNE  block
	MOVD R7, ret+40(FP)
	RET

// func transformRows32Short(p *planes, c *block[int32], r *run[int32], mode, dims int)
TEXT ·transformRows32Short(SB), NOSPLIT, $0-40
	MOVD c+8(FP), R0
	MOVD r+16(FP), R2
	MOVD mode+24(FP), R3
	MOVD $4, R4
	FILL32(0xaaaaaaaa, V24)

block:
	FOURROWS(R0, $64)
	READ32
	TOCOLUMNS32
	TBNZ $0, R3, lossless
	INCOLUMNS32(LIFT32)
	TOROWS32
	INROWS32(LIFT32)
	B    negabinary

lossless:
	INCOLUMNS32(DELTAS32)
	TOROWS32
	INROWS32(DELTAS32)

negabinary:
	VEOR V25.B16, V25.B16, V25.B16
	NEGABINARY32(V0)
	NEGABINARY32(V1)
	NEGABINARY32(V2)
	NEGABINARY32(V3)
	WRITE32
	VMOV V25.D[0], R5
	VMOV V25.D[1], R6
	ORR  R6, R5
	ORR  R5>>32, R5
	MOVW R5, 128(R2)
	ADD  $16, R0
	ADD  $16, R2
	SUBS $1, R4
	BNE  block
	RET

// func inverseRows32Short(dst unsafe.Pointer, sy int, c *int32, r *run[int32], mode, dims, exact int)
TEXT ·inverseRows32Short(SB), NOSPLIT, $0-56
	MOVD dst+0(FP), R0
	MOVD sy+8(FP), R8
	MOVD c+16(FP), R1
	MOVD r+24(FP), R2
	MOVD mode+32(FP), R3
	MOVD exact+48(FP), R7
	MOVD $4, R4

block:
	FOURROWS(R1, $64)
	READ32
	FOURROWS(R0, R8)
	TBNZ $0, R3, lossless
	INROWS32(UNLIFT32)
	TOCOLUMNS32
	INCOLUMNS32(UNLIFT32)
	B    values

lossless:
	INROWS32(SUMS32)
	TOCOLUMNS32
	INCOLUMNS32(SUMS32)

values:
	TOROWS32
	TBZ  $1, R3, store
	TBZ  $0, R7, magnitudes
	MOVWU (R2), R9
	VDUP R9, V24.S4
	DEQUANTIZE32(V0, 0)
	DEQUANTIZE32(V1, 1)
	DEQUANTIZE32(V2, 2)
	DEQUANTIZE32(V3, 3)
	B    store

magnitudes:
	MAGNITUDE32(V0, 0)
	MAGNITUDE32(V1, 1)
	MAGNITUDE32(V2, 2)
	MAGNITUDE32(V3, 3)

store:
	WRITE32
	LSR  $4, R7
	ADD  $16, R0
	ADD  $16, R1
	ADD  $16, R2
	SUBS $1, R4
	BNE  block
	RET

// READ64 loads a block from the rows that R10 to R13 point to, WRITE64 stores it there.
#define READ64 \
	VLD1 (R10), [V0.D2, V1.D2]; \
	VLD1 (R11), [V2.D2, V3.D2]; \
	VLD1 (R12), [V4.D2, V5.D2]; \
	VLD1 (R13), [V6.D2, V7.D2]

#define WRITE64 \
	VST1 [V0.D2, V1.D2], (R10); \
	VST1 [V2.D2, V3.D2], (R11); \
	VST1 [V4.D2, V5.D2], (R12); \
	VST1 [V6.D2, V7.D2], (R13)

// INROWS64 applies op to rows, INCOLUMNS64 to columns. With 32 bits these have the same registers.
#define INROWS64(op) \
	op(V0, V2, V4, V6, 0, 2, 4, 6); \
	op(V1, V3, V5, V7, 1, 3, 5, 7)

#define INCOLUMNS64(op) \
	op(V8, V10, V12, V14, 8, 10, 12, 14); \
	op(V9, V11, V13, V15, 9, 11, 13, 15)

// func gatherRows64Short(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, dims int)
TEXT ·gatherRows64Short(SB), NOSPLIT, $0-40
	MOVD q+0(FP), R0
	MOVD largest+8(FP), R1
	MOVD src+16(FP), R2
	MOVD sy+24(FP), R3
	MOVD $4, R4
	FILL64(0x7fffffffffffffff, V29)

block:
	FOURROWS(R2, R3)
	READ64
	FOURROWS(R0, $128)
	WRITE64
	VEOR V20.B16, V20.B16, V20.B16
	VAND V29.B16, V0.B16, V0.B16
	GREATER64(20, 0, 17)
	VBIT V17.B16, V0.B16, V20.B16
	VAND V29.B16, V1.B16, V1.B16
	GREATER64(20, 1, 17)
	VBIT V17.B16, V1.B16, V20.B16
	VAND V29.B16, V2.B16, V2.B16
	GREATER64(20, 2, 17)
	VBIT V17.B16, V2.B16, V20.B16
	VAND V29.B16, V3.B16, V3.B16
	GREATER64(20, 3, 17)
	VBIT V17.B16, V3.B16, V20.B16
	VAND V29.B16, V4.B16, V4.B16
	GREATER64(20, 4, 17)
	VBIT V17.B16, V4.B16, V20.B16
	VAND V29.B16, V5.B16, V5.B16
	GREATER64(20, 5, 17)
	VBIT V17.B16, V5.B16, V20.B16
	VAND V29.B16, V6.B16, V6.B16
	GREATER64(20, 6, 17)
	VBIT V17.B16, V6.B16, V20.B16
	VAND V29.B16, V7.B16, V7.B16
	GREATER64(20, 7, 17)
	VBIT V17.B16, V7.B16, V20.B16
	VMOV V20.D[0], R5
	VMOV V20.D[1], R6
	CMP  R5, R6
	CSEL HI, R6, R5, R5
	MOVD R5, (R1)
	ADD  $32, R0
	ADD  $32, R1
	ADD  $32, R2
	SUBS $1, R4
	BNE  block
	RET

// func quantizeRows64Short(c, q *block[int64], r *run[int64], mode, dims int) int
TEXT ·quantizeRows64Short(SB), NOSPLIT, $0-48
	MOVD c+0(FP), R0
	MOVD q+8(FP), R1
	MOVD r+16(FP), R2
	MOVD mode+24(FP), R3
	MOVD $4, R4
	MOVD $0, R7
	MOVD $15, R8
	FILL64(0x8000000000000000, V25)
	FILL64(0x43e0000000000000, V26)

block:
	FOURROWS(R1, $128)
	READ64
	FOURROWS(R0, $128)
	MOVD (R2), R9
	VDUP R9, V24.D2
	TBZ  $2, R3, quantize

	// Where not all values of a block come back, their magnitudes are taken.
	MOVD 128(R2), R9
	VDUP R9, V28.D2
	VCMEQ V27.D2, V27.D2, V27.D2
	EXACT64(V0, 0)
	EXACT64(V1, 1)
	EXACT64(V2, 2)
	EXACT64(V3, 3)
	EXACT64(V4, 4)
	EXACT64(V5, 5)
	EXACT64(V6, 6)
	EXACT64(V7, 7)
	VMOV V27.D[0], R5
	VMOV V27.D[1], R6
	AND  R6, R5
	CMN  $1, R5
	BNE  magnitudes
	ORR  R8, R7

quantize:
	QUANTIZE64(V0, 0)
	QUANTIZE64(V1, 1)
	QUANTIZE64(V2, 2)
	QUANTIZE64(V3, 3)
	QUANTIZE64(V4, 4)
	QUANTIZE64(V5, 5)
	QUANTIZE64(V6, 6)
	QUANTIZE64(V7, 7)
	B    store

magnitudes:
	MAGNITUDE64(V0, 0)
	MAGNITUDE64(V1, 1)
	MAGNITUDE64(V2, 2)
	MAGNITUDE64(V3, 3)
	MAGNITUDE64(V4, 4)
	MAGNITUDE64(V5, 5)
	MAGNITUDE64(V6, 6)
	MAGNITUDE64(V7, 7)

store:
	WRITE64
	LSL  $4, R8
	ADD  $32, R0
	ADD  $32, R1
	ADD  $32, R2
	SUBS $1, R4
	BNE  block
	MOVD R7, ret+40(FP)
	RET

// func transformRows64Short(p *planes, c *block[int64], r *run[int64], mode, dims int)
TEXT ·transformRows64Short(SB), NOSPLIT, $0-40
	MOVD c+8(FP), R0
	MOVD r+16(FP), R2
	MOVD mode+24(FP), R3
	MOVD $4, R4
	FILL64(0xaaaaaaaaaaaaaaaa, V24)

block:
	FOURROWS(R0, $128)
	READ64
	TOCOLUMNS64
	TBNZ $0, R3, lossless
	INCOLUMNS64(LIFT64)
	TOROWS64
	INROWS64(LIFT64)
	B    negabinary

lossless:
	INCOLUMNS64(DELTAS64)
	TOROWS64
	INROWS64(DELTAS64)

negabinary:
	VEOR V25.B16, V25.B16, V25.B16
	NEGABINARY64(V0)
	NEGABINARY64(V1)
	NEGABINARY64(V2)
	NEGABINARY64(V3)
	NEGABINARY64(V4)
	NEGABINARY64(V5)
	NEGABINARY64(V6)
	NEGABINARY64(V7)
	WRITE64
	VMOV V25.D[0], R5
	VMOV V25.D[1], R6
	ORR  R6, R5
	MOVD R5, 256(R2)
	ADD  $32, R0
	ADD  $32, R2
	SUBS $1, R4
	BNE  block
	RET

// func inverseRows64Short(dst unsafe.Pointer, sy int, p *planes, c *block[int64], r *run[int64], mode, dims, exact int)
TEXT ·inverseRows64Short(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R0
	MOVD sy+8(FP), R8
	MOVD c+24(FP), R1
	MOVD r+32(FP), R2
	MOVD mode+40(FP), R3
	MOVD exact+56(FP), R7
	MOVD $4, R4

block:
	FOURROWS(R1, $128)
	READ64
	FOURROWS(R0, R8)
	TBNZ $0, R3, lossless
	INROWS64(UNLIFT64)
	TOCOLUMNS64
	INCOLUMNS64(UNLIFT64)
	B    values

lossless:
	INROWS64(SUMS64)
	TOCOLUMNS64
	INCOLUMNS64(SUMS64)

values:
	TOROWS64
	TBZ  $1, R3, store
	TBZ  $0, R7, magnitudes
	MOVD (R2), R9
	VDUP R9, V24.D2
	DEQUANTIZE64(V0, 0)
	DEQUANTIZE64(V1, 1)
	DEQUANTIZE64(V2, 2)
	DEQUANTIZE64(V3, 3)
	DEQUANTIZE64(V4, 4)
	DEQUANTIZE64(V5, 5)
	DEQUANTIZE64(V6, 6)
	DEQUANTIZE64(V7, 7)
	B    store

magnitudes:
	MAGNITUDE64(V0, 0)
	MAGNITUDE64(V1, 1)
	MAGNITUDE64(V2, 2)
	MAGNITUDE64(V3, 3)
	MAGNITUDE64(V4, 4)
	MAGNITUDE64(V5, 5)
	MAGNITUDE64(V6, 6)
	MAGNITUDE64(V7, 7)

store:
	WRITE64
	LSR  $4, R7
	ADD  $32, R0
	ADD  $32, R1
	ADD  $32, R2
	SUBS $1, R4
	BNE  block
	RET
