//go:build !purego

#include "textflag.h"

// Counts the two lowest bytes of AX, in the tables of their places. The second byte of a register can
// be moved only to one of the first eight registers.
#define PAIR(table) \
	MOVBLZX AL, BX            \
	MOVBLZX AH, CX            \
	INCL    table(DX)(BX*4)   \
	INCL    (table+1024)(DX)(CX*4)

// func countKernel(counts *[256]uint32, tables *[8][256]uint32, src *byte, n int)
//
// Each of eight bytes has a table of its own, so that a byte that repeats at the distance of a number
// does not wait for the counter that it has just changed.
TEXT ·countKernel(SB), NOSPLIT, $0-32
	MOVQ tables+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ n+24(FP), DI
	ADDQ SI, DI

loop:
	MOVQ (SI), AX
	PAIR(0)
	SHRQ $16, AX
	PAIR(2048)
	SHRQ $16, AX
	PAIR(4096)
	SHRQ $16, AX
	PAIR(6144)
	ADDQ $8, SI
	CMPQ SI, DI
	JB   loop

	MOVQ counts+0(FP), DI
	MOVQ $1008, AX
sum:
	MOVOU (DX)(AX*1), X0
	MOVOU 1024(DX)(AX*1), X1
	MOVOU 2048(DX)(AX*1), X2
	MOVOU 3072(DX)(AX*1), X3
	MOVOU 4096(DX)(AX*1), X4
	MOVOU 5120(DX)(AX*1), X5
	MOVOU 6144(DX)(AX*1), X6
	MOVOU 7168(DX)(AX*1), X7
	PADDL X1, X0
	PADDL X3, X2
	PADDL X5, X4
	PADDL X7, X6
	PADDL X2, X0
	PADDL X6, X4
	PADDL X4, X0
	MOVOU X0, (DI)(AX*1)
	SUBQ $16, AX
	JCC  sum
	RET

// Adds eight frequencies, from AX on, each times its logarithm, to sum. The exponent of a frequency that became a float
// tells how far to shift it.
#define WEIGH(at, sum) \
	VMOVDQU    at(SI)(AX*1), Y0       \
	VPADDD     at(DI)(AX*1), Y0, Y0   \
	VCVTDQ2PS  Y0, Y1                 \
	VPSRLD     $23, Y1, Y1            \
	VPSUBD     Y8, Y1, Y1             \
	VPMAXSD    Y9, Y1, Y1             \
	VPSRLVD    Y1, Y0, Y2             \
	VPSLLD     $8, Y1, Y1             \
	VPCMPEQD   Y3, Y3, Y3             \
	VPXOR      Y4, Y4, Y4             \
	VPGATHERDD Y3, (DX)(Y2*8), Y4     \
	VPADDD     Y4, Y1, Y1             \
	VPMULLD    Y1, Y0, Y0             \
	VPADDD     Y0, sum, sum

// func weighKernel(a, b *[256]uint32, logarithms *uint64) int
//
// A frequency below 512 has its logarithm in the table. A larger one is shifted down to nine digits.
TEXT ·weighKernel(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ logarithms+16(FP), DX
	MOVL $(127+8), AX         // exponent of the largest numbers of nine digits
	MOVQ AX, X8
	VPBROADCASTD X8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	XORL AX, AX

weigh:
	WEIGH(0, Y10)
	WEIGH(32, Y11)
	ADDQ $64, AX
	CMPQ AX, $1024
	JB   weigh

	VPADDD       Y11, Y10, Y10
	VEXTRACTI128 $1, Y10, X0
	VPADDD       X0, X10, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	MOVQ         AX, ret+24(FP)
	VZEROUPPER
	RET
