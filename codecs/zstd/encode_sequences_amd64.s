//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Places in a set of counts, and the size of a set.
#define LITERALS (const_literalLengths*const_codeCountsSize)
#define OFFSETS (const_offsets*const_codeCountsSize)
#define MATCHES (const_matchLengths*const_codeCountsSize)
#define SET (const_codeKinds*const_codeCountsSize)

// CODE turns the sequence at SI into codes at DI, and counts them in a set. The code of a length
// that is not short is found at a label, which jumps back.
//
// R8, R9 and R10 are the offsets of the history, R11 the codes of lengths.
#define CODE(set, longLiterals, afterLiterals, longMatch, afterMatch) \
	MOVL    sequence_literals(SI), AX       \
	MOVL    sequence_length(SI), BX         \
	MOVL    sequence_offset(SI), CX         \
	CMPL    AX, $1                          \
	SBBL    DX, DX                          \ // -1 without literals
	LEAL    3(CX), R15                      \ // the value of the offset
	LEAL    3(DX), R14                      \
	CMPL    CX, R10                         \
	CMOVLEQ R14, R15                        \
	DECL    R14                             \
	MOVL    R9, R12                         \ // the last offset of the next history
	CMPL    CX, R9                          \
	CMOVLEQ R14, R15                        \
	CMOVLEQ R10, R12                        \
	MOVL    CX, R14                         \
	XORL    R8, R14                         \
	ORL     DX, R14                         \ // zero for the first offset, with literals
	LEAL    1(R14), R14                     \
	CMOVLEQ R14, R15                        \
	CMOVLEQ R10, R12                        \
	CMOVLNE R8, R9                          \
	MOVL    R12, R10                        \
	MOVL    CX, R8                          \
	CMPL    AX, $128                        \
	JAE     longLiterals                    \
	MOVQ    lengthCodes_literals(R11)(AX*8), AX \
afterLiterals:                              \
	SUBL    $const_minMatch, BX             \
	CMPL    BX, $128                        \
	JAE     longMatch                       \
	MOVQ    lengthCodes_matches(R11)(BX*8), BX \
afterMatch:                                 \
	LZCNTL  R15, R14                        \
	XORL    $31, R14                        \ // the code of the offset
	BTRL    R14, R15                        \
	LEAL    (AX)(BX*1), DX                  \
	MOVL    DX, CX                          \
	SHRL    $24, CX                         \
	SHLXQ   CX, R15, R15                    \
	MOVL    AX, CX                          \
	SHRL    $24, CX                         \
	SHRQ    $32, BX                         \
	SHLXQ   CX, BX, BX                      \
	SHRQ    $32, AX                         \
	ORQ     BX, AX                          \
	ORQ     R15, AX                         \
	MOVQ    AX, coded_low(DI)               \
	IMUL3L  $0x01000100, R14, CX            \
	ADDL    DX, CX                          \
	MOVL    CX, coded_codes(DI)             \
	MOVBLZX DX, CX                          \
	SHRL    $16, DX                         \
	MOVBLZX DX, DX                          \
	INCL    set+LITERALS(R13)(CX*4)         \
	INCL    set+OFFSETS(R13)(R14*4)         \
	INCL    set+MATCHES(R13)(DX*4)          \
	ADDQ    $sequence__size, SI             \
	ADDQ    $coded__size, DI

// LONG sets a register, a length of 128 or more, to the entry of its code.
#define LONG(length, codes) \
	LZCNTL length, CX             \
	XORL   $31, CX                \
	BTRL   CX, length             \
	SHLQ   $32, length            \
	ORQ    codes+codeRanges_long(R11)(CX*8), length

// func codeKernel(c *coding)
TEXT ·codeKernel(SB), NOSPLIT, $8-8
	MOVQ c+0(FP), AX
	MOVQ coding_src(AX), SI
	MOVQ coding_dst(AX), DI
	MOVQ coding_count(AX), BX
	IMULQ $sequence__size, BX
	ADDQ SI, BX
	MOVQ BX, end-8(SP)
	MOVQ coding_lengths(AX), R11
	MOVQ coding_sets(AX), R13
	MOVL coding_history+0(AX), R8
	MOVL coding_history+4(AX), R9
	MOVL coding_history+8(AX), R10

