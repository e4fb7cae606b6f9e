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
