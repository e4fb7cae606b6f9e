//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// hash8
#define MULTIPLIER $0x2545f4914f6cdd1d

// func lookUpKernel(hits *hit, table *uint32, at *byte, r *run) int
//
// R8 is at the position, DX how far it is from the first one, R13 the position
// of content shifted by 8; DI is where the next hit goes.
TEXT ·lookUpKernel(SB), NOSPLIT, $0-40
	MOVQ hits+0(FP), DI
	MOVQ table+8(FP), SI
	MOVQ at+16(FP), R8
	MOVQ r+24(FP), R9
	MOVQ run_layout+layout_step(R9), R12
	MOVQ run_layout+layout_size(R9), R11
	NEGQ R11
	MOVQ run_count(R9), R10
	MOVQ run_at(R9), R13
	SHLQ $8, R13
	MOVQ run_down(R9), CX
	MOVQ MULTIPLIER, R15
	XORL DX, DX
	IMULQ R12, R10 // where DX ends
	MOVQ R10, ret+32(FP)
	TESTQ R10, R10
	JZ   lookUpDone

lookUpNext:
	MOVQ (R8), AX
	MOVQ (R8)(R11*1), BX
	XORQ AX, BX
	ANDL $0xffffff, BX // zero if three bytes are one number before
	ANDQ run_mask(R9), AX
	IMULQ R15, AX
	MOVQ AX, R10
	SHRQ CX, R10       // slot
	SHRQ $24, AX
	MOVBLZX AX, AX
	ORL  R13, AX       // entry
	MOVL (SI)(R10*4), R12
	MOVL AX, (SI)(R10*4)
	SUBL R12, AX       // its low byte is zero if the hash may be the same
	MOVL AX, R12
	SHRL $8, R12
	TESTB AX, AX
	CMOVQNE run_layout+layout_size(R9), R12
	LEAL -1(R12), R10
	CMPQ R10, run_most(R9)
	CMOVQCC run_layout+layout_size(R9), R12
	MOVQ R8, R10
	SUBQ R12, R10
	PREFETCHT0 (R10)
	MOVQ R12, R10
	SHLQ $24, R12
	ORQ  R10, R12
	SHLQ $16, R12
	ORQ  DX, R12
	MOVQ R12, (DI)
	MOVBLZX AX, AX
	TESTL BX, BX
	CMOVLEQ BX, AX
	CMPL AX, $1        // carries if this is a hit
	SBBQ BX, BX
	ANDL $8, BX
	ADDQ BX, DI
	MOVQ run_layout+layout_step(R9), R12
	ADDQ R12, R8
	ADDQ R12, DX
	SHLQ $8, R12
	ADDQ R12, R13
	CMPQ DX, ret+32(FP)
	JB   lookUpNext

lookUpDone:
	SUBQ hits+0(FP), DI
	SHRQ $3, DI
	MOVQ DI, ret+32(FP)
	RET

// func lookUpLongKernel(hits *hit, count int, table *uint32, at *byte, r *run)
TEXT ·lookUpLongKernel(SB), NOSPLIT, $0-40
	MOVQ hits+0(FP), DI
	MOVQ count+8(FP), R9
	LEAQ (DI)(R9*8), R9 // where hits end
	MOVQ table+16(FP), SI
	MOVQ at+24(FP), R8
	MOVQ r+32(FP), AX
	MOVQ run_down(AX), CX
	MOVQ run_at(AX), R13
	MOVQ run_most(AX), R14
	MOVQ MULTIPLIER, R15

lookUpLongNext:
	MOVQ (DI), AX
	MOVWLZX AX, BX      // position
	MOVQ (R8)(BX*1), DX
	IMULQ R15, DX
	MOVQ DX, R10
	SHRQ CX, R10        // slot
	SHRQ $24, DX
	MOVBLZX DX, DX
	LEAQ (R13)(BX*1), R11
	SHLL $8, R11
	ORL  DX, R11        // entry
	MOVL (SI)(R10*4), R12
	MOVL R11, (SI)(R10*4)
	SUBL R12, R11       // its low byte is zero if the hash may be the same

	MOVQ AX, DX
	SHRQ $40, DX        // offset to the first place
	MOVL R11, R12
	SHRL $8, R12        // offset to the second place
	TESTB R11, R11
	CMOVQNE DX, R12
	LEAL -1(R12), R10
	CMPQ R10, R14
	CMOVQCC DX, R12

	LEAQ (R8)(BX*1), R10
	SUBQ R12, R10
	PREFETCHT0 (R10)
	SHLQ $40, DX
	XORQ DX, AX         // without the third part
	SHLQ $40, R12
	ORQ  R12, AX
	MOVQ AX, (DI)
	ADDQ $8, DI
	CMPQ DI, R9
	JB   lookUpLongNext
	RET

// func verifyKernel(hits *hit, count int, at *byte, r *run) int
TEXT ·verifyKernel(SB), NOSPLIT, $0-40
	MOVQ hits+0(FP), SI
	MOVQ SI, DI         // where the next hit goes
	MOVQ count+8(FP), R9
	LEAQ (SI)(R9*8), R9 // where hits end
	MOVQ at+16(FP), R8
	MOVQ r+24(FP), R15
	MOVQ run_layout+layout_width(R15), CX
	MOVQ run_layout+layout_size(R15), R15
	MOVQ $64, R13

verifyNext:
	MOVQ (SI), AX
	MOVWLZX AX, BX      // position
	LEAQ (R8)(BX*1), R10
	MOVQ (R10), DX
	MOVQ AX, R11
	SHRQ $40, R11       // offset to the second place
	SHRQ $16, AX
	ANDL $0xffffff, AX  // offset
	MOVQ R10, R12
	SUBQ R11, R12
	MOVQ (R12), R12
	XORQ DX, R12
	SUBQ AX, R10
	XORQ (R10), DX
	TESTQ R12, R12
	CMOVQEQ R12, DX
	CMOVQEQ R11, AX
	BSFQ DX, R10
	CMOVQEQ R13, R10
	SHRQ $3, R10        // how many bytes are the same
	MOVQ CX, R11
	MOVL $const_minMatch, R12
	CMPQ AX, R15
	CMOVQEQ R12, R11
	SHLQ $16, AX
	ORQ  BX, AX
	MOVQ R10, BX
	SHLQ $40, BX
	ORQ  BX, AX
	MOVQ AX, (DI)
	CMPQ R10, R11       // carries if these are too few
	SBBQ R12, R12
	NOTQ R12
	ANDL $8, R12
	ADDQ R12, DI
	ADDQ $8, SI
	CMPQ SI, R9
	JB   verifyNext

	SUBQ hits+0(FP), DI
	SHRQ $3, DI
	MOVQ DI, ret+32(FP)
	RET
