//go:build !purego

#include "go_asm.h"
#include "textflag.h"

#include "dense_amd64.h"

// func takeDenseKernel(r *run, c *cursor)
//
// R8 is the position, R11 the anchor, and stop where the run ends. A copy has its
// length in AX and its offset in BX; the search goes on at R14.
TEXT ·takeDenseKernel(SB), NOSPLIT, $8-16
	MOVQ r+0(FP), R13
	MOVQ c+8(FP), AX
	MOVQ cursor_src(AX), SI
	MOVQ cursor_table(AX), R9
	MOVQ cursor_literals(AX), DI
	MOVQ cursor_sequences(AX), R12
	MOVQ cursor_anchor(AX), R11
	MOVQ run_down(R13), CX
	MOVQ MULTIPLIER, R15
	MOVQ run_at(R13), R8
	MOVQ run_count(R13), AX
	IMULQ STEP, AX
	ADDQ R8, AX
	MOVQ AX, stop-8(SP)
	CMPQ R8, AX
	JGE  done

position:
	MOVQ (SI)(R8*1), AX
	MOVQ AX, BX
	ENTRY(R8, R14)
	MOVL (R9)(DX*4), R14
	MOVL BX, (R9)(DX*4)
	SUBL R14, BX // its low byte is zero if the hash may be the same
	TESTB BX, BX
	JNE  before
	SHRL $8, BX
	LEAL -1(BX), DX
	CMPQ DX, run_most(R13)
	JCC  before
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ (SI)(DX*1), R14
	XORQ AX, R14
	JEQ  long
	TESTQ run_mask(R13), R14
	JNE  none
	BSFQ R14, AX
	SHRQ $3, AX
	LEAQ 8(R8), R14
	CMPQ STEP, $4
	JEQ  found
	CMPQ AX, $7
	JEQ  found
	LEAQ 6(R8), R14

found:
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ -8(SI)(DX*1), DX
	XORQ -8(SI)(R8*1), DX
	ORQ  $1, DX
	BSRQ DX, DX
	XORQ $63, DX
	SHRQ $3, DX // how many bytes are the same before
	MOVQ R8, R10
	SUBQ R11, R10
	CMPQ DX, R10
	CMOVQHI R10, DX
	SUBQ DX, R10 // literals
	ADDQ AX, DX
	MOVL R10, sequence_literals(R12)
	MOVL DX, sequence_length(R12)
	MOVL BX, sequence_offset(R12)
	ADDQ $sequence__size, R12
	MOVQ (SI)(R11*1), DX
	MOVQ DX, (DI)
	CMPQ R10, $8
	JHI  more

copied:
	ADDQ R10, DI
	LEAQ (R8)(AX*1), R11
	MOVQ R14, R8
	CMPQ R8, stop-8(SP)
	JGE  done
	SUBQ STEP, R14
	MOVQ (SI)(R14*1), BX
	ENTRY(R14, R10)
	MOVL BX, (R9)(DX*4)
	JMP  position

none:
	ADDQ STEP, R8
	CMPQ R8, stop-8(SP)
	JLT  position

done:
	MOVQ c+8(FP), AX
	MOVQ DI, cursor_literals(AX)
	MOVQ R12, cursor_sequences(AX)
	MOVQ R11, cursor_anchor(AX)
	RET

more:
	ADDQ SI, R11
	MOVQ $8, BX

moreNext:
	MOVQ (R11)(BX*1), DX
	MOVQ DX, (DI)(BX*1)
	ADDQ $8, BX
	CMPQ BX, R10
	JB   moreNext
	JMP  copied

before:
	MOVQ SIZE, BX
	MOVQ R8, DX
	SUBQ BX, DX
	XORQ (SI)(DX*1), AX
	TESTL $0xffffff, AX
	JNE  none
	BSFQ AX, AX
	JEQ  extend
	SHRQ $3, AX

aligned:
	LEAQ -1(R8)(AX*1), R14
	ADDQ STEP, R14
	SUBQ PHASE, R14
	MOVQ STEP, DX
	NEGQ DX
	ANDQ DX, R14
	ADDQ PHASE, R14
	JMP  found

long:
	MOVQ c+8(FP), AX
	INCQ cursor_long(AX)

extend:
	LEAQ (SI)(R8*1), R14
	MOVQ R14, DX
	SUBQ BX, DX
	MOVQ c+8(FP), AX
	MOVQ cursor_end(AX), R10
	SUBQ R8, R10
	SUBQ $8, R10 // the last length that eight bytes follow
	MOVQ $8, AX

extendNext:
	CMPQ AX, R10
	JGT  extendBytes
	MOVQ (R14)(AX*1), CX
	XORQ (DX)(AX*1), CX
	JNE  extendEnd
	ADDQ $8, AX
	JMP  extendNext

extendEnd:
	BSFQ CX, CX
	SHRQ $3, CX
	ADDQ CX, AX
	MOVQ run_down(R13), CX
	JMP  aligned

extendBytes:
	ADDQ $8, R10

extendByte:
	CMPQ AX, R10
	JGE  extended
	MOVBLZX (R14)(AX*1), CX
	CMPB CX, (DX)(AX*1)
	JNE  extended
	INCQ AX
	JMP  extendByte

extended:
	MOVQ run_down(R13), CX
	JMP  aligned
