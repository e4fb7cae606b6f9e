// Code generated from gather_amd64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "textflag.h"
#include "kernels_amd64.h"

// The kernels load four neighbouring blocks of three dimensions, so that each line of the
// processor's cache is loaded once. Rows that are a power of two apart lie at few places of
// the cache, and a line would be gone before the next block needs it.

// FOURSLICES32 loads four rows of a slice of four blocks, stores the slice of each block, and
// collects the largest magnitudes of the blocks in Z8 to Z11.
#define FOURSLICES32(at) \
	VMOVDQU32 (SI), Z0; \
	VMOVDQU32 (SI)(R8*1), Z1; \
	VMOVDQU32 (SI)(R8*2), Z2; \
	VMOVDQU32 (SI)(R10*1), Z3; \
	PREFETCHT0 64(SI); \
	PREFETCHT0 64(SI)(R8*1); \
	PREFETCHT0 64(SI)(R8*2); \
	PREFETCHT0 64(SI)(R10*1); \
	ADDQ R9, SI; \
	LANES(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7); \
	VMOVDQU32 Z0, at+0(DI); \
	VMOVDQU32 Z1, at+256(DI); \
	VMOVDQU32 Z2, at+512(DI); \
	VMOVDQU32 Z3, at+768(DI); \
	VPANDD Z12, Z0, Z0; \
	VPANDD Z12, Z1, Z1; \
	VPANDD Z12, Z2, Z2; \
	VPANDD Z12, Z3, Z3; \
	VPMAXUD Z0, Z8, Z8; \
	VPMAXUD Z1, Z9, Z9; \
	VPMAXUD Z2, Z10, Z10; \
	VPMAXUD Z3, Z11, Z11

// func gatherFour32(q *block[int32], largest *[16]int32, src unsafe.Pointer, sy, sz int)
TEXT ·gatherFour32(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ largest+8(FP), BX
	MOVQ src+16(FP), SI
	MOVQ sy+24(FP), R8
	MOVQ sz+32(FP), R9
	LEAQ (R8)(R8*2), R10
	FILL32(0x7fffffff, Z12)
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	FOURSLICES32(0)
	FOURSLICES32(64)
	FOURSLICES32(128)
	FOURSLICES32(192)
	LANES(Z8, Z9, Z10, Z11, Z4, Z5, Z6, Z7)
	VPMAXUD Z9, Z8, Z8
	VPMAXUD Z11, Z10, Z10
	VPMAXUD Z10, Z8, Z8
	VPSHUFD $0x4e, Z8, Z9
	VPMAXUD Z9, Z8, Z8
	VPSHUFD $0xb1, Z8, Z9
	VPMAXUD Z9, Z8, Z8
	VMOVDQU32 Z8, (BX)
	VZEROUPPER
	RET

// TWOROWS64 loads two rows of a slice of four blocks, stores those of each block, and
// collects the largest magnitudes of the blocks in Z8 to Z11.
#define TWOROWS64(row, next, at) \
	VMOVDQU64 row, Z0; \
	VMOVDQU64 next, Z1; \
	VSHUFI64X2 $0x44, Z1, Z0, Z2; \
	VSHUFI64X2 $0xee, Z1, Z0, Z3; \
	VMOVDQU64 64 row, Z0; \
	VMOVDQU64 64 next, Z1; \
	PREFETCHT0 128 row; \
	PREFETCHT0 192 row; \
	PREFETCHT0 128 next; \
	PREFETCHT0 192 next; \
	VSHUFI64X2 $0x44, Z1, Z0, Z4; \
	VSHUFI64X2 $0xee, Z1, Z0, Z5; \
	VMOVDQU64 Z2, at+0(DI); \
	VMOVDQU64 Z3, at+512(DI); \
	VMOVDQU64 Z4, at+1024(DI); \
	VMOVDQU64 Z5, at+1536(DI); \
	VPANDQ Z12, Z2, Z2; \
	VPANDQ Z12, Z3, Z3; \
	VPANDQ Z12, Z4, Z4; \
	VPANDQ Z12, Z5, Z5; \
	VPMAXUQ Z2, Z8, Z8; \
	VPMAXUQ Z3, Z9, Z9; \
	VPMAXUQ Z4, Z10, Z10; \
	VPMAXUQ Z5, Z11, Z11

#define FOURSLICES64(at) \
	TWOROWS64((SI), (SI)(R8*1), at); \
	TWOROWS64((SI)(R8*2), (SI)(R10*1), at+64); \
	ADDQ R9, SI

// func gatherFour64(q *block[int64], largest *[16]int64, src unsafe.Pointer, sy, sz int)
TEXT ·gatherFour64(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ largest+8(FP), BX
	MOVQ src+16(FP), SI
	MOVQ sy+24(FP), R8
	MOVQ sz+32(FP), R9
	LEAQ (R8)(R8*2), R10
	FILL64(0x7fffffffffffffff, Z12)
	VPXORQ Z8, Z8, Z8
	VPXORQ Z9, Z9, Z9
	VPXORQ Z10, Z10, Z10
	VPXORQ Z11, Z11, Z11
	FOURSLICES64(0)
	FOURSLICES64(128)
	FOURSLICES64(256)
	FOURSLICES64(384)
	LANES(Z8, Z9, Z10, Z11, Z4, Z5, Z6, Z7)
	VPMAXUQ Z9, Z8, Z8
	VPMAXUQ Z11, Z10, Z10
	VPMAXUQ Z10, Z8, Z8
	VPSHUFD $0x4e, Z8, Z9
	VPMAXUQ Z9, Z8, Z8
	VMOVDQU64 Z8, (BX)
	VZEROUPPER
	RET
