// Code generated from kernels_amd64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "textflag.h"

// The kernels of kernels_asm.go, in SSE2, which every amd64 processor has.
//
// Index bits are named as in transpose.go: e for the number of the element, b
// for the byte in it, t for the bit in that. A register is selected by some of
// them, its sixteen bytes by four others: a kernel begins with the bits as
// memory has them, and moves them one after the other until it may store.

// PUSH interleaves the bytes of a and b, to a and c. The index bit that tells a
// from b becomes the lowest of the bytes, and their highest then tells a from c.
#define PUSH(a, b, c) \
	MOVO      a, c; \
	PUNPCKLBW b, a; \
	PUNPCKHBW b, c

// EXCHANGE is the function exchange of transpose.go; c is scratch.
#define EXCHANGE(a, b, shift, mask, c) \
	MOVO  a, c;      \
	PSRLQ $shift, c; \
	PXOR  b, c;      \
	PAND  mask, c;   \
	PXOR  c, b;      \
	PSLLQ $shift, c; \
	PXOR  c, a

// MASK fills a register with a word.
#define MASK(word, x) \
	MOVQ       $word, AX; \
	MOVQ       AX, x;     \
	PUNPCKLQDQ x, x

// func encode2(dst, src *byte, stride, count int)
TEXT ·encode2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ count+24(FP), CX

encode2Loop:
	MOVOU (SI), X0
	MOVOU 16(SI), X1
	// e3 goes into the bytes, e2 to the registers.
	PUSH(X0, X1, X2)
	// e2 goes into the bytes, e1 to the registers.
	PUSH(X0, X2, X1)
	// e1 goes into the bytes, e0 to the registers.
	PUSH(X0, X1, X2)
	// e0 goes into the bytes, b0 to the registers.
	PUSH(X0, X2, X1)
	MOVOU X0, (DI)
	MOVOU X1, (DI)(R8*1)

	ADDQ $32, SI
	ADDQ $16, DI
	SUBQ $16, CX
	JNZ  encode2Loop
	RET

// func decode2(dst, src *byte, stride, count int)
TEXT ·decode2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ count+24(FP), CX

decode2Loop:
	MOVOU (SI), X0
	MOVOU (SI)(R8*1), X1
	// b0 goes into the bytes, e3 to the registers.
	PUSH(X0, X1, X2)
	MOVOU X0, (DI)
	MOVOU X2, 16(DI)

	ADDQ $16, SI
	ADDQ $32, DI
	SUBQ $16, CX
	JNZ  decode2Loop
	RET

