//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "kernels_amd64.h"

// DEPOSIT shifts the highest bits of the words of x to the lowest ones of z, and those
// of x to the left.
#define DEPOSIT(x, z) \
	VPSHLDD $1, x, z, z; \
	VPADDD  x, x, x

// func decodeFixed(c *uint64, r *fixedRow, t *fixedTables, skip, planes int) (left int)
//
// Each block has a word of 32 bits in all registers.
TEXT ·decodeFixed(SB), NOSPLIT, $0-48
	MOVQ c+0(FP), DI
	MOVQ r+8(FP), SI
	MOVQ t+16(FP), DX
	MOVQ planes+32(FP), CX
	VMOVDQU32 fixedRow_low(SI), Z4   // the bits of the stream
	VMOVDQU32 fixedRow_high(SI), Z5  // those above
	VMOVDQU32 fixedRow_bits(SI), Z6 // how many they are
	VMOVDQU32 fixedRow_planes(SI), Z7 // planes that are left
	VMOVDQU32 fixedRow_seen(SI), Z8 // coefficients that had a one-bit
	VPBROADCASTD skip+24(FP), Z14
	VPSHRDVD Z14, Z5, Z4
	VPSRLVD  Z14, Z5, Z5
	VPSUBD   Z14, Z6, Z6
	VPSUBD   Z14, Z7, Z7
	VMOVDQU64 0(DX), Z24
	VMOVDQU64 64(DX), Z25
	VMOVDQU64 128(DX), Z26
	VMOVDQU64 192(DX), Z27
	VMOVDQU64 256(DX), Z28
	VMOVDQU64 320(DX), Z29
	MOVQ  $0x1111111111111111, AX
	KMOVQ AX, K2 // the lowest byte of each word
	FILL32(7, Z16)
	FILL32(8, Z17)
	FILL32(15, Z18)
	FILL32(0x70, Z19)
	FILL32(1, Z20)
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z21, Z21, Z21

plane:
	VPCMPGTD Z21, Z6, K1
	VPCMPGTD Z21, Z7, K1, K1
	KTESTW   K1, K1
	JZ       done

	// A plane and its length, by the coefficients that had a one-bit and the next
	// bits that it can have.
	VPERMB.Z   Z28, Z8, K2, Z9
	VPERMB.Z   Z29, Z8, K2, Z10
	VPTERNLOGD $0xf8, Z9, Z4, Z10
	VMOVDQA64  Z10, Z11
	VMOVDQA64  Z10, Z12
	VPERMI2B   Z25, Z24, Z11
	VPERMI2B   Z27, Z26, Z12
	VPMOVB2M   Z10, K3
	VPBLENDMB  Z12, Z11, K3, Z11
	VPANDD     Z19, Z11, Z13
	VPSRLD     $4, Z13, Z13
	VPANDD     Z18, Z11, Z11

	// A run that the end of the block cuts has its one-bit there.
	VPSUBD     Z6, Z13, Z14
	VPMAXSD    Z21, Z14, Z14
	VPANDD     Z17, Z11, Z12
	VPSRLVD    Z14, Z12, Z12
	VPTERNLOGD.Z $0xec, Z16, Z12, K1, Z11

	VPORD  Z11, Z8, Z8
	VPSLLD $28, Z11, Z11
	DEPOSIT(Z11, Z3)
	DEPOSIT(Z11, Z2)
	DEPOSIT(Z11, Z1)
	DEPOSIT(Z11, Z0)
	VPSHRDVD Z13, Z5, Z4
	VPSRLVD  Z13, Z5, Z5
	VPSUBD   Z13, Z6, Z6
	VPSUBD   Z20, Z7, Z7
	DECQ CX
	JNZ  plane

done:
	VMOVQ  CX, X14
	VPSLLD X14, Z0, Z0
	VPSLLD X14, Z1, Z1
	VPSLLD X14, Z2, Z2
	VPSLLD X14, Z3, Z3
	VMOVDQU32 Z0, 0(DI)
	VMOVDQU32 Z1, 64(DI)
	VMOVDQU32 Z2, 128(DI)
	VMOVDQU32 Z3, 192(DI)
	VMOVDQU32 Z4, fixedRow_low(SI)
	VMOVDQU32 Z5, fixedRow_high(SI)
	VMOVDQU32 Z6, fixedRow_bits(SI)
	VMOVDQU32 Z7, fixedRow_planes(SI)
	VMOVDQU32 Z8, fixedRow_seen(SI)
	MOVQ CX, left+40(FP)
	VZEROUPPER
	RET
