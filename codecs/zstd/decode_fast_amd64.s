//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Fields of the entry of a state.
#define ENTRY(kind, at, state) (sequenceDecoder_tables+8*const_maxTableSize*kind+at)(R15)(state*8)
#define LITERALS(at) ENTRY(const_literalLengths, at, AX)
#define MATCH(at)    ENTRY(const_matchLengths, at, BX)
#define OFFSET(at)   ENTRY(const_offsets, at, CX)
#define STATE_BITS 1
#define EXTRA_BITS 2
#define NEXT_STATE 3
#define BASE       4 // and shifted by 8

#define STATE(kind)  (sequenceDecoder_states+8*kind)(R15)
#define HISTORY(n)   (sequenceDecoder_history+8*n)(R15)

// func decodeFastKernel(d *sequenceDecoder)
//
// R15 is d. AX, BX and CX are the states of literals, match and offset; R8 is the
// address of what is left of the stream, in bits; R10 and R11 are the first two
// offsets of the history, the third is in d. DI and SI are where the content and
// the literals go on. R9, R12 and R13 become the literals, the length and the
// offset of a sequence. Nothing but R8 changes before a sequence is found to be
// one of those that are decoded here.
TEXT ·decodeFastKernel(SB), NOSPLIT, $48-8
	MOVQ d+0(FP), R15
	MOVQ sequenceDecoder_left(R15), AX
	DECQ AX
	JLE  none
	MOVQ AX, left-48(SP)
	MOVQ sequenceDecoder_dst(R15), DX
	MOVQ DX, DI
	ADDQ sequenceDecoder_out(R15), DI
	MOVQ DX, AX
	ADDQ sequenceDecoder_frameStart(R15), AX
	MOVQ AX, frameStart-40(SP)
	ADDQ sequenceDecoder_fastOut(R15), DX
	MOVQ DX, fastOut-32(SP)
	MOVQ sequenceDecoder_literals(R15), DX
	MOVQ DX, SI
	ADDQ sequenceDecoder_taken(R15), SI
	ADDQ sequenceDecoder_fastTaken(R15), DX
	MOVQ DX, fastTaken-24(SP)
	MOVQ $32, most-16(SP)
	MOVQ sequenceDecoder_src(R15), DX
	SHLQ $3, DX
	MOVQ DX, R8
	ADDQ sequenceDecoder_bit(R15), R8
	ADDQ sequenceDecoder_firstBit(R15), DX
	MOVQ DX, firstBit-8(SP)
	MOVQ HISTORY(0), R10
	MOVQ HISTORY(1), R11
	MOVQ STATE(const_literalLengths), AX
	MOVQ STATE(const_matchLengths), BX
	MOVQ STATE(const_offsets), CX

next:
	MOVQ LITERALS(0), R13
	ADDQ MATCH(0), R13
	ADDQ OFFSET(0), R13       // sums
	MOVQ R8, R14
	SHRQ $3, R14
	MOVQ -7(R14), R14
	MOVQ R8, DX
	ANDL $7, DX
	ADDL $56, DX
	SUBL R13, DX
	SHRXQ DX, R14, R14        // all bits of the sequence
	MOVBLZX R13, BP
	SHRQ $8, R13
	SUBQ BP, R8
	CMPQ BP, $const_containerBits
	JHI  back
	CMPQ R8, firstBit-8(SP)
	JLT  back
	SHRXQ R13, R14, R13       // those behind its states

	MOVBLZX LITERALS(EXTRA_BITS), BP
	BZHIQ BP, R13, R9
	SHRXQ BP, R13, R13
	MOVL LITERALS(BASE), DX
	SHRL $8, DX
	ADDQ DX, R9               // literals
	MOVBLZX MATCH(EXTRA_BITS), BP
	BZHIQ BP, R13, R12
	SHRXQ BP, R13, R13
	MOVL MATCH(BASE), DX
	SHRL $8, DX
	ADDQ DX, R12              // length
	MOVBLZX OFFSET(EXTRA_BITS), BP
	BZHIQ BP, R13, R13
	BTSQ BP, R13              // value of the offset

	LEAQ (SI)(R9*1), DX
	CMPQ DX, fastTaken-24(SP)
	JHI  back
	LEAQ (DI)(R9*1), DX       // where the copy begins
	LEAQ (DX)(R12*1), BP
	CMPQ BP, fastOut-32(SP)
	JHI  back
	SUBQ frameStart-40(SP), DX
	SUBQ $3, R13
	JLS  recent
	CMPQ R13, DX
	JHI  back
	CMPQ R13, sequenceDecoder_window(R15)
	JHI  back
	MOVQ R11, HISTORY(2)
	MOVQ R10, R11
	MOVQ R13, R10

