// Code generated from kernels_amd64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "textflag.h"
#include "kernels_amd64.h"
#include "planes_amd64.h"

// A maximum, or the bits of all words, are those of pairs of registers first, then of fours and eights.

// ONEWORD32 makes one word of those in a register, and puts it into AX. x, y and z are the register and its
// lower parts, s, t and u those of a scratch register.
#define ONEWORD32(op, x, y, z, s, t, u) \
	VEXTRACTI64X4 $1, z, t; \
	op t, y, y; \
	VEXTRACTI128 $1, y, s; \
	op s, x, x; \
	VPSHUFD $0x4e, x, s; \
	op s, x, x; \
	VPSHUFD $0xb1, x, s; \
	op s, x, x; \
	VMOVD x, AX

// func gather32(q, src unsafe.Pointer, sy, sz int) int32
TEXT ·gather32(SB), NOSPLIT, $0-36
	MOVQ q+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ sy+16(FP), R8
	MOVQ sz+24(FP), R9
	LEAQ (R8)(R8*2), R10
	LOAD32(X0, Z0)
	LOAD32(X1, Z1)
	LOAD32(X2, Z2)
	LOAD32(X3, Z3)
	VMOVDQU32 Z0, 0(DI)
	VMOVDQU32 Z1, 64(DI)
	VMOVDQU32 Z2, 128(DI)
	VMOVDQU32 Z3, 192(DI)
	FILL32(0x7fffffff, Z4)
	VPANDD Z4, Z0, Z0
	VPANDD Z4, Z1, Z1
	VPANDD Z4, Z2, Z2
	VPANDD Z4, Z3, Z3
	VPMAXUD Z1, Z0, Z0
	VPMAXUD Z3, Z2, Z2
	VPMAXUD Z2, Z0, Z0
	ONEWORD32(VPMAXUD, X0, Y0, Z0, X1, Y1, Z1)
	MOVL AX, ret+32(FP)
	VZEROUPPER
	RET

// EXACT32 quantizes the floats of a register, and collects in K1 which come back.
#define EXACT32(at) \
	VMOVDQU32 at(SI), Z0; \
	VMULPS Z4, Z0, Z1; \
	VCVTTPS2DQ Z1, Z1; \
	VMOVDQU32 Z1, at(DI); \
	VCVTDQ2PS Z1, Z1; \
	VMULPS Z5, Z1, Z1; \
	VPCMPEQD Z1, Z0, K1, K1

// func exact32(c *block[int32], q *int32, scale, back float32) bool
TEXT ·exact32(SB), NOSPLIT, $0-25
	MOVQ c+0(FP), DI
	MOVQ q+8(FP), SI
	VBROADCASTSS scale+16(FP), Z4
	VBROADCASTSS back+20(FP), Z5
	KXNORQ K1, K1, K1
	EXACT32(0)
	EXACT32(64)
	EXACT32(128)
	EXACT32(192)
	KMOVW K1, AX
	CMPW  AX, $0xffff
	SETEQ ret+24(FP)
	VZEROUPPER
	RET

// func forward32(p *planes, q *int32, order *[64]uint8, scale float32, mode, bottom int) int32
TEXT ·forward32(SB), NOSPLIT, $0-52
	MOVQ p+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ order+16(FP), BX
	MOVQ mode+32(FP), CX
	VMOVDQU32 0(SI), Z0
	VMOVDQU32 64(SI), Z1
	VMOVDQU32 128(SI), Z2
	VMOVDQU32 192(SI), Z3
	TESTL $2, CX
	JZ    noQuantize
	VBROADCASTSS scale+24(FP), Z4
	VMULPS Z4, Z0, Z0
	VMULPS Z4, Z1, Z1
	VMULPS Z4, Z2, Z2
	VMULPS Z4, Z3, Z3
	VCVTTPS2DQ Z0, Z0
	VCVTTPS2DQ Z1, Z1
	VCVTTPS2DQ Z2, Z2
	VCVTTPS2DQ Z3, Z3

noQuantize:
	TESTL $4, CX
	JZ    noMagnitude
	MAGNITUDE32(Z0, Z4)
	MAGNITUDE32(Z1, Z4)
	MAGNITUDE32(Z2, Z4)
	MAGNITUDE32(Z3, Z4)

noMagnitude:
	TESTL $1, CX
	JNZ   lossless
	FORWARD32(LIFTD)
	JMP negabinary

lossless:
	FORWARD32(DELTASD)

negabinary:
	FILL32(0xaaaaaaaa, Z4)
	VPADDD Z4, Z0, Z0
	VPADDD Z4, Z1, Z1
	VPADDD Z4, Z2, Z2
	VPADDD Z4, Z3, Z3
	VPXORD Z4, Z0, Z0
	VPXORD Z4, Z1, Z1
	VPXORD Z4, Z2, Z2
	VPXORD Z4, Z3, Z3
	VPORD Z1, Z0, Z5
	VPORD Z3, Z2, Z6
	VPORD Z6, Z5, Z5
	ONEWORD32(VPOR, X5, Y5, Z5, X6, Y6, Z6)
	MOVL AX, ret+48(FP)
	MOVQ bottom+40(FP), CX
	TOPLANES32(CX, done)

