//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Where the stack has what is added to a stream: sixteen words of 64 bits; for each word, how far the stream is
// shifted behind it, and in which byte of the stream the next word begins, 32 bits each. What is added to the second
// stream follows.
#define WORDS 0
#define SHIFTS 128
#define ENDS 192
#define SECOND 256

// Registers whose values stay, and the numbers of bits before the first word of a block, which do not fill a byte.
#define CODES Z16      // the bits of an entry that are a code
#define ONES Z17
#define LAST_FIRST Z18 // in which order symbols are looked up
#define EVENS Z19
#define BITS Z22       // of a number of bits: what does not fill a byte
#define BYTES Z23      // of a number of bits below 64: the whole bytes
#define LAST Z24       // places of the last of sixteen numbers
#define ZEROS Z31
#define BEFORE_A Z25
#define BEFORE_B Z26

// The steps by which the codes of 64 symbols become words. Each leaves its results in registers of the
// next step, so that the steps of both streams can take turns.

// Finds the halves of the entries of the symbols at src, the last symbols first: those of symbols below
// 128 in b and d, of others in c and a. k tells the others.
#define LOOKUP(src, a, b, c, d, k) \
	VMOVDQU64 (src), a         \
	VPERMB    a, LAST_FIRST, a \
	VPMOVB2M  a, k             \
	VMOVDQA64 a, b             \
	VMOVDQA64 a, c             \
	VMOVDQA64 a, d             \
	VPERMI2B  Z1, Z0, b        \
	VPERMI2B  Z3, Z2, c        \
	VPERMI2B  Z5, Z4, d        \
	VPERMI2B  Z7, Z6, a

// Puts the halves of entries together: those of 32 symbols in e, and of the other ones in f.
#define ENTRIES(a, b, c, d, e, f, k) \
	VMOVDQU8   c, k, b \
	VMOVDQU8   a, k, d \
	VPUNPCKLBW d, b, e \
	VPUNPCKHBW d, b, f

// Joins neighbours: entries of 16 bits to codes of 32.
#define JOIN2(x, codes, lengths) \
	VPSRLW   $12, x, lengths     \
	VPSRLD   $16, x, codes       \
	VPRORVD  lengths, x, x       \ // the first code in the highest bits
	VPANDD   codes, CODES, codes \
	VPSHLDVD lengths, x, codes   \ // which are moved in below the second code
	VPMADDWD lengths, ONES, lengths

// Joins neighbours: codes of 32 bits to words of 64.
#define JOIN4(codes, lengths, words, bits) \
	VPSRLQ   $32, codes, words     \
	VPRORVQ  lengths, codes, codes \
	VPSHLDVQ lengths, codes, words \
	VPSADBW  lengths, ZEROS, bits

// Makes one list in a of the numbers of bits of words in d and g.
#define LIST(a, d, g) \
	VMOVDQA64  EVENS, a \
	VPERMI2D.Z g, d, K1, a

// Adds to each number the one that stands so many places before it.
#define SUM(from, places, b, c) \
	VALIGND $(16-places), ZEROS, from, b \
	VPADDD  b, from, c

// Finds where the words begin and end, from the sums of their bits in c, and the number of bits before,
// which do not fill a byte.
#define PLACES(a, b, c, base) \
	VPADDD base, c, c       \
	VPSUBD a, c, b          \
	VPANDD BITS, b, b       \ // in which bit of its byte the word begins
	VPADDD b, a, a          \
	VPANDD BYTES, a, a      \
	VPERMD c, LAST, base    \
	VPANDD BITS, base, base \
	VPSRLD $3, c, c

// Moves words to the bits where they begin.
#define MOVE(b, yb, d, e, f) \
	VPMOVZXDQ     yb, d       \
	VPSLLVQ.Z     d, e, K1, e \
	VEXTRACTI64X4 $1, b, yb   \
	VPMOVZXDQ     yb, d       \
	VPSLLVQ.Z     d, f, K2, f

