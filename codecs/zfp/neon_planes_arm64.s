// Code generated from neon_planes_arm64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The 64 coefficients of a block become planes in two steps: each byte of all coefficients
// is collected, in four registers; then 8 planes are made of them.

// Masks of the bits that BITS8 exchanges: the lower and the upper ones of each step.
DATA ·swapBits+0(SB)/8, $0x00aa00aa00aa00aa
DATA ·swapBits+8(SB)/8, $0x00aa00aa00aa00aa
DATA ·swapBits+16(SB)/8, $0x5500550055005500
DATA ·swapBits+24(SB)/8, $0x5500550055005500
DATA ·swapBits+32(SB)/8, $0x0000cccc0000cccc
DATA ·swapBits+40(SB)/8, $0x0000cccc0000cccc
DATA ·swapBits+48(SB)/8, $0x3333000033330000
DATA ·swapBits+56(SB)/8, $0x3333000033330000
DATA ·swapBits+64(SB)/8, $0x00000000f0f0f0f0
DATA ·swapBits+72(SB)/8, $0x00000000f0f0f0f0
DATA ·swapBits+80(SB)/8, $0x0f0f0f0f00000000
DATA ·swapBits+88(SB)/8, $0x0f0f0f0f00000000
GLOBL ·swapBits(SB), RODATA|NOPTR, $96

// Indexes that transpose 8 by 8 bytes.
DATA ·bytes8+0(SB)/8, $0x3830282018100800
DATA ·bytes8+8(SB)/8, $0x3931292119110901
DATA ·bytes8+16(SB)/8, $0x3a322a221a120a02
DATA ·bytes8+24(SB)/8, $0x3b332b231b130b03
DATA ·bytes8+32(SB)/8, $0x3c342c241c140c04
DATA ·bytes8+40(SB)/8, $0x3d352d251d150d05
DATA ·bytes8+48(SB)/8, $0x3e362e261e160e06
DATA ·bytes8+56(SB)/8, $0x3f372f271f170f07
GLOBL ·bytes8(SB), RODATA|NOPTR, $64

// CLEAR clears four registers.
#define CLEAR(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// BYTES4 puts byte 0 of the 16 words at R1 into a, byte 1 into b, and so on. V16 to V23
// are scratch.
#define BYTES4(a, b, c, d) \
	VLD1.P 64(R1), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	VUZP1 V17.B16, V16.B16, V20.B16; \
	VUZP2 V17.B16, V16.B16, V21.B16; \
	VUZP1 V19.B16, V18.B16, V22.B16; \
	VUZP2 V19.B16, V18.B16, V23.B16; \
	VUZP1 V22.B16, V20.B16, a.B16; \
	VUZP2 V22.B16, V20.B16, c.B16; \
	VUZP1 V23.B16, V21.B16, b.B16; \
	VUZP2 V23.B16, V21.B16, d.B16

// WORDS4 undoes BYTES4 and negabinary, and stores the words at R0.
#define WORDS4(a, b, c, d) \
	VZIP1 b.B16, a.B16, V16.B16; \
	VZIP2 b.B16, a.B16, V17.B16; \
	VZIP1 d.B16, c.B16, V18.B16; \
	VZIP2 d.B16, c.B16, V19.B16; \
	VZIP1 V18.H8, V16.H8, V20.H8; \
	VZIP2 V18.H8, V16.H8, V21.H8; \
	VZIP1 V19.H8, V17.H8, V22.H8; \
	VZIP2 V19.H8, V17.H8, V23.H8; \
	UNNEGABINARY32(V20); \
	UNNEGABINARY32(V21); \
	UNNEGABINARY32(V22); \
	UNNEGABINARY32(V23); \
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R0)

// func planes32Short(p *planes, c *int32, order *sorting, top, bottom int)
TEXT ·planes32Short(SB), NOSPLIT, $0-40
	MOVD p+0(FP), R0
	MOVD c+8(FP), R1
	MOVD order+16(FP), R2
	MOVD top+24(FP), R3
	MOVD bottom+32(FP), R4
	VLD1 (R2), [V28.B16, V29.B16, V30.B16, V31.B16]
	MOVD $·bytes8(SB), R9
	VLD1 (R9), [V24.B16, V25.B16, V26.B16, V27.B16]
	BYTES4(V0, V4, V8, V12)
	BYTES4(V1, V5, V9, V13)
	BYTES4(V2, V6, V10, V14)
	BYTES4(V3, V7, V11, V15)

octet3:
	CMP  $24, R3
	BLE  octet2
	OCTET(V12, V13, V14, V15, 192)

octet2:
	CMP  $24, R4
	BGE  done
	CMP  $16, R3
	BLE  octet1
	OCTET(V8, V9, V10, V11, 128)