done:
	VZEROUPPER
	RET

// func inverse32(dst unsafe.Pointer, sy, sz int, p *planes, order *[4][64]uint8, scale float32, mode, bottom int)
TEXT ·inverse32(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ sy+8(FP), R8
	MOVQ sz+16(FP), R9
	LEAQ (R8)(R8*2), R10
	MOVQ p+24(FP), DX
	MOVQ order+32(FP), BX
	MOVQ mode+48(FP), CX
	MOVQ bottom+56(FP), SI
	FROMPLANES32(SI, words)

words:
	SORTBYTES32
	TESTL $1, CX
	JNZ   lossless
	INVERSE32(UNLIFTD)
	JMP dequantize

lossless:
	INVERSE32(SUMSD)

dequantize:
	TESTL $2, CX
	JZ    noDequantize
	VBROADCASTSS scale+40(FP), Z4
	FLOAT32(Z4, Z0)
	FLOAT32(Z4, Z1)
	FLOAT32(Z4, Z2)
	FLOAT32(Z4, Z3)

noDequantize:
	TESTL $4, CX
	JZ    store
	MAGNITUDE32(Z0, Z4)
	MAGNITUDE32(Z1, Z4)
	MAGNITUDE32(Z2, Z4)
	MAGNITUDE32(Z3, Z4)

store:
	SLICE32(X0, Z0)
	SLICE32(X1, Z1)
	SLICE32(X2, Z2)
	SLICE32(X3, Z3)
	VZEROUPPER
	RET

// A maximum, or the bits of all words, are those of pairs of registers first, then of fours and eights.

// ONEWORD64 makes one word of those in a register, and puts it into AX. x, y and z are the register and its
// lower parts, s, t and u those of a scratch register.
#define ONEWORD64(op, x, y, z, s, t, u) \
	VSHUFI64X2 $0x4e, z, z, u; \
	op u, z, z; \
	VSHUFI64X2 $0xb1, z, z, u; \
	op u, z, z; \
	VPSHUFD $0x4e, z, u; \
	op u, z, z; \
	VMOVQ x, AX

// func gather64(q, src unsafe.Pointer, sy, sz int) int64
TEXT ·gather64(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ sy+16(FP), R8
	MOVQ sz+24(FP), R9
	LEAQ (R8)(R8*2), R10
	VMOVDQU      (SI), Y0
	VINSERTI64X4 $1, (SI)(R8*1), Z0, Z0
	VMOVDQU      (SI)(R8*2), Y1
	VINSERTI64X4 $1, (SI)(R10*1), Z1, Z1
	ADDQ         R9, SI
	VMOVDQU      (SI), Y2
	VINSERTI64X4 $1, (SI)(R8*1), Z2, Z2
	VMOVDQU      (SI)(R8*2), Y3
	VINSERTI64X4 $1, (SI)(R10*1), Z3, Z3
	ADDQ         R9, SI
	VMOVDQU      (SI), Y4
	VINSERTI64X4 $1, (SI)(R8*1), Z4, Z4
	VMOVDQU      (SI)(R8*2), Y5
	VINSERTI64X4 $1, (SI)(R10*1), Z5, Z5
	ADDQ         R9, SI
	VMOVDQU      (SI), Y6
	VINSERTI64X4 $1, (SI)(R8*1), Z6, Z6
	VMOVDQU      (SI)(R8*2), Y7
	VINSERTI64X4 $1, (SI)(R10*1), Z7, Z7
	ADDQ         R9, SI
	VMOVDQU64 Z0, 0(DI)
	VMOVDQU64 Z1, 64(DI)
	VMOVDQU64 Z2, 128(DI)
	VMOVDQU64 Z3, 192(DI)
	VMOVDQU64 Z4, 256(DI)
	VMOVDQU64 Z5, 320(DI)
	VMOVDQU64 Z6, 384(DI)
	VMOVDQU64 Z7, 448(DI)
	FILL64(0x7fffffffffffffff, Z8)
	VPANDQ Z8, Z0, Z0
	VPANDQ Z8, Z1, Z1
	VPANDQ Z8, Z2, Z2
	VPANDQ Z8, Z3, Z3
	VPANDQ Z8, Z4, Z4
	VPANDQ Z8, Z5, Z5
	VPANDQ Z8, Z6, Z6
	VPANDQ Z8, Z7, Z7
	VPMAXUQ Z1, Z0, Z0
	VPMAXUQ Z3, Z2, Z2
	VPMAXUQ Z5, Z4, Z4
	VPMAXUQ Z7, Z6, Z6
	VPMAXUQ Z2, Z0, Z0
	VPMAXUQ Z6, Z4, Z4
	VPMAXUQ Z4, Z0, Z0
	ONEWORD64(VPMAXUQ, X0, Y0, Z0, X1, Y1, Z1)
	MOVQ AX, ret+32(FP)
	VZEROUPPER
	RET

// EXACT64 quantizes the floats of a register, and collects in K1 which come back.
#define EXACT64(at) \
	VMOVDQU64 at(SI), Z0; \
	VMULPD Z4, Z0, Z1; \
	VCVTTPD2QQ Z1, Z1; \
	VMOVDQU64 Z1, at(DI); \
	VCVTQQ2PD Z1, Z1; \
	VMULPD Z5, Z1, Z1; \
	VPCMPEQQ Z1, Z0, K1, K1

// func exact64(c *block[int64], q *int64, scale, back float64) bool
TEXT ·exact64(SB), NOSPLIT, $0-33
	MOVQ c+0(FP), DI
	MOVQ q+8(FP), SI
	VBROADCASTSD scale+16(FP), Z4
	VBROADCASTSD back+24(FP), Z5
	KXNORQ K1, K1, K1
	EXACT64(0)
	EXACT64(64)
	EXACT64(128)
	EXACT64(192)
	EXACT64(256)
	EXACT64(320)
	EXACT64(384)
	EXACT64(448)
	KMOVQ K1, AX
	CMPB  AX, $0xff
	SETEQ ret+32(FP)
	VZEROUPPER
	RET

// func forward64(p *planes, q *int64, order *[64]uint8, scale float64, mode, bottom int) int64
TEXT ·forward64(SB), NOSPLIT, $0-56
	MOVQ p+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ order+16(FP), BX
	MOVQ mode+32(FP), CX
	VMOVDQU64 ·wordsLow(SB), Z30
	VMOVDQU64 ·wordsHigh(SB), Z31
	VMOVDQU64 0(SI), Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3
	VMOVDQU64 256(SI), Z4
	VMOVDQU64 320(SI), Z5
	VMOVDQU64 384(SI), Z6
	VMOVDQU64 448(SI), Z7
	TESTL $2, CX
	JZ    noQuantize
	VBROADCASTSD scale+24(FP), Z16
	VMULPD Z16, Z0, Z0
	VMULPD Z16, Z1, Z1
	VMULPD Z16, Z2, Z2
	VMULPD Z16, Z3, Z3
	VMULPD Z16, Z4, Z4
	VMULPD Z16, Z5, Z5
	VMULPD Z16, Z6, Z6
	VMULPD Z16, Z7, Z7
	VCVTTPD2QQ Z0, Z0
	VCVTTPD2QQ Z1, Z1
	VCVTTPD2QQ Z2, Z2
	VCVTTPD2QQ Z3, Z3
	VCVTTPD2QQ Z4, Z4
	VCVTTPD2QQ Z5, Z5
	VCVTTPD2QQ Z6, Z6
	VCVTTPD2QQ Z7, Z7

noQuantize:
	TESTL $4, CX
	JZ    noMagnitude
	MAGNITUDE64(Z0, Z16)
	MAGNITUDE64(Z1, Z17)
	MAGNITUDE64(Z2, Z18)
	MAGNITUDE64(Z3, Z19)
	MAGNITUDE64(Z4, Z20)
	MAGNITUDE64(Z5, Z21)
	MAGNITUDE64(Z6, Z22)
	MAGNITUDE64(Z7, Z23)

noMagnitude:
	TESTL $1, CX
	JNZ   lossless
	FORWARD64(LIFTQ)
	JMP negabinary

lossless:
	FORWARD64(DELTASQ)

negabinary:
	FILL64(0xaaaaaaaaaaaaaaaa, Z16)
	VPADDQ Z16, Z8, Z8
	VPADDQ Z16, Z9, Z9
	VPADDQ Z16, Z10, Z10
	VPADDQ Z16, Z11, Z11
	VPADDQ Z16, Z12, Z12
	VPADDQ Z16, Z13, Z13
	VPADDQ Z16, Z14, Z14
	VPADDQ Z16, Z15, Z15
	VPXORQ Z16, Z8, Z8
	VPXORQ Z16, Z9, Z9
	VPXORQ Z16, Z10, Z10
	VPXORQ Z16, Z11, Z11
	VPXORQ Z16, Z12, Z12
	VPXORQ Z16, Z13, Z13
	VPXORQ Z16, Z14, Z14
	VPXORQ Z16, Z15, Z15
	VPORQ Z9, Z8, Z16
	VPORQ Z11, Z10, Z17
	VPORQ Z13, Z12, Z18
	VPORQ Z15, Z14, Z19
	VPORQ Z17, Z16, Z16
	VPORQ Z19, Z18, Z18
	VPORQ Z18, Z16, Z16
	ONEWORD64(VPORQ, X16, Y16, Z16, X17, Y17, Z17)
	MOVQ AX, ret+48(FP)

	// Equal bytes of the eight words of each register, then of all registers.
	VMOVDQU64 ·bytes8(SB), Z28
	VMOVDQU64 (BX), Z29
	BYTES64
	MOVQ bottom+40(FP), CX
	TOPLANES64(CX, done)

done:
	VZEROUPPER
	RET

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
	FROMPLANES64(SI, words)

words:
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
	INVERSE64(UNLIFTQ)
	JMP dequantize

lossless:
	INVERSE64(SUMSQ)

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
