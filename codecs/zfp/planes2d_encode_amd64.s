//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func writeBlock16(w *writer16, buf *byte, from unsafe.Pointer, spreads *[256]uint32)
//
// R9 is the position in the stream, R10 has the bits that are not a byte yet; R11 are the
// coefficients that had a one-bit, R12 is the plane above the next one, R13 the lowest
// plane.
TEXT ·writeBlock16(SB), NOSPLIT, $0-32
	MOVQ w+0(FP), SI
	MOVQ buf+8(FP), R8
	MOVQ from+16(FP), DI
	MOVQ spreads+24(FP), BX
	MOVQ writer16_pos(SI), R9
	MOVQ writer16_acc(SI), R10
	MOVQ writer16_end(SI), DX
	MOVQ writer16_top(SI), R12
	MOVQ writer16_bottom(SI), R13
	XORL R11, R11

plane:
	CMPQ R12, R13
	JLE  done
	CMPQ R9, DX
	JGE  done
	DECQ R12
	MOVWLZX (DI)(R12*8), AX
	SHRXL R11, AX, CX // the tail
	BZHIL R11, AX, AX

	// The tail with each one-bit doubled: with the test behind it.
	MOVBLZX CX, R14
	MOVL (BX)(R14*4), R14
	MOVL CX, R15
	SHRL $8, R15
	MOVL (BX)(R15*4), R15
	MOVL R14, SI
	ANDL $0xffff, SI
	SHRL $24, R14
	SHLXQ R14, R15, R15
	ORQ  SI, R15
	LEAQ 1(R15*2), R15 // the first test

	// The last test fails, or there is none nor the one-bit before it: it was the
	// last coefficient's.
	POPCNTL CX, R14
	LZCNTL CX, CX
	SUBL $32, CX
	NEGL CX
	ADDL CX, R14
	MOVL R11, SI
	ADDL CX, R11
	MOVL R11, CX
	SHRL $4, CX
	SUBL CX, R14
	BZHIQ R14, R15, R15
	SHLXQ SI, R15, R15
	ORQ  R15, AX
	INCL R14
	SUBL CX, R14
	ADDL SI, R14

	MOVL R9, CX
	ANDL $7, CX
	SHLXQ CX, AX, AX
	ORQ  AX, R10
	MOVQ R9, AX
	SHRQ $3, AX
	MOVQ R10, (R8)(AX*1)
	ADDQ R14, R9
	ADDL R14, CX
	ANDL $56, CX
	SHRXQ CX, R10, R10
	CMPL R11, $16
	JLT  plane

	// All coefficients have had a one-bit: the planes stand as they are.
	MOVL R9, CX
	ANDL $7, CX

word:
	CMPQ R12, R13
	JLE  done
	CMPQ R9, DX
	JGE  done
	DECQ R12
	MOVWLZX (DI)(R12*8), AX
	SHLXQ CX, AX, AX
	ORQ  AX, R10
	MOVQ R9, AX
	SHRQ $3, AX
	MOVQ R10, (R8)(AX*1)
	ADDQ $16, R9
	SHRQ $16, R10
	JMP  word

done:
	MOVQ w+0(FP), SI
	MOVQ R9, writer16_pos(SI)
	MOVQ R10, writer16_acc(SI)
	RET