#define STORE(a, c, e, f, to) \
	VMOVDQU64 e, (to+WORDS)(SP)    \
	VMOVDQU64 f, (to+WORDS+64)(SP) \
	VMOVDQU64 a, (to+SHIFTS)(SP)   \
	VMOVDQU64 c, (to+ENDS)(SP)

// Adds a word to each stream.
#define PUT(i) \
	ORQ   (WORDS+8*i)(SP), R10         \
	MOVQ  R10, (R8)(AX*1)              \
	MOVL  (SHIFTS+4*i)(SP), R12        \
	MOVL  (ENDS+4*i)(SP), AX           \
	SHRXQ R12, R10, R10                \
	ORQ   (SECOND+WORDS+8*i)(SP), R11  \
	MOVQ  R11, (R9)(BX*1)              \
	MOVL  (SECOND+SHIFTS+4*i)(SP), R13 \
	MOVL  (SECOND+ENDS+4*i)(SP), BX    \
	SHRXQ R13, R11, R11

// func encodePairKernel512(p *codePair, codes *[256]uint32)
//
// While the codes of one block of 64 symbols become words, the words of the block before are added to
// the streams.
TEXT ·encodePairKernel512(SB), NOSPLIT, $512-16
	MOVQ p+0(FP), R15
	MOVQ codes+8(FP), AX

	// An entry has a length in the highest four of sixteen bits, and a code in the lowest eleven. The low
	// bytes of all entries are in Z0…Z3, and the high ones in Z4…Z7.
	MOVL         $0xff, BX
	VPBROADCASTD BX, Z16
	XORL         BX, BX

entries:
	VMOVDQU32 (AX)(BX*4), Z8
	VPANDD    Z8, Z16, Z9
	VPSRLD    $8, Z8, Z8
	VPSLLD    $12, Z9, Z9
	VPORD     Z9, Z8, Z8
	VPMOVDB   Z8, (SP)(BX*1)
	VPSRLD    $8, Z8, Z8
	VPMOVDB   Z8, 256(SP)(BX*1)
	ADDQ      $16, BX
	CMPQ      BX, $256
	JLT       entries

	VMOVDQU64 0(SP), Z0
	VMOVDQU64 64(SP), Z1
	VMOVDQU64 128(SP), Z2
	VMOVDQU64 192(SP), Z3
	VMOVDQU64 256(SP), Z4
	VMOVDQU64 320(SP), Z5
	VMOVDQU64 384(SP), Z6
	VMOVDQU64 448(SP), Z7

	MOVL         $0x7ff, BX
	VPBROADCASTD BX, CODES
	MOVL         $0x00010001, BX
	VPBROADCASTD BX, ONES
	VMOVDQU64    ·lastFirst512(SB), LAST_FIRST
	VMOVDQU64    ·evens512(SB), EVENS
	MOVL         $7, BX
	VPBROADCASTD BX, BITS
	MOVL         $56, BX
	VPBROADCASTD BX, BYTES
	MOVL         $15, BX
	VPBROADCASTD BX, LAST
	VPXORQ       ZEROS, ZEROS, ZEROS

	MOVQ         codePair_src+0(R15), SI
	MOVQ         codePair_src+8(R15), DI
	MOVQ         codePair_out+0(R15), R8
	MOVQ         codePair_out+8(R15), R9
	MOVQ         codePair_acc+0(R15), R10
	MOVQ         codePair_acc+8(R15), R11
	VPBROADCASTD codePair_n+0(R15), BEFORE_A
	VPBROADCASTD codePair_n+8(R15), BEFORE_B
	MOVQ         codePair_fours(R15), CX
	LEAQ         -64(SI)(CX*4), SI
	LEAQ         -64(DI)(CX*4), DI

	// The first block has so many words that all others have sixteen. Its other words have no bits.
	LEAQ    -1(CX), BX
	ANDL    $15, BX
	INCQ    BX
	SUBQ    BX, CX
	MOVL    $0xffff, AX
	BZHIL   BX, AX, AX
	KMOVW   AX, K1
	KSHIFTRW $8, K1, K2
	LEAQ    (BX*4), DX

	// At first there is nothing to add.
	VMOVDQU64 ZEROS, WORDS(SP)
	VMOVDQU64 ZEROS, WORDS+64(SP)
	VMOVDQU64 ZEROS, SHIFTS(SP)
	VMOVDQU64 ZEROS, ENDS(SP)
	VMOVDQU64 ZEROS, SECOND+WORDS(SP)
	VMOVDQU64 ZEROS, SECOND+WORDS+64(SP)
	VMOVDQU64 ZEROS, SECOND+SHIFTS(SP)
	VMOVDQU64 ZEROS, SECOND+ENDS(SP)

