//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func readBlocks16(r *reader16, buf *byte, to unsafe.Pointer, tails *[1 << 10]uint32, blocks int)
//
// R9 has the next bits of the stream, of which R10 are certain; the others are right or
// 0. R8 points to the byte behind the certain ones, DX is how many are left of the block.
// R11 are the coefficients that had a one-bit, R12 is the plane above the next one, R13
// the lowest plane.
TEXT ·readBlocks16(SB), NOSPLIT, $24-40
	MOVQ r+0(FP), SI
	MOVQ to+16(FP), DI
	MOVQ tails+24(FP), BX
	LEAQ reader16_blocks(SI), AX
	MOVQ AX, block-8(SP)
	MOVQ reader16_runByRun(SI), AX
	MOVQ AX, runByRun-24(SP)

block:
	MOVQ buf+8(FP), R15
	MOVQ reader16_pos(SI), R8
	MOVQ R8, AX
	ADDQ reader16_minBits(SI), AX
	MOVQ AX, least-16(SP) // where MinBits lets the next block begin
	MOVQ reader16_limit(SI), DX
	MOVQ R8, AX
	SHRQ $3, AX
	MOVQ (R15)(AX*1), R9
	MOVQ R8, AX
	ANDL $7, AX
	SHRXQ AX, R9, R9
	XORL R11, R11
	MOVQ reader16_most(SI), R13 // planes
	MOVQ reader16_width(SI), CX
	TESTQ CX, CX
	JZ   empty

	// A block of floats begins with a one-bit and the exponent.
	INCQ R8
	DECQ DX
	MOVQ reader16_top(SI), R12
	SHRQ $1, R9
	JCC  zeros
	BZHIQ CX, R9, AX
	SHRXQ CX, R9, R9
	ADDQ CX, R8
	SUBQ CX, DX
	MOVQ block-8(SP), R14
	MOVQ AX, block16_exponent(R14)
	SUBQ reader16_lowest(SI), AX
	CMPQ AX, R13
	CMOVQLT AX, R13
	XORL AX, AX
	TESTQ R13, R13
	CMOVQLT AX, R13

empty:
	// The planes that begin the block are empty up to the next one-bit.
	MOVQ $(1<<44), AX
	ORQ  R9, AX
	TZCNTQ AX, AX
	CMPQ AX, R13
	CMOVQGT R13, AX
	CMPQ AX, DX
	CMOVQGT DX, AX
	ADDQ AX, R8
	SUBQ AX, DX
	MOVQ reader16_top(SI), R12
	SUBQ R12, R13
	NEGQ R13
	SUBQ AX, R12

	MOVL R8, CX
	ANDL $7, CX
	SHRQ $3, R8
	ADDQ R15, R8
	MOVQ (R8), R9
	SHRXQ CX, R9, R9
	MOVL $56, R10
	SUBL CX, R10
	ADDQ $7, R8

plane:
	CMPQ R12, R13
	JLE  done
	TESTQ DX, DX
	JLE  done
	MOVQ  (R8), AX
	SHLXQ R10, AX, AX
	ORQ   AX, R9
	MOVL  $63, CX
	SUBL  R10, CX
	SHRL  $3, CX
	ADDQ  CX, R8
	ORL   $56, R10
	CMPQ  DX, $64
	JGE   uncut
	BZHIQ DX, R9, R9 // zeros behind the end of the block

uncut:
	DECQ  R12
	BZHIQ R11, R9, AX
	SHRXQ R11, R9, R9
	SUBL  R11, R10
	SUBQ  R11, DX
	MOVL  R9, CX
	ANDL  $1023, CX
	MOVL  (BX)(CX*4), CX // see longTails
	MOVL  CX, R15
	SHRL  $8, R15
	ANDL  $31, R15
	ADDL  R11, R15
	CMPL  R15, $16
	JGE   runs
	SHRXQ CX, R9, R9
	MOVL  CX, R14
	ANDL  $31, R14
	SUBL  R14, R10
	SUBQ  R14, DX
	SHRL  $16, CX
	SHLXQ R11, CX, CX
	ORL   CX, AX
	MOVW  AX, (DI)(R12*8)
	MOVL  R15, R11
	JMP   plane

