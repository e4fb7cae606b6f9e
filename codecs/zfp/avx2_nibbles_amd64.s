//go:build !purego

#include "go_asm.h"
#include "textflag.h"
#include "kernels_amd64.h"
#include "avx2_amd64.h"

// The planes of 16 blocks of one dimension are coded and decoded side by side: each block
// has a word of 32 bits in two registers of 8 words. See row_shuffles.go for the tables.

// EXCHANGE exchanges the bits of b that the mask m has with those of a that lie s above
// them; t is scratch.
#define EXCHANGE(s, m, a, b, t) \
	VPSRLD $s, a, t; \
	VPXOR  b, t, t;  \
	VPAND  m, t, t;  \
	VPXOR  t, b, b;  \
	VPSLLD $s, t, t; \
	VPXOR  t, a, a

// NIBBLES transposes the bits of four coefficients: after it, Y0 to Y3 have the bits that
// lie 0 to 3 above a multiple of four. Four bits side by side are a plane. It is its own
// inverse. Y4 to Y7 are scratch.
#define NIBBLES \
	FILLY32(0x55555555, X6, Y6);  \
	FILLY32(0x33333333, X7, Y7);  \
	EXCHANGE(1, Y6, Y0, Y1, Y4);  \
	EXCHANGE(1, Y6, Y2, Y3, Y5);  \
	EXCHANGE(2, Y7, Y0, Y2, Y4);  \
	EXCHANGE(2, Y7, Y1, Y3, Y5)

// CODEPLANE adds the code of a plane to Y6 and its length to Y7. Four planes of each block
// are in memory at at(R8)(BX*1), the next one highest. Y5 has the coefficients that had a
// one-bit, n of them; Y4 the lowest planes, Y8 the number of the plane. Y0 to Y3 and Y9
// are scratch. Let T be the plane without the first n bits. The code is the first n bits;
// if T is not 0, a test at bit n; and the code that T has if n is 0, without its test.
#define CODEPLANE(at) \
	VMOVDQU  at(R8)(BX*1), Y9; \
	VPSRLD   $28, Y9, Y0;      \
	VPSLLD   $4, Y9, Y9;       \
	VMOVDQU  Y9, at(R8)(BX*1); \
	VPSHUFB  Y5, Y10, Y1;      /* the first n bits */ \
	VPANDN   Y0, Y1, Y2;       /* T */ \
	VPAND    Y0, Y1, Y3;       \
	VPOR     Y0, Y5, Y5;       \
	VPXOR    Y0, Y0, Y0;       \
	VPCMPEQD Y0, Y2, Y0;       /* whether T is 0 */ \
	VPSUBD   Y14, Y1, Y9;      /* bit n */ \
	VPANDN   Y9, Y0, Y9;       \
	VPOR     Y9, Y3, Y3;       \
	VPSHUFB  Y2, Y11, Y9;      \
	VPOR     Y9, Y3, Y3;       /* the code */ \
	VPSHUFB  Y1, Y13, Y1;      \
	VPSRLD   $24, Y0, Y0;      \
	VPAND    Y0, Y1, Y1;       /* its length if T is 0 */ \
	VPSHUFB  Y2, Y12, Y2;      \
	VPOR     Y2, Y1, Y1;       /* its length */ \
	VPCMPGTD Y8, Y4, Y0;       /* whether the plane is too low */ \
	VPANDN   Y3, Y0, Y3;       \
	VPANDN   Y1, Y0, Y1;       \
	VPSLLVD  Y7, Y3, Y3;       \
	VPOR     Y3, Y6, Y6;       \
	VPADDD   Y1, Y7, Y7

// CODECHUNK codes AX planes, from the one above Y15 on, of half the row: at is 0 or 128,
// half 0 or 32. Words whose codes have less than limit bits set bits in R13.
#define CODECHUNK(at, half, label) \
	VMOVDQU nibbleState_bottom+half(SI), Y4; \
	VMOVDQU nibbleState_seen+half(SI), Y5;   \
	VMOVDQA Y15, Y8;                         \
	VPXOR   Y6, Y6, Y6;                      \
	VPXOR   Y7, Y7, Y7;                      \
	MOVQ    AX, R9;                          \
	MOVQ    R10, BX;                         \
