//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// hash8
#define MULTIPLIER $0x2545f4914f6cdd1d

// Prefetches the earlier places of the hits from DI to SI: the bytes before them, because equal ones there
// belong to a copy, and those behind them, because the next copy may have the same offset. R8 is at the first
// position.
#define PREFETCH(next, test) \
	JMP     test       \
next:                      \
	MOVQ    (DI), AX   \
	MOVWLZX AX, BX     \
	SHRQ    $40, AX    \
	ADDQ    R8, BX     \
	SUBQ    AX, BX     \
	PREFETCHT0 -8(BX)  \
	PREFETCHT0 24(BX)  \
	ADDQ    $8, DI     \
test:                      \
	CMPQ    DI, SI     \
	JB      next

// Enters the position whose bytes are at from into the table, and puts its entry minus the one that it
// replaces at to.
#define EXCHANGE(from, to) \
	MOVQ   from, AX          \
	ANDQ   R11, AX           \
	IMULQ  R15, AX           \
	BEXTRQ DX, AX, BX        \
	SHRXQ  CX, AX, AX        \
	ORL    R13, BX           \
	MOVL   (SI)(AX*4), R9    \
	MOVL   BX, (SI)(AX*4)    \
	SUBL   R9, BX            \
	MOVL   BX, to            \
	ADDQ   R14, R13

// func lookUpKernel256(hits *hit, table *uint32, at *byte, r *run) int
//
// Two passes over the positions. The first exchanges entries with the table, and keeps each entry minus
// the one that it replaces in the second half of the memory for hits. The second pass lists hits, eight
// positions at a time. The last eight begin before others end, unless the number of positions is a
// multiple of eight. Hits that have been listed are left out.
TEXT ·lookUpKernel256(SB), NOSPLIT, $0-40
	MOVQ hits+0(FP), DI
	MOVQ table+8(FP), SI
	MOVQ at+16(FP), R8
	MOVQ r+24(FP), R9
	MOVQ run_layout+layout_step(R9), R12
	MOVQ R12, R14
	SHLQ $8, R14
	MOVQ run_at(R9), R13
	SHLQ $8, R13
	MOVQ run_mask(R9), R11
	MOVQ run_down(R9), CX
	MOVQ run_count(R9), R10
	MOVQ MULTIPLIER, R15
	MOVL $0x818, DX // BEXTRQ takes eight bits, from bit 24 on
	ADDQ $1024, DI

	TESTQ $1, R10
	JZ    exchangeTwo256
	EXCHANGE(0(R8), 0(DI))
	ADDQ  R12, R8
	ADDQ  $4, DI
	DECQ  R10

exchangeTwo256:
	EXCHANGE(0(R8), 0(DI))
	EXCHANGE((R8)(R12*1), 4(DI))
	LEAQ (R8)(R12*2), R8
	ADDQ $8, DI
	SUBQ $2, R10
	JNZ  exchangeTwo256

	MOVQ r+24(FP), R9
	MOVL $0xff, AX
	MOVQ AX, X0
	VPBROADCASTD X0, Y0
	VPBROADCASTD run_layout+layout_size(R9), Y1 // the offset where the table has none
	MOVQ run_most(R9), AX
	INCQ AX
	MOVQ AX, X2
	VPBROADCASTD X2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ R12, X5
	VPBROADCASTD X5, Y5
	VPMULLD ·lanes256(SB), Y5, Y4 // how far eight positions are from the first one
	VPSLLD $3, Y5, Y5
	VPCMPEQD Y6, Y6, Y6
	VPSRLD $8, Y6, Y6   // three bytes of four
	VPSLLW $8, X6, X8   // the upper byte of two
	MOVQ run_layout+layout_size(R9), R13
	NEGQ R13
	MOVQ run_count(R9), BX // positions that are left
	MOVQ at+16(FP), R8
	MOVQ R8, AX
	MOVQ hits+0(FP), DI
	MOVQ DI, SI         // where the next hit goes
	LEAQ 1024(DI), DX
	LEAQ ·gather256(SB), R15
	XORL R11, R11       // of eight positions, how many have been listed

list256:
	VMOVDQU  (DX), Y7
	VPAND    Y0, Y7, Y9
	VPCMPEQD Y3, Y9, Y9   // the hash may be the same
	VPSRLD   $8, Y7, Y7   // offset
	VPCMPGTD Y3, Y7, Y10
	VPCMPGTD Y7, Y2, Y11
	VPAND    Y11, Y10, Y10
	VPAND    Y9, Y10, Y10
	VPBLENDVB Y10, Y7, Y1, Y7
	CMPQ     R12, $4
	JNE      two256
	VMOVDQU  (AX), Y10
	VPXOR    (AX)(R13*1), Y10, Y10
	VPAND    Y6, Y10, Y10
	VPCMPEQD Y3, Y10, Y10 // three bytes are one number before

