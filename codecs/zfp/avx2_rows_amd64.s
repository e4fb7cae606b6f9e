// Code generated from avx2_rows_amd64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "kernels_amd64.h"
#include "avx2_amd64.h"

// The kernels of runs: see rows_amd64.s, which says where blocks have their words. With
// 32 bits, a register has 8 words, half of a run; with 64 bits it has 4 words.

// TOALLY32 applies op to the four words of each block, to all of them.
#define TOALLY32(op, y, t) \
	VPSHUFD $0x4e, y, t; \
	op t, y, y; \
	VPSHUFD $0xb1, y, t; \
	op t, y, y

// func gatherRows32Short(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, dims int)
TEXT ·gatherRows32Short(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ largest+8(FP), BX
	MOVQ src+16(FP), SI
	MOVQ sy+24(FP), R8
	MOVQ dims+32(FP), CX
	LEAQ (R8)(R8*2), R10
	FILLY32(0x7fffffff, X8, Y8)
	MOVQ $2, DX

part:
	VMOVDQU (SI), Y0
	VMOVDQU (SI)(R8*1), Y1
	VMOVDQU (SI)(R8*2), Y2
	VMOVDQU (SI)(R10*1), Y3
	VMOVDQU Y0, 0(DI)
	VMOVDQU Y1, 64(DI)
	VMOVDQU Y2, 128(DI)
	VMOVDQU Y3, 192(DI)
	CMPQ CX, $1
	JNE  max
	WORDS32(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)

max:
	VPAND Y8, Y0, Y0
	VPAND Y8, Y1, Y1
	VPAND Y8, Y2, Y2
	VPAND Y8, Y3, Y3
	VPMAXUD Y1, Y0, Y0
	VPMAXUD Y3, Y2, Y2
	VPMAXUD Y2, Y0, Y0
	CMPQ CX, $1
	JE   largest
	TOALLY32(VPMAXUD, Y0, Y1)

largest:
	VMOVDQU Y0, (BX)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, BX
	DECQ DX
	JNZ  part
	VZEROUPPER
	RET

// TOALLY64 applies op to the four words of each block, to all of them.
#define TOALLY64(op, y, t) \
	VPERMQ $0x4e, y, t; \
	op t, y, y; \
	VPERMQ $0xb1, y, t; \
	op t, y, y

// func gatherRows64Short(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, dims int)
TEXT ·gatherRows64Short(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ largest+8(FP), BX
	MOVQ src+16(FP), SI
	MOVQ sy+24(FP), R8
	MOVQ dims+32(FP), CX
	LEAQ (R8)(R8*2), R10
	FILLY64(0x7fffffffffffffff, X8, Y8)
	MOVQ $4, DX

part:
	VMOVDQU (SI), Y0
	VMOVDQU (SI)(R8*1), Y1
	VMOVDQU (SI)(R8*2), Y2
	VMOVDQU (SI)(R10*1), Y3
	VMOVDQU Y0, 0(DI)
	VMOVDQU Y1, 128(DI)
	VMOVDQU Y2, 256(DI)
	VMOVDQU Y3, 384(DI)
	CMPQ CX, $1
	JNE  max
	QUADS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)

max:
	VPAND Y8, Y0, Y0
	VPAND Y8, Y1, Y1
	VPAND Y8, Y2, Y2
	VPAND Y8, Y3, Y3
	MAXY64(Y1, Y0, Y4)
	MAXY64(Y3, Y2, Y5)
	MAXY64(Y2, Y0, Y4)
	CMPQ CX, $1
	JE   largest
	VPERMQ $0x4e, Y0, Y1
	MAXY64(Y1, Y0, Y4)
	VPERMQ $0xb1, Y0, Y1
	MAXY64(Y1, Y0, Y4)

largest:
	VMOVDQU Y0, (BX)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, BX
	DECQ DX
	JNZ  part
	VZEROUPPER
	RET

// func forwardRows32Short(c *int32, q *block[int32], r *run[int32], mode, dims int) int
TEXT ·forwardRows32Short(SB), NOSPLIT, $0-48
	MOVQ c+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ r+16(FP), R11
	MOVQ mode+24(FP), CX
	MOVQ dims+32(FP), R13
	FILLY32(0xaaaaaaaa, X15, Y15)
	XORL R12, R12 // which words come back
	MOVQ $2, DX

half:
	VMOVDQU 0(SI), Y0
	VMOVDQU 64(SI), Y1
	VMOVDQU 128(SI), Y2
	VMOVDQU 192(SI), Y3
	// x is in the registers; blocks and, of two dimensions, y in the words.
	WORDS32(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	TESTL $2, CX
	JZ    transform
	VMOVDQU (R11), Y8   // scales
	VMOVDQU 64(R11), Y9 // scales that undo that
	CMPQ R13, $1
	JE   quantize
	VPSHUFD $0, Y8, Y8
	VPSHUFD $0, Y9, Y9

quantize:
	VMULPS     Y8, Y0, Y4
	VMULPS     Y8, Y1, Y5
	VMULPS     Y8, Y2, Y6
	VMULPS     Y8, Y3, Y7
	VCVTTPS2DQ Y4, Y4
	VCVTTPS2DQ Y5, Y5
	VCVTTPS2DQ Y6, Y6
	VCVTTPS2DQ Y7, Y7
	TESTL $4, CX
	JZ    integers

	// Where not all values of a block come back, their magnitudes are taken.
	VCVTDQ2PS Y4, Y10
	VCVTDQ2PS Y5, Y11
	VCVTDQ2PS Y6, Y12
	VCVTDQ2PS Y7, Y13
	VMULPS    Y9, Y10, Y10
	VMULPS    Y9, Y11, Y11
	VMULPS    Y9, Y12, Y12
	VMULPS    Y9, Y13, Y13
	VPCMPEQD  Y10, Y0, Y10
	VPCMPEQD  Y11, Y1, Y11
	VPCMPEQD  Y12, Y2, Y12
	VPCMPEQD  Y13, Y3, Y13
	VPAND     Y11, Y10, Y10
	VPAND     Y13, Y12, Y12
	VPAND     Y12, Y10, Y10
	CMPQ R13, $1
	JE   choose
	TOALLY32(VPAND, Y10, Y11)

choose:
	VMOVMSKPS Y10, AX
	SHRL $8, R12
	SHLL $8, AX
	ORL  AX, R12
	MAGNITUDEY32(Y0, Y11)
	MAGNITUDEY32(Y1, Y12)
	MAGNITUDEY32(Y2, Y13)
	MAGNITUDEY32(Y3, Y14)
	VBLENDVPS Y10, Y4, Y0, Y0
	VBLENDVPS Y10, Y5, Y1, Y1
	VBLENDVPS Y10, Y6, Y2, Y2
	VBLENDVPS Y10, Y7, Y3, Y3
	JMP transform

integers:
	VMOVDQA Y4, Y0
	VMOVDQA Y5, Y1
	VMOVDQA Y6, Y2
	VMOVDQA Y7, Y3

transform:
	TESTL $1, CX
	JNZ   lossless
	LIFTD(Y0, Y1, Y2, Y3, Y4)
	CMPQ R13, $1
	JE   negabinary
	WORDS32(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	LIFTD(Y0, Y1, Y2, Y3, Y4)
	JMP negabinary

lossless:
	DELTASD(Y0, Y1, Y2, Y3, Y4)
	CMPQ R13, $1
	JE   negabinary
	WORDS32(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	DELTASD(Y0, Y1, Y2, Y3, Y4)

negabinary:
	VPADDD Y15, Y0, Y0
	VPADDD Y15, Y1, Y1
	VPADDD Y15, Y2, Y2
	VPADDD Y15, Y3, Y3
	VPXOR Y15, Y0, Y0
	VPXOR Y15, Y1, Y1
	VPXOR Y15, Y2, Y2
	VPXOR Y15, Y3, Y3
	VMOVDQU Y0, 0(DI)
	VMOVDQU Y1, 64(DI)
	VMOVDQU Y2, 128(DI)
	VMOVDQU Y3, 192(DI)
	VPOR Y1, Y0, Y0
	VPOR Y3, Y2, Y2
	VPOR Y2, Y0, Y0
	CMPQ R13, $1
	JE   bits
	TOALLY32(VPOR, Y0, Y1)

bits:
	VMOVDQU Y0, 128(R11)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, R11
	DECQ DX
	JNZ  half
	MOVQ R12, ret+40(FP)
	VZEROUPPER
	RET

// func quantizeRows64Short(c, q *block[int64], r *run[int64], mode, dims int) int
TEXT ·quantizeRows64Short(SB), NOSPLIT, $0-48
	MOVQ c+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ r+16(FP), R11
	MOVQ mode+24(FP), CX
	MOVQ dims+32(FP), R8
	VPXOR Y6, Y6, Y6
	MOVL $8, R9
	CMPQ R8, $1
	JE   rows
	XORL R9, R9 // four rows have the same scale

rows:
	XORL BX, BX // the blocks that come back, at bit 15 the last one
	MOVQ $4, DX

quarter:
	MOVQ $4, R10
	MOVQ R11, R14

row:
	VBROADCASTSD (R14), Y4
	VMOVDQU (SI), Y5
	VMULPD Y4, Y5, Y0
	TESTL $4, CX
	JZ    quantize
	VBROADCASTSD 128(R14), Y4
	VMOVDQA Y0, Y1
	ROUNDTRIPY64(Y1, Y6, Y2)
	VMULPD Y4, Y1, Y1
	VPCMPEQQ Y5, Y1, Y1
	VMOVMSKPD Y1, AX
	INCL AX
	SHLL $11, AX // bit 15: all four come back
	SHRL $1, BX
	ANDL $(1<<15), AX
	ORL  AX, BX

quantize:
	QUANTIZEY64
	ADDQ R9, R14
	ADDQ $128, SI
	ADDQ $128, DI
	DECQ R10
	JNZ  row
	SUBQ $(512-32), SI
	SUBQ $(512-32), DI
	ADDQ $32, R11
	DECQ DX
	JNZ  quarter
	CMPQ R8, $1
	JE   magnitudes
	LANEBITS(BX, AX)

magnitudes:
	// Where not all values of a block come back, their magnitudes are taken.
	MOVQ BX, ret+40(FP)
	TESTL $4, CX
	JZ   done
	SUBQ $128, SI
	SUBQ $128, DI
	MOVQ $4, DX

magnitudeQuarter:
	MOVQ $4, R10

magnitudeRow:
	SHRL $1, BX
	JCS  next
	VMOVDQU (SI), Y0
	MAGNITUDEY64(Y0, Y1, Y6)
	VMOVDQU Y0, (DI)

next:
	ADDQ $128, SI
	ADDQ $128, DI
	DECQ R10
	JNZ  magnitudeRow
	SUBQ $(512-32), SI
	SUBQ $(512-32), DI
	DECQ DX
	JNZ  magnitudeQuarter

done:
	VZEROUPPER
	RET

// func transformRows64Short(p *planes, c *block[int64], r *run[int64], mode, dims int)
TEXT ·transformRows64Short(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), BX
	MOVQ c+8(FP), SI
	MOVQ r+16(FP), R11
	MOVQ mode+24(FP), CX
	MOVQ dims+32(FP), R13
	FILLY64(0x8000000000000000, X15, Y15)
	FILLY64(0x4000000000000000, X11, Y11)
	FILLY64(0xaaaaaaaaaaaaaaaa, X13, Y13)
	VMOVDQU ·halves8(SB), Y12
	MOVQ $4, DX

quarter:
	VMOVDQU 0(SI), Y0
	VMOVDQU 128(SI), Y1
	VMOVDQU 256(SI), Y2
	VMOVDQU 384(SI), Y3
	QUADS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	TESTL $1, CX
	JNZ   lossless
	LIFT64(Y0, Y1, Y2, Y3, Y4)
	CMPQ R13, $1
	JE   negabinary
	QUADS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	LIFT64(Y0, Y1, Y2, Y3, Y4)
	JMP  negabinary

lossless:
	DELTASQ(Y0, Y1, Y2, Y3, Y4)
	CMPQ R13, $1
	JE   negabinary
	QUADS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	DELTASQ(Y0, Y1, Y2, Y3, Y4)

negabinary:
	VPXOR Y14, Y14, Y14
	NEGAY64(Y0)
	NEGAY64(Y1)
	NEGAY64(Y2)
	NEGAY64(Y3)
	CMPQ R13, $1
	JE   store
	TOALLY64(VPOR, Y14, Y4)
	VMOVDQU Y14, 256(R11)
	VMOVDQU Y0, 0(SI)
	VMOVDQU Y1, 128(SI)
	VMOVDQU Y2, 256(SI)
	VMOVDQU Y3, 384(SI)
	JMP  next

	// The upper halves of words come 256 bytes behind the lower ones.
store:
	VMOVDQU Y14, 256(R11)
	VPERMD Y0, Y12, Y0
	VMOVDQU X0, 0(BX)
	VEXTRACTI128 $1, Y0, 256(BX)
	VPERMD Y1, Y12, Y1
	VMOVDQU X1, 64(BX)
	VEXTRACTI128 $1, Y1, 320(BX)
	VPERMD Y2, Y12, Y2
	VMOVDQU X2, 128(BX)
	VEXTRACTI128 $1, Y2, 384(BX)
	VPERMD Y3, Y12, Y3
	VMOVDQU X3, 192(BX)
	VEXTRACTI128 $1, Y3, 448(BX)

next:
	ADDQ $32, SI
	ADDQ $32, R11
	ADDQ $16, BX
	DECQ DX
	JNZ  quarter
	VZEROUPPER
	RET

// UNLIFTROWS32 is inverseLift of the vectors in Y0 to Y3.
#define UNLIFTROWS32 \
	UNLIFTD(Y0, Y1, Y2, Y3, Y4)

// func inverseRows32Short(dst unsafe.Pointer, sy int, c *int32, r *run[int32], mode, dims, exact int)
TEXT ·inverseRows32Short(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ sy+8(FP), R8
	LEAQ (R8)(R8*2), R10
	MOVQ c+16(FP), SI
	MOVQ r+24(FP), R11
	MOVQ mode+32(FP), CX
	MOVQ dims+40(FP), R13
	MOVQ exact+48(FP), R12
	FILLY32(0xaaaaaaaa, X15, Y15)
	MOVQ $2, DX

	// A row of blocks of one dimension still has its coefficients in negabinary. With 64 bits the upper
	// halves of words are 256 bytes behind the lower ones.
part:
	VMOVDQU 0(SI), Y0
	VMOVDQU 64(SI), Y1
	VMOVDQU 128(SI), Y2
	VMOVDQU 192(SI), Y3
	CMPQ R13, $1
	JNE  block
	VPXOR Y15, Y0, Y0
	VPXOR Y15, Y1, Y1
	VPXOR Y15, Y2, Y2
	VPXOR Y15, Y3, Y3
	VPSUBD Y15, Y0, Y0
	VPSUBD Y15, Y1, Y1
	VPSUBD Y15, Y2, Y2
	VPSUBD Y15, Y3, Y3
	TESTL $1, CX
	JZ    columns
	JMP   losslessColumns

block:
	TESTL $1, CX
	JNZ   lossless
	UNLIFTROWS32
	WORDS32(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)

columns:
	UNLIFTROWS32
	JMP dequantize

lossless:
	SUMSD(Y0, Y1, Y2, Y3, Y4)
	WORDS32(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)

losslessColumns:
	SUMSD(Y0, Y1, Y2, Y3, Y4)

dequantize:
	TESTL $2, CX
	JZ    store
	VMOVDQU (R11), Y8
	CMPQ R13, $1
	JE   floats
	VPSHUFD $0, Y8, Y8

floats:
	// The words that are quantized.
	VMOVD R12, X9
	VPBROADCASTD X9, Y9
	VPAND ·bits32(SB), Y9, Y9
	VPCMPEQD ·bits32(SB), Y9, Y9
	SHRL $8, R12
	VCVTDQ2PS Y0, Y4
	VCVTDQ2PS Y1, Y5
	VCVTDQ2PS Y2, Y6
	VCVTDQ2PS Y3, Y7
	VMULPS Y8, Y4, Y4
	VMULPS Y8, Y5, Y5
	VMULPS Y8, Y6, Y6
	VMULPS Y8, Y7, Y7
	MAGNITUDEY32(Y0, Y11)
	MAGNITUDEY32(Y1, Y12)
	MAGNITUDEY32(Y2, Y13)
	MAGNITUDEY32(Y3, Y14)
	VBLENDVPS Y9, Y4, Y0, Y0
	VBLENDVPS Y9, Y5, Y1, Y1
	VBLENDVPS Y9, Y6, Y2, Y2
	VBLENDVPS Y9, Y7, Y3, Y3

store:
	WORDS32(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, (DI)(R8*1)
	VMOVDQU Y2, (DI)(R8*2)
	VMOVDQU Y3, (DI)(R10*1)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, R11
	DECQ DX
	JNZ  part
	VZEROUPPER
	RET

// UNLIFTROWS64 is inverseLift of the vectors in Y0 to Y3.
#define UNLIFTROWS64 \
	UNLIFT64(Y0, Y1, Y2, Y3, Y4, Y5)

// func inverseRows64Short(dst unsafe.Pointer, sy int, p *planes, c *block[int64], r *run[int64], mode, dims, exact int)
TEXT ·inverseRows64Short(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ sy+8(FP), R8
	LEAQ (R8)(R8*2), R10
	MOVQ p+16(FP), BX
	MOVQ c+24(FP), SI
	MOVQ r+32(FP), R11
	MOVQ mode+40(FP), CX
	MOVQ dims+48(FP), R13
	FILLY64(0x8000000000000000, X15, Y15)
	FILLY64(0xaaaaaaaaaaaaaaaa, X11, Y11)
	FILLY64(1, X14, Y14)
	VPBROADCASTQ exact+56(FP), Y13
	VPXOR Y12, Y12, Y12
	MOVL $8, R9
	MOVQ $4, DX
	CMPQ R13, $1
	JE   part
	XORL R9, R9 // four rows have the same scale

	// A row of blocks of one dimension still has its coefficients in negabinary. With 64 bits the upper
	// halves of words are 256 bytes behind the lower ones.
part:
	CMPQ R13, $1
	JNE  block
	VPMOVZXDQ 0(BX), Y0
	VPMOVZXDQ 256(BX), Y4
	VPSLLQ    $32, Y4, Y4
	VPOR      Y4, Y0, Y0
	VPXOR     Y11, Y0, Y0
	VPSUBQ    Y11, Y0, Y0
	VPMOVZXDQ 64(BX), Y1
	VPMOVZXDQ 320(BX), Y5
	VPSLLQ    $32, Y5, Y5
	VPOR      Y5, Y1, Y1
	VPXOR     Y11, Y1, Y1
	VPSUBQ    Y11, Y1, Y1
	VPMOVZXDQ 128(BX), Y2
	VPMOVZXDQ 384(BX), Y6
	VPSLLQ    $32, Y6, Y6
	VPOR      Y6, Y2, Y2
	VPXOR     Y11, Y2, Y2
	VPSUBQ    Y11, Y2, Y2
	VPMOVZXDQ 192(BX), Y3
	VPMOVZXDQ 448(BX), Y7
	VPSLLQ    $32, Y7, Y7
	VPOR      Y7, Y3, Y3
	VPXOR     Y11, Y3, Y3
	VPSUBQ    Y11, Y3, Y3
	TESTL $1, CX
	JZ    columns
	JMP   losslessColumns

block:
	VMOVDQU 0(SI), Y0
	VMOVDQU 128(SI), Y1
	VMOVDQU 256(SI), Y2
	VMOVDQU 384(SI), Y3
	TESTL $1, CX
	JNZ   lossless
	UNLIFTROWS64
	QUADS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)

columns:
	UNLIFTROWS64
	JMP dequantize

lossless:
	SUMSQ(Y0, Y1, Y2, Y3, Y4)
	QUADS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)

losslessColumns:
	SUMSQ(Y0, Y1, Y2, Y3, Y4)

dequantize:
	QUADS(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	TESTL $2, CX
	JZ    store
	MOVQ R11, AX

	// Rows whose bit in Y14 is one of those in Y13 are multiplied by the scale at AX. Others take their
	// magnitudes.
	VMOVDQA   Y0, Y4
	FLOATY64(Y4, Y5, Y6)
	VBROADCASTSD (AX), Y5
	VMULPD    Y5, Y4, Y4
	MAGNITUDEY64(Y0, Y5, Y12)
	VPAND     Y14, Y13, Y5
	VPCMPEQQ  Y14, Y5, Y5
	VBLENDVPD Y5, Y4, Y0, Y0
	VPADDQ    Y14, Y14, Y14
	ADDQ      R9, AX
	VMOVDQA   Y1, Y4
	FLOATY64(Y4, Y5, Y6)
	VBROADCASTSD (AX), Y5
	VMULPD    Y5, Y4, Y4
	MAGNITUDEY64(Y1, Y5, Y12)
	VPAND     Y14, Y13, Y5
	VPCMPEQQ  Y14, Y5, Y5
	VBLENDVPD Y5, Y4, Y1, Y1
	VPADDQ    Y14, Y14, Y14
	ADDQ      R9, AX
	VMOVDQA   Y2, Y4
	FLOATY64(Y4, Y5, Y6)
	VBROADCASTSD (AX), Y5
	VMULPD    Y5, Y4, Y4
	MAGNITUDEY64(Y2, Y5, Y12)
	VPAND     Y14, Y13, Y5
	VPCMPEQQ  Y14, Y5, Y5
	VBLENDVPD Y5, Y4, Y2, Y2
	VPADDQ    Y14, Y14, Y14
	ADDQ      R9, AX
	VMOVDQA   Y3, Y4
	FLOATY64(Y4, Y5, Y6)
	VBROADCASTSD (AX), Y5
	VMULPD    Y5, Y4, Y4
	MAGNITUDEY64(Y3, Y5, Y12)
	VPAND     Y14, Y13, Y5
	VPCMPEQQ  Y14, Y5, Y5
	VBLENDVPD Y5, Y4, Y3, Y3
	VPADDQ    Y14, Y14, Y14
	ADDQ      R9, AX

store:
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, (DI)(R8*1)
	VMOVDQU Y2, (DI)(R8*2)
	VMOVDQU Y3, (DI)(R10*1)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, R11
	ADDQ $16, BX
	DECQ DX
	JNZ  part
	VZEROUPPER
	RET