label:                                           \
	VPADDD  Y14, Y8, Y8;                     \
	CODEPLANE(at);                           \
	SUBQ    $32, BX;                         \
	ANDQ    $96, BX;                         \
	DECQ    R9;                              \
	JNZ     label;                           \
	VMOVDQU Y5, nibbleState_seen+half(SI);   \
	VMOVDQU Y6, nibbleChunk_code+half(DI);   \
	VMOVDQU Y7, nibbleChunk_bits+half(DI);   \
	VPADDD  nibbleState_length+half(SI), Y7, Y7; \
	VMOVDQU Y7, nibbleState_length+half(SI); \
	VPBROADCASTD limit+56(FP), Y0;           \
	VPCMPGTD Y7, Y0, Y0;                     \
	VPMOVMSKB Y0, R12;                       \
	ORL     R12, R13

// func codeNibblesShort(to *nibbleChunk, s *nibbleState, c *uint64, t *nibbleShuffles, shift, top, planes, limit int) int
TEXT ·codeNibblesShort(SB), NOSPLIT, $256-72
	MOVQ to+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ c+16(FP), BX
	MOVQ t+24(FP), DX
	MOVQ planes+48(FP), CX
	VMOVD shift+32(FP), X8
	LEAQ nibbles-256(SP), R8
	MOVQ $2, R9

half:
	VMOVDQU 0(BX), Y0
	VMOVDQU 64(BX), Y1
	VMOVDQU 128(BX), Y2
	VMOVDQU 192(BX), Y3
	VPSLLD X8, Y0, Y0
	VPSLLD X8, Y1, Y1
	VPSLLD X8, Y2, Y2
	VPSLLD X8, Y3, Y3
	NIBBLES
	VMOVDQU Y0, 0(R8)
	VMOVDQU Y1, 32(R8)
	VMOVDQU Y2, 64(R8)
	VMOVDQU Y3, 96(R8)
	ADDQ $128, R8
	ADDQ $32, BX
	DECQ R9
	JNZ  half
	LEAQ nibbles-256(SP), R8
	VBROADCASTI128 nibbleShuffles_first(DX), Y10
	VBROADCASTI128 nibbleShuffles_code(DX), Y11
	VBROADCASTI128 nibbleShuffles_bits(DX), Y12
	VBROADCASTI128 nibbleShuffles_none(DX), Y13
	VPCMPEQD Y14, Y14, Y14 // -1
	VPBROADCASTD top+40(FP), Y15
	XORL R11, R11 // the number of chunks
	MOVQ $96, R10 // where the next plane is

chunk:
	MOVQ $const_chunkPlanes, AX
	CMPQ CX, AX
	CMOVQLT CX, AX
	SUBQ AX, CX
	XORL R13, R13
	CODECHUNK(0, 0, plane0)
	CODECHUNK(128, 32, plane1)
	VMOVDQA Y8, Y15
	MOVQ BX, R10
	ADDQ $nibbleChunk__size, DI
	INCQ R11
	TESTL R13, R13
	JZ   done // all blocks have as many bits as they may have
	TESTQ CX, CX
	JNZ  chunk

done:
	MOVQ R11, ret+64(FP)
	VZEROUPPER
	RET

// SPLITY is SPLIT of row_decode_amd64.s.
#define SPLITY(y, t) \
	SWAP8(30, Y8, y, t);  \
	SWAP8(10, Y9, y, t);  \
	SWAP8(15, Y10, y, t); \
	SWAP8(5, Y11, y, t);  \
	VPSHUFB Y12, y, y

// STRINGS loads 16 bytes of two strings.
#define STRINGS(at, x, y) \
	VMOVDQU at(SI), x; \
	VINSERTI128 $1, at+const_stringBytes(SI), y, y

// func splitNibblesShort(c *uint64, s *byte)
TEXT ·splitNibblesShort(SB), NOSPLIT, $0-16
	MOVQ c+0(FP), DI
	MOVQ s+8(FP), SI
	FILLY64(0x00000000cccccccc, X8, Y8)
	FILLY64(0x0033003300330033, X9, Y9)
	FILLY64(0x0000aaaa0000aaaa, X10, Y10)
	FILLY64(0x0505050505050505, X11, Y11)
	VBROADCASTI128 ·halves16(SB), Y12
	MOVQ $2, DX

