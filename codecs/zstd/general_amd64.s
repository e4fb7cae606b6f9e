// Code generated from general_amd64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "extend_amd64.h"

// hash8
#define HASH8 $0x2545f4914f6cdd1d

#define BASE base-8(SP)
#define LIMIT limit-16(SP)
#define HASTE haste-24(SP)
#define END end-32(SP) // the address of the content's end
#define ANCHOR anchor-40(SP)
#define MULTIPLIER multiplier-48(SP)
#define NEAR near-56(SP)
#define ENTIRE entire-64(SP)

// SLOT sets slot to the place in a table of the eight bytes in R15, and the tag below it.
#define SLOT(multiplier, slot) \
	MOVQ  multiplier, slot \
	IMULQ R15, slot        \
	SHRXQ CX, slot, slot

// ENTER enters a position whose eight bytes are in R15.
#define ENTER(multiplier, table, distance, from) \
	SLOT(multiplier, BX)           \
	LEAL distance(from), AX        \
	SHLL $const_tagBits, AX        \
	ADDL BASE, AX                  \
	MOVBLZX BX, DX                 \
	ORL  DX, AX                    \
	SHRQ $const_tagBits, BX        \
	MOVL AX, (table)(BX*4)

// EMIT makes a sequence of AX literals and a copy of DX bytes, and copies the literals. If less than 16 bytes are left
// of the content, the literals are fewer than 8, because const_margin bytes follow them.
#define EMIT(more, few, copied) \
	MOVL  AX, sequence_literals(R12) \
	MOVL  DX, sequence_length(R12)   \
	MOVL  R13, sequence_offset(R12)  \
	ADDQ  $sequence__size, R12       \
	MOVQ  ANCHOR, R11                \
	ADDQ  SI, R11                    \
	LEAQ  16(R11), BX                \
	CMPQ  BX, END                    \
	JHI   few                        \
	MOVOU (R11), X0                  \
	MOVOU X0, (DI)                   \
	CMPQ  AX, $16                    \
	JLS   copied                     \
	LEAQ  -16(AX), BX                \
	MOVOU (R11)(BX*1), X0            \
	MOVOU X0, (DI)(BX*1)             \
more:                                \
	SUBQ  $16, BX                    \
	JLE   copied                     \
	MOVOU (R11)(BX*1), X0            \
	MOVOU X0, (DI)(BX*1)             \
	JMP   more                       \
few:                                 \
	MOVQ  (R11), BX                  \
	MOVQ  BX, (DI)                   \
copied:                              \
	ADDQ  AX, DI                     \
	LEAQ  (R8)(DX*1), R11            \
	MOVQ  R11, ANCHOR

// func generalKernel(s *search)
//
// SI is the content, R8 the position. R13 and R14 are the offsets of the last two sequences. DI and R12
// are where literals and sequences go. R9 and R10 are the tables, and CX is how far a hash is shifted.
TEXT ·generalKernel(SB), NOSPLIT, $64-8
	MOVQ s+0(FP), AX
	MOVQ search_base(AX), BX
	SHLL $const_tagBits, BX
	MOVQ BX, BASE
	MOVQ search_limit(AX), BX
	MOVQ BX, LIMIT
	MOVQ search_haste(AX), BX
	MOVQ BX, HASTE
	MOVQ search_multiplier(AX), BX
	MOVQ BX, MULTIPLIER
	MOVQ search_near(AX), BX
	MOVQ BX, NEAR
	MOVQ search_mostEntire(AX), BX
	MOVQ BX, ENTIRE
	MOVQ search_src(AX), SI
	MOVQ search_end(AX), BX
	ADDQ SI, BX
	MOVQ BX, END
	MOVQ search_long(AX), R9
	MOVQ search_short(AX), R10
	MOVQ search_literals(AX), DI
	MOVQ search_sequences(AX), R12
	MOVQ search_at(AX), R8
	MOVQ search_anchor(AX), BX
	MOVQ BX, ANCHOR
	MOVQ search_offset(AX), R13
	MOVQ search_before(AX), R14
	MOVQ search_down(AX), CX