even:
	CODE(0, evenLiterals, evenAfterLiterals, evenMatch, evenAfterMatch)
	CMPQ SI, end-8(SP)
	JEQ  done
	CODE(SET, oddLiterals, oddAfterLiterals, oddMatch, oddAfterMatch)
	CMPQ SI, end-8(SP)
	JNE  even

done:
	MOVQ c+0(FP), AX
	MOVL R8, coding_history+0(AX)
	MOVL R9, coding_history+4(AX)
	MOVL R10, coding_history+8(AX)
	RET

evenLiterals:
	LONG(AX, lengthCodes_literals)
	JMP evenAfterLiterals

evenMatch:
	LONG(BX, lengthCodes_matches)
	JMP evenAfterMatch

oddLiterals:
	LONG(AX, lengthCodes_literals)
	JMP oddAfterLiterals

oddMatch:
	LONG(BX, lengthCodes_matches)
	JMP oddAfterMatch

// HISTORY adds a value of an offset, of the sequence at a distance from SI, to the list in scratch.
#define HISTORY(i) \
	MOVL    (i*sequence__size+sequence_literals)(SI), AX \
	MOVL    (i*sequence__size+sequence_offset)(SI), CX   \
	CMPL    AX, $1                                       \
	SBBL    DX, DX                                       \
	LEAL    3(CX), R15                                   \
	LEAL    3(DX), R14                                   \
	CMPL    CX, R10                                      \
	CMOVLEQ R14, R15                                     \
	DECL    R14                                          \
	MOVL    R9, R12                                      \
	CMPL    CX, R9                                       \
	CMOVLEQ R14, R15                                     \
	CMOVLEQ R10, R12                                     \
	MOVL    CX, R14                                      \
	XORL    R8, R14                                      \
	ORL     DX, R14                                      \
	LEAL    1(R14), R14                                  \
	CMOVLEQ R14, R15                                     \
	CMOVLEQ R10, R12                                     \
	CMOVLNE R8, R9                                       \
	MOVL    R12, R10                                     \
	MOVL    CX, R8                                       \
	MOVL    R15, (4*i)(SP)

// COUNT counts the codes at a distance from DI in a set.
#define COUNT(i, set) \
	MOVBLZX (i*coded__size+coded_codes)(DI), AX   \
	MOVBLZX (i*coded__size+coded_codes+1)(DI), CX \
	MOVBLZX (i*coded__size+coded_codes+2)(DI), DX \
	INCL    set+LITERALS(R13)(AX*4)               \
	INCL    set+OFFSETS(R13)(CX*4)                \
	INCL    set+MATCHES(R13)(DX*4)

