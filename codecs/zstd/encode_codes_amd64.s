//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Adds the codes of the symbols at a distance from the ends of both contents.
#define PUT(at) \
	MOVBLZX at(SI), BX     \
	MOVBLZX at(DI), DX     \
	MOVQ    (AX)(BX*8), BX \
	MOVQ    (AX)(DX*8), DX \
	SHRXQ   BX, R10, R10   \
	SHRXQ   DX, R11, R11   \
	ORQ     BX, R10        \
	ORQ     DX, R11        \
	ADDQ    BX, R12        \
	ADDQ    DX, R13

// Writes the bits of a stream, and keeps those that do not fill a byte.
#define FLUSH(acc, n, out) \
	MOVQ    n, BX        \
	NEGQ    BX           \
	SHRXQ   BX, acc, BX  \
	MOVQ    BX, (out)    \
	MOVBLZX n, BX        \
	SHRL    $3, BX       \
	ADDQ    BX, out      \
	ANDL    $7, n

// func encodePairKernel(p *codePair, words *[256]uint64)
//
// In R10 and R11, the last bits of the streams are the highest ones. The lowest eight bits mean nothing,
// and neither do the bits of R12 and R13, their numbers, above the lowest eight.
TEXT ·encodePairKernel(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), R15
	MOVQ words+8(FP), AX
	MOVQ codePair_src+0(R15), SI
	MOVQ codePair_src+8(R15), DI
	MOVQ codePair_out+0(R15), R8
	MOVQ codePair_out+8(R15), R9
	MOVQ codePair_acc+0(R15), R10
	MOVQ codePair_acc+8(R15), R11
	MOVQ codePair_n+0(R15), R12
	MOVQ codePair_n+8(R15), R13
	MOVQ codePair_fours(R15), CX
	LEAQ (SI)(CX*4), SI
	LEAQ (DI)(CX*4), DI

	MOVQ  R12, BX
	NEGQ  BX
	SHLXQ BX, R10, R10
	MOVQ  R13, BX
	NEGQ  BX
	SHLXQ BX, R11, R11

next:
	PUT(-1)
	PUT(-2)
	PUT(-3)
	PUT(-4)
	FLUSH(R10, R12, R8)
	FLUSH(R11, R13, R9)
	SUBQ $4, SI
	SUBQ $4, DI
	DECQ CX
	JNZ  next

	// Back to the lowest bits.
	MOVL  $63, BX
	SUBQ  R12, BX
	SHRQ  $1, R10
	SHRXQ BX, R10, R10
	MOVL  $63, BX
	SUBQ  R13, BX
	SHRQ  $1, R11
	SHRXQ BX, R11, R11

	MOVQ R8, codePair_out+0(R15)
	MOVQ R9, codePair_out+8(R15)
	MOVQ R10, codePair_acc+0(R15)
	MOVQ R11, codePair_acc+8(R15)
	MOVQ R12, codePair_n+0(R15)
	MOVQ R13, codePair_n+8(R15)
	RET

// func wordsKernel(words *[256]uint64, codes *[256]uint32)
TEXT ·wordsKernel(SB), NOSPLIT, $0-16
	MOVQ words+0(FP), DI
	MOVQ codes+8(FP), SI
	MOVL $0xff, AX
	MOVQ AX, X0
	VPBROADCASTQ X0, Y0
	MOVL $64, AX
	MOVQ AX, X1
	VPBROADCASTQ X1, Y1
	MOVQ $256, CX

words:
	VPMOVZXDQ (SI), Y2
	VPAND     Y0, Y2, Y3
	VPSRLQ    $8, Y2, Y2
	VPSUBQ    Y3, Y1, Y4
	VPSLLVQ   Y4, Y2, Y2
	VPOR      Y3, Y2, Y2
	VMOVDQU   Y2, (DI)
	ADDQ      $16, SI
	ADDQ      $32, DI
	SUBQ      $4, CX
	JNZ       words
	VZEROUPPER
	RET
