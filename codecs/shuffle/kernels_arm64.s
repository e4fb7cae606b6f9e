// Code generated from kernels_arm64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "textflag.h"

// func encode2(dst, src *byte, stride, count int)
TEXT ·encode2(SB), NOSPLIT, $0-32
	LDP dst+0(FP), (R0, R1)
	LDP stride+16(FP), (R2, R3)
	ADD R0, R2, R4

next:
	VLD2.P 32(R1), [V0.B16, V1.B16]
	VST1.P [V0.B16], 16(R0)
	VST1.P [V1.B16], 16(R4)
	SUBS   $16, R3
	BNE    next
	RET

// func decode2(dst, src *byte, stride, count int)
TEXT ·decode2(SB), NOSPLIT, $0-32
	LDP dst+0(FP), (R0, R1)
	LDP stride+16(FP), (R2, R3)
	ADD R1, R2, R4

next:
	VLD1.P 16(R1), [V0.B16]
	VLD1.P 16(R4), [V1.B16]
	VST2.P [V0.B16, V1.B16], 32(R0)
	SUBS   $16, R3
	BNE    next
	RET

// func encode4(dst, src *byte, stride, count int)
TEXT ·encode4(SB), NOSPLIT, $0-32
	LDP dst+0(FP), (R0, R1)
	LDP stride+16(FP), (R2, R3)
	ADD R0, R2, R4
	ADD R4, R2, R5
	ADD R5, R2, R6

next:
	VLD4.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VST1.P [V0.B16], 16(R0)
	VST1.P [V1.B16], 16(R4)
	VST1.P [V2.B16], 16(R5)
	VST1.P [V3.B16], 16(R6)
	SUBS   $16, R3
	BNE    next
	RET

// func decode4(dst, src *byte, stride, count int)
TEXT ·decode4(SB), NOSPLIT, $0-32
	LDP dst+0(FP), (R0, R1)
	LDP stride+16(FP), (R2, R3)
	ADD R1, R2, R4
	ADD R4, R2, R5
	ADD R5, R2, R6

next:
	VLD1.P 16(R1), [V0.B16]
	VLD1.P 16(R4), [V1.B16]
	VLD1.P 16(R5), [V2.B16]
	VLD1.P 16(R6), [V3.B16]
	VST4.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	SUBS   $16, R3
	BNE    next
	RET

// The 128 bytes of eight registers have an index of seven bits. SPLIT moves the lowest bit of the
// index to the top, three times: bytes with an even index come first. So sixteen elements of eight bytes
// become eight planes of sixteen bytes. MERGE is the inverse. Both go from V0 to V7 into V16 to V23.
#define SPLIT \
	VUZP1 V1.B16, V0.B16, V16.B16; \
	VUZP1 V3.B16, V2.B16, V17.B16; \
	VUZP1 V5.B16, V4.B16, V18.B16; \
	VUZP1 V7.B16, V6.B16, V19.B16; \
	VUZP2 V1.B16, V0.B16, V20.B16; \
	VUZP2 V3.B16, V2.B16, V21.B16; \
	VUZP2 V5.B16, V4.B16, V22.B16; \
	VUZP2 V7.B16, V6.B16, V23.B16; \
	VUZP1 V17.B16, V16.B16, V0.B16; \
	VUZP1 V19.B16, V18.B16, V1.B16; \
	VUZP1 V21.B16, V20.B16, V2.B16; \
	VUZP1 V23.B16, V22.B16, V3.B16; \
	VUZP2 V17.B16, V16.B16, V4.B16; \
	VUZP2 V19.B16, V18.B16, V5.B16; \
	VUZP2 V21.B16, V20.B16, V6.B16; \
	VUZP2 V23.B16, V22.B16, V7.B16; \
	VUZP1 V1.B16, V0.B16, V16.B16; \
	VUZP1 V3.B16, V2.B16, V17.B16; \
	VUZP1 V5.B16, V4.B16, V18.B16; \
	VUZP1 V7.B16, V6.B16, V19.B16; \
	VUZP2 V1.B16, V0.B16, V20.B16; \
	VUZP2 V3.B16, V2.B16, V21.B16; \
	VUZP2 V5.B16, V4.B16, V22.B16; \
	VUZP2 V7.B16, V6.B16, V23.B16

#define MERGE \
	VZIP1 V4.B16, V0.B16, V16.B16; \
	VZIP2 V4.B16, V0.B16, V17.B16; \
	VZIP1 V5.B16, V1.B16, V18.B16; \
	VZIP2 V5.B16, V1.B16, V19.B16; \
	VZIP1 V6.B16, V2.B16, V20.B16; \
	VZIP2 V6.B16, V2.B16, V21.B16; \
	VZIP1 V7.B16, V3.B16, V22.B16; \
	VZIP2 V7.B16, V3.B16, V23.B16; \
	VZIP1 V20.B16, V16.B16, V0.B16; \
	VZIP2 V20.B16, V16.B16, V1.B16; \
	VZIP1 V21.B16, V17.B16, V2.B16; \
	VZIP2 V21.B16, V17.B16, V3.B16; \
	VZIP1 V22.B16, V18.B16, V4.B16; \
	VZIP2 V22.B16, V18.B16, V5.B16; \
	VZIP1 V23.B16, V19.B16, V6.B16; \
	VZIP2 V23.B16, V19.B16, V7.B16; \
	VZIP1 V4.B16, V0.B16, V16.B16; \
	VZIP2 V4.B16, V0.B16, V17.B16; \
	VZIP1 V5.B16, V1.B16, V18.B16; \
	VZIP2 V5.B16, V1.B16, V19.B16; \
	VZIP1 V6.B16, V2.B16, V20.B16; \
	VZIP2 V6.B16, V2.B16, V21.B16; \
	VZIP1 V7.B16, V3.B16, V22.B16; \
	VZIP2 V7.B16, V3.B16, V23.B16