// func codeKernel512(c *coding)
//
// It makes sixteen codes at a time. Z13 ends with the last three offsets, the very last one at the
// end. If no offset is one of the three before it, as in most numbers, all of them are new.
TEXT ·codeKernel512(SB), NOSPLIT, $136-8
	MOVQ c+0(FP), AX
	MOVQ coding_src(AX), SI
	MOVQ coding_dst(AX), DI
	MOVQ coding_count(AX), BX
	SHRQ $4, BX
	MOVQ coding_vectors(AX), R11
	MOVQ coding_sets(AX), R13
	MOVL coding_history+0(AX), R8
	MOVL coding_history+4(AX), R9
	MOVL coding_history+8(AX), R10
	MOVL R10, (64+4*13)(SP)
	MOVL R9, (64+4*14)(SP)
	MOVL R8, (64+4*15)(SP)
	VMOVDQU32 64(SP), Z13

	VMOVDQU32 codeVectors_take+0(R11), Z16
	VMOVDQU32 codeVectors_take+64(R11), Z17
	VMOVDQU32 codeVectors_take+128(R11), Z18
	VMOVDQU32 codeVectors_give+0(R11), Z19
	VMOVDQU32 codeVectors_give+64(R11), Z20
	VMOVDQU32 codeVectors_give+128(R11), Z21
	VMOVDQU32 codeVectors_codes+0(R11), Z22
	VMOVDQU32 codeVectors_codes+64(R11), Z23
	VMOVDQU32 codeVectors_codes+128(R11), Z24
	VMOVDQU32 codeVectors_codes+192(R11), Z25
	VMOVDQU32 codeVectors_widths+0(R11), Z26
	VMOVDQU32 codeVectors_bases+0(R11), Z27
	VMOVDQU32 codeVectors_widths+64(R11), Z28
	VMOVDQU32 codeVectors_bases+64(R11), Z29
	MOVL $1, AX
	VPBROADCASTD AX, Z30
	MOVL $const_minMatch, AX
	VPBROADCASTD AX, Z31
	MOVL $31, AX
	VPBROADCASTD AX, Z15
	MOVL $128, AX
	VPBROADCASTD AX, Z14
	MOVL $0xf800, AX // sequences whose lengths are in the third load
	KMOVW AX, K1
	MOVL $0xfc00, AX // sequences whose offsets are
	KMOVW AX, K2
	MOVL $0xb600, AX // places in the second store that belong to the last eight sequences
	KMOVW AX, K3

sixteen:
	VMOVDQU32 (SI), Z0
	VMOVDQU32 64(SI), Z1
	VMOVDQU32 128(SI), Z2
	VMOVDQA32 Z16, Z3
	VPERMI2D  Z1, Z0, Z3
	VPERMD    Z2, Z16, K1, Z3 // literals
	VMOVDQA32 Z17, Z4
	VPERMI2D  Z1, Z0, Z4
	VPERMD    Z2, Z17, K1, Z4
	VPSUBD    Z31, Z4, Z4     // lengths without minMatch
	VMOVDQA32 Z18, Z5
	VPERMI2D  Z1, Z0, Z5
	VPERMD    Z2, Z18, K2, Z5 // offsets

	VALIGND  $15, Z13, Z5, Z6
	VALIGND  $14, Z13, Z5, Z7
	VALIGND  $13, Z13, Z5, Z8
	VPCMPEQD Z5, Z6, K4
	VPCMPEQD Z5, Z7, K5
	VPCMPEQD Z5, Z8, K6
	KORW     K4, K5, K4
	KORTESTW K4, K6
	JNE      repeated
	VMOVDQA32 Z5, Z13
	VPADDD   Z31, Z5, Z5 // values: three more, which is minMatch as well

values:
	VPLZCNTD Z5, Z6
	VPSUBD   Z6, Z15, Z6 // codes of offsets
	VPSLLVD  Z6, Z30, Z7
	VPXORD   Z7, Z5, Z5  // bits that follow them

	VMOVDQA32 Z3, Z7
	VPERMI2B  Z23, Z22, Z7 // codes of literals
	VPERMB    Z26, Z7, Z8  // number of bits that follow them
	VPERMB    Z27, Z7, Z9
	VPSUBD    Z9, Z3, Z9   // these bits
	VMOVDQA32 Z4, Z10
	VPERMI2B  Z25, Z24, Z10 // the same for matches
	VPERMB    Z28, Z10, Z11
	VPERMB    Z29, Z10, Z12
	VPSUBD    Z12, Z4, Z12
	VPCMPUD   $5, Z14, Z3, K4
	VPCMPUD   $5, Z14, Z4, K5
	KORTESTW  K4, K5
	JNE       long

