// Code generated from avx2_gather_amd64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx2_amd64.h"

// These kernels load four neighbouring blocks of three dimensions, for the reason that
// gather_amd64.s.kernels gives. A row of four blocks is two or four registers. Y12 to Y15 collect the
// largest magnitudes of the blocks.

// TWOROWS32 loads rows from and next of four blocks, stores those of each block, and collects magnitudes.
#define TWOROWS32(row, second, at) \
	VMOVDQU row, Y0; \
	VMOVDQU 32 row, Y1; \
	VMOVDQU second, Y2; \
	VMOVDQU 32 second, Y3; \
	PREFETCHT0 64 row; \
	PREFETCHT0 64 second; \
	VPERM2I128 $0x20, Y2, Y0, Y4; \
	VPERM2I128 $0x31, Y2, Y0, Y5; \
	VPERM2I128 $0x20, Y3, Y1, Y6; \
	VPERM2I128 $0x31, Y3, Y1, Y7; \
	VMOVDQU Y4, at+0(DI); \
	VMOVDQU Y5, at+256(DI); \
	VMOVDQU Y6, at+512(DI); \
	VMOVDQU Y7, at+768(DI); \
	VPAND   Y11, Y4, Y4; \
	VPAND   Y11, Y5, Y5; \
	VPAND   Y11, Y6, Y6; \
	VPAND   Y11, Y7, Y7; \
	VPMAXUD Y4, Y12, Y12; \
	VPMAXUD Y5, Y13, Y13; \
	VPMAXUD Y6, Y14, Y14; \
	VPMAXUD Y7, Y15, Y15

// func gatherFour32Short(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, sz int)
TEXT ·gatherFour32Short(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ largest+8(FP), BX
	MOVQ src+16(FP), SI
	MOVQ sy+24(FP), R8
	MOVQ sz+32(FP), R9
	LEAQ (R8)(R8*2), R10
	MOVQ $4, DX
	FILLY32(0x7fffffff, X11, Y11)
	VPXOR Y12, Y12, Y12
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15

slice:
	TWOROWS32((SI), (SI)(R8*1), 0)
	TWOROWS32((SI)(R8*2), (SI)(R10*1), 32)
	ADDQ R9, SI
	ADDQ $64, DI
	DECQ DX
	JNZ  slice
	VEXTRACTI128 $1, Y12, X0
	VPMAXUD X0, X12, X0
	VPSHUFD $0x4e, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPMAXUD X1, X0, X0
	VMOVD X0, 0(BX)
	VEXTRACTI128 $1, Y13, X0
	VPMAXUD X0, X13, X0
	VPSHUFD $0x4e, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPMAXUD X1, X0, X0
	VMOVD X0, 16(BX)
	VEXTRACTI128 $1, Y14, X0
	VPMAXUD X0, X14, X0
	VPSHUFD $0x4e, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPMAXUD X1, X0, X0
	VMOVD X0, 32(BX)
	VEXTRACTI128 $1, Y15, X0
	VPMAXUD X0, X15, X0
	VPSHUFD $0x4e, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPMAXUD X1, X0, X0
	VMOVD X0, 48(BX)
	VZEROUPPER
	RET

#define ROW64(row, at) \
	VMOVDQU 0 row, Y0; \
	VMOVDQU 32 row, Y1; \
	VMOVDQU 64 row, Y2; \
	VMOVDQU 96 row, Y3; \
	PREFETCHT0 128 row; \
	PREFETCHT0 192 row; \
	VMOVDQU Y0, at+0(DI); \
	VMOVDQU Y1, at+512(DI); \
	VMOVDQU Y2, at+1024(DI); \
	VMOVDQU Y3, at+1536(DI); \
	VPAND   Y11, Y0, Y0; \
	VPAND   Y11, Y1, Y1; \
	VPAND   Y11, Y2, Y2; \
	VPAND   Y11, Y3, Y3; \
	MAXY64(Y0, Y12, Y4); \
	MAXY64(Y1, Y13, Y5); \
	MAXY64(Y2, Y14, Y6); \
	MAXY64(Y3, Y15, Y7)

#define TWOROWS64(row, second, at) \
	ROW64(row, at); \
	ROW64(second, at+32)

// func gatherFour64Short(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, sz int)
TEXT ·gatherFour64Short(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ largest+8(FP), BX
	MOVQ src+16(FP), SI
	MOVQ sy+24(FP), R8
	MOVQ sz+32(FP), R9
	LEAQ (R8)(R8*2), R10
	MOVQ $4, DX
	FILLY64(0x7fffffffffffffff, X11, Y11)
	VPXOR Y12, Y12, Y12
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15

slice:
	TWOROWS64((SI), (SI)(R8*1), 0)
	TWOROWS64((SI)(R8*2), (SI)(R10*1), 64)
	ADDQ R9, SI
	ADDQ $128, DI
	DECQ DX
	JNZ  slice
	VEXTRACTI128 $1, Y12, X0
	MAXY64(X12, X0, X1)
	VPSHUFD $0x4e, X0, X1
	MAXY64(X1, X0, X2)
	VMOVQ X0, 0(BX)
	VEXTRACTI128 $1, Y13, X0
	MAXY64(X13, X0, X1)
	VPSHUFD $0x4e, X0, X1
	MAXY64(X1, X0, X2)
	VMOVQ X0, 16(BX)
	VEXTRACTI128 $1, Y14, X0
	MAXY64(X14, X0, X1)
	VPSHUFD $0x4e, X0, X1
	MAXY64(X1, X0, X2)
	VMOVQ X0, 32(BX)
	VEXTRACTI128 $1, Y15, X0
	MAXY64(X15, X0, X1)
	VPSHUFD $0x4e, X0, X1
	MAXY64(X1, X0, X2)
	VMOVQ X0, 48(BX)
	VZEROUPPER
	RET
