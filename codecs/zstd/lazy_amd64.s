// Code generated from lazy_amd64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "extend_amd64.h"

// AHEAD is how many bytes ahead buckets are prefetched.
#define AHEAD 8

// Which lane each lane of a bucket comes from when a new entry is put in front.
DATA lanesBefore<>+0(SB)/8, $0x0000000000000000
DATA lanesBefore<>+8(SB)/8, $0x0000000200000001
DATA lanesBefore<>+16(SB)/8, $0x0000000400000003
DATA lanesBefore<>+24(SB)/8, $0x0000000600000005
GLOBL lanesBefore<>(SB), RODATA|NOPTR, $32

// func enterKernel(c *probe, from, to int)
//
// SI is the content, R8 the position and R10 the last one's end. R9 is its place.
TEXT ·enterKernel(SB), NOSPLIT, $0-24
	MOVQ c+0(FP), R13
	MOVQ from+8(FP), R8
	MOVQ to+16(FP), R10
	MOVQ probe_src(R13), SI
	MOVQ probe_buckets(R13), R12
	MOVQ probe_multiplier(R13), R11
	MOVQ probe_down(R13), CX
	VMOVDQU lanesBefore<>(SB), Y3
	MOVL R8, R9
	ADDL probe_base(R13), R9
	SHLL $const_tagBits, R9

	// The search goes on behind these positions, as a rule.
	LEAQ const_tagBits(CX), BX
	MOVQ (SI)(R10*1), DX
	IMULQ R11, DX
	SHRXQ BX, DX, DX
	SHLQ $(const_waysLog+2), DX
	PREFETCHT0 (R12)(DX*1)

enterNext:
	MOVQ (SI)(R8*1), DX
	IMULQ R11, DX
	SHRXQ CX, DX, DX
	MOVL R9, AX
	MOVB DX, AX
	SHRQ $const_tagBits, DX
	SHLQ $(const_waysLog+2), DX
	VPERMD (R12)(DX*1), Y3, Y0
	VMOVD AX, X1
	VPBLENDD $1, Y1, Y0, Y0
	VMOVDQU Y0, (R12)(DX*1)
	ADDL $(1<<const_tagBits), R9
	INCQ R8
	CMPQ R8, R10
	JLT  enterNext
	VZEROUPPER
	RET

// func lookKernel(c *probe)
//
// SI is the content, R8 the position and DI its address, DX are its eight bytes. R10 is the end of the content.
// R11 and R12 are offset and length of the best copy, and R14 is what it gains. BP is less than any gain.
TEXT ·lookKernel(SB), NOSPLIT, $32-8
	MOVQ c+0(FP), R13
	MOVQ probe_src(R13), SI
	MOVQ probe_src+8(R13), R10
	ADDQ SI, R10
	MOVQ probe_at(R13), R8
	MOVQ probe_least(R13), R14
	XORL R11, R11
	XORL R12, R12
	MOVQ $(1<<63), BP
	VMOVDQU lanesBefore<>(SB), Y4
	VPCMPEQD Y5, Y5, Y5

	LEAQ (SI)(R8*1), DI
	MOVQ (DI), DX

	// Prefetch the bucket of a later position.
prefetch:
	LEAQ (AHEAD+8)(DI), R15
	CMPQ R15, R10
	JHI  prefetched
	MOVQ AHEAD(DI), R15
	MOVQ probe_multiplier(R13), AX
	IMULQ R15, AX
	MOVQ probe_down(R13), CX
	ADDQ $const_tagBits, CX // without the tag
	SHRXQ CX, AX, AX
	SHLQ $(const_waysLog+2), AX
	ADDQ probe_buckets(R13), AX
	PREFETCHT0 (AX)

prefetched:
	// Try the offset of the last sequence.
	MOVQ probe_last(R13), AX
	MOVQ R8, BX
	SUBQ AX, BX
	JCS  bucket
	ADDQ SI, BX
	CMPL DX, (BX)
	JNE  bucket
	MOVL $4, CX
	EXTEND(DI, BX, CX, R10, lastNext, lastBytes, lastDiffer, lastEnd)
	LEAQ const_again(CX*4), R15
	CMPQ R15, R14
	JLE  bucket
	MOVQ R15, R14
	MOVQ AX, R11
	MOVQ CX, R12