coded:
	VPSLLVD Z8, Z12, Z12
	VPORD   Z12, Z9, Z9   // bits of both lengths
	VPADDD  Z11, Z8, Z8   // and how many these are
	VPADDD  Z6, Z8, Z11
	VPSLLD  $8, Z6, Z6
	VPSLLD  $16, Z10, Z10
	VPSLLD  $24, Z11, Z11
	VPORD   Z11, Z7, Z7
	VPTERNLOGD $0xfe, Z6, Z10, Z7 // codes

	VPMOVZXDQ     Y9, Z0
	VPMOVZXDQ     Y8, Z1
	VPMOVZXDQ     Y5, Z2
	VPSLLVQ       Z1, Z2, Z2
	VPORQ         Z2, Z0, Z0 // bits that follow the first eight sequences
	VEXTRACTI64X4 $1, Z9, Y9
	VEXTRACTI64X4 $1, Z8, Y8
	VEXTRACTI64X4 $1, Z5, Y5
	VPMOVZXDQ     Y9, Z9
	VPMOVZXDQ     Y8, Z8
	VPMOVZXDQ     Y5, Z5
	VPSLLVQ       Z8, Z5, Z5
	VPORQ         Z5, Z9, Z9

	VMOVDQA32 Z19, Z1
	VPERMI2D  Z0, Z7, Z1
	VMOVDQU32 Z1, (DI)
	VMOVDQA32 Z20, Z1
	VPERMI2D  Z0, Z7, Z1
	VPERMD    Z9, Z20, K3, Z1
	VMOVDQU32 Z1, 64(DI)
	VMOVDQA32 Z21, Z1
	VPERMI2D  Z9, Z7, Z1
	VMOVDQU32 Z1, 128(DI)

	COUNT(0, 0*SET)
	COUNT(1, 1*SET)
	COUNT(2, 2*SET)
	COUNT(3, 3*SET)
	COUNT(4, 0*SET)
	COUNT(5, 1*SET)
	COUNT(6, 2*SET)
	COUNT(7, 3*SET)
	COUNT(8, 0*SET)
	COUNT(9, 1*SET)
	COUNT(10, 2*SET)
	COUNT(11, 3*SET)
	COUNT(12, 0*SET)
	COUNT(13, 1*SET)
	COUNT(14, 2*SET)
	COUNT(15, 3*SET)
	ADDQ $(16*sequence__size), SI
	ADDQ $(16*coded__size), DI
	DECQ BX
	JNZ  sixteen

	MOVQ c+0(FP), AX
	MOVQ coding_sums(AX), CX
	XORL DX, DX
sums:
	VMOVDQU32 (R13)(DX*1), Z0
	VPADDD    SET(R13)(DX*1), Z0, Z0
	VMOVDQU32 (2*SET)(R13)(DX*1), Z1
	VPADDD    (3*SET)(R13)(DX*1), Z1, Z1
	VPADDD    Z1, Z0, Z0
	VMOVDQU32 Z0, (CX)(DX*1)
	ADDQ      $64, DX
	CMPQ      DX, $SET
	JNE       sums

	VMOVDQU32 Z13, 64(SP)
	VZEROUPPER
	MOVL (64+4*13)(SP), R10
	MOVL (64+4*14)(SP), R9
	MOVL (64+4*15)(SP), R8
	MOVQ c+0(FP), AX
	MOVL R8, coding_history+0(AX)
	MOVL R9, coding_history+4(AX)
	MOVL R10, coding_history+8(AX)
	RET

repeated:
	VMOVDQU32 Z13, 64(SP)
	MOVL (64+4*13)(SP), R10
	MOVL (64+4*14)(SP), R9
	MOVL (64+4*15)(SP), R8
	HISTORY(0)
	HISTORY(1)
	HISTORY(2)
	HISTORY(3)
	HISTORY(4)
	HISTORY(5)
	HISTORY(6)
	HISTORY(7)
	HISTORY(8)
	HISTORY(9)
	HISTORY(10)
	HISTORY(11)
	HISTORY(12)
	HISTORY(13)
	HISTORY(14)
	HISTORY(15)
	MOVL R10, (64+4*13)(SP)
	MOVL R9, (64+4*14)(SP)
	MOVL R8, (64+4*15)(SP)
	VMOVDQU32 (SP), Z5
	VMOVDQU32 64(SP), Z13
	JMP values