next:
	CMPQ R8, LIMIT
	JGE  done

	// R11 is the address of the content, less the last offset. No offset is larger than the position.
fresh:
	MOVQ SI, R11
	SUBQ R13, R11

look:
	MOVQ (SI)(R8*1), R15
	SLOT(HASH8, BX)
	MOVL R8, AX
	SHLL $const_tagBits, AX
	ADDL BASE, AX
	MOVB BX, AX // the entry
	SHRQ $const_tagBits, BX
	MOVL (R9)(BX*4), DX
	MOVL AX, (R9)(BX*4)
	SUBL DX, AX
	RORXL $const_tagBits, AX, AX // the offset, or more than a window if the tags differ
	SLOT(MULTIPLIER, DX)
	MOVL R8, BX
	SHLL $const_tagBits, BX
	ADDL BASE, BX
	MOVB DX, BX
	SHRQ $const_tagBits, DX
	MOVL (R10)(DX*4), R15
	MOVL BX, (R10)(DX*4)
	SUBL R15, BX
	RORXL $const_tagBits, BX, BX // the same, of fewer bytes

	RORXQ $8, (SI)(R8*1), R15
	CMPL  R15, 1(R11)(R8*1)
	JEQ   again
	CMPQ  R15, (SI)(R8*1)
	JEQ   allEqual
	// Most often the tags differ, or the place is in an earlier frame. One branch tells both.
	CMPQ  AX, R8
	JLS   maybeLong

noLong:
	CMPQ  BX, R8
	JLS   maybeShort

none:
	MOVQ  R8, AX
	SUBQ  ANCHOR, AX
	MOVQ  HASTE, R15
	SHRXQ R15, AX, AX
	LEAQ  1(R8)(AX*1), R8
	CMPQ  R8, LIMIT
	JLT   look
	JMP   done

maybeLong:
	TESTL AX, AX
	JEQ   noLong // the position itself
	CMPL  AX, $const_window
	JHI   noLong
	MOVQ  R8, R15
	SUBQ  AX, R15
	MOVQ  (SI)(R8*1), DX
	CMPQ  DX, (SI)(R15*1)
	JEQ   long
	JMP   noLong

maybeShort:
	TESTL BX, BX
	JEQ   none
	CMPL  BX, $const_window
	JHI   none
	MOVQ  R8, R15
	SUBQ  BX, R15
	MOVQ  (SI)(R8*1), DX
	XORQ  (SI)(R15*1), DX
	TESTL DX, DX
	JNE   none
	CMPL  BX, NEAR
	JCC   distant

short:
	// Eight bytes from the next position on would be better.
	MOVQ 1(SI)(R8*1), R15
	SLOT(HASH8, DX)
	LEAL 1(R8), R15
	SHLL $const_tagBits, R15
	ADDL BASE, R15
	MOVB DX, R15
	SHRQ $const_tagBits, DX
	MOVL (R9)(DX*4), AX
	MOVL R15, (R9)(DX*4)
	SUBL AX, R15
	RORXL $const_tagBits, R15, AX
	LEAQ 1(R8), R15
	CMPQ AX, R15
	JHI  noBetter
	CMPL AX, $const_window
	JHI  noBetter
	TESTL AX, AX
	JEQ  noBetter
	SUBQ AX, R15
	MOVQ (SI)(R15*1), DX
	CMPQ DX, 1(SI)(R8*1)
	JNE  noBetter
	INCQ R8
	JMP  long

noBetter:
	MOVQ R13, R14
	MOVL BX, R13
	MOVL $4, DX
	JMP  around

	// Four equal bytes are too few, from far away also five.
distant:
	SHRQ  $32, DX
	CMPL  BX, $const_far
	JCC   far
	TESTB DX, DX
	JEQ   short
	JMP   none

far:
	TESTW DX, DX
	JEQ   short
	JMP   none