// Loads two elements from R1 on, which are R4 bytes apart.
#define LOADTWO(v) \
	VLD1 (R1), v.D[0] \
	ADD  R4, R1       \
	VLD1 (R1), v.D[1] \
	ADD  R4, R1

#define STORETWO(v) \
	VST1 v.D[0], (R0) \
	ADD  R4, R0       \
	VST1 v.D[1], (R0) \
	ADD  R4, R0

// Stores sixteen bytes of a plane to R5, and goes to the next plane.
#define STOREPLANE(v) \
	VST1 [v.B16], (R5) \
	ADD  R2, R5

#define LOADPLANE(v) \
	VLD1 (R5), [v.B16] \
	ADD  R2, R5

// func encode8(dst, src *byte, stride, count, size int)
TEXT ·encode8(SB), NOSPLIT, $0-40
	LDP  dst+0(FP), (R0, R1)
	LDP  stride+16(FP), (R2, R3)
	MOVD size+32(FP), R4

next:
	LOADTWO(V0)
	LOADTWO(V1)
	LOADTWO(V2)
	LOADTWO(V3)
	LOADTWO(V4)
	LOADTWO(V5)
	LOADTWO(V6)
	LOADTWO(V7)
	SPLIT
	MOVD R0, R5
	STOREPLANE(V16)
	STOREPLANE(V17)
	STOREPLANE(V18)
	STOREPLANE(V19)
	STOREPLANE(V20)
	STOREPLANE(V21)
	STOREPLANE(V22)
	STOREPLANE(V23)
	ADD  $16, R0
	SUBS $16, R3
	BNE  next
	RET

// func decode8(dst, src *byte, stride, count, size int)
TEXT ·decode8(SB), NOSPLIT, $0-40
	LDP  dst+0(FP), (R0, R1)
	LDP  stride+16(FP), (R2, R3)
	MOVD size+32(FP), R4

next:
	MOVD R1, R5
	LOADPLANE(V0)
	LOADPLANE(V1)
	LOADPLANE(V2)
	LOADPLANE(V3)
	LOADPLANE(V4)
	LOADPLANE(V5)
	LOADPLANE(V6)
	LOADPLANE(V7)
	MERGE
	STORETWO(V16)
	STORETWO(V17)
	STORETWO(V18)
	STORETWO(V19)
	STORETWO(V20)
	STORETWO(V21)
	STORETWO(V22)
	STORETWO(V23)
	ADD  $16, R1
	SUBS $16, R3
	BNE  next
	RET

// Exchanges the bits of both words of a register that mask selects with those by places higher.
#define EXCHANGE(v, by, mask) \
	VUSHR $by, v.D2, V24.D2        \
	VEOR  v.B16, V24.B16, V24.B16  \
	VAND  mask.B16, V24.B16, V24.B16 \
	VSHL  $by, V24.D2, V25.D2      \
	VEOR  v.B16, V24.B16, v.B16    \
	VEOR  v.B16, V25.B16, v.B16

// Transposes each word of a register as a matrix of eight by eight bits, as transposeWord does.
#define BITS(v) \
	EXCHANGE(v, 7, V26)  \
	EXCHANGE(v, 14, V27) \
	EXCHANGE(v, 28, V28)

#define MASKS \
	MOVD $0x00aa00aa00aa00aa, R6 \
	VDUP R6, V26.D2              \
	MOVD $0x0000cccc0000cccc, R6 \
	VDUP R6, V27.D2              \
	MOVD $0x00000000f0f0f0f0, R6 \
	VDUP R6, V28.D2

// func encodeBits(dst, src *byte, stride, count int)
TEXT ·encodeBits(SB), NOSPLIT, $0-32
	LDP dst+0(FP), (R0, R1)
	LDP stride+16(FP), (R2, R3)
	MASKS

next:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(R1), [V4.B16, V5.B16, V6.B16, V7.B16]
	BITS(V0)
	BITS(V1)
	BITS(V2)
	BITS(V3)
	BITS(V4)
	BITS(V5)
	BITS(V6)
	BITS(V7)
	SPLIT
	MOVD R0, R5
	STOREPLANE(V16)
	STOREPLANE(V17)
	STOREPLANE(V18)
	STOREPLANE(V19)
	STOREPLANE(V20)
	STOREPLANE(V21)
	STOREPLANE(V22)
	STOREPLANE(V23)
	ADD  $16, R0
	SUBS $128, R3
	BNE  next
	RET

// func decodeBits(dst, src *byte, stride, count int)
TEXT ·decodeBits(SB), NOSPLIT, $0-32
	LDP dst+0(FP), (R0, R1)
	LDP stride+16(FP), (R2, R3)
	MASKS

next:
	MOVD R1, R5
	LOADPLANE(V0)
	LOADPLANE(V1)
	LOADPLANE(V2)
	LOADPLANE(V3)
	LOADPLANE(V4)
	LOADPLANE(V5)
	LOADPLANE(V6)
	LOADPLANE(V7)
	MERGE
	BITS(V16)
	BITS(V17)
	BITS(V18)
	BITS(V19)
	BITS(V20)
	BITS(V21)
	BITS(V22)
	BITS(V23)
	VST1.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)
	VST1.P [V20.B16, V21.B16, V22.B16, V23.B16], 64(R0)
	ADD  $16, R1
	SUBS $128, R3
	BNE  next
	RET
