// Code generated from dense_batches_amd64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// hash8
#define MULTIPLIER $0x2545f4914f6cdd1d

#define SIZE run_layout+layout_size(R13)

// ENTRY sets BX to the entry of the position at, whose eight bytes are in BX, and
// DX to its slot. R13 is the run, CX its down, and R15 MULTIPLIER.
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

#define BATCH 64
#define NEAR (256<<10)
#define LISTED (BATCH+8)
#define REPLACED (8*LISTED)
#define ADDRESSES (REPLACED+4*LISTED)

// Which bytes of a half of a register each of four positions has, for steps of four and of two bytes.
DATA dense4Bytes<>+0(SB)/8, $0x0b0a090807060504
DATA dense4Bytes<>+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA dense4Bytes<>+16(SB)/8, $0x0b0a090807060504
DATA dense4Bytes<>+24(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL dense4Bytes<>(SB), RODATA|NOPTR, $32
DATA dense2Bytes<>+0(SB)/8, $0x0908070605040302
DATA dense2Bytes<>+8(SB)/8, $0x0b0a090807060504
DATA dense2Bytes<>+16(SB)/8, $0x0d0c0b0a09080706
DATA dense2Bytes<>+24(SB)/8, $0x0f0e0d0c0b0a0908
GLOBL dense2Bytes<>(SB), RODATA|NOPTR, $32

// func takeDense4Kernel512(r *run, c *cursor)
//
// R8 is the position, R11 the anchor, and stop where the run ends. A copy has its length in AX and its
// offset in BX; the search goes on at R14. Before the search goes through BATCH positions, the entries of
// these are listed, with their slots below them, 8 at a time.
// From NEAR on, the earlier places to which the table refers now are prefetched, so that no load of
// the search has to wait for the memory.
//
// R15 is where the entry of the position R8 is listed. The list is in scratch, with eight positions
// more than a batch has: of these, only what the search loads is prefetched, so that the next batch need
// not wait for it.
// Behind the list are the entries of the table, and addresses to prefetch.
TEXT ·takeDense4Kernel512(SB), NOSPLIT, $24-16
	MOVQ r+0(FP), R13
	MOVQ c+8(FP), AX
	MOVQ cursor_src(AX), SI
	MOVQ cursor_table(AX), R9
	MOVQ cursor_literals(AX), DI
	MOVQ cursor_sequences(AX), R12
	MOVQ cursor_anchor(AX), R11
	MOVQ run_at(R13), R8
	MOVQ run_count(R13), AX
	LEAQ (R8)(AX*4), AX
	MOVQ AX, stop-8(SP)
	CMPQ R8, AX
	JGE  denseDone

	VMOVDQU64    ·lanes512(SB), Z10
	VPSLLQ       $2, Z10, Z10 // how far each position of eight is from the first one
	MOVQ         $0x0101010101010101, AX
	VPBROADCASTQ AX, Z0
	VPMULLQ      Z0, Z10, Z0
	MOVQ         $0x0706050403020100, AX
	VPBROADCASTQ AX, Z1
	VPADDB       Z1, Z0, Z0   // which bytes of a load they have
	VPBROADCASTQ run_mask(R13), Z1
	MOVQ         MULTIPLIER, AX
	VPBROADCASTQ AX, Z2
	VMOVQ        run_down(R13), X3
	MOVQ         $0xff00000000, AX
	VPBROADCASTQ AX, Z4
	MOVQ         $35184372088832, AX
	VPBROADCASTQ AX, Z6
	MOVL         $32, AX
	VPBROADCASTQ AX, Z11
	MOVL         $0xff, AX
	VPBROADCASTD AX, Z12

denseBatch:
	MOVQ c+8(FP), AX
	MOVQ cursor_scratch(AX), R15
	MOVQ stop-8(SP), BX
	SUBQ R8, BX
	SHRQ $2, BX // positions that are left
	MOVL $BATCH, AX
	CMPQ BX, AX
	CMOVQLT BX, AX
	LEAQ (R15)(AX*8), AX
	MOVQ AX, end-16(SP)
	MOVL $LISTED, AX
	CMPQ BX, AX
	CMOVQGT AX, BX
	LEAQ (R15)(BX*8), R14 // where the list ends

	VPBROADCASTQ R8, Z5
	VPADDQ       Z10, Z5, Z5
	VPSLLQ       $40, Z5, Z5
	MOVQ         $68719476735, AX
	KMOVQ        AX, K1
	LEAQ         (SI)(R8*1), AX
	MOVQ         R15, DX

denseHash:
	CMPQ BX, $8
	JB   denseFew

denseEight:
	VMOVDQU8.Z (AX), K1, Z7
	VPERMB     Z7, Z0, Z7
	VPANDQ     Z1, Z7, Z7
	VPMULLQ    Z2, Z7, Z7
	VPSRLQ     X3, Z7, Z8
	VPSLLQ     $8, Z7, Z7
	VPTERNLOGQ $0xf8, Z4, Z7, Z8
	VPORQ      Z5, Z8, Z8
	VMOVDQU64  Z8, (DX)
	VPADDQ     Z6, Z5, Z5
	ADDQ       $32, AX
	ADDQ       $64, DX
	SUBQ       $8, BX
	JG         denseHash

	// The first places of a frame are in a near cache.
	CMPQ R8, $NEAR
	JB   densePosition
	MOVQ R15, DX
	LEAQ REPLACED(R15), CX

denseReplaced:
	MOVL (DX), AX
	MOVL (R9)(AX*4), BX
	MOVL BX, (CX)
	ADDQ $8, DX
	ADDQ $4, CX
	CMPQ DX, R14
	JB   denseReplaced

	LEAQ (SI)(R8*1), AX
	VPBROADCASTQ AX, Z5
	VPADDQ Z10, Z5, Z5
	MOVQ R15, DX
	LEAQ REPLACED(R15), CX
	LEAQ ADDRESSES(R15), BX

denseAddresses:
	VMOVDQU64 (DX), Z7
	VPSRLQ    $32, Z7, Z7
	VPMOVQD   Z7, Y7
	VPSUBD    (CX), Y7, Y7
	VPTESTNMD Y12, Y7, K2
	VPSRLD    $8, Y7, Y7
	VPMOVZXDQ Y7, Z7
	VPSUBQ    Z7, Z5, Z7
	VPADDQ    Z11, Z5, Z5
	VPCOMPRESSQ Z7, K2, Z7
	VMOVDQU64 Z7, (BX)
	KMOVB     K2, AX
	POPCNTL   AX, AX
	LEAQ      (BX)(AX*8), BX
	ADDQ      $64, DX
	ADDQ      $32, CX
	CMPQ      DX, R14
	JB        denseAddresses

	LEAQ ADDRESSES(R15), DX
	JMP  densePrefetch

densePrefetchNext:
	MOVQ       (DX), AX
	PREFETCHT0 -8(AX) // equal bytes before belong to a copy
	PREFETCHT0 7(AX)
	ADDQ       $8, DX

densePrefetch:
	CMPQ DX, BX
	JB   densePrefetchNext

densePosition:
	MOVQ (SI)(R8*1), AX
	MOVL (R15), DX
	MOVL 4(R15), BX
	MOVL (R9)(DX*4), R14
	MOVL BX, (R9)(DX*4)
	SUBL R14, BX // its low byte is zero if the hash may be the same
	TESTB BX, BX
	JNE  denseBefore
	SHRL $8, BX
	LEAL -1(BX), DX
	CMPQ DX, run_most(R13)
	JCC  denseBefore
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ (SI)(DX*1), R14
	XORQ AX, R14
	JEQ  denseLong
	TESTQ run_mask(R13), R14
	JNE  denseNone
	TZCNTQ R14, AX
	SHRQ $3, AX
	LEAQ 8(R8), R14

denseFound:
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ -8(SI)(DX*1), DX
	XORQ -8(SI)(R8*1), DX
	ORQ  $1, DX
	LZCNTQ DX, DX
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
	JHI  denseMore

denseCopied:
	ADDQ R10, DI
	LEAQ (R8)(AX*1), R11
	MOVQ R14, DX
	SUBQ R8, DX
	MOVQ R14, R8
	LEAQ (R15)(DX*2), R15
	CMPQ R15, end-16(SP)
	JCC  denseBehind
	MOVL -8(R15), DX
	MOVL -4(R15), BX
	MOVL BX, (R9)(DX*4)
	JMP  densePosition

denseNone:
	ADDQ $4, R8
	ADDQ $8, R15
	CMPQ R15, end-16(SP)
	JB   densePosition
	CMPQ R8, stop-8(SP)
	JLT  denseBatch

denseDone:
	MOVQ c+8(FP), AX
	MOVQ DI, cursor_literals(AX)
	MOVQ R12, cursor_sequences(AX)
	MOVQ R11, cursor_anchor(AX)
	VZEROUPPER
	RET

// The next position is in no batch yet, and the one before it may not be listed.
denseBehind:
	CMPQ R8, stop-8(SP)
	JGE  denseDone
	LEAQ -4(R8), R14
	MOVQ (SI)(R14*1), BX
	MOVQ R15, R10
	MOVQ MULTIPLIER, R15
	MOVQ run_down(R13), CX
	ENTRY(R14, R10)
	MOVL BX, (R9)(DX*4)
	JMP  denseBatch

denseMore:
	ADDQ SI, R11
	MOVQ $8, CX

denseMoreNext:
	MOVQ (R11)(CX*1), DX
	MOVQ DX, (DI)(CX*1)
	ADDQ $8, CX
	CMPQ CX, R10
	JB   denseMoreNext
	JMP  denseCopied

denseBefore:
	MOVQ SIZE, BX
	MOVQ R8, DX
	SUBQ BX, DX
	XORQ (SI)(DX*1), AX
	TESTL $0xffffff, AX
	JNE  denseNone
	TESTQ AX, AX
	JEQ  denseExtend
	TZCNTQ AX, AX
	SHRQ $3, AX

// The next position is behind the copy.
denseAligned:
	LEAQ 3(AX), R14
	ANDQ $-4, R14
	ADDQ R8, R14
	JMP  denseFound

denseLong:
	MOVQ c+8(FP), AX
	INCQ cursor_long(AX)

denseExtend:
	LEAQ (SI)(R8*1), R14
	MOVQ R14, DX
	SUBQ BX, DX
	MOVQ c+8(FP), AX
	MOVQ cursor_end(AX), R10
	SUBQ R8, R10
	SUBQ $8, R10 // the last length that eight bytes follow
	MOVQ $8, AX

denseExtendNext:
	CMPQ AX, R10
	JGT  denseExtendBytes
	MOVQ (R14)(AX*1), CX
	XORQ (DX)(AX*1), CX
	JNE  denseExtendEnd
	ADDQ $8, AX
	JMP  denseExtendNext

denseExtendEnd:
	TZCNTQ CX, CX
	SHRQ $3, CX
	ADDQ CX, AX
	JMP  denseAligned

denseExtendBytes:
	ADDQ $8, R10

denseExtendByte:
	CMPQ AX, R10
	JGE  denseAligned
	MOVBLZX (R14)(AX*1), CX
	CMPB CX, (DX)(AX*1)
	JNE  denseAligned
	INCQ AX
	JMP  denseExtendByte

// BX positions are left, fewer than eight.
denseFew:
	LEAQ  4(BX*4), CX
	MOVQ  $-1, R10
	SHLQ  CX, R10
	NOTQ  R10
	KMOVQ R10, K1
	JMP   denseEight

// func takeDense2Kernel512(r *run, c *cursor)
//
// R8 is the position, R11 the anchor, and stop where the run ends. A copy has its length in AX and its
// offset in BX; the search goes on at R14. Before the search goes through BATCH positions, the entries of
// these are listed, with their slots below them, 8 at a time.
// From NEAR on, the earlier places to which the table refers now are prefetched, so that no load of
// the search has to wait for the memory.
//
// R15 is where the entry of the position R8 is listed. The list is in scratch, with eight positions
// more than a batch has: of these, only what the search loads is prefetched, so that the next batch need
// not wait for it.
// Behind the list are the entries of the table, and addresses to prefetch.
TEXT ·takeDense2Kernel512(SB), NOSPLIT, $24-16
	MOVQ r+0(FP), R13
	MOVQ c+8(FP), AX
	MOVQ cursor_src(AX), SI
	MOVQ cursor_table(AX), R9
	MOVQ cursor_literals(AX), DI
	MOVQ cursor_sequences(AX), R12
	MOVQ cursor_anchor(AX), R11
	MOVQ run_at(R13), R8
	MOVQ run_count(R13), AX
	LEAQ (R8)(AX*2), AX
	MOVQ AX, stop-8(SP)
	CMPQ R8, AX
	JGE  denseDone

	VMOVDQU64    ·lanes512(SB), Z10
	VPSLLQ       $1, Z10, Z10 // how far each position of eight is from the first one
	MOVQ         $0x0101010101010101, AX
	VPBROADCASTQ AX, Z0
	VPMULLQ      Z0, Z10, Z0
	MOVQ         $0x0706050403020100, AX
	VPBROADCASTQ AX, Z1
	VPADDB       Z1, Z0, Z0   // which bytes of a load they have
	VPBROADCASTQ run_mask(R13), Z1
	MOVQ         MULTIPLIER, AX
	VPBROADCASTQ AX, Z2
	VMOVQ        run_down(R13), X3
	MOVQ         $0xff00000000, AX
	VPBROADCASTQ AX, Z4
	MOVQ         $17592186044416, AX
	VPBROADCASTQ AX, Z6
	MOVL         $16, AX
	VPBROADCASTQ AX, Z11
	MOVL         $0xff, AX
	VPBROADCASTD AX, Z12

denseBatch:
	MOVQ c+8(FP), AX
	MOVQ cursor_scratch(AX), R15
	MOVQ stop-8(SP), BX
	SUBQ R8, BX
	SHRQ $1, BX // positions that are left
	MOVL $BATCH, AX
	CMPQ BX, AX
	CMOVQLT BX, AX
	LEAQ (R15)(AX*8), AX
	MOVQ AX, end-16(SP)
	MOVL $LISTED, AX
	CMPQ BX, AX
	CMOVQGT AX, BX
	LEAQ (R15)(BX*8), R14 // where the list ends

	VPBROADCASTQ R8, Z5
	VPADDQ       Z10, Z5, Z5
	VPSLLQ       $40, Z5, Z5
	MOVQ         $4194303, AX
	KMOVQ        AX, K1
	LEAQ         (SI)(R8*1), AX
	MOVQ         R15, DX

denseHash:
	CMPQ BX, $8
	JB   denseFew

denseEight:
	VMOVDQU8.Z (AX), K1, Z7
	VPERMB     Z7, Z0, Z7
	VPANDQ     Z1, Z7, Z7
	VPMULLQ    Z2, Z7, Z7
	VPSRLQ     X3, Z7, Z8
	VPSLLQ     $8, Z7, Z7
	VPTERNLOGQ $0xf8, Z4, Z7, Z8
	VPORQ      Z5, Z8, Z8
	VMOVDQU64  Z8, (DX)
	VPADDQ     Z6, Z5, Z5
	ADDQ       $16, AX
	ADDQ       $64, DX
	SUBQ       $8, BX
	JG         denseHash

	// The first places of a frame are in a near cache.
	CMPQ R8, $NEAR
	JB   densePosition
	MOVQ R15, DX
	LEAQ REPLACED(R15), CX

denseReplaced:
	MOVL (DX), AX
	MOVL (R9)(AX*4), BX
	MOVL BX, (CX)
	ADDQ $8, DX
	ADDQ $4, CX
	CMPQ DX, R14
	JB   denseReplaced

	LEAQ (SI)(R8*1), AX
	VPBROADCASTQ AX, Z5
	VPADDQ Z10, Z5, Z5
	MOVQ R15, DX
	LEAQ REPLACED(R15), CX
	LEAQ ADDRESSES(R15), BX

denseAddresses:
	VMOVDQU64 (DX), Z7
	VPSRLQ    $32, Z7, Z7
	VPMOVQD   Z7, Y7
	VPSUBD    (CX), Y7, Y7
	VPTESTNMD Y12, Y7, K2
	VPSRLD    $8, Y7, Y7
	VPMOVZXDQ Y7, Z7
	VPSUBQ    Z7, Z5, Z7
	VPADDQ    Z11, Z5, Z5
	VPCOMPRESSQ Z7, K2, Z7
	VMOVDQU64 Z7, (BX)
	KMOVB     K2, AX
	POPCNTL   AX, AX
	LEAQ      (BX)(AX*8), BX
	ADDQ      $64, DX
	ADDQ      $32, CX
	CMPQ      DX, R14
	JB        denseAddresses

	LEAQ ADDRESSES(R15), DX
	JMP  densePrefetch

densePrefetchNext:
	MOVQ       (DX), AX
	PREFETCHT0 -8(AX) // equal bytes before belong to a copy
	PREFETCHT0 7(AX)
	ADDQ       $8, DX

densePrefetch:
	CMPQ DX, BX
	JB   densePrefetchNext

densePosition:
	MOVQ (SI)(R8*1), AX
	MOVL (R15), DX
	MOVL 4(R15), BX
	MOVL (R9)(DX*4), R14
	MOVL BX, (R9)(DX*4)
	SUBL R14, BX // its low byte is zero if the hash may be the same
	TESTB BX, BX
	JNE  denseBefore
	SHRL $8, BX
	LEAL -1(BX), DX
	CMPQ DX, run_most(R13)
	JCC  denseBefore
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ (SI)(DX*1), R14
	XORQ AX, R14
	JEQ  denseLong
	TESTQ run_mask(R13), R14
	JNE  denseNone
	TZCNTQ R14, AX
	SHRQ $3, AX
	LEAQ 8(R8), R14
	CMPQ AX, $7
	JEQ  denseFound
	LEAQ 6(R8), R14

denseFound:
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ -8(SI)(DX*1), DX
	XORQ -8(SI)(R8*1), DX
	ORQ  $1, DX
	LZCNTQ DX, DX
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
	JHI  denseMore

denseCopied:
	ADDQ R10, DI
	LEAQ (R8)(AX*1), R11
	MOVQ R14, DX
	SUBQ R8, DX
	MOVQ R14, R8
	LEAQ (R15)(DX*4), R15
	CMPQ R15, end-16(SP)
	JCC  denseBehind
	MOVL -8(R15), DX
	MOVL -4(R15), BX
	MOVL BX, (R9)(DX*4)
	JMP  densePosition

denseNone:
	ADDQ $2, R8
	ADDQ $8, R15
	CMPQ R15, end-16(SP)
	JB   densePosition
	CMPQ R8, stop-8(SP)
	JLT  denseBatch

denseDone:
	MOVQ c+8(FP), AX
	MOVQ DI, cursor_literals(AX)
	MOVQ R12, cursor_sequences(AX)
	MOVQ R11, cursor_anchor(AX)
	VZEROUPPER
	RET

// The next position is in no batch yet, and the one before it may not be listed.
denseBehind:
	CMPQ R8, stop-8(SP)
	JGE  denseDone
	LEAQ -2(R8), R14
	MOVQ (SI)(R14*1), BX
	MOVQ R15, R10
	MOVQ MULTIPLIER, R15
	MOVQ run_down(R13), CX
	ENTRY(R14, R10)
	MOVL BX, (R9)(DX*4)
	JMP  denseBatch

denseMore:
	ADDQ SI, R11
	MOVQ $8, CX

denseMoreNext:
	MOVQ (R11)(CX*1), DX
	MOVQ DX, (DI)(CX*1)
	ADDQ $8, CX
	CMPQ CX, R10
	JB   denseMoreNext
	JMP  denseCopied

denseBefore:
	MOVQ SIZE, BX
	MOVQ R8, DX
	SUBQ BX, DX
	XORQ (SI)(DX*1), AX
	TESTL $0xffffff, AX
	JNE  denseNone
	TESTQ AX, AX
	JEQ  denseExtend
	TZCNTQ AX, AX
	SHRQ $3, AX

// The next position is behind the copy.
denseAligned:
	LEAQ 1(AX), R14
	ANDQ $-2, R14
	ADDQ R8, R14
	JMP  denseFound

denseLong:
	MOVQ c+8(FP), AX
	INCQ cursor_long(AX)

denseExtend:
	LEAQ (SI)(R8*1), R14
	MOVQ R14, DX
	SUBQ BX, DX
	MOVQ c+8(FP), AX
	MOVQ cursor_end(AX), R10
	SUBQ R8, R10
	SUBQ $8, R10 // the last length that eight bytes follow
	MOVQ $8, AX

denseExtendNext:
	CMPQ AX, R10
	JGT  denseExtendBytes
	MOVQ (R14)(AX*1), CX
	XORQ (DX)(AX*1), CX
	JNE  denseExtendEnd
	ADDQ $8, AX
	JMP  denseExtendNext

denseExtendEnd:
	TZCNTQ CX, CX
	SHRQ $3, CX
	ADDQ CX, AX
	JMP  denseAligned

denseExtendBytes:
	ADDQ $8, R10

denseExtendByte:
	CMPQ AX, R10
	JGE  denseAligned
	MOVBLZX (R14)(AX*1), CX
	CMPB CX, (DX)(AX*1)
	JNE  denseAligned
	INCQ AX
	JMP  denseExtendByte

// BX positions are left, fewer than eight.
denseFew:
	LEAQ  6(BX*2), CX
	MOVQ  $-1, R10
	SHLQ  CX, R10
	NOTQ  R10
	KMOVQ R10, K1
	JMP   denseEight

// func takeDense4Kernel256(r *run, c *cursor)
//
// R8 is the position, R11 the anchor, and stop where the run ends. A copy has its length in AX and its
// offset in BX; the search goes on at R14. Before the search goes through BATCH positions, the entries of
// these are listed, with their slots below them, 4 at a time.
// From NEAR on, the slots of the table are prefetched.
//
// R15 is where the entry of the position R8 is listed. The list is in scratch, with eight positions
// more than a batch has: of these, only what the search loads is prefetched, so that the next batch need
// not wait for it.
TEXT ·takeDense4Kernel256(SB), NOSPLIT, $24-16
	MOVQ r+0(FP), R13
	MOVQ c+8(FP), AX
	MOVQ cursor_src(AX), SI
	MOVQ cursor_table(AX), R9
	MOVQ cursor_literals(AX), DI
	MOVQ cursor_sequences(AX), R12
	MOVQ cursor_anchor(AX), R11
	MOVQ run_at(R13), R8
	MOVQ run_count(R13), AX
	LEAQ (R8)(AX*4), AX
	MOVQ AX, stop-8(SP)
	CMPQ R8, AX
	JGE  denseDone

	VMOVDQU      ·lanes512(SB), Y10
	VPSLLQ       $2, Y10, Y10 // how far each position of four is from the first one
	VMOVDQU      dense4Bytes<>(SB), Y0
	VPBROADCASTQ run_mask(R13), Y1
	MOVQ         MULTIPLIER, AX
	VMOVQ        AX, X2
	VPBROADCASTQ X2, Y2
	VPSHUFD      $0xb1, Y2, Y12 // its halves, the other way around
	VMOVQ        run_down(R13), X3
	MOVQ         $0xff00000000, AX
	VMOVQ        AX, X4
	VPBROADCASTQ X4, Y4
	MOVQ         $17592186044416, AX
	VMOVQ        AX, X6
	VPBROADCASTQ X6, Y6
	VPCMPEQD     Y11, Y11, Y11
	VPSLLQ       $32, Y11, Y11

denseBatch:
	MOVQ c+8(FP), AX
	MOVQ cursor_scratch(AX), R15
	ADDQ $32, R15
	MOVQ stop-8(SP), BX
	SUBQ R8, BX
	SHRQ $2, BX // positions that are left
	MOVL $BATCH, AX
	CMPQ BX, AX
	CMOVQLT BX, AX
	LEAQ (R15)(AX*8), AX
	MOVQ AX, end-16(SP)
	MOVL $LISTED, AX
	CMPQ BX, AX
	CMOVQGT AX, BX
	LEAQ (R15)(BX*8), R14 // where the list ends

	LEAQ (SI)(R8*1), AX
	MOVQ R15, DX
	MOVQ R8, R10

denseAt:
	VMOVQ        R10, X5
	VPBROADCASTQ X5, Y5
	VPADDQ       Y10, Y5, Y5
	VPSLLQ       $40, Y5, Y5

denseHash:
	CMPQ BX, $4
	JB   denseFew
	VMOVDQU -4(AX), X7
	VINSERTI128 $1, 4(AX), Y7, Y7
	VPSHUFB  Y0, Y7, Y7
	VPAND    Y1, Y7, Y7
	VPMULLD  Y12, Y7, Y8
	VPMULUDQ Y2, Y7, Y7
	VPSLLQ   $32, Y8, Y9
	VPADDD   Y9, Y8, Y8
	VPAND    Y11, Y8, Y8
	VPADDQ   Y8, Y7, Y7
	VPSRLQ   X3, Y7, Y8
	VPSLLQ   $8, Y7, Y7
	VPAND    Y4, Y7, Y7
	VPOR     Y5, Y8, Y8
	VPOR     Y7, Y8, Y8
	VMOVDQU  Y8, (DX)
	VPADDQ   Y6, Y5, Y5
	ADDQ     $16, AX
	ADDQ     $32, DX
	SUBQ     $4, BX
	JG       denseHash

	// The first places of a frame are in a near cache.
	CMPQ R8, $NEAR
	JB   densePosition
	MOVQ R15, DX

densePrefetch:
	MOVL (DX), AX
	PREFETCHT0 (R9)(AX*4)
	ADDQ $8, DX
	CMPQ DX, R14
	JB   densePrefetch

densePosition:
	MOVQ (SI)(R8*1), AX
	MOVL (R15), DX
	MOVL 4(R15), BX
	MOVL (R9)(DX*4), R14
	MOVL BX, (R9)(DX*4)
	SUBL R14, BX // its low byte is zero if the hash may be the same
	TESTB BX, BX
	JNE  denseBefore
	SHRL $8, BX
	LEAL -1(BX), DX
	CMPQ DX, run_most(R13)
	JCC  denseBefore
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ (SI)(DX*1), R14
	XORQ AX, R14
	JEQ  denseLong
	TESTQ run_mask(R13), R14
	JNE  denseNone
	TZCNTQ R14, AX
	SHRQ $3, AX
	LEAQ 8(R8), R14

denseFound:
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ -8(SI)(DX*1), DX
	XORQ -8(SI)(R8*1), DX
	ORQ  $1, DX
	LZCNTQ DX, DX
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
	JHI  denseMore

denseCopied:
	ADDQ R10, DI
	LEAQ (R8)(AX*1), R11
	MOVQ R14, DX
	SUBQ R8, DX
	MOVQ R14, R8
	LEAQ (R15)(DX*2), R15
	CMPQ R15, end-16(SP)
	JCC  denseBehind
	MOVL -8(R15), DX
	MOVL -4(R15), BX
	MOVL BX, (R9)(DX*4)
	JMP  densePosition

denseNone:
	ADDQ $4, R8
	ADDQ $8, R15
	CMPQ R15, end-16(SP)
	JB   densePosition
	CMPQ R8, stop-8(SP)
	JLT  denseBatch

denseDone:
	MOVQ c+8(FP), AX
	MOVQ DI, cursor_literals(AX)
	MOVQ R12, cursor_sequences(AX)
	MOVQ R11, cursor_anchor(AX)
	VZEROUPPER
	RET

// The next position is in no batch yet, and the one before it may not be listed.
denseBehind:
	CMPQ R8, stop-8(SP)
	JGE  denseDone
	LEAQ -4(R8), R14
	MOVQ (SI)(R14*1), BX
	MOVQ R15, R10
	MOVQ MULTIPLIER, R15
	MOVQ run_down(R13), CX
	ENTRY(R14, R10)
	MOVL BX, (R9)(DX*4)
	JMP  denseBatch

denseMore:
	ADDQ SI, R11
	MOVQ $8, CX

denseMoreNext:
	MOVQ (R11)(CX*1), DX
	MOVQ DX, (DI)(CX*1)
	ADDQ $8, CX
	CMPQ CX, R10
	JB   denseMoreNext
	JMP  denseCopied

denseBefore:
	MOVQ SIZE, BX
	MOVQ R8, DX
	SUBQ BX, DX
	XORQ (SI)(DX*1), AX
	TESTL $0xffffff, AX
	JNE  denseNone
	TESTQ AX, AX
	JEQ  denseExtend
	TZCNTQ AX, AX
	SHRQ $3, AX

// The next position is behind the copy.
denseAligned:
	LEAQ 3(AX), R14
	ANDQ $-4, R14
	ADDQ R8, R14
	JMP  denseFound

denseLong:
	MOVQ c+8(FP), AX
	INCQ cursor_long(AX)

denseExtend:
	LEAQ (SI)(R8*1), R14
	MOVQ R14, DX
	SUBQ BX, DX
	MOVQ c+8(FP), AX
	MOVQ cursor_end(AX), R10
	SUBQ R8, R10
	SUBQ $8, R10 // the last length that eight bytes follow
	MOVQ $8, AX

denseExtendNext:
	CMPQ AX, R10
	JGT  denseExtendBytes
	MOVQ (R14)(AX*1), CX
	XORQ (DX)(AX*1), CX
	JNE  denseExtendEnd
	ADDQ $8, AX
	JMP  denseExtendNext

denseExtendEnd:
	TZCNTQ CX, CX
	SHRQ $3, CX
	ADDQ CX, AX
	JMP  denseAligned

denseExtendBytes:
	ADDQ $8, R10

denseExtendByte:
	CMPQ AX, R10
	JGE  denseAligned
	MOVBLZX (R14)(AX*1), CX
	CMPB CX, (DX)(AX*1)
	JNE  denseAligned
	INCQ AX
	JMP  denseExtendByte

// BX positions are left, fewer than four. The last four begin earlier.
denseFew:
	SUBQ $4, BX
	LEAQ (AX)(BX*4), AX
	LEAQ (DX)(BX*8), DX
	MOVQ AX, R10
	SUBQ SI, R10
	MOVL $4, BX
	JMP  denseAt

// func takeDense2Kernel256(r *run, c *cursor)
//
// R8 is the position, R11 the anchor, and stop where the run ends. A copy has its length in AX and its
// offset in BX; the search goes on at R14. Before the search goes through BATCH positions, the entries of
// these are listed, with their slots below them, 4 at a time.
// From NEAR on, the slots of the table are prefetched.
//
// R15 is where the entry of the position R8 is listed. The list is in scratch, with eight positions
// more than a batch has: of these, only what the search loads is prefetched, so that the next batch need
// not wait for it.
TEXT ·takeDense2Kernel256(SB), NOSPLIT, $24-16
	MOVQ r+0(FP), R13
	MOVQ c+8(FP), AX
	MOVQ cursor_src(AX), SI
	MOVQ cursor_table(AX), R9
	MOVQ cursor_literals(AX), DI
	MOVQ cursor_sequences(AX), R12
	MOVQ cursor_anchor(AX), R11
	MOVQ run_at(R13), R8
	MOVQ run_count(R13), AX
	LEAQ (R8)(AX*2), AX
	MOVQ AX, stop-8(SP)
	CMPQ R8, AX
	JGE  denseDone

	VMOVDQU      ·lanes512(SB), Y10
	VPSLLQ       $1, Y10, Y10 // how far each position of four is from the first one
	VMOVDQU      dense2Bytes<>(SB), Y0
	VPBROADCASTQ run_mask(R13), Y1
	MOVQ         MULTIPLIER, AX
	VMOVQ        AX, X2
	VPBROADCASTQ X2, Y2
	VPSHUFD      $0xb1, Y2, Y12 // its halves, the other way around
	VMOVQ        run_down(R13), X3
	MOVQ         $0xff00000000, AX
	VMOVQ        AX, X4
	VPBROADCASTQ X4, Y4
	MOVQ         $8796093022208, AX
	VMOVQ        AX, X6
	VPBROADCASTQ X6, Y6
	VPCMPEQD     Y11, Y11, Y11
	VPSLLQ       $32, Y11, Y11

denseBatch:
	MOVQ c+8(FP), AX
	MOVQ cursor_scratch(AX), R15
	ADDQ $32, R15
	MOVQ stop-8(SP), BX
	SUBQ R8, BX
	SHRQ $1, BX // positions that are left
	MOVL $BATCH, AX
	CMPQ BX, AX
	CMOVQLT BX, AX
	LEAQ (R15)(AX*8), AX
	MOVQ AX, end-16(SP)
	MOVL $LISTED, AX
	CMPQ BX, AX
	CMOVQGT AX, BX
	LEAQ (R15)(BX*8), R14 // where the list ends

	LEAQ (SI)(R8*1), AX
	MOVQ R15, DX
	MOVQ R8, R10

denseAt:
	VMOVQ        R10, X5
	VPBROADCASTQ X5, Y5
	VPADDQ       Y10, Y5, Y5
	VPSLLQ       $40, Y5, Y5

denseHash:
	CMPQ BX, $4
	JB   denseFew
	VBROADCASTI128 -2(AX), Y7
	VPSHUFB  Y0, Y7, Y7
	VPAND    Y1, Y7, Y7
	VPMULLD  Y12, Y7, Y8
	VPMULUDQ Y2, Y7, Y7
	VPSLLQ   $32, Y8, Y9
	VPADDD   Y9, Y8, Y8
	VPAND    Y11, Y8, Y8
	VPADDQ   Y8, Y7, Y7
	VPSRLQ   X3, Y7, Y8
	VPSLLQ   $8, Y7, Y7
	VPAND    Y4, Y7, Y7
	VPOR     Y5, Y8, Y8
	VPOR     Y7, Y8, Y8
	VMOVDQU  Y8, (DX)
	VPADDQ   Y6, Y5, Y5
	ADDQ     $8, AX
	ADDQ     $32, DX
	SUBQ     $4, BX
	JG       denseHash

	// The first places of a frame are in a near cache.
	CMPQ R8, $NEAR
	JB   densePosition
	MOVQ R15, DX

densePrefetch:
	MOVL (DX), AX
	PREFETCHT0 (R9)(AX*4)
	ADDQ $8, DX
	CMPQ DX, R14
	JB   densePrefetch

densePosition:
	MOVQ (SI)(R8*1), AX
	MOVL (R15), DX
	MOVL 4(R15), BX
	MOVL (R9)(DX*4), R14
	MOVL BX, (R9)(DX*4)
	SUBL R14, BX // its low byte is zero if the hash may be the same
	TESTB BX, BX
	JNE  denseBefore
	SHRL $8, BX
	LEAL -1(BX), DX
	CMPQ DX, run_most(R13)
	JCC  denseBefore
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ (SI)(DX*1), R14
	XORQ AX, R14
	JEQ  denseLong
	TESTQ run_mask(R13), R14
	JNE  denseNone
	TZCNTQ R14, AX
	SHRQ $3, AX
	LEAQ 8(R8), R14
	CMPQ AX, $7
	JEQ  denseFound
	LEAQ 6(R8), R14

denseFound:
	MOVQ R8, DX
	SUBQ BX, DX
	MOVQ -8(SI)(DX*1), DX
	XORQ -8(SI)(R8*1), DX
	ORQ  $1, DX
	LZCNTQ DX, DX
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
	JHI  denseMore

denseCopied:
	ADDQ R10, DI
	LEAQ (R8)(AX*1), R11
	MOVQ R14, DX
	SUBQ R8, DX
	MOVQ R14, R8
	LEAQ (R15)(DX*4), R15
	CMPQ R15, end-16(SP)
	JCC  denseBehind
	MOVL -8(R15), DX
	MOVL -4(R15), BX
	MOVL BX, (R9)(DX*4)
	JMP  densePosition

denseNone:
	ADDQ $2, R8
	ADDQ $8, R15
	CMPQ R15, end-16(SP)
	JB   densePosition
	CMPQ R8, stop-8(SP)
	JLT  denseBatch

denseDone:
	MOVQ c+8(FP), AX
	MOVQ DI, cursor_literals(AX)
	MOVQ R12, cursor_sequences(AX)
	MOVQ R11, cursor_anchor(AX)
	VZEROUPPER
	RET

// The next position is in no batch yet, and the one before it may not be listed.
denseBehind:
	CMPQ R8, stop-8(SP)
	JGE  denseDone
	LEAQ -2(R8), R14
	MOVQ (SI)(R14*1), BX
	MOVQ R15, R10
	MOVQ MULTIPLIER, R15
	MOVQ run_down(R13), CX
	ENTRY(R14, R10)
	MOVL BX, (R9)(DX*4)
	JMP  denseBatch

denseMore:
	ADDQ SI, R11
	MOVQ $8, CX

denseMoreNext:
	MOVQ (R11)(CX*1), DX
	MOVQ DX, (DI)(CX*1)
	ADDQ $8, CX
	CMPQ CX, R10
	JB   denseMoreNext
	JMP  denseCopied

denseBefore:
	MOVQ SIZE, BX
	MOVQ R8, DX
	SUBQ BX, DX
	XORQ (SI)(DX*1), AX
	TESTL $0xffffff, AX
	JNE  denseNone
	TESTQ AX, AX
	JEQ  denseExtend
	TZCNTQ AX, AX
	SHRQ $3, AX

// The next position is behind the copy.
denseAligned:
	LEAQ 1(AX), R14
	ANDQ $-2, R14
	ADDQ R8, R14
	JMP  denseFound

denseLong:
	MOVQ c+8(FP), AX
	INCQ cursor_long(AX)

denseExtend:
	LEAQ (SI)(R8*1), R14
	MOVQ R14, DX
	SUBQ BX, DX
	MOVQ c+8(FP), AX
	MOVQ cursor_end(AX), R10
	SUBQ R8, R10
	SUBQ $8, R10 // the last length that eight bytes follow
	MOVQ $8, AX

denseExtendNext:
	CMPQ AX, R10
	JGT  denseExtendBytes
	MOVQ (R14)(AX*1), CX
	XORQ (DX)(AX*1), CX
	JNE  denseExtendEnd
	ADDQ $8, AX
	JMP  denseExtendNext

denseExtendEnd:
	TZCNTQ CX, CX
	SHRQ $3, CX
	ADDQ CX, AX
	JMP  denseAligned

denseExtendBytes:
	ADDQ $8, R10

denseExtendByte:
	CMPQ AX, R10
	JGE  denseAligned
	MOVBLZX (R14)(AX*1), CX
	CMPB CX, (DX)(AX*1)
	JNE  denseAligned
	INCQ AX
	JMP  denseExtendByte

// BX positions are left, fewer than four. The last four begin earlier.
denseFew:
	SUBQ $4, BX
	LEAQ (AX)(BX*2), AX
	LEAQ (DX)(BX*8), DX
	MOVQ AX, R10
	SUBQ SI, R10
	MOVL $4, BX
	JMP  denseAt