runs:
	CMPQ  runByRun-24(SP), $0
	JNE   runByRun

	// Before a test there is an even number of one-bits, before a bit of a
	// coefficient an odd one.
	MOVQ  R9, X0
	PCMPEQB X1, X1
	PCLMULQDQ $0, X1, X0
	MOVQ  X0, CX
	SHLQ  $1, CX      // the bits of coefficients
	MOVQ  R9, R14
	ORQ   CX, R14
	NOTQ  R14         // tests that end the plane
	XORL  R15, R15
	MOVL  $15, SI
	SUBL  R11, SI
	BTSQ  SI, R15
	PDEPQ CX, R15, SI // where the bit of coefficient 15 would be
	ORQ   SI, R14
	TZCNTQ R14, R14
	CMPQ  R14, DX
	CMOVQGT DX, R14
	SHRXQ R14, CX, SI
	ANDL  $1, SI      // whether the plane ends in a run, with a one-bit that is left out
	BZHIQ R14, CX, CX
	PEXTQ CX, R9, R15
	POPCNTQ CX, CX
	SHLXQ CX, SI, CX
	ORQ   CX, R15     // the tail
	XORL  $1, SI
	ADDL  SI, R14
	SHRXQ R14, R9, R9
	SUBL  R14, R10
	SUBQ  R14, DX
	SHLXQ R11, R15, CX
	ORL   CX, AX
	MOVW  AX, (DI)(R12*8)
	LZCNTQ R15, R15
	SUBL  $64, R15
	SUBL  R15, R11
	CMPL  R11, $16
	JLT   plane

	// All coefficients have had a one-bit: the planes stand as they are.
allLiteral:
	MOVQ r+0(FP), SI
	MOVQ buf+8(FP), R8
	MOVQ reader16_pos(SI), R9
	ADDQ reader16_limit(SI), R9
	SUBQ DX, R9

verbatim:
	CMPQ R12, R13
	JLE  done
	TESTQ DX, DX
	JLE  done
	DECQ R12
	MOVQ R9, AX
	SHRQ $3, AX
	MOVL (R8)(AX*1), AX
	MOVL R9, CX
	ANDL $7, CX
	SHRXL CX, AX, AX
	MOVL $16, CX
	CMPQ DX, CX
	CMOVQLT DX, CX
	BZHIL CX, AX, AX
	MOVW AX, (DI)(R12*8)
	ADDQ $16, R9
	SUBQ $16, DX
	JMP  verbatim

runByRun:
	// R14 is the number of bits of the tail that have been read. A run that is cut ends
	// behind the last bit of the block.
	XORL  R14, R14
	CMPQ  DX, $64
	JGE   test
	BTSQ  DX, R9

test:
	CMPQ  R14, DX
	JGE   tailDone
	INCQ  R14
	SHRQ  $1, R9
	JCC   tailDone
	TZCNTQ R9, CX
	MOVL  $15, R15
	SUBL  R11, R15
	CMPL  CX, R15
	JGE   lastCoefficient
	ADDL  CX, R11
	BTSL  R11, AX
	INCL  R11
	INCL  CX
	ADDQ  CX, R14
	SHRXQ CX, R9, R9
	JMP   test

lastCoefficient:
	BTSL  $15, AX // its one-bit is left out, and so is a test behind it
	MOVL  $16, R11
	ADDQ  R15, R14
	SHRXQ R15, R9, R9

tailDone:
	CMPQ  R14, DX
	CMOVQGT DX, R14
	SUBL  R14, R10
	SUBQ  R14, DX
	MOVW  AX, (DI)(R12*8)
	CMPL  R11, $16
	JLT   plane
	JMP   allLiteral

zeros:
	MOVQ R12, R13

done:
	MOVQ r+0(FP), SI
	XORL AX, AX
	TESTQ DX, DX
	CMOVQLT AX, DX // the last test is behind the end of the block
	MOVQ block-8(SP), CX
	MOVQ reader16_pos(SI), AX
	ADDQ reader16_limit(SI), AX
	SUBQ DX, AX
	MOVQ R12, block16_plane(CX)
	MOVQ R11, block16_length(CX)
	MOVQ least-16(SP), R14
	CMPQ AX, R14
	CMOVQLT R14, AX
	MOVQ AX, reader16_pos(SI)
	ADDQ $block16__size, CX
	MOVQ CX, block-8(SP)
	ADDQ $2, DI
	DECQ blocks+32(FP)
	JNZ  block
	RET
