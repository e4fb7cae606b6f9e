//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "kernels_amd64.h"

// The planes of 16 blocks of one dimension are coded side by side: each block has a
// word of 32 bits in all registers.

// NIBBLE shifts the highest bits of the words of z to the lowest ones of x, and those
// of z to the left.
#define NIBBLE(z, x) \
	VPSHLDD $1, z, x, x; \
	VPADDD  z, z, z

// func codeNibbles(to *nibbleChunk, s *nibbleState, c *uint64, t *nibbleTables, shift, top, planes, limit int) int
TEXT ·codeNibbles(SB), NOSPLIT, $0-72
	MOVQ to+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ c+16(FP), BX
	MOVQ t+24(FP), DX
	MOVQ planes+48(FP), CX
	VMOVD shift+32(FP), X4
	VMOVDQU32 0(BX), Z0
	VMOVDQU32 64(BX), Z1
	VMOVDQU32 128(BX), Z2
	VMOVDQU32 192(BX), Z3
	VPSLLD X4, Z0, Z0
	VPSLLD X4, Z1, Z1
	VPSLLD X4, Z2, Z2
	VPSLLD X4, Z3, Z3
	VMOVDQU32 nibbleState_bottom(SI), Z4  // the lowest planes
	VMOVDQU32 nibbleState_seen(SI), Z5 // the coefficients that had a one-bit
	VMOVDQU32 nibbleState_length(SI), Z15 // the bits of the chunks
	VMOVDQU64 0(DX), Z9
	VMOVDQU64 64(DX), Z10
	VMOVDQU64 128(DX), Z11
	VMOVDQU64 192(DX), Z12
	VMOVDQU64 256(DX), Z13
	FILL32(1, Z14)
	VPBROADCASTD top+40(FP), Z8
	MOVQ  $0x1111111111111111, AX
	KMOVQ AX, K2 // the lowest byte of each word
	VPBROADCASTD limit+56(FP), Z16
	XORL  R8, R8

chunk:
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	MOVQ   $const_chunkPlanes, AX
	CMPQ   CX, AX
	CMOVQLT CX, AX
	SUBQ   AX, CX

plane:
	VPSUBD Z14, Z8, Z8
	VPXORD Z20, Z20, Z20
	NIBBLE(Z3, Z20)
	NIBBLE(Z2, Z20)
	NIBBLE(Z1, Z20)
	NIBBLE(Z0, Z20)
	VPERMB.Z  Z13, Z5, K2, Z21
	VPORD     Z20, Z21, Z21
	VPORD     Z20, Z5, Z5
	VMOVDQA64 Z21, Z22
	VPERMI2B  Z10, Z9, Z21
	VPERMI2B  Z12, Z11, Z22
	VPCMPD    $2, Z8, Z4, K1
	VPSLLVD   Z7, Z21, Z21
	VPORD     Z21, Z6, K1, Z6
	VPADDD    Z22, Z7, K1, Z7
	DECQ AX
	JNZ  plane
	VMOVDQU32 Z6, nibbleChunk_code(DI)
	VMOVDQU32 Z7, nibbleChunk_bits(DI)
	ADDQ $nibbleChunk__size, DI
	INCQ R8
	VPADDD Z7, Z15, Z15
	VPCMPUD $1, Z16, Z15, K1
	KTESTW K1, K1
	JZ   done // all blocks have as many bits as they may have
	TESTQ CX, CX
	JNZ  chunk

done:
	MOVQ R8, ret+64(FP)
	VMOVDQU32 Z5, nibbleState_seen(SI)
	VMOVDQU32 Z15, nibbleState_length(SI)
	VZEROUPPER
	RET