allEqual:
	MOVQ R13, R14
	MOVL $1, R13
	INCQ R8
	MOVL $7, DX
	JMP  around

long:
	MOVQ R13, R14
	MOVL AX, R13
	MOVL $8, DX

around:
	LEAQ (SI)(R8*1), BX
	MOVQ BX, AX
	SUBQ R13, AX
	EXTEND(BX, AX, DX, END, aroundNext, aroundBytes, aroundDiffer, aroundEnd)

	// Bytes before the position that are equal belong to the copy.
before:
	MOVQ R8, AX
	SUBQ R13, AX
	CMPQ AX, $8
	JCS  beforeFew
	LEAQ (SI)(R8*1), BX
	MOVQ -8(SI)(AX*1), R15
	XORQ -8(BX), R15
	LZCNTQ R15, R15
	SHRQ $3, R15
	MOVQ R8, AX
	SUBQ ANCHOR, AX
	CMPQ R15, AX
	CMOVQHI AX, R15
	SUBQ R15, R8
	ADDQ R15, DX
	SUBQ R15, AX
	CMPQ R15, $8
	JEQ  before

found:
	EMIT(foundMore, foundFew, foundCopied)
	LEAQ 8(SI)(R11*1), R15
	CMPQ R15, END
	JHI  entered
	CMPQ DX, ENTIRE
	JLE  entire
	MOVQ 2(SI)(R8*1), R15
	ENTER(HASH8, R9, 2, R8)
	ENTER(MULTIPLIER, R10, 2, R8)
	MOVQ -2(SI)(R11*1), R15
	ENTER(HASH8, R9, -2, R11)
	MOVQ -1(SI)(R11*1), R15
	ENTER(MULTIPLIER, R10, -1, R11)

entered:
	MOVQ R11, R8

	// A copy with the offset before needs no literals.
repeat:
	CMPQ R8, LIMIT
	JGE  done
	MOVQ R8, BX
	SUBQ R14, BX
	JCS  fresh
	MOVL (SI)(BX*1), DX
	CMPL DX, (SI)(R8*1)
	JNE  fresh
	MOVQ (SI)(R8*1), R15
	ENTER(HASH8, R9, 0, R8)
	ENTER(MULTIPLIER, R10, 0, R8)
	XCHGQ R13, R14
	MOVL  $4, DX
	LEAQ (SI)(R8*1), BX
	MOVQ BX, AX
	SUBQ R13, AX
	EXTEND(BX, AX, DX, END, repeatNext, repeatBytes, repeatDiffer, repeatEnd)
	MOVL  $0, sequence_literals(R12)
	MOVL  DX, sequence_length(R12)
	MOVL  R13, sequence_offset(R12)
	ADDQ  $sequence__size, R12
	ADDQ  DX, R8
	MOVQ  R8, ANCHOR
	JMP   repeat

again:
	INCQ R8
	MOVL $4, DX
	LEAQ (SI)(R8*1), BX
	MOVQ BX, AX
	SUBQ R13, AX
	EXTEND(BX, AX, DX, END, againNext, againBytes, againDiffer, againEnd)
	MOVQ R8, AX
	SUBQ ANCHOR, AX
	EMIT(againMore, againFew, againCopied)
	MOVQ R11, R8
	JMP  repeat

	// Enters all positions of the copy.
entire:
	LEAL 1(R8), AX
	SHLL $const_tagBits, AX
	ADDL BASE, AX

each:
	INCQ  R8
	CMPQ  R8, R11
	JGE   entered
	MOVQ  (SI)(R8*1), R15
	SLOT(HASH8, BX)
	SLOT(MULTIPLIER, DX)
	MOVB  BX, AX
	SHRQ  $const_tagBits, BX
	MOVL  AX, (R9)(BX*4)
	MOVB  DX, AX
	SHRQ  $const_tagBits, DX
	MOVL  AX, (R10)(DX*4)
	ADDL  $(1<<const_tagBits), AX
	JMP   each

	// The earlier place, AX, has fewer than eight bytes before it.
