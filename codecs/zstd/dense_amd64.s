//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// hash8
#define MULTIPLIER $0x2545f4914f6cdd1d

#define STEP run_layout+layout_step(R13)
#define SIZE run_layout+layout_size(R13)
#define PHASE run_layout+layout_phase(R13)

// ENTRY sets BX to the entry of the position at, whose eight bytes are in BX, and
// DX to its slot.
#define ENTRY(at, scratch) \
	ANDQ run_mask(R13), BX \
	IMULQ R15, BX \
	MOVQ BX, DX \
	SHRQ CX, DX \
	SHRQ $24, BX \
	MOVBLZX BX, BX \
	MOVL at, scratch \
	SHLL $8, scratch \
	ORL  scratch, BX

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

// func takeDense4Kernel512(r *run, c *cursor)
// func takeDense2Kernel512(r *run, c *cursor)
//
// As takeDenseKernel, for steps of four and of two bytes. Before it goes through BATCH positions, it lists their
// entries, with their slots below them, eight at a time. From NEAR on, it prefetches the earlier places
// to which the table refers now, so that no load of the search has to wait for the memory.
//
// R15 is where the entry of the position R8 is listed. The list is in scratch, with a few positions
// more than a batch has. Behind it are the entries of the table, and addresses to prefetch.
#define BATCH 64
#define NEAR (256<<10)
#define LISTED (BATCH+8)
#define REPLACED (8*LISTED)
#define ADDRESSES (REPLACED+4*LISTED)

// BEHIND sets R14 to the first position that is AX bytes or more behind R8.
#define BEHIND \
	LEAQ (STRIDE-1)(AX), R14 \
	ANDQ $-STRIDE, R14 \
	ADDQ R8, R14

#define KERNEL ·takeDense4Kernel512
#define STRIDE 4
#define STRIDELOG 2
#define LISTSCALE 2
#define AFTER_SHORT LEAQ 8(R8), R14
#include "dense512_amd64.h"
#undef KERNEL
#undef STRIDE
#undef STRIDELOG
#undef LISTSCALE
#undef AFTER_SHORT

#define KERNEL ·takeDense2Kernel512
#define STRIDE 2
#define STRIDELOG 1
#define LISTSCALE 4
#define AFTER_SHORT \
	LEAQ 6(R8), R14 \
	CMPQ AX, $7 \
	JNE  denseFound \
	LEAQ 8(R8), R14
#include "dense512_amd64.h"
