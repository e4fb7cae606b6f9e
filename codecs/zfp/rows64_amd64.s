//go:build !purego

#include "textflag.h"
#include "kernels_amd64.h"
#include "planes_amd64.h"

// The kernels of runs for elements of 64 bits: see rows32_amd64.s.

// HALFOP64 applies op to the four words of each half, to all of them.
#define HALFOP64(op, z, t) \
	VPERMQ $0x4e, z, t; \
	op     t, z, z;     \
	VPERMQ $0xb1, z, t; \
	op     t, z, z

// func gatherRows64(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, dims int)
TEXT ·gatherRows64(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ largest+8(FP), BX
	MOVQ src+16(FP), SI
	MOVQ sy+24(FP), R8
	MOVQ dims+32(FP), CX
	LEAQ (R8)(R8*2), R10
	VMOVDQU64 ·wordsLow(SB), Z30
	VMOVDQU64 ·wordsHigh(SB), Z31
	VMOVDQU64 (SI), Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 (SI)(R8*1), Z2
	VMOVDQU64 64(SI)(R8*1), Z3
	VMOVDQU64 (SI)(R8*2), Z4
	VMOVDQU64 64(SI)(R8*2), Z5
	VMOVDQU64 (SI)(R10*1), Z6
	VMOVDQU64 64(SI)(R10*1), Z7
	VMOVDQU64 Z0, 0(DI)
	VMOVDQU64 Z1, 64(DI)
	VMOVDQU64 Z2, 128(DI)
	VMOVDQU64 Z3, 192(DI)
	VMOVDQU64 Z4, 256(DI)
	VMOVDQU64 Z5, 320(DI)
	VMOVDQU64 Z6, 384(DI)
	VMOVDQU64 Z7, 448(DI)
	CMPQ CX, $1
	JNE  max64
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19)
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)

max64:
	FILL64(0x7fffffffffffffff, Z8)
	VPANDQ Z8, Z0, Z0
	VPANDQ Z8, Z1, Z1
	VPANDQ Z8, Z2, Z2
	VPANDQ Z8, Z3, Z3
	VPANDQ Z8, Z4, Z4
	VPANDQ Z8, Z5, Z5
	VPANDQ Z8, Z6, Z6
	VPANDQ Z8, Z7, Z7
	VPMAXUQ Z2, Z0, Z0
	VPMAXUQ Z6, Z4, Z4
	VPMAXUQ Z4, Z0, Z0
	VPMAXUQ Z3, Z1, Z1
	VPMAXUQ Z7, Z5, Z5
	VPMAXUQ Z5, Z1, Z1
	CMPQ CX, $1
	JE   largest64
	HALFOP64(VPMAXUQ, Z0, Z2)
	HALFOP64(VPMAXUQ, Z1, Z2)

largest64:
	VMOVDQU64 Z0, (BX)
	VMOVDQU64 Z1, 64(BX)
	VZEROUPPER
	RET

// QUANTIZE64 quantizes z to t by the scale s.
#define QUANTIZE64(z, s, t) \
	VMULPD     s, z, t; \
	VCVTTPD2QQ t, t

// SAME64 clears in k the words of z that do not come back from t by the scale s.
#define SAME64(z, s, t, u, k) \
	VCVTQQ2PD t, u;    \
	VMULPD    s, u, u; \
	VPCMPEQQ  u, z, k, k

// CHOOSE64 takes t for the words of z in k, the magnitudes of the others.
#define CHOOSE64(z, t, u, k) \
	MAGNITUDE64(z, u); \
	VMOVDQA64 t, k, z

// HALVES64 stores the lower halves of words, and the upper ones 256 bytes behind.
#define HALVES64(z, at) \
	VPMOVQD z, at(DI);   \
	VPSRLQ  $32, z, z;   \
	VPMOVQD z, at+256(DI)

// func forwardRows64(p *planes, q *block[int64], order *[64]uint8, r *run[int64], mode, bottom, dims int) int
TEXT ·forwardRows64(SB), NOSPLIT, $0-64
	MOVQ p+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ order+16(FP), BX
	MOVQ r+24(FP), R11
	MOVQ mode+32(FP), CX
	MOVQ bottom+40(FP), R12
	MOVQ dims+48(FP), R13
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
	// x is in the registers; blocks and, of two dimensions, y in the words.
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19)
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)
	XORL  AX, AX
	TESTL $2, CX
	JZ    transform
	SCALES64(0, Z24, Z25, forwardScales)

forwardScales:
	QUANTIZE64(Z0, Z24, Z8)
	QUANTIZE64(Z1, Z25, Z9)
	QUANTIZE64(Z2, Z24, Z10)
	QUANTIZE64(Z3, Z25, Z11)
	QUANTIZE64(Z4, Z24, Z12)
	QUANTIZE64(Z5, Z25, Z13)
	QUANTIZE64(Z6, Z24, Z14)
	QUANTIZE64(Z7, Z25, Z15)
	TESTL $4, CX
	JZ    integers

	// Where not all values of a block come back, their magnitudes are taken.
	SCALES64(128, Z26, Z27, backScales)

