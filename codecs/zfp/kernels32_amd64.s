//go:build !purego

#include "textflag.h"
#include "kernels_amd64.h"
#include "planes_amd64.h"

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
	VMOVDQU32 Z0, (DI)
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
	VEXTRACTI64X4 $1, Z0, Y1
	VPMAXUD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPMAXUD X1, X0, X0
	VMOVD X0, AX
	MOVL AX, ret+32(FP)
	VZEROUPPER
	RET

// EXACT32 quantizes 16 floats, and collects in K1 which come back.
#define EXACT32(at) \
	VMOVDQU32  at(SI), Z0;     \
	VMULPS     Z4, Z0, Z1;     \
	VCVTTPS2DQ Z1, Z1;         \
	VMOVDQU32  Z1, at(DI);     \
	VCVTDQ2PS  Z1, Z1;         \
	VMULPS     Z5, Z1, Z1;     \
	VPCMPEQD   Z1, Z0, K1, K1

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
	VMOVDQU32 (SI), Z0
	VMOVDQU32 64(SI), Z1
	VMOVDQU32 128(SI), Z2
	VMOVDQU32 192(SI), Z3
	TESTL $2, CX
	JZ    noQuantize
	VBROADCASTSS scale+24(FP), Z4
	VMULPS     Z4, Z0, Z0
	VMULPS     Z4, Z1, Z1
	VMULPS     Z4, Z2, Z2
	VMULPS     Z4, Z3, Z3
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
	FORWARD32(Z0, Z1, Z2, Z3)
	JMP negabinary

lossless:
	DIFFER32(Z0, Z1, Z2, Z3)

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
	VEXTRACTI64X4 $1, Z5, Y6
	VPOR Y6, Y5, Y5
	VEXTRACTI128 $1, Y5, X6
	VPOR X6, X5, X5
	VPSHUFD $0x4e, X5, X6
	VPOR X6, X5, X5
	VPSHUFD $0xb1, X5, X6
	VPOR X6, X5, X5
	VMOVD X5, AX
	MOVL AX, ret+48(FP)

	MOVQ bottom+40(FP), CX
	TOPLANES32(CX, forward32Done)

forward32Done:
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
	FROMPLANES32(SI, word32)

word32:
	SORTBYTES32
	TESTL $1, CX
	JNZ   lossless
	INVERSE32(Z0, Z1, Z2, Z3)
	JMP dequantize

lossless:
	RESTORE32(Z0, Z1, Z2, Z3)

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
	JZ    store32
	MAGNITUDE32(Z0, Z4)
	MAGNITUDE32(Z1, Z4)
	MAGNITUDE32(Z2, Z4)
	MAGNITUDE32(Z3, Z4)

store32:
	SLICE32(X0, Z0)
	SLICE32(X1, Z1)
	SLICE32(X2, Z2)
	SLICE32(X3, Z3)
	VZEROUPPER
	RET
