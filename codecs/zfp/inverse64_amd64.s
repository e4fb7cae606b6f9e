//go:build !purego

#include "textflag.h"
#include "kernels_amd64.h"
#include "planes_amd64.h"

// func inverse64(dst unsafe.Pointer, sy, sz int, p *planes, order *[64]uint8, scale float64, mode, bottom int)
TEXT ·inverse64(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ sy+8(FP), R8
	MOVQ sz+16(FP), R9
	LEAQ (R8)(R8*2), R10
	MOVQ p+24(FP), DX
	MOVQ order+32(FP), BX
	MOVQ mode+48(FP), CX
	MOVQ bottom+56(FP), SI
	VMOVDQU64 ·bytes8(SB), Z28
	VMOVDQU64 (BX), Z29
	FROMPLANES64(SI, words64)

words64:
	UNBYTES64
	VPSUBQ Z16, Z8, Z8
	VPSUBQ Z16, Z9, Z9
	VPSUBQ Z16, Z10, Z10
	VPSUBQ Z16, Z11, Z11
	VPSUBQ Z16, Z12, Z12
	VPSUBQ Z16, Z13, Z13
	VPSUBQ Z16, Z14, Z14
	VPSUBQ Z16, Z15, Z15
	TESTL $1, CX
	JNZ   lossless
	INVERSE64
	JMP dequantize

lossless:
	RESTORE64

dequantize:
	TESTL $2, CX
	JZ    noDequantize
	VBROADCASTSD scale+40(FP), Z16
	FLOAT64(Z16, Z0)
	FLOAT64(Z16, Z1)
	FLOAT64(Z16, Z2)
	FLOAT64(Z16, Z3)
	FLOAT64(Z16, Z4)
	FLOAT64(Z16, Z5)
	FLOAT64(Z16, Z6)
	FLOAT64(Z16, Z7)

noDequantize:
	TESTL $4, CX
	JZ    store
	MAGNITUDE64(Z0, Z16)
	MAGNITUDE64(Z1, Z17)
	MAGNITUDE64(Z2, Z18)
	MAGNITUDE64(Z3, Z19)
	MAGNITUDE64(Z4, Z20)
	MAGNITUDE64(Z5, Z21)
	MAGNITUDE64(Z6, Z22)
	MAGNITUDE64(Z7, Z23)

store:
	SLICE64(Y0, Z0, Y1, Z1)
	SLICE64(Y2, Z2, Y3, Z3)
	SLICE64(Y4, Z4, Y5, Z5)
	SLICE64(Y6, Z6, Y7, Z7)
	VZEROUPPER
	RET

// DEQUANTIZE64 multiplies z by the scale s where k says so, and takes its signed
// magnitude elsewhere.
#define DEQUANTIZE64(z, s, t, u, k) \
	VCVTQQ2PD z, t; \
	MAGNITUDE64(z, u); \
	VMULPD s, t, k, z

// JOIN64 undoes HALVES64, and the negabinary but for a subtraction of Z16.
#define JOIN64(at, z) \
	VPMOVZXDQ at(DX), z;       \
	VPMOVZXDQ at+256(DX), Z17; \
	VPSLLQ    $32, Z17, Z17;   \
	VPORQ     Z17, z, z;       \
	VPXORQ    Z16, z, z

// func inverseRows64(dst unsafe.Pointer, sy int, p *planes, order *[64]uint8, r *run[int64], mode, bottom, dims, exact int)
TEXT ·inverseRows64(SB), NOSPLIT, $0-72
	MOVQ dst+0(FP), DI
	MOVQ sy+8(FP), R8
	LEAQ (R8)(R8*2), R10
	MOVQ p+16(FP), DX
	MOVQ order+24(FP), BX
	MOVQ r+32(FP), R11
	MOVQ mode+40(FP), CX
	MOVQ bottom+48(FP), SI
	MOVQ dims+56(FP), R13
	CMPQ R13, $1
	JE   row64
	VMOVDQU64 ·bytes8(SB), Z28
	VMOVDQU64 (BX), Z29
	FROMPLANES64(SI, words64)

words64:
	UNBYTES64
	JMP integers

row64:
	VMOVDQU64 ·wordsLow(SB), Z30
	VMOVDQU64 ·wordsHigh(SB), Z31
	FILL64(0xaaaaaaaaaaaaaaaa, Z16)
	JOIN64(0, Z8)
	JOIN64(32, Z9)
	JOIN64(64, Z10)
	JOIN64(96, Z11)
	JOIN64(128, Z12)
	JOIN64(160, Z13)
	JOIN64(192, Z14)
	JOIN64(224, Z15)

integers:
	VPSUBQ Z16, Z8, Z0
	VPSUBQ Z16, Z9, Z1
	VPSUBQ Z16, Z10, Z2
	VPSUBQ Z16, Z11, Z3
	VPSUBQ Z16, Z12, Z4
	VPSUBQ Z16, Z13, Z5
	VPSUBQ Z16, Z14, Z6
	VPSUBQ Z16, Z15, Z7
	TESTL $1, CX
	JNZ   lossless
	CMPQ  R13, $1
	JE    columns
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z0, Z2, Z4, Z6, Z16)
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z1, Z3, Z5, Z7, Z17)
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19)
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)

columns:
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z0, Z2, Z4, Z6, Z16)
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z1, Z3, Z5, Z7, Z17)
	JMP dequantize

lossless:
	CMPQ R13, $1
	JE   losslessColumns
	SUMS(VPADDQ, Z0, Z2, Z4, Z6)
	SUMS(VPADDQ, Z1, Z3, Z5, Z7)
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19)
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)

losslessColumns:
	SUMS(VPADDQ, Z0, Z2, Z4, Z6)
	SUMS(VPADDQ, Z1, Z3, Z5, Z7)

dequantize:
	TESTL $2, CX
	JZ    store
	MOVQ  exact+64(FP), AX
	KMOVQ AX, K1
	SHRQ  $8, AX
	KMOVQ AX, K2
	SCALES64(0, Z24, Z25, inverseScales)

inverseScales:
	DEQUANTIZE64(Z0, Z24, Z8, Z16, K1)
	DEQUANTIZE64(Z1, Z25, Z9, Z17, K2)
	DEQUANTIZE64(Z2, Z24, Z10, Z18, K1)
	DEQUANTIZE64(Z3, Z25, Z11, Z19, K2)
	DEQUANTIZE64(Z4, Z24, Z12, Z20, K1)
	DEQUANTIZE64(Z5, Z25, Z13, Z21, K2)
	DEQUANTIZE64(Z6, Z24, Z14, Z22, K1)
	DEQUANTIZE64(Z7, Z25, Z15, Z23, K2)

store:
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19)
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	VMOVDQU64 Z2, (DI)(R8*1)
	VMOVDQU64 Z3, 64(DI)(R8*1)
	VMOVDQU64 Z4, (DI)(R8*2)
	VMOVDQU64 Z5, 64(DI)(R8*2)
	VMOVDQU64 Z6, (DI)(R10*1)
	VMOVDQU64 Z7, 64(DI)(R10*1)
	VZEROUPPER
	RET
