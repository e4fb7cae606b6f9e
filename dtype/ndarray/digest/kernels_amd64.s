//go:build !purego

#include "textflag.h"

// A mask of n words begins 4·n bytes before the end of the ones.
DATA ·masks+0(SB)/8, $-1
DATA ·masks+8(SB)/8, $-1
DATA ·masks+16(SB)/8, $-1
DATA ·masks+24(SB)/8, $-1
DATA ·masks+32(SB)/8, $0
DATA ·masks+40(SB)/8, $0
DATA ·masks+48(SB)/8, $0
DATA ·masks+56(SB)/8, $0
GLOBL ·masks(SB), RODATA|NOPTR, $64

// STEP multiplies the words in data, rotated, with the keys at key. VPMULUDQ takes the words
// with even numbers. Two copies of a word side by side, moved by 31 bits, leave there the
// word rotated to the left by one bit. The products are added to even and odd.
#define STEP(data, key, even, odd, x, y) \
	VMOVSLDUP data, x;       \
	VMOVSHDUP data, y;       \
	VPSRLQ    $31, x, x;     \
	VPSRLQ    $31, y, y;     \
	VPMULUDQ  key, x, x;     \
	VPADDQ    x, even, even; \
	VMOVSHDUP key, x;        \
	VPMULUDQ  x, y, y;       \
	VPADDQ    y, odd, odd

// func sumWordsKernel(data unsafe.Pointer, at *int, key *uint64, count int, keys *uint32, words int) uint64
//
// SI is the row, R14 the next row, or the last one again, DI the keys, AX the byte behind the words
// that are done.
TEXT ·sumWordsKernel(SB), NOSPLIT, $0-56
	MOVQ data+0(FP), R8
	MOVQ at+8(FP), R9
	MOVQ key+16(FP), R10
	MOVQ count+24(FP), CX
	MOVQ keys+32(FP), DI
	MOVQ words+40(FP), BX
	MOVQ BX, R11
	ANDQ $~15, R11
	SHLQ $2, R11 // bytes of steps of 16 words
	MOVQ BX, R12
	ANDQ $7, R12 // words of the last step
	LEAQ ·masks+32(SB), DX
	MOVQ R12, AX
	SHLQ $2, AX
	SUBQ AX, DX
	VMOVDQU (DX), Y15
	XORQ R13, R13 // the sum

row:
	MOVQ  (R9), SI
	ADDQ  R8, SI
	LEAQ  8(R9), DX
	CMPQ  CX, $1
	CMOVQEQ R9, DX
	MOVQ  (DX), R14
	ADDQ  R8, R14
	XORQ  AX, AX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	CMPQ  AX, R11
	JEQ   eight

	PCALIGN $32

sixteen:
	PREFETCHT0 (R14)(AX*1)
	STEP((SI)(AX*1), (DI)(AX*1), Y0, Y1, Y4, Y5)
	STEP(32(SI)(AX*1), 32(DI)(AX*1), Y2, Y3, Y6, Y7)
	ADDQ $64, AX
	CMPQ AX, R11
	JNE  sixteen

eight:
	TESTQ $8, BX
	JEQ   rest
	STEP((SI)(AX*1), (DI)(AX*1), Y0, Y1, Y4, Y5)
	ADDQ $32, AX

rest:
	TESTQ R12, R12
	JEQ   done
	VPMASKMOVD (SI)(AX*1), Y15, Y4
	VMOVSHDUP  Y4, Y5
	VMOVSLDUP  Y4, Y4
	VPSRLQ     $31, Y4, Y4
	VPSRLQ     $31, Y5, Y5
	VPMULUDQ   (DI)(AX*1), Y4, Y4
	VPADDQ     Y4, Y2, Y2
	VMOVSHDUP  (DI)(AX*1), Y6
	VPMULUDQ   Y6, Y5, Y5
	VPADDQ     Y5, Y3, Y3

done:
	VPADDQ       Y1, Y0, Y0
	VPADDQ       Y3, Y2, Y2
	VPADDQ       Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ       X1, X0, X0
	VPSRLDQ      $8, X0, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, DX
	IMULQ        (R10), DX
	ADDQ         DX, R13
	ADDQ         $8, R9
	ADDQ         $8, R10
	DECQ         CX
	JNE          row

	VZEROUPPER
	MOVQ R13, ret+48(FP)
	RET
