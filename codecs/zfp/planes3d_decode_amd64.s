//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// WINDOW loads 64 bits of the stream at R8, from bit at on, to w.
#define WINDOW(at, w, s, t) \
	MOVQ  at, s;         \
	SHRQ  $3, s;         \
	MOVQ  (R8)(s*1), w;  \
	MOVQ  8(R8)(s*1), t; \
	MOVL  at, s;         \
	ANDL  $7, s;         \
	SHRXQ s, w, w;       \
	ADDQ  t, t;          \
	XORL  $63, s;        \
	SHLXQ s, t, t;       \
	ORQ   t, w

// PARITIES sets bit i of c, if an odd number of bits 0 to i of w are set.
#define PARITIES(w, c) \
	MOVQ      w, X0;      \
	PCLMULQDQ $0, X1, X0; \
	MOVQ      X0, c

// func readPlanes64(r *bitReader, p *planes, k, bottom, end int) (low, length int)
//
// R8 is the stream, DX the position in bits, R10 the last position from which on a plane
// does not reach the end. R9 is the plane above the next one, BX how many coefficients
// have had a one-bit, up to the last of them.
//
// In a tail, a bit is a coefficient's if an odd number of one-bits comes before it, and
// otherwise a test. The tail ends with the first test that fails, or where the bit of the
// last coefficient would be.
TEXT ·readPlanes64(SB), NOSPLIT, $0-56
	MOVQ r+0(FP), CX
	MOVQ p+8(FP), SI
	MOVQ k+16(FP), R9
	MOVQ bottom+24(FP), R11
	MOVQ end+32(FP), R10
	SUBQ $128, R10
	MOVQ bitReader_buf(CX), R8
	MOVQ bitReader_pos(CX), DX
	XORL BX, BX
	PCMPEQB X1, X1

short:
	CMPQ R9, R11
	JLE  done
	CMPQ DX, R10
	JGT  done
	DECQ R9
	MOVQ DX, AX
	SHRQ $3, AX
	MOVQ (R8)(AX*1), AX
	MOVL DX, CX
	ANDL $7, CX
	SHRXQ CX, AX, AX
	LEAQ 1(DX)(BX*1), DX // behind the first test
	BZHIQ BX, AX, R15
	BTQ  BX, AX
	JCS  tail
	MOVQ R15, (SI)(R9*8)
	JMP  short

long:
	CMPQ R9, R11
	JLE  done
	CMPQ DX, R10
	JGT  done
	DECQ R9
	WINDOW(DX, AX, CX, R13)
	BZHIQ BX, AX, R15
	LEAQ 1(DX)(BX*1), DX
	LEAQ -1(DX), CX
	MOVL CX, AX
	SHRQ $3, CX
	MOVBLZX (R8)(CX*1), CX
	ANDL $7, AX
	BTL  AX, CX
	JCS  tail
	MOVQ R15, (SI)(R9*8)
	JMP  long

	// A test has held. R15 has the bits in front of it.
tail:
	WINDOW(DX, AX, CX, R13)
	PARITIES(AX, R13)
	ADDQ R13, R13
	NOTQ R13             // the bits of coefficients

coefficients:
	MOVL $63, CX
	SUBL BX, CX
	XORL R12, R12
	BTSQ CX, R12
	PDEPQ R13, R12, R12  // where the bit of the last coefficient would be
	MOVQ R13, CX
	ORQ  AX, CX
	NOTQ CX
	ORQ  R12, CX
	JZ   next
	TZCNTQ CX, CX
	SHRXQ CX, R13, R12
	ANDL $1, R12         // whether the tail ends with the last coefficient
	BZHIQ CX, R13, R13
	PEXTQ R13, AX, AX
	POPCNTQ R13, R13
	LEAQ 1(DX)(CX*1), DX
	SUBQ R12, DX
	SHLXQ R13, R12, CX
	ORQ  CX, AX
	SHLXQ BX, AX, AX
	ORQ  AX, R15
	ADDL R13, BX
	ADDL R12, BX
	MOVQ R15, (SI)(R9*8)
	CMPL BX, $32
	JLT  short
	CMPL BX, $64
	JLT  long

	// All coefficients have had a one-bit: the planes stand as they are.
	ADDQ $64, R10

whole:
	CMPQ R9, R11
	JLE  done
	CMPQ DX, R10
	JGT  done
	DECQ R9
	WINDOW(DX, AX, CX, R13)
	MOVQ AX, (SI)(R9*8)
	ADDQ $64, DX
	JMP  whole

	// The tail goes on behind the window.
next:
	POPCNTQ AX, DI       // odd: the next bit is a coefficient's
	PEXTQ R13, AX, AX
	SHLXQ BX, AX, AX
	ORQ  AX, R15
	POPCNTQ R13, R13
	ADDL R13, BX
	ADDQ $64, DX
	WINDOW(DX, AX, CX, R13)
	PARITIES(AX, R13)
	ADDQ R13, R13
	ANDL $1, DI
	NEGQ DI
	XORQ DI, R13
	NOTQ R13
	JMP  coefficients

done:
	MOVQ r+0(FP), CX
	MOVQ DX, bitReader_pos(CX)
	MOVQ R9, low+40(FP)
	MOVQ BX, length+48(FP)
	RET