backScales:
	KXNORQ K1, K1, K1
	KXNORQ K2, K2, K2
	SAME64(Z0, Z26, Z8, Z16, K1)
	SAME64(Z1, Z27, Z9, Z17, K2)
	SAME64(Z2, Z26, Z10, Z18, K1)
	SAME64(Z3, Z27, Z11, Z19, K2)
	SAME64(Z4, Z26, Z12, Z20, K1)
	SAME64(Z5, Z27, Z13, Z21, K2)
	SAME64(Z6, Z26, Z14, Z22, K1)
	SAME64(Z7, Z27, Z15, Z23, K2)
	KMOVB K1, AX
	KMOVB K2, DX
	SHLL  $8, DX
	ORL   DX, AX
	CMPQ  R13, $1
	JE    choose
	LANEBITS(AX, DX)

choose:
	KMOVQ AX, K1
	MOVL  AX, DX
	SHRL  $8, DX
	KMOVQ DX, K2
	CHOOSE64(Z0, Z8, Z16, K1)
	CHOOSE64(Z1, Z9, Z17, K2)
	CHOOSE64(Z2, Z10, Z18, K1)
	CHOOSE64(Z3, Z11, Z19, K2)
	CHOOSE64(Z4, Z12, Z20, K1)
	CHOOSE64(Z5, Z13, Z21, K2)
	CHOOSE64(Z6, Z14, Z22, K1)
	CHOOSE64(Z7, Z15, Z23, K2)
	JMP transform

integers:
	VMOVDQA64 Z8, Z0
	VMOVDQA64 Z9, Z1
	VMOVDQA64 Z10, Z2
	VMOVDQA64 Z11, Z3
	VMOVDQA64 Z12, Z4
	VMOVDQA64 Z13, Z5
	VMOVDQA64 Z14, Z6
	VMOVDQA64 Z15, Z7

transform:
	MOVQ  AX, ret+56(FP)
	TESTL $1, CX
	JNZ   lossless
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z0, Z2, Z4, Z6, Z16)
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z1, Z3, Z5, Z7, Z17)
	CMPQ R13, $1
	JE   negabinary
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19)
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z0, Z2, Z4, Z6, Z16)
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z1, Z3, Z5, Z7, Z17)
	JMP negabinary

lossless:
	DELTAS(VPSUBQ, Z0, Z2, Z4, Z6)
	DELTAS(VPSUBQ, Z1, Z3, Z5, Z7)
	CMPQ R13, $1
	JE   negabinary
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19)
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)
	DELTAS(VPSUBQ, Z0, Z2, Z4, Z6)
	DELTAS(VPSUBQ, Z1, Z3, Z5, Z7)

negabinary:
	FILL64(0xaaaaaaaaaaaaaaaa, Z16)
	VPADDQ Z16, Z0, Z8
	VPADDQ Z16, Z1, Z9
	VPADDQ Z16, Z2, Z10
	VPADDQ Z16, Z3, Z11
	VPADDQ Z16, Z4, Z12
	VPADDQ Z16, Z5, Z13
	VPADDQ Z16, Z6, Z14
	VPADDQ Z16, Z7, Z15
	VPXORQ Z16, Z8, Z8
	VPXORQ Z16, Z9, Z9
	VPXORQ Z16, Z10, Z10
	VPXORQ Z16, Z11, Z11
	VPXORQ Z16, Z12, Z12
	VPXORQ Z16, Z13, Z13
	VPXORQ Z16, Z14, Z14
	VPXORQ Z16, Z15, Z15
	VPORQ Z10, Z8, Z16
	VPORQ Z14, Z12, Z17
	VPORQ Z17, Z16, Z16
	VPORQ Z11, Z9, Z18
	VPORQ Z15, Z13, Z19
	VPORQ Z19, Z18, Z17
	CMPQ R13, $1
	JE   bits64
	HALFOP64(VPORQ, Z16, Z18)
	HALFOP64(VPORQ, Z17, Z18)

bits64:
	VMOVDQU64 Z16, 256(R11)
	VMOVDQU64 Z17, 320(R11)
	CMPQ R13, $1
	JE   store
	VMOVDQU64 ·bytes8(SB), Z28
	VMOVDQU64 (BX), Z29
	BYTES64
	TOPLANES64(R12, done)
	JMP  done

store:
	HALVES64(Z8, 0)
	HALVES64(Z9, 32)
	HALVES64(Z10, 64)
	HALVES64(Z11, 96)
	HALVES64(Z12, 128)
	HALVES64(Z13, 160)
	HALVES64(Z14, 192)
	HALVES64(Z15, 224)

done:
	VZEROUPPER
	RET
