//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func writePlanes64(w *bitWriter, p *planes, top, bottom, end int)
//
// DI is the byte of the stream with which the planes begin. DX is the position in the
// stream, counted from there in bits, R10 the end. R8 has the bits of the last word that
// is not full. R9 is the plane, BX how many coefficients have had a one-bit, up to the
// last of them.
//
// Behind the first BX bits of a plane, there is a test in front of the tail and one behind
// each of its one-bits. To insert them, PDEP puts the bits of the plane at odd places, and
// the tests at even ones. PEXT drops the even places that have no test. R11 and R12 are the
// even and the odd places.
TEXT ·writePlanes64(SB), NOSPLIT, $0-40
	MOVQ w+0(FP), CX
	MOVQ p+8(FP), SI
	MOVQ top+16(FP), R9
	MOVQ end+32(FP), R10
	MOVQ bitWriter_buf(CX), DI
	MOVQ bitWriter_pos(CX), DX
	MOVQ bitWriter_acc(CX), R8
	MOVQ DX, AX
	ANDQ $-8, AX
	SUBQ AX, R10
	SHRQ $3, AX
	ADDQ AX, DI
	ANDL $7, DX
	MOVQ $0x5555555555555555, R11
	LEAQ (R11)(R11*1), R12
	XORL BX, BX

	// Planes of which the first 31 coefficients have all one-bits: at most 63 bits.
short:
	CMPQ R9, bottom+24(FP)
	JLE  done
	CMPQ DX, R10
	JGE  done
	MOVQ -8(SI)(R9*8), AX
	SHRXQ BX, AX, CX      // the tail
	LEAQ 1(CX)(CX*1), CX
	SHLXQ BX, CX, CX      // the coefficients that have a test in front
	LZCNTQ AX, R14
	MOVL $64, R15
	SUBL R14, R15
	CMPL R15, BX
	CMOVLLT BX, R15       // BX of the next plane
	CMPL R15, $32
	JGE  long
	DECQ R9
	MOVL R15, BX
	PDEPQ R11, CX, R14
	POPCNTL CX, CX
	ADDL R15, CX          // the number of bits
	PDEPQ R12, AX, AX
	ADDL R15, R15
	BZHIQ R15, R14, R13   // all tests but the last one hold
	ORQ  R13, AX
	ORQ  R12, R14
	PEXTQ R14, AX, AX

	SHLXQ DX, AX, R13
	ORQ  R13, R8
	MOVQ DX, R13
	SHRQ $6, R13
	MOVQ R8, (DI)(R13*8)
	MOVQ DX, R14
	NOTQ R14
	SHRQ $1, AX
	SHRXQ R14, AX, AX     // what did not fit into the word
	ADDQ CX, DX
	MOVQ DX, R14
	SHRQ $6, R14
	CMPQ R14, R13
	CMOVQNE AX, R8
	JMP  short

nextLong:
	CMPQ R9, bottom+24(FP)
	JLE  done
	CMPQ DX, R10
	JGE  done
	MOVQ -8(SI)(R9*8), AX
	SHRXQ BX, AX, CX
	LEAQ 1(CX)(CX*1), CX
	SHLXQ BX, CX, CX
	LZCNTQ AX, R14
	MOVL $64, R15
	SUBL R14, R15
	CMPL R15, BX
	CMOVLLT BX, R15

long:
	// The first 32 coefficients.
	DECQ R9
	MOVL R15, BX
	PDEPQ R11, CX, R14
	PDEPQ R12, AX, R13
	ORQ  R14, R13
	ORQ  R12, R14
	PEXTQ R14, R13, R13
	POPCNTL CX, R14
	SHRQ $32, CX
	SHRQ $32, AX

	SHLXQ DX, R13, R15
	ORQ  R15, R8
	MOVQ DX, R15
	SHRQ $6, R15
	MOVQ R8, (DI)(R15*8)
	SHRQ $1, R13
	NOTQ DX
	SHRXQ DX, R13, R13
	NOTQ DX
	LEAQ 32(DX)(R14*1), DX
	MOVQ DX, R14
	SHRQ $6, R14
	CMPQ R14, R15
	CMOVQNE R13, R8

	// The others. The one-bit of the last coefficient is left out.
	MOVL AX, R13
	SHRL $31, R13
	BTRL $31, AX
	PDEPQ R11, CX, R14
	POPCNTL CX, CX
	LEAL -32(BX)(CX*1), CX
	SUBL R13, CX
	PDEPQ R12, AX, AX
	LEAL -64(BX)(BX*1), R13
	BZHIQ R13, R14, R13
	ORQ  R13, AX
	ORQ  R12, R14
	PEXTQ R14, AX, AX

	SHLXQ DX, AX, R13
	ORQ  R13, R8
	MOVQ DX, R13
	SHRQ $6, R13
	MOVQ R8, (DI)(R13*8)
	MOVQ DX, R14
	NOTQ R14
	SHRQ $1, AX
	SHRXQ R14, AX, AX
	ADDQ CX, DX
	MOVQ DX, R14
	SHRQ $6, R14
	CMPQ R14, R13
	CMOVQNE AX, R8
	CMPL BX, $64
	JLT  nextLong

	// All coefficients have had a one-bit: the planes stand as they are.
	MOVQ DX, CX
	NOTQ CX
	MOVQ DX, R13
	SHRQ $6, R13
	LEAQ (DI)(R13*8), R13

whole:
	CMPQ R9, bottom+24(FP)
	JLE  done
	CMPQ DX, R10
	JGE  done
	MOVQ -8(SI)(R9*8), AX
	DECQ R9
	SHLXQ DX, AX, R14
	ORQ  R14, R8
	MOVQ R8, (R13)
	ADDQ $8, R13
	SHRQ $1, AX
	SHRXQ CX, AX, R8
	ADDQ $64, DX
	JMP  whole

done:
	MOVQ DX, R13
	SHRQ $6, R13
	MOVQ R8, (DI)(R13*8)
	MOVL DX, AX
	ANDL $56, AX
	SHRXQ AX, R8, R8
	MOVQ w+0(FP), CX
	MOVQ bitWriter_pos(CX), AX
	ANDQ $-8, AX
	ADDQ AX, DX
	MOVQ DX, bitWriter_pos(CX)
	MOVQ R8, bitWriter_acc(CX)
	RET