hits256:
	VPOR      Y10, Y9, Y9
	VMOVMSKPS Y9, CX
	SHRXQ     R11, CX, CX
	SHLXQ     R11, CX, CX
	VPSLLD    $16, Y7, Y10
	VPOR      Y4, Y10, Y10
	VPSRLD    $16, Y7, Y11
	VPSLLD    $8, Y7, Y12
	VPOR      Y12, Y11, Y11 // the upper halves of hits
	VPMOVZXBD (R15)(CX*8), Y13
	VPERMD    Y10, Y13, Y10
	VPERMD    Y11, Y13, Y11
	VPUNPCKLDQ Y11, Y10, Y12
	VPUNPCKHDQ Y11, Y10, Y13
	VMOVDQU   Y12, (SI)
	VMOVDQU   Y13, 32(SI)
	POPCNTL   CX, CX
	LEAQ      (SI)(CX*8), SI
	VPADDD    Y5, Y4, Y4
	LEAQ      (AX)(R12*8), AX
	ADDQ      $32, DX
	SUBQ      $8, BX
	JLE       listed256
	CMPQ      BX, $8
	JCC       list256

	// Back, so that the last eight positions end with the run.
	MOVL  $8, R11
	SUBQ  BX, R11
	MOVQ  R11, CX
	NEGQ  CX
	LEAQ  (DX)(CX*4), DX
	IMULQ R12, CX
	ADDQ  CX, AX
	MOVQ  CX, X10
	VPBROADCASTD X10, Y10
	VPADDD Y10, Y4, Y4
	MOVL  $8, BX
	JMP   list256

two256:
	VMOVDQU   (AX), X10
	VPXOR     (AX)(R13*1), X10, X10
	VMOVDQU   1(AX), X11
	VPXOR     1(AX)(R13*1), X11, X11
	VPAND     X8, X11, X11
	VPOR      X11, X10, X10
	VPCMPEQW  X3, X10, X10
	VPMOVSXWD X10, Y10
	JMP       hits256

listed256:
	VZEROUPPER
	MOVQ SI, AX
	SUBQ DI, AX
	SHRQ $3, AX
	MOVQ AX, ret+32(FP)
	PREFETCH(prefetchNext256, prefetch256)
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

// func lookUpKernel512(hits *hit, table *uint32, at *byte, r *run) int
//
// Three passes over the positions: the first lists in hits the slot of each one, with its entry
// above, the second exchanges entries with the table, and the third lists hits. The loads of the
// second pass do not wait for each other, nor for the arithmetic, of which the other passes do
// eight positions at a time.
TEXT ·lookUpKernel512(SB), NOSPLIT, $0-40
	MOVQ hits+0(FP), DI
	MOVQ table+8(FP), SI
	MOVQ at+16(FP), R8
	MOVQ r+24(FP), R9
	MOVQ run_layout+layout_step(R9), R12
	MOVQ run_count(R9), R10

	// Z10 is how far each position of eight is from the first one, Z11 how far the next ones are
	// from these, and Z0 which bytes of a load they have. K1 selects the bytes that are loaded.
	VPBROADCASTQ R12, Z11
	VPMULLQ      ·lanes512(SB), Z11, Z10
	VPSLLQ       $3, Z11, Z11
	MOVQ         $0x0101010101010101, AX
	VPBROADCASTQ AX, Z0
	VPMULLQ      Z0, Z10, Z0
	MOVQ         $0x0706050403020100, AX
	VPBROADCASTQ AX, Z1
	VPADDB       Z1, Z0, Z0
	LEAQ  (R12)(R12*2), CX
	LEAQ  8(CX)(R12*4), CX // 7 steps and 8 bytes
	MOVQ  $-1, R11
	SHLQ  CX, R11
	NOTQ  R11
	KMOVQ R11, K1

	VPBROADCASTQ run_mask(R9), Z1
	MOVQ         MULTIPLIER, AX
	VPBROADCASTQ AX, Z2
	VMOVQ        run_down(R9), X3
	MOVQ         $0xff00000000, AX
	VPBROADCASTQ AX, Z4
	MOVQ         run_at(R9), AX
	VPBROADCASTQ AX, Z5
	VPADDQ       Z10, Z5, Z5
	VPSLLQ       $40, Z5, Z5 // positions, where entries have them
	VPSLLQ       $40, Z11, Z6

	MOVQ R8, AX
	MOVQ R10, BX
	MOVQ DI, DX

hashNext:
	CMPQ BX, $8
	JB   hashFew

hashEight:
	VMOVDQU8.Z (AX), K1, Z7
	VPERMB     Z7, Z0, Z7
	VPANDQ     Z1, Z7, Z7
	VPMULLQ    Z2, Z7, Z7
	VPSRLQ     X3, Z7, Z8
	VPSLLQ     $8, Z7, Z7
	VPTERNLOGQ $0xf8, Z4, Z7, Z8 // Z8 | Z7&Z4
	VPORQ      Z5, Z8, Z8
	VMOVDQU64  Z8, (DX)
	VPADDQ     Z6, Z5, Z5
	LEAQ       (AX)(R12*8), AX
	ADDQ       $64, DX
	SUBQ       $8, BX
	JG         hashNext

	LEAQ (DI)(R10*8), DX // where the list ends
	MOVQ DI, R11
	TESTQ $1, R10
	JZ   exchangeTwo
	MOVL (R11), AX
	MOVL 4(R11), BX
	MOVL (SI)(AX*4), CX
	MOVL BX, (SI)(AX*4)
	MOVL CX, (R11)
	ADDQ $8, R11
	CMPQ R11, DX
	JEQ  exchanged