bucket:
	MOVL R8, R9
	ADDL probe_base(R13), R9
	SHLL $const_tagBits, R9
	MOVQ probe_multiplier(R13), R15
	IMULQ DX, R15
	MOVQ probe_down(R13), CX
	SHRXQ CX, R15, R15
	MOVB R15, R9
	SHRQ $const_tagBits, R15
	SHLQ $(const_waysLog+2), R15
	ADDQ probe_buckets(R13), R15
	VMOVDQU (R15), Y0
	VMOVD R9, X1
	VPBROADCASTD X1, Y1
	VPERMD Y0, Y4, Y2
	VPBLENDD $1, Y1, Y2, Y2
	VMOVDQU Y2, (R15)

	VPSUBD Y0, Y1, Y1
	VPSRLD $const_tagBits, Y1, Y2
	VPSLLD $(32-const_tagBits), Y1, Y1
	VPOR   Y2, Y1, Y1 // offsets
	VMOVDQU Y1, offsets-32(SP)
	MOVL $const_window, AX
	CMPQ R8, AX
	CMOVQLT R8, AX
	DECL AX
	VMOVD AX, X2
	VPBROADCASTD X2, Y2
	VPADDD Y5, Y1, Y1
	VPMINUD Y1, Y2, Y2
	VPCMPEQD Y1, Y2, Y2
	VMOVMSKPS Y2, BX
	ANDL probe_tries(R13), BX
	JEQ  done

	// The places are tried from the newest one on.
place:
	TZCNTL BX, AX
	MOVL offsets-32(SP)(AX*4), AX
	MOVQ DI, R9
	SUBQ AX, R9
	MOVQ (R9), R15
	XORQ DX, R15
	TZCNTQ R15, CX
	SHRQ $3, CX
	CMPL CX, $8
	JEQ  eight

	LZCNTQ AX, R15
	LEAQ -64(R15)(CX*4), R15
	CMPQ AX, probe_limits(R13)(CX*8)
	CMOVQGE BP, R15
	CMPQ R15, R14
	CMOVQGT R15, R14
	CMOVQGT AX, R11
	CMOVQGT CX, R12

tried:
	BLSRL BX, BX
	JNE  place

done:
	MOVQ R11, probe_offset(R13)
	MOVQ R12, probe_n(R13)
	VZEROUPPER
	RET

	// From this offset, a copy gains more than the best one only if it has more than R15 bytes. The last of these
	// are compared first.
eight:
	LZCNTQ AX, R15
	NEGQ R15
	LEAQ 64(R15)(R14*1), R15
	SARQ $2, R15
	CMPQ R15, $8
	JLT  longer
	LEAQ (R9)(R15*1), CX
	ADDQ DI, R15
	CMPQ R15, R10
	JCC  tried
	MOVQ -7(R15), R15
	CMPQ R15, -7(CX)
	MOVL $8, CX
	JNE  tried

longer:
	EXTEND(DI, R9, CX, R10, eightNext, eightBytes, eightDiffer, eightEnd)
	LZCNTQ AX, R15
	LEAQ -64(R15)(CX*4), R15
	CMPQ R15, R14
	JLE  tried
	MOVQ R15, R14
	MOVQ AX, R11
	MOVQ CX, R12
	CMPQ CX, $const_enough
	JLT  tried
	JMP  done

// func scanKernel(c *probe)
//
// SI is the content, R8 the position and DI its address, DX are its eight bytes. R10 is the end of the content.
// R11 and R12 are offset and length of the best copy, and R14 is what it gains. BP is less than any gain.
TEXT ·scanKernel(SB), NOSPLIT, $32-8
	MOVQ c+0(FP), R13
	MOVQ probe_src(R13), SI
	MOVQ probe_src+8(R13), R10
	ADDQ SI, R10
	MOVQ probe_at(R13), R8
	XORL R14, R14
	XORL R11, R11
	XORL R12, R12
	MOVQ $(1<<63), BP
	VMOVDQU lanesBefore<>(SB), Y4
	VPCMPEQD Y5, Y5, Y5

position:
	CMPQ R8, probe_limit(R13)
	JGE  done
	LEAQ (SI)(R8*1), DI
	MOVQ (DI), DX
	RORXQ $8, DX, AX
	CMPQ AX, DX
	JEQ  done // all bytes are equal

	// A copy with the offset of the last sequence, from here or from the next position?
	MOVQ R8, AX
	SUBQ probe_last(R13), AX
	JCS  prefetch
	MOVQ (SI)(AX*1), AX
	XORQ DX, AX
	TESTL AX, AX
	JEQ  done
	SHRQ $8, AX
	TESTL AX, AX
	JEQ  done

	// Prefetch the bucket of a later position.