half:
	STRINGS(0, X0, Y0)
	STRINGS(4*const_stringBytes, X1, Y1)
	STRINGS(8*const_stringBytes, X2, Y2)
	STRINGS(12*const_stringBytes, X3, Y3)
	SPLITY(Y0, Y4)
	SPLITY(Y1, Y5)
	SPLITY(Y2, Y6)
	SPLITY(Y3, Y7)
	WORDS32(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	VMOVDQU Y0, 0(DI)
	VMOVDQU Y1, 64(DI)
	VMOVDQU Y2, 128(DI)
	VMOVDQU Y3, 192(DI)
	ADDQ $(2*const_stringBytes), SI
	ADDQ $32, DI
	DECQ DX
	JNZ  half
	VZEROUPPER
	RET

// DECODEPLANE decodes a plane of 8 blocks: see CODEPLANE. low and high have the bits of
// the stream, bits is how many they are, seen the coefficients that had a one-bit. half is
// 0 or 32, at 0 or 128. Y8 to Y15 are scratch. Blocks with a plane set bits in R13.
#define DECODEPLANE(low, high, bits, seen, half, at) \
	VBROADCASTI128 nibbleShuffles_first(DX), Y8;     \
	VPSHUFB   seen, Y8, Y8;                          /* the first n bits */ \
	VPADDD    ·words1(SB), Y8, Y9;                   \
	VPAND     ·words15(SB), Y9, Y9;                  /* bit n, 0 if n is 4 */ \
	VPAND     low, Y9, Y9;                           \
	VPXOR     Y15, Y15, Y15;                         \
	VPCMPEQD  Y15, Y9, Y11;                          /* whether the tail is 0 */ \
	VPAND     low, Y8, Y10;                          \
	VPSRLD    $1, low, Y12;                          \
	VPANDN    Y12, Y8, Y12;                          \
	VPAND     ·words63(SB), Y12, Y12;                /* the bits behind the test */ \
	VBROADCASTI128 nibbleShuffles_noTail(DX), Y9;    \
	VPSHUFB   Y8, Y9, Y9;                            \
	VBROADCASTI128 nibbleShuffles_tails(DX), Y13;    \
	VBROADCASTI128 nibbleShuffles_tails+16(DX), Y14; \
	VPSHUFB   Y12, Y13, Y13;                         \
	VPSHUFB   Y12, Y14, Y14;                         \
	VPSLLD    $3, Y12, Y8;                           \
	VPBLENDVB Y8, Y14, Y13, Y13;                     \
	VBROADCASTI128 nibbleShuffles_tails+32(DX), Y14; \
	VBROADCASTI128 nibbleShuffles_tails+48(DX), Y15; \
	VPSHUFB   Y12, Y14, Y14;                         \
	VPSHUFB   Y12, Y15, Y15;                         \
	VPBLENDVB Y8, Y15, Y14, Y14;                     \
	VPSLLD    $2, Y12, Y8;                           \
	VPBLENDVB Y8, Y14, Y13, Y13;                     \
	VPBLENDVB Y11, Y9, Y13, Y13;                     /* a length and a tail */ \
	VPAND     ·words15(SB), Y13, Y14;                \
	VPOR      Y14, Y10, Y10;                         /* the plane */ \
	VPSRLD    $4, Y13, Y14;                          \
	VPAND     ·words15(SB), Y14, Y14;                /* the length */ \
	VPXOR     Y8, Y8, Y8;                            \
	VPSUBD    bits, Y14, Y15;                        \
	VPMAXSD   Y8, Y15, Y15;                          /* bits that the block does not have: */ \
	VPAND     ·words8(SB), Y10, Y11;                 /* a run that is cut ends there */ \
	VPSRLVD   Y15, Y11, Y11;                         \
	VPAND     ·words7(SB), Y10, Y10;                 \
	VPOR      Y11, Y10, Y10;                         \
	VPCMPGTD  Y8, bits, Y11;                         \
	VMOVDQU   fixedRow_planes+half(SI), Y12;         \
	VPBROADCASTD done-8(SP), Y13;                    \
	VPCMPGTD  Y13, Y12, Y12;                         \
	VPAND     Y12, Y11, Y11;                         /* whether the block has a plane */ \
	VPAND     Y11, Y10, Y10;                         \
	VPOR      Y10, seen, seen;                       \
	VPMOVMSKB Y11, AX;                               \
	ORL       AX, R13;                               \
	VPBROADCASTD shift-16(SP), Y12;                  \
	VPSLLVD   Y12, Y10, Y10;                         \
	VPOR      at(R8)(BX*1), Y10, Y10;                \
	VMOVDQU   Y10, at(R8)(BX*1);                     \
	VMOVDQU   ·words32(SB), Y12;                     \
	VPSUBD    Y14, Y12, Y12;                         \
	VPSLLVD   Y12, high, Y12;                        \
	VPSRLVD   Y14, low, low;                         \
	VPOR      Y12, low, low;                         \
	VPSRLVD   Y14, high, high;                       \
	VPSUBD    Y14, bits, bits

// SKIP drops the first bits of a block: X8 has their number, and X9 has 32 less that.
#define SKIP(low, high, bits) \
	VPSLLD X9, high, Y10;  \
	VPSRLD X8, low, low;   \
	VPOR   Y10, low, low;  \
	VPSRLD X8, high, high; \
	VPBROADCASTD X8, Y10;  \
	VPSUBD Y10, bits, bits

// COEFFICIENTS turns planes of half a row into coefficients.
#define COEFFICIENTS(at, half) \
	VMOVDQU at(R8), Y0;    \
	VMOVDQU at+32(R8), Y1; \
	VMOVDQU at+64(R8), Y2; \
	VMOVDQU at+96(R8), Y3; \
	NIBBLES;               \
	VMOVDQU Y0, half(DI);     \
	VMOVDQU Y1, half+64(DI);  \
	VMOVDQU Y2, half+128(DI); \
	VMOVDQU Y3, half+192(DI)

// func decodeFixedShort(c *uint64, r *fixedRow, t *nibbleShuffles, skip, planes int) (left int)
TEXT ·decodeFixedShort(SB), NOSPLIT, $272-48
	MOVQ c+0(FP), DI
	MOVQ r+8(FP), SI
	MOVQ t+16(FP), DX
	MOVQ planes+32(FP), CX
	VMOVDQU fixedRow_low(SI), Y0
	VMOVDQU fixedRow_low+32(SI), Y4
	VMOVDQU fixedRow_high(SI), Y1
	VMOVDQU fixedRow_high+32(SI), Y5
	VMOVDQU fixedRow_bits(SI), Y2
	VMOVDQU fixedRow_bits+32(SI), Y6
	VMOVDQU fixedRow_seen(SI), Y3
	VMOVDQU fixedRow_seen+32(SI), Y7
	MOVQ skip+24(FP), AX
	MOVL AX, done-8(SP) // planes that were decoded
	VMOVQ AX, X8
	MOVQ $32, R9
	SUBQ AX, R9
	VMOVQ R9, X9
	SKIP(Y0, Y1, Y2)
	SKIP(Y4, Y5, Y6)
	LEAQ nibbles-272(SP), R8
	VPXOR Y8, Y8, Y8
	VMOVDQU Y8, 0(R8)
	VMOVDQU Y8, 32(R8)
	VMOVDQU Y8, 64(R8)
	VMOVDQU Y8, 96(R8)
	VMOVDQU Y8, 128(R8)
	VMOVDQU Y8, 160(R8)
	VMOVDQU Y8, 192(R8)
	VMOVDQU Y8, 224(R8)

plane:
	// Plane CX-1 is at bit 4·((CX-1) / 4) of word (CX-1) mod 4.
	DECQ CX
	MOVQ CX, BX
	ANDQ $3, BX
	SHLQ $5, BX
	MOVQ CX, AX
	ANDQ $28, AX
	MOVL AX, shift-16(SP)
	XORL R13, R13
	DECODEPLANE(Y0, Y1, Y2, Y3, 0, 0)
	DECODEPLANE(Y4, Y5, Y6, Y7, 32, 128)
	INCL done-8(SP)
	TESTL R13, R13
	JZ   done // no block has further planes
	TESTQ CX, CX
	JNZ  plane

done:
	MOVQ CX, left+40(FP)
	VMOVDQU Y0, fixedRow_low(SI)
	VMOVDQU Y4, fixedRow_low+32(SI)
	VMOVDQU Y1, fixedRow_high(SI)
	VMOVDQU Y5, fixedRow_high+32(SI)
	VMOVDQU Y2, fixedRow_bits(SI)
	VMOVDQU Y6, fixedRow_bits+32(SI)
	VMOVDQU Y3, fixedRow_seen(SI)
	VMOVDQU Y7, fixedRow_seen+32(SI)
	VPBROADCASTD done-8(SP), Y8
	VMOVDQU fixedRow_planes(SI), Y0
	VMOVDQU fixedRow_planes+32(SI), Y1
	VPSUBD Y8, Y0, Y0
	VPSUBD Y8, Y1, Y1
	VMOVDQU Y0, fixedRow_planes(SI)
	VMOVDQU Y1, fixedRow_planes+32(SI)
	COEFFICIENTS(0, 0)
	COEFFICIENTS(128, 32)
	VZEROUPPER
	RET