exchangeTwo:
	MOVL (R11), AX
	MOVL 4(R11), BX
	MOVL (SI)(AX*4), CX
	MOVL BX, (SI)(AX*4)
	MOVL CX, (R11)
	MOVL 8(R11), AX
	MOVL 12(R11), BX
	MOVL (SI)(AX*4), CX
	MOVL BX, (SI)(AX*4)
	MOVL CX, 8(R11)
	ADDQ $16, R11
	CMPQ R11, DX
	JNE  exchangeTwo

exchanged:
	MOVQ         run_layout+layout_size(R9), R13
	VPBROADCASTQ R13, Z1 // the offset where the table has none
	VPBROADCASTQ run_most(R9), Z2
	MOVL         $0xff, AX
	VPBROADCASTQ AX, Z3
	MOVL         $0xffffff, AX
	VPBROADCASTQ AX, Z4
	MOVL         $1, AX
	VPBROADCASTQ AX, Z5
	NEGQ R13
	MOVQ DI, DX // where the next entries are
	MOVQ DI, SI // where the next hit goes
	MOVQ R8, AX
	MOVQ R10, BX
	// K1 again for eight positions, K2 for all of them.
	LEAQ  (R12)(R12*2), CX
	LEAQ  8(CX)(R12*4), CX
	MOVQ  $-1, R11
	SHLQ  CX, R11
	NOTQ  R11
	KMOVQ R11, K1
	MOVL  $0xff, R11
	KMOVB R11, K2

listNext:
	CMPQ BX, $8
	JB   listFew

listEight:
	VMOVDQU64  (DX), Z6
	VPSRLQ     $32, Z6, Z7
	VPSUBD     Z6, Z7, Z6      // the entry minus the one that it replaces
	VPTESTNMQ  Z3, Z6, K2, K3  // the hash may be the same
	VPSLLQ     $32, Z6, Z6
	VPSRLQ     $40, Z6, Z6     // offset
	VPSUBQ     Z5, Z6, Z7
	VPCMPUQ    $1, Z2, Z7, K3, K4
	VPBLENDMQ  Z6, Z1, K4, Z6
	VMOVDQU8.Z (AX), K1, Z7
	VMOVDQU8.Z (AX)(R13*1), K1, Z8
	VPXORQ     Z7, Z8, Z7
	VPERMB     Z7, Z0, Z7
	VPTESTNMQ  Z4, Z7, K2, K4  // three bytes are one number before
	KORB       K3, K4, K3
	VPSLLQ     $16, Z6, Z7
	VPSLLQ     $40, Z6, Z6
	VPTERNLOGQ $0xfe, Z10, Z7, Z6
	VPCOMPRESSQ Z6, K3, Z6
	VMOVDQU64  Z6, (SI)
	KMOVB      K3, CX
	POPCNTL    CX, CX
	LEAQ       (SI)(CX*8), SI
	VPADDQ     Z11, Z10, Z10
	LEAQ       (AX)(R12*8), AX
	ADDQ       $64, DX
	SUBQ       $8, BX
	JG         listNext
	VZEROUPPER

	MOVQ SI, AX
	SUBQ DI, AX
	SHRQ $3, AX
	MOVQ AX, ret+32(FP)
	PREFETCH(prefetchNext, prefetch)
	RET

// For fewer than eight positions, BX of them, the bytes of one step and more are not loaded.
hashFew:
	LEAQ  -1(BX), CX
	IMULQ R12, CX
	ADDQ  $8, CX
	MOVQ  $-1, R11
	SHLQ  CX, R11
	NOTQ  R11
	KMOVQ R11, K1
	JMP   hashEight

listFew:
	LEAQ  -1(BX), CX
	IMULQ R12, CX
	ADDQ  $8, CX
	MOVQ  $-1, R11
	SHLQ  CX, R11
	NOTQ  R11
	KMOVQ R11, K1
	MOVL  $1, R11
	MOVQ  BX, CX
	SHLL  CX, R11
	DECL  R11
	KMOVB R11, K2
	JMP   listEight

DATA ·lanes512+0(SB)/8, $0
DATA ·lanes512+8(SB)/8, $1
DATA ·lanes512+16(SB)/8, $2
DATA ·lanes512+24(SB)/8, $3
DATA ·lanes512+32(SB)/8, $4
DATA ·lanes512+40(SB)/8, $5
DATA ·lanes512+48(SB)/8, $6
DATA ·lanes512+56(SB)/8, $7
GLOBL ·lanes512(SB), RODATA|NOPTR, $64
