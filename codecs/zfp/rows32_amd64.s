//go:build !purego

#include "textflag.h"
#include "kernels_amd64.h"
#include "planes_amd64.h"

// The kernels of blocks with fewer dimensions work on 64 values at a time: 4
// rows of 16 elements with 4 blocks of two dimensions, or 16 blocks of one. A
// block is named by its place in a register of 16 words of 32 bits, or in two of
// 8 words of 64: block j of one dimension by word 4(j mod 4) + j/4, block j of
// two dimensions by words 4j to 4j+3. Words hold its scale, its largest
// magnitude and the like.

// LANEOP32 applies op to the four words of each lane, to all of them.
#define LANEOP32(op, z, t) \
	VPSHUFD $0x4e, z, t; \
	op      t, z, z;     \
	VPSHUFD $0xb1, z, t; \
	op      t, z, z

// SCALE32 loads the scales of a run, and goes to done; in two dimensions, R13,
// each for its lane.
#define SCALE32(at, z, done) \
	VMOVDQU32 at(R11), z; \
	CMPQ      R13, $1;    \
	JE        done;       \
	VPSHUFD   $0, z, z

// func gatherRows32(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, dims int)
TEXT ·gatherRows32(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ largest+8(FP), BX
	MOVQ src+16(FP), SI
	MOVQ sy+24(FP), R8
	MOVQ dims+32(FP), CX
	LEAQ (R8)(R8*2), R10
	VMOVDQU32 (SI), Z0
	VMOVDQU32 (SI)(R8*1), Z1
	VMOVDQU32 (SI)(R8*2), Z2
	VMOVDQU32 (SI)(R10*1), Z3
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, 64(DI)
	VMOVDQU32 Z2, 128(DI)
	VMOVDQU32 Z3, 192(DI)
	CMPQ CX, $1
	JNE  max32
	WORDS32(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)

max32:
	FILL32(0x7fffffff, Z4)
	VPANDD Z4, Z0, Z0
	VPANDD Z4, Z1, Z1
	VPANDD Z4, Z2, Z2
	VPANDD Z4, Z3, Z3
	VPMAXUD Z1, Z0, Z0
	VPMAXUD Z3, Z2, Z2
	VPMAXUD Z2, Z0, Z0
	CMPQ CX, $1
	JE   largest32
	LANEOP32(VPMAXUD, Z0, Z1)

largest32:
	VMOVDQU32 Z0, (BX)
	VZEROUPPER
	RET

// func forwardRows32(p *planes, q *block[int32], order *[64]uint8, r *run[int32], mode, bottom, dims int) int
TEXT ·forwardRows32(SB), NOSPLIT, $0-64
	MOVQ p+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ order+16(FP), BX
	MOVQ r+24(FP), R11
	MOVQ mode+32(FP), CX
	MOVQ bottom+40(FP), R12
	MOVQ dims+48(FP), R13
	VMOVDQU32 (SI), Z0
	VMOVDQU32 64(SI), Z1
	VMOVDQU32 128(SI), Z2
	VMOVDQU32 192(SI), Z3
	// x is in the registers; blocks and, of two dimensions, y in the words.
	WORDS32(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	XORL  AX, AX
	TESTL $2, CX
	JZ    transform
	SCALE32(0, Z8, forwardScale)

forwardScale:
	VMULPS     Z8, Z0, Z4
	VMULPS     Z8, Z1, Z5
	VMULPS     Z8, Z2, Z6
	VMULPS     Z8, Z3, Z7
	VCVTTPS2DQ Z4, Z4
	VCVTTPS2DQ Z5, Z5
	VCVTTPS2DQ Z6, Z6
	VCVTTPS2DQ Z7, Z7
	TESTL $4, CX
	JZ    integers

	// Where not all values of a block come back, their magnitudes are taken.
	SCALE32(64, Z8, backScale)

backScale:
	VCVTDQ2PS Z4, Z9
	VCVTDQ2PS Z5, Z10
	VCVTDQ2PS Z6, Z11
	VCVTDQ2PS Z7, Z12
	VMULPS    Z8, Z9, Z9
	VMULPS    Z8, Z10, Z10
	VMULPS    Z8, Z11, Z11
	VMULPS    Z8, Z12, Z12
	VPCMPEQD  Z9, Z0, K1
	VPCMPEQD  Z10, Z1, K1, K1
	VPCMPEQD  Z11, Z2, K1, K1
	VPCMPEQD  Z12, Z3, K1, K1
	KMOVW K1, AX
	CMPQ R13, $1
	JE   blend
	LANEBITS(AX, DX)

blend:
	KMOVW AX, K1
	MAGNITUDE32(Z0, Z8)
	MAGNITUDE32(Z1, Z8)
	MAGNITUDE32(Z2, Z8)
	MAGNITUDE32(Z3, Z8)
	VMOVDQA32 Z4, K1, Z0
	VMOVDQA32 Z5, K1, Z1
	VMOVDQA32 Z6, K1, Z2
	VMOVDQA32 Z7, K1, Z3
	JMP transform

integers:
	VMOVDQA64 Z4, Z0
	VMOVDQA64 Z5, Z1
	VMOVDQA64 Z6, Z2
	VMOVDQA64 Z7, Z3

transform:
	MOVQ AX, ret+56(FP)
	TESTL $1, CX
	JNZ   lossless
	LIFT(VPADDD, VPSUBD, VPSRAD, Z0, Z1, Z2, Z3, Z4)
	CMPQ R13, $1
	JE   negabinary
	WORDS32(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	LIFT(VPADDD, VPSUBD, VPSRAD, Z0, Z1, Z2, Z3, Z4)
	JMP negabinary

lossless:
	DELTAS(VPSUBD, Z0, Z1, Z2, Z3)
	CMPQ R13, $1
	JE   negabinary
	WORDS32(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	DELTAS(VPSUBD, Z0, Z1, Z2, Z3)

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
	CMPQ R13, $1
	JE   bits32
	LANEOP32(VPORD, Z5, Z6)

bits32:
	VMOVDQU32 Z5, 128(R11)
	CMPQ R13, $1
	JE   store
	TOPLANES32(R12, done)
	JMP  done

store:
	VMOVDQU32 Z0, 0(DI)
	VMOVDQU32 Z1, 64(DI)
	VMOVDQU32 Z2, 128(DI)
	VMOVDQU32 Z3, 192(DI)

done:
	VZEROUPPER
	RET

// func inverseRows32(dst unsafe.Pointer, sy int, p *planes, order *[4][64]uint8, r *run[int32], mode, bottom, dims, exact int)
TEXT ·inverseRows32(SB), NOSPLIT, $0-72
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
	JE   row32
	FROMPLANES32(SI, word32)

word32:
	SORTBYTES32
	JMP integers

row32:
	FILL32(0xaaaaaaaa, Z13)
	VPXORD 0(DX), Z13, Z0
	VPXORD 64(DX), Z13, Z1
	VPXORD 128(DX), Z13, Z2
	VPXORD 192(DX), Z13, Z3
	VPSUBD Z13, Z0, Z0
	VPSUBD Z13, Z1, Z1
	VPSUBD Z13, Z2, Z2
	VPSUBD Z13, Z3, Z3

integers:
	TESTL $1, CX
	JNZ   lossless
	CMPQ  R13, $1
	JE    columns
	UNLIFT(VPADDD, VPSUBD, VPSRAD, Z0, Z1, Z2, Z3, Z4)
	WORDS32(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)

columns:
	UNLIFT(VPADDD, VPSUBD, VPSRAD, Z0, Z1, Z2, Z3, Z4)
	JMP dequantize

lossless:
	CMPQ R13, $1
	JE   losslessColumns
	SUMS(VPADDD, Z0, Z1, Z2, Z3)
	WORDS32(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)

losslessColumns:
	SUMS(VPADDD, Z0, Z1, Z2, Z3)

dequantize:
	TESTL $2, CX
	JZ    store
	MOVQ  exact+64(FP), AX
	KMOVW AX, K1
	SCALE32(0, Z8, inverseScale)

inverseScale:
	VCVTDQ2PS Z0, Z4
	VCVTDQ2PS Z1, Z5
	VCVTDQ2PS Z2, Z6
	VCVTDQ2PS Z3, Z7
	MAGNITUDE32(Z0, Z9)
	MAGNITUDE32(Z1, Z9)
	MAGNITUDE32(Z2, Z9)
	MAGNITUDE32(Z3, Z9)
	VMULPS Z8, Z4, K1, Z0
	VMULPS Z8, Z5, K1, Z1
	VMULPS Z8, Z6, K1, Z2
	VMULPS Z8, Z7, K1, Z3

store:
	WORDS32(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, (DI)(R8*1)
	VMOVDQU32 Z2, (DI)(R8*2)
	VMOVDQU32 Z3, (DI)(R10*1)
	VZEROUPPER
	RET