octet1:
	CMP  $16, R4
	BGE  done
	CMP  $8, R3
	BLE  octet0
	OCTET(V4, V5, V6, V7, 64)

octet0:
	CMP  $8, R4
	BGE  done
	OCTET(V0, V1, V2, V3, 0)

done:
	RET

// func coefficients32Short(c *int32, p *planes, order *sorting, bottom int)
TEXT ·coefficients32Short(SB), NOSPLIT, $0-32
	MOVD c+0(FP), R0
	MOVD p+8(FP), R1
	MOVD order+16(FP), R2
	MOVD bottom+24(FP), R4
	VLD1 (R2), [V28.B16, V29.B16, V30.B16, V31.B16]
	MOVD $·bytes8(SB), R9
	VLD1 (R9), [V24.B16, V25.B16, V26.B16, V27.B16]
	CLEAR(V0, V1, V2, V3)
	CLEAR(V4, V5, V6, V7)
	CLEAR(V8, V9, V10, V11)
	CLEAR(V12, V13, V14, V15)

octet3:
	UNOCTET(V12, V13, V14, V15, 192, octet2)

octet2:
	CMP  $24, R4
	BGE  words
	UNOCTET(V8, V9, V10, V11, 128, octet1)

octet1:
	CMP  $16, R4
	BGE  words
	UNOCTET(V4, V5, V6, V7, 64, octet0)

octet0:
	CMP  $8, R4
	BGE  words
	UNOCTET(V0, V1, V2, V3, 0, words)

words:
	FILL32(0xaaaaaaaa, V24)
	WORDS4(V0, V4, V8, V12)
	WORDS4(V1, V5, V9, V13)
	WORDS4(V2, V6, V10, V14)
	WORDS4(V3, V7, V11, V15)
	RET

// BYTES8 collects the bytes of the 16 words at R1: byte k of all of them goes to 64k bytes
// behind R5. Each round takes every other byte of two registers: first bytes 0, 2, 4 and 6 of 4 words,
// and bytes 1, 3, 5 and 7; then bytes 0 and 4 of 8 words, and so on; then one byte of 16 words. V0 to V7
// and V16 to V23 are scratch.
#define BYTES8 \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P 64(R1), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	VUZP1 V1.B16, V0.B16, V16.B16; \
	VUZP2 V1.B16, V0.B16, V17.B16; \
	VUZP1 V3.B16, V2.B16, V18.B16; \
	VUZP2 V3.B16, V2.B16, V19.B16; \
	VUZP1 V5.B16, V4.B16, V20.B16; \
	VUZP2 V5.B16, V4.B16, V21.B16; \
	VUZP1 V7.B16, V6.B16, V22.B16; \
	VUZP2 V7.B16, V6.B16, V23.B16; \
	VUZP1 V18.B16, V16.B16, V0.B16; \
	VUZP2 V18.B16, V16.B16, V2.B16; \
	VUZP1 V19.B16, V17.B16, V1.B16; \
	VUZP2 V19.B16, V17.B16, V3.B16; \
	VUZP1 V22.B16, V20.B16, V4.B16; \
	VUZP2 V22.B16, V20.B16, V6.B16; \
	VUZP1 V23.B16, V21.B16, V5.B16; \
	VUZP2 V23.B16, V21.B16, V7.B16; \
	VUZP1 V4.B16, V0.B16, V16.B16; \
	VUZP2 V4.B16, V0.B16, V20.B16; \
	VUZP1 V5.B16, V1.B16, V17.B16; \
	VUZP2 V5.B16, V1.B16, V21.B16; \
	VUZP1 V6.B16, V2.B16, V18.B16; \
	VUZP2 V6.B16, V2.B16, V22.B16; \
	VUZP1 V7.B16, V3.B16, V19.B16; \
	VUZP2 V7.B16, V3.B16, V23.B16; \
	MOVD $64, R9; \
	VST1.P [V16.B16], (R5)(R9); \
	VST1.P [V17.B16], (R5)(R9); \
	VST1.P [V18.B16], (R5)(R9); \
	VST1.P [V19.B16], (R5)(R9); \
	VST1.P [V20.B16], (R5)(R9); \
	VST1.P [V21.B16], (R5)(R9); \
	VST1.P [V22.B16], (R5)(R9); \
	VST1.P [V23.B16], (R5)(R9); \
	SUB $(512-16), R5