allowed:
	MOVBLZX OFFSET(STATE_BITS), BP
	BZHIQ BP, R14, DX
	SHRXQ BP, R14, R14
	MOVWLZX OFFSET(NEXT_STATE), CX
	ADDQ DX, CX
	MOVBLZX MATCH(STATE_BITS), BP
	BZHIQ BP, R14, DX
	SHRXQ BP, R14, R14
	MOVWLZX MATCH(NEXT_STATE), BX
	ADDQ DX, BX
	MOVBLZX LITERALS(STATE_BITS), BP
	BZHIQ BP, R14, DX
	MOVWLZX LITERALS(NEXT_STATE), AX
	ADDQ DX, AX

	MOVOU (SI), X0
	MOVOU X0, (DI)
	CMPQ R9, $16
	JHI  manyLiterals

literalsDone:
	ADDQ R9, SI
	ADDQ R9, DI
	MOVQ R13, BP
	CMPQ BP, $32
	CMOVQHI most-16(SP), BP
	MOVQ DI, R14
	SUBQ R13, R14
	SHLQ $5, BP
	LEAQ ·repeats(SB), DX
	ADDQ DX, BP
	MOVOU (R14), X0
	MOVOU repeat_from(BP), X1
	MOVOU 16(R14), X2
	PSHUFB X1, X0
	MOVOU X0, (DI)
	MOVOU X2, 16(DI)
	CMPQ R12, repeat_right(BP)
	JHI  longCopy

copyDone:
	ADDQ R12, DI
	DECQ left-48(SP)
	JNZ  next
	JMP  done

recent:
	// R13 becomes which offset of the history it is; the last is the first less one.
	ADDQ $2, R13
	CMPQ R9, $1
	ADCQ $0, R13
	LEAQ -1(R10), BP
	CMPQ R13, $2
	CMOVQEQ HISTORY(2), BP
	CMOVQCS R11, BP
	CMPQ R13, $1
	CMOVQCS R10, BP           // offset
	CMPQ BP, DX
	JHI  back
	TESTQ BP, BP
	JZ   back
	CMPQ BP, sequenceDecoder_window(R15)
	JHI  back
	CMPQ R13, $1
	MOVQ HISTORY(2), DX
	CMOVQHI R11, DX
	MOVQ DX, HISTORY(2)
	CMOVQCC R10, R11
	MOVQ BP, R10
	MOVQ BP, R13
	JMP  allowed

manyLiterals:
	MOVL $16, BP

moreLiterals:
	MOVOU (SI)(BP*1), X0
	MOVOU X0, (DI)(BP*1)
	ADDQ $16, BP
	CMPQ BP, R9
	JCS  moreLiterals
	JMP  literalsDone

longCopy:
	CMPQ R13, $32
	CMOVQCS repeat_multiple(BP), R13
	MOVQ DI, R14
	ADDQ repeat_right(BP), R14
	LEAQ (DI)(R12*1), DX      // where it ends
	NEGQ R13

longer:
	MOVOU (R14)(R13*1), X0
	MOVOU X0, (R14)
	ADDQ $16, R14
	CMPQ R14, DX
	JCS  longer
	JMP  copyDone

back: // before the sequence that is not one of those
	MOVQ LITERALS(0), R13
	ADDQ MATCH(0), R13
	ADDQ OFFSET(0), R13
	MOVBLZX R13, R13
	ADDQ R13, R8

done:
	MOVQ sequenceDecoder_src(R15), DX
	SHLQ $3, DX
	SUBQ DX, R8
	MOVQ R8, sequenceDecoder_bit(R15)
	MOVQ AX, STATE(const_literalLengths)
	MOVQ BX, STATE(const_matchLengths)
	MOVQ CX, STATE(const_offsets)
	MOVQ R10, HISTORY(0)
	MOVQ R11, HISTORY(1)
	SUBQ sequenceDecoder_dst(R15), DI
	MOVQ DI, sequenceDecoder_out(R15)
	SUBQ sequenceDecoder_literals(R15), SI
	MOVQ SI, sequenceDecoder_taken(R15)
	MOVQ left-48(SP), AX
	INCQ AX
	MOVQ AX, sequenceDecoder_left(R15)

none:
	RET