// The codes of lengths of 128 and more grow with the number of their bits.
long:
	MOVL     $19, AX
	VPBROADCASTD AX, Z0
	MOVL     $36, AX
	VPBROADCASTD AX, Z1
	VPLZCNTD Z3, K4, Z8
	VPSUBD   Z8, Z15, K4, Z8
	VPSLLVD  Z8, Z30, K4, Z9
	VPXORD   Z9, Z3, K4, Z9
	VPADDD   Z0, Z8, K4, Z7
	VPLZCNTD Z4, K5, Z11
	VPSUBD   Z11, Z15, K5, Z11
	VPSLLVD  Z11, Z30, K5, Z12
	VPXORD   Z12, Z4, K5, Z12
	VPADDD   Z1, Z11, K5, Z10
	JMP      coded

// STATE puts the bits of a state, at the next code, which is in AX, and goes to its next state.
// table is where the table of its kind of codes is.
#define STATE(state, table) \
	MOVL    table+fseTable_steps+fseStep_bits(R13)(AX*8), BX    \
	ADDL    state, BX                                           \
	SHRL    $16, BX                                             \
	BZHIL   BX, state, CX                                       \
	SHRXL   BX, state, state                                    \
	SHLXQ   R9, CX, CX                                          \
	ORQ     CX, R8                                              \
	ADDL    BX, R9                                              \
	ADDL    table+fseTable_steps+fseStep_find(R13)(AX*8), state \
	MOVWLZX table+fseTable_next(R13)(state*2), state

// FLUSH writes the bits that fill bytes.
#define FLUSH \
	MOVQ  R8, (DI)   \
	MOVL  R9, BX     \
	ANDL  $56, BX    \
	SHRXQ BX, R8, R8 \
	SHRL  $3, BX     \
	ADDQ  BX, DI     \
	ANDL  $7, R9

// func putKernel(c *streamCursor)
//
// The last R9 bits, in R8, are not written yet.
TEXT ·putKernel(SB), NOSPLIT, $0-8
	MOVQ c+0(FP), AX
	MOVQ streamCursor_sequences(AX), R14
	MOVQ streamCursor_count(AX), SI
	IMULQ $coded__size, SI
	ADDQ R14, SI
	MOVQ streamCursor_out(AX), DI
	MOVQ streamCursor_stream(AX), AX
	MOVQ stream_acc(AX), R8
	MOVQ stream_n(AX), R9
	MOVL stream_states+4*const_literalLengths(AX), R10
	MOVL stream_states+4*const_offsets(AX), R11
	MOVL stream_states+4*const_matchLengths(AX), R12
	MOVQ stream_tables(AX), R13

sequence:
	SUBQ $coded__size, SI
	FLUSH
	MOVBLZX (coded_codes+1)(SI), AX
	STATE(R11, const_offsets*fseTable__size)
	MOVBLZX (coded_codes+2)(SI), AX
	STATE(R12, const_matchLengths*fseTable__size)
	MOVBLZX coded_codes(SI), AX
	STATE(R10, const_literalLengths*fseTable__size)
	MOVBLZX (coded_codes+3)(SI), R15
	CMPL R15, $const_mostUnflushed
	JA   flush

flushed:
	MOVQ coded_low(SI), AX
	SHLXQ R9, AX, AX
	ORQ  AX, R8
	ADDL R15, R9
	CMPQ SI, R14
	JNE  sequence

	MOVQ c+0(FP), AX
	MOVQ DI, streamCursor_out(AX)
	MOVQ streamCursor_stream(AX), AX
	MOVQ R8, stream_acc(AX)
	MOVQ R9, stream_n(AX)
	MOVL R10, stream_states+4*const_literalLengths(AX)
	MOVL R11, stream_states+4*const_offsets(AX)
	MOVL R12, stream_states+4*const_matchLengths(AX)
	RET

flush:
	FLUSH
	JMP flushed