// WORDS8 undoes BYTES8 and negabinary, and stores the words at R0.
#define WORDS8 \
	MOVD $64, R9; \
	VLD1.P (R5)(R9), [V16.B16]; \
	VLD1.P (R5)(R9), [V17.B16]; \
	VLD1.P (R5)(R9), [V18.B16]; \
	VLD1.P (R5)(R9), [V19.B16]; \
	VLD1.P (R5)(R9), [V20.B16]; \
	VLD1.P (R5)(R9), [V21.B16]; \
	VLD1.P (R5)(R9), [V22.B16]; \
	VLD1.P (R5)(R9), [V23.B16]; \
	SUB $(512-16), R5; \
	VZIP1 V20.B16, V16.B16, V0.B16; \
	VZIP2 V20.B16, V16.B16, V4.B16; \
	VZIP1 V21.B16, V17.B16, V1.B16; \
	VZIP2 V21.B16, V17.B16, V5.B16; \
	VZIP1 V22.B16, V18.B16, V2.B16; \
	VZIP2 V22.B16, V18.B16, V6.B16; \
	VZIP1 V23.B16, V19.B16, V3.B16; \
	VZIP2 V23.B16, V19.B16, V7.B16; \
	VZIP1 V2.B16, V0.B16, V16.B16; \
	VZIP2 V2.B16, V0.B16, V18.B16; \
	VZIP1 V3.B16, V1.B16, V17.B16; \
	VZIP2 V3.B16, V1.B16, V19.B16; \
	VZIP1 V6.B16, V4.B16, V20.B16; \
	VZIP2 V6.B16, V4.B16, V22.B16; \
	VZIP1 V7.B16, V5.B16, V21.B16; \
	VZIP2 V7.B16, V5.B16, V23.B16; \
	VZIP1 V17.B16, V16.B16, V0.B16; \
	VZIP2 V17.B16, V16.B16, V1.B16; \
	VZIP1 V19.B16, V18.B16, V2.B16; \
	VZIP2 V19.B16, V18.B16, V3.B16; \
	VZIP1 V21.B16, V20.B16, V4.B16; \
	VZIP2 V21.B16, V20.B16, V5.B16; \
	VZIP1 V23.B16, V22.B16, V6.B16; \
	VZIP2 V23.B16, V22.B16, V7.B16; \
	UNNEGABINARY64(V0); \
	UNNEGABINARY64(V1); \
	UNNEGABINARY64(V2); \
	UNNEGABINARY64(V3); \
	UNNEGABINARY64(V4); \
	UNNEGABINARY64(V5); \
	UNNEGABINARY64(V6); \
	UNNEGABINARY64(V7); \
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R0); \
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)

// func planes64Short(p *planes, c *int64, order *sorting, top, bottom int)
TEXT ·planes64Short(SB), NOSPLIT, $512-40
	MOVD p+0(FP), R0
	MOVD c+8(FP), R1
	MOVD order+16(FP), R2
	MOVD top+24(FP), R3
	MOVD bottom+32(FP), R4
	VLD1 (R2), [V28.B16, V29.B16, V30.B16, V31.B16]
	MOVD $·bytes8(SB), R9
	VLD1 (R9), [V24.B16, V25.B16, V26.B16, V27.B16]
	MOVD $bytes-512(SP), R5
	BYTES8
	BYTES8
	BYTES8
	BYTES8
	SUB  $64, R5
	SUB  $1, R3
	LSR  $3, R3
	LSR  $3, R4
	ADD  R3<<6, R0 // both the bytes and the planes take 64 bytes
	ADD  R3<<6, R5

octet:
	VLD1 (R5), [V0.B16, V1.B16, V2.B16, V3.B16]
	OCTET(V0, V1, V2, V3, 0)
	SUB  $64, R0
	SUB  $64, R5
	SUB  $1, R3
	CMP  R4, R3
	BGE  octet
	RET

// func coefficients64Short(c *int64, p *planes, order *sorting, bottom int)
TEXT ·coefficients64Short(SB), NOSPLIT, $512-32
	MOVD c+0(FP), R0
	MOVD p+8(FP), R1
	MOVD order+16(FP), R2
	MOVD bottom+24(FP), R4
	VLD1 (R2), [V28.B16, V29.B16, V30.B16, V31.B16]
	MOVD $·bytes8(SB), R9
	VLD1 (R9), [V24.B16, V25.B16, V26.B16, V27.B16]
	MOVD $bytes-512(SP), R7
	ADD  $448, R1
	ADD  $448, R7
	MOVD $7, R3
	LSR  $3, R4

octet:
	CLEAR(V0, V1, V2, V3)
	CMP  R4, R3
	BLT  store // a byte below the lowest plane is 0
	UNOCTET(V0, V1, V2, V3, 0, store)

store:
	VST1 [V0.B16, V1.B16, V2.B16, V3.B16], (R7)
	SUB  $64, R1
	SUB  $64, R7
	SUBS $1, R3
	BPL  octet
	FILL64(0xaaaaaaaaaaaaaaaa, V24)
	MOVD $bytes-512(SP), R5
	WORDS8
	WORDS8
	WORDS8
	WORDS8
	RET