beforeFew:
	CMPQ R8, ANCHOR
	JLE  beforeEnd
	TESTQ AX, AX
	JEQ  beforeEnd
	MOVBLZX -1(SI)(R8*1), R15
	CMPB R15, -1(SI)(AX*1)
	JNE  beforeEnd
	DECQ R8
	DECQ AX
	INCQ DX
	JMP  beforeFew

beforeEnd:
	MOVQ R8, AX
	SUBQ ANCHOR, AX
	JMP  found

done:
	MOVQ s+0(FP), AX
	MOVQ DI, search_literals(AX)
	MOVQ R12, search_sequences(AX)
	MOVQ ANCHOR, BX
	MOVQ BX, search_anchor(AX)
	RET

// func quicklyKernel(s *search)
//
// SI is the content, R8 the position. R13 and R14 are the offsets of the last two sequences. DI and R12
// are where literals and sequences go. R9 and R10 are the tables, and CX is how far a hash is shifted.
TEXT ·quicklyKernel(SB), NOSPLIT, $64-8
	MOVQ s+0(FP), AX
	MOVQ search_base(AX), BX
	SHLL $const_tagBits, BX
	MOVQ BX, BASE
	MOVQ search_limit(AX), BX
	MOVQ BX, LIMIT
	MOVQ search_haste(AX), BX
	MOVQ BX, HASTE
	MOVQ search_multiplier(AX), BX
	MOVQ BX, MULTIPLIER
	MOVQ search_near(AX), BX
	MOVQ BX, NEAR
	MOVQ search_src(AX), SI
	MOVQ search_end(AX), BX
	ADDQ SI, BX
	MOVQ BX, END
	MOVQ search_long(AX), R9
	MOVQ search_short(AX), R10
	MOVQ search_literals(AX), DI
	MOVQ search_sequences(AX), R12
	MOVQ search_at(AX), R8
	MOVQ search_anchor(AX), BX
	MOVQ BX, ANCHOR
	MOVQ search_offset(AX), R13
	MOVQ search_before(AX), R14
	MOVQ search_down(AX), CX

next:
	CMPQ R8, LIMIT
	JGE  done

	// R11 is the address of the content, less the last offset. No offset is larger than the position.
fresh:
	MOVQ SI, R11
	SUBQ R13, R11

look:
	MOVQ (SI)(R8*1), R15
	SLOT(MULTIPLIER, DX)
	MOVL R8, BX
	SHLL $const_tagBits, BX
	ADDL BASE, BX
	MOVB DX, BX
	SHRQ $const_tagBits, DX
	MOVL (R10)(DX*4), R15
	MOVL BX, (R10)(DX*4)
	SUBL R15, BX
	RORXL $const_tagBits, BX, BX // the same, of fewer bytes

	RORXQ $8, (SI)(R8*1), R15
	CMPL  R15, 1(R11)(R8*1)
	JEQ   again
	CMPQ  R15, (SI)(R8*1)
	JEQ   allEqual
	// Most often the tags differ, or the place is in an earlier frame. One branch tells both.
	CMPQ  BX, R8
	JLS   maybeShort

none:
	MOVQ  R8, AX
	SUBQ  ANCHOR, AX
	MOVQ  HASTE, R15
	SHRXQ R15, AX, AX
	LEAQ  1(R8)(AX*1), R8
	CMPQ  R8, LIMIT
	JLT   look
	JMP   done

maybeShort:
	TESTL BX, BX
	JEQ   none
	CMPL  BX, $const_window
	JHI   none
	MOVQ  R8, R15
	SUBQ  BX, R15
	MOVQ  (SI)(R8*1), DX
	XORQ  (SI)(R15*1), DX
	TESTL DX, DX
	JNE   none
	CMPL  BX, NEAR
	JCC   distant

short:
	MOVQ R13, R14
	MOVL BX, R13
	MOVL $4, DX
	JMP  around

	// Four equal bytes are too few, from far away also five.
