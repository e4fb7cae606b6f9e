//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// REFILL has at least 56 bits of a stream count, of which n count already. The address of the next
// eight bytes is in at.
#define REFILL(word, n, at) \
	MOVQ at, AX \
	MOVBLZX n, n \
	SHRXQ n, (AX), DX \
	ORQ DX, word \
	MOVL n, DX \
	XORL $63, DX \
	SHRL $3, DX \
	SUBQ DX, AX \
	MOVQ AX, at \
	ORL $const_containerBits, n

// LOOKUP takes one entry's bits off a stream, and writes its literals.
#define LOOKUP(word, n, out) \
	MOVQ word, DX \
	SHRQ $(64-const_maxCodeBits), DX \
	MOVL (R14)(DX*4), AX \
	SHLXQ AX, word, word \
	SUBL AX, n \
	MOVWLZX 2(R14)(DX*4), AX \
	MOVBLZX 1(R14)(DX*4), DX \
	MOVW AX, (out) \
	ADDQ DX, out

#define LOOKUPS \
	LOOKUP(R8, BX, SI) \
	LOOKUP(R9, CX, DI) \
	LOOKUP(R10, BP, R12) \
	LOOKUP(R11, R15, R13)

// func decodeKernel(s *literalStreams, n int)
//
// R8 to R11 are the next bits of the streams; BX, CX, BP and R15 are how many of them count, in the
// lowest eight bits. SI, DI, R12 and R13 are where their literals go. R14 is the table.
//
// What takes the time is waiting: from one lookup of a stream to the next there are a shift, a load and
// a shift. So the streams take turns. The bits that REFILL adds are loaded from a place that is known
// since the round before, so nothing waits for that load.
TEXT ·decodeKernel(SB), NOSPLIT, $40-16
	MOVQ s+0(FP), AX
	MOVQ n+8(FP), DX
	MOVQ DX, left-8(SP)
	MOVQ literalStreams_at+0(AX), DX
	ADDQ literalStreams_src(AX), DX
	MOVQ DX, at0-16(SP)
	MOVQ literalStreams_at+8(AX), DX
	ADDQ literalStreams_src(AX), DX
	MOVQ DX, at1-24(SP)
	MOVQ literalStreams_at+16(AX), DX
	ADDQ literalStreams_src(AX), DX
	MOVQ DX, at2-32(SP)
	MOVQ literalStreams_at+24(AX), DX
	ADDQ literalStreams_src(AX), DX
	MOVQ DX, at3-40(SP)
	MOVQ literalStreams_bits+0(AX), R8
	MOVQ literalStreams_bits+8(AX), R9
	MOVQ literalStreams_bits+16(AX), R10
	MOVQ literalStreams_bits+24(AX), R11
	MOVQ literalStreams_out+0(AX), SI
	ADDQ literalStreams_dst(AX), SI
	MOVQ literalStreams_out+8(AX), DI
	ADDQ literalStreams_dst(AX), DI
	MOVQ literalStreams_out+16(AX), R12
	ADDQ literalStreams_dst(AX), R12
	MOVQ literalStreams_out+24(AX), R13
	ADDQ literalStreams_dst(AX), R13
	MOVQ literalStreams_number+0(AX), BX
	MOVQ literalStreams_number+8(AX), CX
	MOVQ literalStreams_number+16(AX), BP
	MOVQ literalStreams_number+24(AX), R15
	MOVQ literalStreams_table(AX), R14
	PCALIGN $32

next:
	REFILL(R8, BX, at0-16(SP))
	REFILL(R9, CX, at1-24(SP))
	REFILL(R10, BP, at2-32(SP))
	REFILL(R11, R15, at3-40(SP))
	LOOKUPS
	LOOKUPS
	LOOKUPS
	LOOKUPS
	LOOKUPS
	DECQ left-8(SP)
	JNZ next

	MOVQ s+0(FP), AX
	MOVQ at0-16(SP), DX
	SUBQ literalStreams_src(AX), DX
	MOVQ DX, literalStreams_at+0(AX)
	MOVQ at1-24(SP), DX
	SUBQ literalStreams_src(AX), DX
	MOVQ DX, literalStreams_at+8(AX)
	MOVQ at2-32(SP), DX
	SUBQ literalStreams_src(AX), DX
	MOVQ DX, literalStreams_at+16(AX)
	MOVQ at3-40(SP), DX
	SUBQ literalStreams_src(AX), DX
	MOVQ DX, literalStreams_at+24(AX)
	MOVQ R8, literalStreams_bits+0(AX)
	MOVQ R9, literalStreams_bits+8(AX)
	MOVQ R10, literalStreams_bits+16(AX)
	MOVQ R11, literalStreams_bits+24(AX)
	SUBQ literalStreams_dst(AX), SI
	MOVQ SI, literalStreams_out+0(AX)
	SUBQ literalStreams_dst(AX), DI
	MOVQ DI, literalStreams_out+8(AX)
	SUBQ literalStreams_dst(AX), R12
	MOVQ R12, literalStreams_out+16(AX)
	SUBQ literalStreams_dst(AX), R13
	MOVQ R13, literalStreams_out+24(AX)
	MOVBLZX BX, BX
	MOVBLZX CX, CX
	MOVBLZX BP, BP
	MOVBLZX R15, R15
	MOVQ BX, literalStreams_number+0(AX)
	MOVQ CX, literalStreams_number+8(AX)
	MOVQ BP, literalStreams_number+16(AX)
	MOVQ R15, literalStreams_number+24(AX)
	RET
