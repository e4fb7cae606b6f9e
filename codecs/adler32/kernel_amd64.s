//go:build !purego

#include "textflag.h"

// How often each of 64 bytes counts: 64, 63, …, 1.
DATA weights<>+0(SB)/8, $0x393a3b3c3d3e3f40
DATA weights<>+8(SB)/8, $0x3132333435363738
DATA weights<>+16(SB)/8, $0x292a2b2c2d2e2f30
DATA weights<>+24(SB)/8, $0x2122232425262728
DATA weights<>+32(SB)/8, $0x191a1b1c1d1e1f20
DATA weights<>+40(SB)/8, $0x1112131415161718
DATA weights<>+48(SB)/8, $0x090a0b0c0d0e0f10
DATA weights<>+56(SB)/8, $0x0102030405060708
GLOBL weights<>(SB), RODATA|NOPTR, $64

// func products(data *byte, n int) (lower, upper uint64)
//
// Y0 is the sum of the bytes, in four parts. Y1 is the sum of all values that Y0 had before each
// 64 bytes: each earlier byte counts 64 times more for each further 64 bytes. Y2 and Y3 are
// sums of products within 64 bytes, in sixteen parts of 32 bits. 64 bytes add at most
// 255·(64+63+62+61) to a part, so a mebibyte fits.
TEXT ·products(SB), NOSPLIT, $0-32
	MOVQ data+0(FP), SI
	MOVQ n+8(FP), CX
	ADDQ SI, CX
	VMOVDQU weights<>+0(SB), Y8
	VMOVDQU weights<>+32(SB), Y9
	VPCMPEQW Y10, Y10, Y10
	VPSRLW $15, Y10, Y10      // ones of 16 bits
	VPXOR Y11, Y11, Y11
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

next:
	VMOVDQU (SI), Y4
	VMOVDQU 32(SI), Y5
	VPADDQ Y0, Y1, Y1
	VPSADBW Y11, Y4, Y6
	VPSADBW Y11, Y5, Y7
	VPMADDUBSW Y8, Y4, Y4     // unsigned bytes times signed weights; two products fit in 16 bits
	VPMADDUBSW Y9, Y5, Y5
	VPADDQ Y6, Y7, Y6
	VPMADDWD Y10, Y4, Y4
	VPMADDWD Y10, Y5, Y5
	VPADDQ Y6, Y0, Y0
	VPADDD Y4, Y2, Y2
	VPADDD Y5, Y3, Y3
	ADDQ $64, SI
	CMPQ SI, CX
	JB next

	// All parts together, in 64 bits.
	VPSLLQ $6, Y1, Y1
	VPUNPCKLDQ Y11, Y2, Y4
	VPUNPCKHDQ Y11, Y2, Y2
	VPUNPCKLDQ Y11, Y3, Y5
	VPUNPCKHDQ Y11, Y3, Y3
	VPADDQ Y4, Y1, Y1
	VPADDQ Y2, Y5, Y2
	VPADDQ Y3, Y1, Y1
	VPADDQ Y2, Y1, Y1
	VEXTRACTI128 $1, Y0, X4
	VEXTRACTI128 $1, Y1, X5
	VPADDQ X4, X0, X0
	VPADDQ X5, X1, X1
	VPSHUFD $0xee, X0, X4
	VPSHUFD $0xee, X1, X5
	VPADDQ X4, X0, X0
	VPADDQ X5, X1, X1
	VMOVQ X0, AX
	VMOVQ X1, DX
	VZEROUPPER
	MOVQ AX, lower+16(FP)
	MOVQ DX, upper+24(FP)
	RET