distant:
	SHRQ  $32, DX
	CMPL  BX, $const_far
	JCC   far
	TESTB DX, DX
	JEQ   short
	JMP   none

far:
	TESTW DX, DX
	JEQ   short
	JMP   none

allEqual:
	MOVQ R13, R14
	MOVL $1, R13
	INCQ R8
	MOVL $7, DX
	JMP  around

long:
	MOVQ R13, R14
	MOVL AX, R13
	MOVL $8, DX

around:
	LEAQ (SI)(R8*1), BX
	MOVQ BX, AX
	SUBQ R13, AX
	EXTEND(BX, AX, DX, END, aroundNext, aroundBytes, aroundDiffer, aroundEnd)

	// Bytes before the position that are equal belong to the copy.
before:
	MOVQ R8, AX
	SUBQ R13, AX
	CMPQ AX, $8
	JCS  beforeFew
	LEAQ (SI)(R8*1), BX
	MOVQ -8(SI)(AX*1), R15
	XORQ -8(BX), R15
	LZCNTQ R15, R15
	SHRQ $3, R15
	MOVQ R8, AX
	SUBQ ANCHOR, AX
	CMPQ R15, AX
	CMOVQHI AX, R15
	SUBQ R15, R8
	ADDQ R15, DX
	SUBQ R15, AX
	CMPQ R15, $8
	JEQ  before

found:
	EMIT(foundMore, foundFew, foundCopied)
	LEAQ 8(SI)(R11*1), R15
	CMPQ R15, END
	JHI  entered
	MOVQ 2(SI)(R8*1), R15
	ENTER(MULTIPLIER, R10, 2, R8)
	MOVQ -2(SI)(R11*1), R15
	ENTER(MULTIPLIER, R10, -2, R11)

entered:
	MOVQ R11, R8

	// A copy with the offset before needs no literals.
repeat:
	CMPQ R8, LIMIT
	JGE  done
	MOVQ R8, BX
	SUBQ R14, BX
	JCS  fresh
	MOVL (SI)(BX*1), DX
	CMPL DX, (SI)(R8*1)
	JNE  fresh
	MOVQ (SI)(R8*1), R15
	ENTER(MULTIPLIER, R10, 0, R8)
	XCHGQ R13, R14
	MOVL  $4, DX
	LEAQ (SI)(R8*1), BX
	MOVQ BX, AX
	SUBQ R13, AX
	EXTEND(BX, AX, DX, END, repeatNext, repeatBytes, repeatDiffer, repeatEnd)
	MOVL  $0, sequence_literals(R12)
	MOVL  DX, sequence_length(R12)
	MOVL  R13, sequence_offset(R12)
	ADDQ  $sequence__size, R12
	ADDQ  DX, R8
	MOVQ  R8, ANCHOR
	JMP   repeat

again:
	INCQ R8
	MOVL $4, DX
	LEAQ (SI)(R8*1), BX
	MOVQ BX, AX
	SUBQ R13, AX
	EXTEND(BX, AX, DX, END, againNext, againBytes, againDiffer, againEnd)
	MOVQ R8, AX
	SUBQ ANCHOR, AX
	EMIT(againMore, againFew, againCopied)
	MOVQ R11, R8
	JMP  repeat

	// The earlier place, AX, has fewer than eight bytes before it.
beforeFew:
	CMPQ R8, ANCHOR
	JLE  beforeEnd
	TESTQ AX, AX
	JEQ  beforeEnd
	MOVBLZX -1(SI)(R8*1), R15
	CMPB R15, -1(SI)(AX*1)
	JNE  beforeEnd
	DECQ R8
	DECQ AX
	INCQ DX
	JMP  beforeFew

beforeEnd:
	MOVQ R8, AX
	SUBQ ANCHOR, AX
	JMP  found

done:
	MOVQ s+0(FP), AX
	MOVQ DI, search_literals(AX)
	MOVQ R12, search_sequences(AX)
	MOVQ ANCHOR, BX
	MOVQ BX, search_anchor(AX)
	RET
