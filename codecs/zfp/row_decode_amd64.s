//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "kernels_amd64.h"

// PUT writes the CX bits of AX behind the first R11 bits of the string at DI. R14 has
// those that are not a byte yet; R15 is scratch.
#define PUT \
	MOVQ  R11, R15;       \
	ANDL  $4, R15;        \
	SHLXQ R15, AX, AX;    \
	ORQ   AX, R14;        \
	MOVQ  R11, AX;        \
	SHRQ  $3, AX;         \
	MOVQ  R14, (DI)(AX*1); \
	ADDL  CX, R15;        \
	ANDL  $0x78, R15;     \
	SHRXQ R15, R14, R14;  \
	ADDQ  CX, R11

// WINDOW loads the bits from bit R8 of the stream on to R9, 57 of them or more.
#define WINDOW \
	MOVQ  R8, AX;         \
	SHRQ  $3, AX;         \
	MOVQ  (R10)(AX*1), R9; \
	MOVQ  R8, AX;         \
	ANDL  $7, AX;         \
	SHRXQ AX, R9, R9

// func readNibbles(r *nibbleRow, buf *byte, codes *[8 << 8]uint64)
TEXT ·readNibbles(SB), NOSPLIT, $16-24
	MOVQ r+0(FP), SI
	MOVQ buf+8(FP), R10
	MOVQ codes+16(FP), BX
	MOVQ nibbleRow_pos(SI), R8    // the position in the stream
	LEAQ nibbleRow_strings(SI), DI  // the string of the block
	MOVQ $0, block-8(SP)

block:
	MOVQ R8, AX
	ADDQ nibbleRow_minBits(SI), AX
	MOVQ AX, least-16(SP) // where MinBits lets the next block begin
	WINDOW
	XORL DX, DX       // how many bits of R9 are taken
	XORL R11, R11     // 4 times the planes that are in the string
	MOVQ nibbleRow_most(SI), R12  // 4 times the planes that are kept
	XORL R13, R13     // the upper part of the index of codes
	XORL R14, R14
	MOVQ nibbleRow_width(SI), CX
	TESTQ CX, CX
	JZ   empty

	// A block of floats begins with a one-bit and the exponent.
	INCQ DX
	SHRQ $1, R9
	JCC  end
	BZHIQ CX, R9, AX
	SHRXQ CX, R9, R9
	ADDQ CX, DX
	MOVQ block-8(SP), CX
	MOVL AX, nibbleRow_exponent(SI)(CX*4)
	SUBQ nibbleRow_lowest(SI), AX
	SHLQ $2, AX
	CMPQ AX, R12
	CMOVQLT AX, R12

empty:
	// The planes that begin the block are empty up to the next one-bit.
	MOVQ $(1<<40), AX
	ORQ  R9, AX
	TZCNTQ AX, R11
	SHLQ $2, R11
	CMPQ R11, R12
	CMOVQGT R12, R11
	XORL AX, AX
	TESTQ R11, R11
	CMOVQLT AX, R11 // no planes are kept
	MOVQ R11, CX
	SHRQ $2, CX
	SHRXQ CX, R9, R9
	ADDQ CX, DX

code:
	// As many planes as the next 8 bits have, and as are kept: see nibbleCodes.
	CMPQ R11, R12
	JGE  end
	CMPQ DX, $49
	JGT  refill
	CMPL R13, $0x400
	JE   verbatim
	MOVBLZX R9, AX
	ORL  R13, AX
	MOVQ (BX)(AX*8), AX
	SHRXQ AX, R9, R9
	MOVL AX, R13
	ANDL $0x700, R13
	MOVL AX, CX
	SHRL $11, CX
	ANDL $0x1c, CX // 4 times the planes
	MOVQ R12, R15
	SUBQ R11, R15
	CMPQ CX, R15
	CMOVQGT R15, CX
	MOVQ AX, R15
	SHRQ $16, R15
	SHRXQ CX, R15, R15
	ANDL $15, R15 // the bits of those that are kept
	ADDQ R15, DX
	SHRQ $48, AX
	BZHIQ CX, AX, AX
	PUT
	JMP  code

refill:
	ADDQ DX, R8
	XORL DX, DX
	WINDOW
	JMP  code

verbatim:
	// All coefficients have had a one-bit: the other planes stand as they are.
	ADDQ DX, R8
	XORL DX, DX

words:
	WINDOW
	MOVQ R12, CX
	SUBQ R11, CX
	MOVL $56, AX
	CMPQ CX, AX
	CMOVQGT AX, CX
	BZHIQ CX, R9, AX
	ADDQ CX, R8
	PUT
	CMPQ R11, R12
	JLT  words

end:
	ADDQ DX, R8
	MOVQ least-16(SP), AX
	CMPQ R8, AX
	CMOVQLT AX, R8
	ADDQ $const_stringBytes, DI
	MOVQ block-8(SP), AX
	INCQ AX
	MOVQ AX, block-8(SP)
	CMPQ AX, $16
	JLT  block
	MOVQ R8, nibbleRow_pos(SI)
	RET

// SWAPBITS exchanges the bits of quadwords that the mask m has with those that lie s
// above them; t and u are scratch.
#define SWAPBITS(s, m, z, t, u) \
	VPSRLQ     $s, z, t;          \
	VPTERNLOGQ $0x28, m, z, t;    \
	VPSLLQ     $s, t, u;          \
	VPTERNLOGQ $0x96, u, t, z

// SPLIT collects in each quadword of z first the lowest bits of its 16 groups of 4,
// then the others, each from the last group to the first, and puts the 4 times 16
// bits of two quadwords together.
#define SPLIT(z, t, u) \
	SWAPBITS(30, Z16, z, t, u); \
	SWAPBITS(10, Z17, z, t, u); \
	SWAPBITS(15, Z18, z, t, u); \
	SWAPBITS(5, Z19, z, t, u);  \
	VPSHUFB Z20, z, z

// func splitNibbles(c *uint64, s *byte)
TEXT ·splitNibbles(SB), NOSPLIT, $0-16
	MOVQ c+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ $const_stringBytes, R8
	LEAQ (R8)(R8*2), R10
	LEAQ (R8*4), R9
	LOAD32(X0, Z0)
	LOAD32(X1, Z1)
	LOAD32(X2, Z2)
	LOAD32(X3, Z3)
	FILL64(0x00000000cccccccc, Z16)
	FILL64(0x0033003300330033, Z17)
	FILL64(0x0000aaaa0000aaaa, Z18)
	FILL64(0x0505050505050505, Z19)
	VBROADCASTI32X4 ·halves16(SB), Z20
	SPLIT(Z0, Z4, Z5)
	SPLIT(Z1, Z6, Z7)
	SPLIT(Z2, Z8, Z9)
	SPLIT(Z3, Z10, Z11)
	WORDS32(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	VMOVDQU32 Z0, 0(DI)
	VMOVDQU32 Z1, 64(DI)
	VMOVDQU32 Z2, 128(DI)
	VMOVDQU32 Z3, 192(DI)
	VZEROUPPER
	RET

// Indexes that put words of 16 bits of an upper and a lower half together.
DATA ·halves16+0(SB)/8, $0x03020b0a01000908
DATA ·halves16+8(SB)/8, $0x07060f0e05040d0c
GLOBL ·halves16(SB), RODATA|NOPTR, $16