block:
	XORL AX, AX
	XORL BX, BX
	LOOKUP(SI, Z8, Z9, Z10, Z11, K3)
	LOOKUP(DI, Z15, Z20, Z21, Z27, K4)
	PUT(0)
	PUT(1)
	ENTRIES(Z8, Z9, Z10, Z11, Z12, Z13, K3)
	ENTRIES(Z15, Z20, Z21, Z27, Z28, Z29, K4)
	PUT(2)
	JOIN2(Z12, Z8, Z14)
	JOIN2(Z28, Z15, Z30)
	PUT(3)
	PUT(4)
	JOIN2(Z13, Z9, Z10)
	JOIN2(Z29, Z20, Z21)
	PUT(5)
	PUT(6)
	JOIN4(Z8, Z14, Z12, Z11)
	JOIN4(Z15, Z30, Z28, Z27)
	PUT(7)
	JOIN4(Z9, Z10, Z13, Z14)
	JOIN4(Z20, Z21, Z29, Z30)
	PUT(8)
	LIST(Z8, Z11, Z14)
	LIST(Z15, Z27, Z30)
	PUT(9)
	SUM(Z8, 1, Z9, Z10)
	SUM(Z15, 1, Z20, Z21)
	PUT(10)
	SUM(Z10, 2, Z9, Z10)
	SUM(Z21, 2, Z20, Z21)
	PUT(11)
	SUM(Z10, 4, Z9, Z10)
	SUM(Z21, 4, Z20, Z21)
	PUT(12)
	SUM(Z10, 8, Z9, Z10)
	SUM(Z21, 8, Z20, Z21)
	PUT(13)
	PLACES(Z8, Z9, Z10, BEFORE_A)
	PLACES(Z15, Z20, Z21, BEFORE_B)
	PUT(14)
	MOVE(Z9, Y9, Z11, Z12, Z13)
	MOVE(Z20, Y20, Z27, Z28, Z29)
	PUT(15)
	ADDQ AX, R8
	ADDQ BX, R9
	STORE(Z8, Z10, Z12, Z13, 0)
	STORE(Z15, Z21, Z28, Z29, SECOND)

	// The block that comes after the last one has no bits. Meanwhile the last one is added.
	MOVL     $0xffff, AX
	TESTQ    CX, CX
	CMOVQEQ  CX, DX
	CMOVQEQ  CX, AX
	SUBQ     DX, SI
	SUBQ     DX, DI
	MOVL     $64, DX
	KMOVW    AX, K1
	KSHIFTRW $8, K1, K2
	SUBQ     $16, CX
	CMPQ     CX, $-16
	JGE      block

	MOVQ R8, codePair_out+0(R15)
	MOVQ R9, codePair_out+8(R15)
	MOVQ R10, codePair_acc+0(R15)
	MOVQ R11, codePair_acc+8(R15)
	VMOVQ X25, AX
	MOVL AX, AX
	MOVQ AX, codePair_n+0(R15)
	VMOVQ X26, AX
	MOVL AX, AX
	MOVQ AX, codePair_n+8(R15)
	VZEROUPPER
	RET