// func encode4(dst, src *byte, stride, count int)
TEXT ·encode4(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ count+24(FP), CX
	LEAQ (R8)(R8*2), R9

encode4Loop:
	MOVOU (SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	// e3 goes into the bytes, e1 to the registers.
	PUSH(X0, X2, X4)
	PUSH(X1, X3, X2)
	// e2 goes into the bytes, e0 to the registers.
	PUSH(X0, X1, X3)
	PUSH(X4, X2, X1)
	// e1 goes into the bytes, b1 to the registers.
	PUSH(X0, X4, X2)
	PUSH(X3, X1, X4)
	// e0 goes into the bytes, b0 to the registers.
	PUSH(X0, X3, X1)
	PUSH(X2, X4, X3)
	MOVOU X0, (DI)
	MOVOU X1, (DI)(R8*1)
	MOVOU X2, (DI)(R8*2)
	MOVOU X3, (DI)(R9*1)

	ADDQ $64, SI
	ADDQ $16, DI
	SUBQ $16, CX
	JNZ  encode4Loop
	RET

// func decode4(dst, src *byte, stride, count int)
TEXT ·decode4(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ count+24(FP), CX
	LEAQ (R8)(R8*2), R9

decode4Loop:
	MOVOU (SI), X0
	MOVOU (SI)(R8*1), X1
	MOVOU (SI)(R8*2), X2
	MOVOU (SI)(R9*1), X3
	// b1 goes into the bytes, e3 to the registers.
	PUSH(X0, X2, X4)
	PUSH(X1, X3, X2)
	// b0 goes into the bytes, e2 to the registers.
	PUSH(X0, X1, X3)
	PUSH(X4, X2, X1)
	MOVOU X0, (DI)
	MOVOU X3, 16(DI)
	MOVOU X4, 32(DI)
	MOVOU X1, 48(DI)

	ADDQ $16, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  decode4Loop
	RET

// PUSH3 moves the three index bits that select one of X0 to X7 into the bytes, the highest one first. In turn, the
// three highest index bits of the bytes select registers. These are now X0, X6, X7, X1, X8, X2, X3 and X4.
#define PUSH3 \
	PUSH(X0, X4, X8); \
	PUSH(X1, X5, X4); \
	PUSH(X2, X6, X5); \
	PUSH(X3, X7, X6); \
	PUSH(X0, X2, X7); \
	PUSH(X1, X3, X2); \
	PUSH(X8, X5, X3); \
	PUSH(X4, X6, X5); \
	PUSH(X0, X1, X6); \
	PUSH(X7, X2, X1); \
	PUSH(X8, X4, X2); \
	PUSH(X3, X5, X4)

// PUSH4 goes on with the first index bit that PUSH3 has taken from the bytes. The registers are now X0, X5, X6, X8,
// X7, X2, X1 and X3.
#define PUSH4 \
	PUSH3; \
	PUSH(X0, X8, X5); \
	PUSH(X6, X2, X8); \
	PUSH(X7, X3, X2); \
	PUSH(X1, X4, X3)

// LOADPLANES loads 16 bytes of each plane, STOREPLANES stores what PUSH4 has made. The planes are R8 bytes
// apart, and R9 is three times that. R11 and R10 are at the fifth plane.
#define LOADPLANES \
	MOVOU (SI), X0; \
	MOVOU (SI)(R8*1), X1; \
	MOVOU (SI)(R8*2), X2; \
	MOVOU (SI)(R9*1), X3; \
	MOVOU (R11), X4; \
	MOVOU (R11)(R8*1), X5; \
	MOVOU (R11)(R8*2), X6; \
	MOVOU (R11)(R9*1), X7

#define STOREPLANES \
	MOVOU X0, (DI); \
	MOVOU X5, (DI)(R8*1); \
	MOVOU X6, (DI)(R8*2); \
	MOVOU X8, (DI)(R9*1); \
	MOVOU X7, (R10); \
	MOVOU X2, (R10)(R8*1); \
	MOVOU X1, (R10)(R8*2); \
	MOVOU X3, (R10)(R9*1)

// STORETWO stores two elements.
#define STORETWO(x) \
	MOVQ   x, (DI);        \
	MOVHPS x, (DI)(DX*1);  \
	LEAQ   (DI)(DX*2), DI

// func encode8(dst, src *byte, stride, count, size int)
TEXT ·encode8(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ count+24(FP), CX
	MOVQ size+32(FP), DX
	LEAQ (R8)(R8*2), R9
	LEAQ (DI)(R8*4), R10

encode8Loop:
	MOVQ   (SI), X0
	MOVHPS (SI)(DX*1), X0
	LEAQ   (SI)(DX*2), SI
	MOVQ   (SI), X1
	MOVHPS (SI)(DX*1), X1
	LEAQ   (SI)(DX*2), SI
	MOVQ   (SI), X2
	MOVHPS (SI)(DX*1), X2
	LEAQ   (SI)(DX*2), SI
	MOVQ   (SI), X3
	MOVHPS (SI)(DX*1), X3
	LEAQ   (SI)(DX*2), SI
	MOVQ   (SI), X4
	MOVHPS (SI)(DX*1), X4
	LEAQ   (SI)(DX*2), SI
	MOVQ   (SI), X5
	MOVHPS (SI)(DX*1), X5
	LEAQ   (SI)(DX*2), SI
	MOVQ   (SI), X6
	MOVHPS (SI)(DX*1), X6
	LEAQ   (SI)(DX*2), SI
	MOVQ   (SI), X7
	MOVHPS (SI)(DX*1), X7
	LEAQ   (SI)(DX*2), SI
	// e3, e2, e1 and e0 go into the bytes, and e0, b2, b1 and b0 to the registers.
	PUSH4
	STOREPLANES

	ADDQ $16, DI
	ADDQ $16, R10
	SUBQ $16, CX
	JNZ  encode8Loop
	RET

// func decode8(dst, src *byte, stride, count, size int)
TEXT ·decode8(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ count+24(FP), CX
	MOVQ size+32(FP), DX
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R8*4), R11

decode8Loop:
	LOADPLANES
	// b2, b1 and b0 go into the bytes, and e3, e2 and e1 to the registers.
	PUSH3
	STORETWO(X0)
	STORETWO(X6)
	STORETWO(X7)
	STORETWO(X1)
	STORETWO(X8)
	STORETWO(X2)
	STORETWO(X3)
	STORETWO(X4)

	ADDQ $16, SI
	ADDQ $16, R11
	SUBQ $16, CX
	JNZ  decode8Loop
	RET

// func encodeBits(dst, src *byte, stride, count int)
TEXT ·encodeBits(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ count+24(FP), CX
	LEAQ (R8)(R8*2), R9
	LEAQ (DI)(R8*4), R10
	MASK(0x0f0f0f0f0f0f0f0f, X13)
	MASK(0x3333333333333333, X14)
	MASK(0x5555555555555555, X15)

encodeBitsLoop:
	MOVOU 0(SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	MOVOU 64(SI), X4
	MOVOU 80(SI), X5
	MOVOU 96(SI), X6
	MOVOU 112(SI), X7
	// e6, e5, e4 and e3 go into the bytes, and e3, e2, e1 and e0 to the registers.
	PUSH4
	// e2 and t2 change places.
	EXCHANGE(X0, X7, 4, X13, X4)
	EXCHANGE(X5, X2, 4, X13, X4)
	EXCHANGE(X6, X1, 4, X13, X4)
	EXCHANGE(X8, X3, 4, X13, X4)
	// e1 and t1 change places.
	EXCHANGE(X0, X6, 2, X14, X4)
	EXCHANGE(X5, X8, 2, X14, X4)
	EXCHANGE(X7, X1, 2, X14, X4)
	EXCHANGE(X2, X3, 2, X14, X4)
	// e0 and t0 change places.
	EXCHANGE(X0, X5, 1, X15, X4)
	EXCHANGE(X6, X8, 1, X15, X4)
	EXCHANGE(X7, X2, 1, X15, X4)
	EXCHANGE(X1, X3, 1, X15, X4)
	STOREPLANES

	ADDQ $128, SI
	ADDQ $16, DI
	ADDQ $16, R10
	SUBQ $128, CX
	JNZ  encodeBitsLoop
	RET

// func decodeBits(dst, src *byte, stride, count int)
TEXT ·decodeBits(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ count+24(FP), CX
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R8*4), R11
	MASK(0x0f0f0f0f0f0f0f0f, X13)
	MASK(0x3333333333333333, X14)
	MASK(0x5555555555555555, X15)

decodeBitsLoop:
	LOADPLANES
	// t2 and e2 change places, then t1 and e1, then t0 and e0.
	EXCHANGE(X0, X4, 4, X13, X8)
	EXCHANGE(X1, X5, 4, X13, X8)
	EXCHANGE(X2, X6, 4, X13, X8)
	EXCHANGE(X3, X7, 4, X13, X8)
	EXCHANGE(X0, X2, 2, X14, X8)
	EXCHANGE(X1, X3, 2, X14, X8)
	EXCHANGE(X4, X6, 2, X14, X8)
	EXCHANGE(X5, X7, 2, X14, X8)
	EXCHANGE(X0, X1, 1, X15, X8)
	EXCHANGE(X2, X3, 1, X15, X8)
	EXCHANGE(X4, X5, 1, X15, X8)
	EXCHANGE(X6, X7, 1, X15, X8)
	// e2, e1 and e0 go into the bytes, and e6, e5 and e4 to the registers.
	PUSH3
	MOVOU X0, (DI)
	MOVOU X6, 16(DI)
	MOVOU X7, 32(DI)
	MOVOU X1, 48(DI)
	MOVOU X8, 64(DI)
	MOVOU X2, 80(DI)
	MOVOU X3, 96(DI)
	MOVOU X4, 112(DI)

	ADDQ $16, SI
	ADDQ $16, R11
	ADDQ $128, DI
	SUBQ $128, CX
	JNZ  decodeBitsLoop
	RET