prefetch:
	LEAQ (AHEAD+8)(DI), R15
	CMPQ R15, R10
	JHI  prefetched
	MOVQ AHEAD(DI), R15
	MOVQ probe_multiplier(R13), AX
	IMULQ R15, AX
	MOVQ probe_down(R13), CX
	ADDQ $const_tagBits, CX // without the tag
	SHRXQ CX, AX, AX
	SHLQ $(const_waysLog+2), AX
	ADDQ probe_buckets(R13), AX
	PREFETCHT0 (AX)

prefetched:
	MOVL R8, R9
	ADDL probe_base(R13), R9
	SHLL $const_tagBits, R9
	MOVQ probe_multiplier(R13), R15
	IMULQ DX, R15
	MOVQ probe_down(R13), CX
	SHRXQ CX, R15, R15
	MOVB R15, R9
	SHRQ $const_tagBits, R15
	SHLQ $(const_waysLog+2), R15
	ADDQ probe_buckets(R13), R15
	VMOVDQU (R15), Y0
	VMOVD R9, X1
	VPBROADCASTD X1, Y1
	VPERMD Y0, Y4, Y2
	VPBLENDD $1, Y1, Y2, Y2
	VMOVDQU Y2, (R15)

	VPSUBD Y0, Y1, Y1
	VPSRLD $const_tagBits, Y1, Y2
	VPSLLD $(32-const_tagBits), Y1, Y1
	VPOR   Y2, Y1, Y1 // offsets
	VMOVDQU Y1, offsets-32(SP)
	MOVL $const_window, AX
	CMPQ R8, AX
	CMOVQLT R8, AX
	DECL AX
	VMOVD AX, X2
	VPBROADCASTD X2, Y2
	VPADDD Y5, Y1, Y1
	VPMINUD Y1, Y2, Y2
	VPCMPEQD Y1, Y2, Y2
	VMOVMSKPS Y2, BX
	ANDL probe_tries(R13), BX
	JEQ  none

	// The places are tried from the newest one on.
place:
	TZCNTL BX, AX
	MOVL offsets-32(SP)(AX*4), AX
	MOVQ DI, R9
	SUBQ AX, R9
	MOVQ (R9), R15
	XORQ DX, R15
	TZCNTQ R15, CX
	SHRQ $3, CX
	CMPL CX, $8
	JEQ  eight

	LZCNTQ AX, R15
	LEAQ -64(R15)(CX*4), R15
	CMPQ AX, probe_limits(R13)(CX*8)
	CMOVQGE BP, R15
	CMPQ R15, R14
	CMOVQGT R15, R14
	CMOVQGT AX, R11
	CMOVQGT CX, R12

tried:
	BLSRL BX, BX
	JNE  place

	TESTQ R12, R12
	JNE  done

none:
	MOVQ R8, AX
	SUBQ probe_anchor(R13), AX
	MOVQ probe_haste(R13), CX
	SHRXQ CX, AX, AX
	LEAQ 1(R8)(AX*1), R8
	JMP  position

done:
	MOVQ R8, probe_at(R13)
	MOVQ R11, probe_offset(R13)
	MOVQ R12, probe_n(R13)
	VZEROUPPER
	RET

	// From this offset, a copy gains more than the best one only if it has more than R15 bytes. The last of these
	// are compared first.
eight:
	LZCNTQ AX, R15
	NEGQ R15
	LEAQ 64(R15)(R14*1), R15
	SARQ $2, R15
	CMPQ R15, $8
	JLT  longer
	LEAQ (R9)(R15*1), CX
	ADDQ DI, R15
	CMPQ R15, R10
	JCC  tried
	MOVQ -7(R15), R15
	CMPQ R15, -7(CX)
	MOVL $8, CX
	JNE  tried

longer:
	EXTEND(DI, R9, CX, R10, eightNext, eightBytes, eightDiffer, eightEnd)
	LZCNTQ AX, R15
	LEAQ -64(R15)(CX*4), R15
	CMPQ R15, R14
	JLE  tried
	MOVQ R15, R14
	MOVQ AX, R11
	MOVQ CX, R12
	CMPQ CX, $const_enough
	JLT  tried
	JMP  done
