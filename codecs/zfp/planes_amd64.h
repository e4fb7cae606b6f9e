// Code generated from planes_amd64.h.kernels by internal/kernels. DO NOT EDIT.

// Macros that make planes of coefficients in registers, and coefficients of planes.

// BITS8 prepares for PLANES and UNPLANES: Z25 selects bit m for byte m of each quadword, and
// Z26 has the indexes that transpose bytes.
#define BITS8(indexes) \
	VPBROADCASTQ ·bits8(SB), Z25; \
	VMOVDQU64    indexes, Z26

// REVERSE reverses the bytes of each quadword of z, for PLANES.
#define REVERSE(z) \
	VBROADCASTI32X4 ·reverse8(SB), Z27; \
	VPSHUFB         Z27, z, z

// PLANES stores the bits of the bytes of z as eight planes. In each quadword the bytes are in
// the reverse order, because VGF2P8AFFINEQB transposes its bits and reverses them.
#define PLANES(z, at) \
	VGF2P8AFFINEQB $0, z, Z25, z; \
	VPERMB         z, Z26, z;     \
	VMOVDQU64      z, at(DI)

// UNPLANES makes bytes of eight planes.
#define UNPLANES(z, at) \
	VPERMB         at(DX), Z26, z; \
	VGF2P8AFFINEQB $0, z, Z25, z

// BYTE32 collects in z byte b of each coefficient: the indexes of their bytes
// in Z0 to Z3 are in Z12, those in Z2 and Z3 are in K2.
#define BYTE32(z) \
	VMOVDQA64 Z12, z;             \
	VMOVDQA64 Z12, Z14;           \
	VPERMI2B  Z1, Z0, z;          \
	VPERMI2B  Z3, Z2, Z14;        \
	VPBLENDMB Z14, z, K2, z;      \
	VPADDB    Z13, Z12, Z12

// WORD32 puts bytes of coefficients together: those that the indexes in memory
// choose of Z8 and Z9 for the lower halves, of Z10 and Z11 for the upper ones.
#define WORD32(at, z) \
	VMOVDQU32 at(BX), z;      \
	VMOVDQA64 z, Z12;         \
	VPERMI2B  Z9, Z8, z;      \
	VPERMI2B  Z11, Z10, Z12;  \
	VPBLENDMB Z12, z, K2, z;  \
	VPXORD    Z13, z, z;      \
	VPSUBD    Z13, z, z

// ORDER64 sorts the bytes of a register by the indexes in Z29.
#define ORDER64(z) \
	VPERMB z, Z29, z

// SORTBYTES32 puts the bytes of coefficients together in Z0 to Z3, no longer in
// negabinary: byte b of each coefficient is in Z8+b, their order is at BX.
#define SORTBYTES32 \
	FILL32(0xaaaaaaaa, Z13); \
	MOVQ $0xcccccccccccccccc, AX; \
	KMOVQ AX, K2; \
	WORD32(0, Z0); \
	WORD32(64, Z1); \
	WORD32(128, Z2); \
	WORD32(192, Z3)

// TOPLANES32 makes planes of bytes, the highest ones first, and goes to done behind the byte of plane
// bottom. With 32 bits the order of coefficients is at BX, with 64 bits in Z29.
#define TOPLANES32(bottom, done) \
	FILL32(0xffffffff, Z13); \
	BITS8(·bytes8(SB)); \
	VMOVDQU32 (BX), Z12; \
	REVERSE(Z12); \
	VPMOVB2M Z12, K2; \
	BYTE32(Z11); \
	PLANES(Z11, 192); \
	CMPQ bottom, $24; \
	JGE done; \
	BYTE32(Z10); \
	PLANES(Z10, 128); \
	CMPQ bottom, $16; \
	JGE done; \
	BYTE32(Z9); \
	PLANES(Z9, 64); \
	CMPQ bottom, $8; \
	JGE done; \
	BYTE32(Z8); \
	PLANES(Z8, 0)

// FROMPLANES32 makes bytes of planes, the highest ones first, and goes to done behind the byte of plane
// bottom. Bytes below are 0.
#define FROMPLANES32(bottom, done) \
	BITS8(·columns8(SB)); \
	VPXORD Z8, Z8, Z8; \
	VPXORD Z9, Z9, Z9; \
	VPXORD Z10, Z10, Z10; \
	UNPLANES(Z11, 192); \
	CMPQ bottom, $24; \
	JGE done; \
	UNPLANES(Z10, 128); \
	CMPQ bottom, $16; \
	JGE done; \
	UNPLANES(Z9, 64); \
	CMPQ bottom, $8; \
	JGE done; \
	UNPLANES(Z8, 0)

// TOPLANES64 makes planes of bytes, the highest ones first, and goes to done behind the byte of plane
// bottom. With 32 bits the order of coefficients is at BX, with 64 bits in Z29.
#define TOPLANES64(bottom, done) \
	BITS8(·bytes8(SB)); \
	REVERSE(Z29); \
	ORDER64(Z7); \
	PLANES(Z7, 448); \
	CMPQ bottom, $56; \
	JGE done; \
	ORDER64(Z6); \
	PLANES(Z6, 384); \
	CMPQ bottom, $48; \
	JGE done; \
	ORDER64(Z5); \
	PLANES(Z5, 320); \
	CMPQ bottom, $40; \
	JGE done; \
	ORDER64(Z4); \
	PLANES(Z4, 256); \
	CMPQ bottom, $32; \
	JGE done; \
	ORDER64(Z3); \
	PLANES(Z3, 192); \
	CMPQ bottom, $24; \
	JGE done; \
	ORDER64(Z2); \
	PLANES(Z2, 128); \
	CMPQ bottom, $16; \
	JGE done; \
	ORDER64(Z1); \
	PLANES(Z1, 64); \
	CMPQ bottom, $8; \
	JGE done; \
	ORDER64(Z0); \
	PLANES(Z0, 0)

// FROMPLANES64 makes bytes of planes, the highest ones first, and goes to done behind the byte of plane
// bottom. Bytes below are 0.
#define FROMPLANES64(bottom, done) \
	BITS8(·columns8(SB)); \
	VPXORQ Z0, Z0, Z0; \
	VPXORQ Z1, Z1, Z1; \
	VPXORQ Z2, Z2, Z2; \
	VPXORQ Z3, Z3, Z3; \
	VPXORQ Z4, Z4, Z4; \
	VPXORQ Z5, Z5, Z5; \
	VPXORQ Z6, Z6, Z6; \
	UNPLANES(Z7, 448); \
	ORDER64(Z7); \
	CMPQ bottom, $56; \
	JGE done; \
	UNPLANES(Z6, 384); \
	ORDER64(Z6); \
	CMPQ bottom, $48; \
	JGE done; \
	UNPLANES(Z5, 320); \
	ORDER64(Z5); \
	CMPQ bottom, $40; \
	JGE done; \
	UNPLANES(Z4, 256); \
	ORDER64(Z4); \
	CMPQ bottom, $32; \
	JGE done; \
	UNPLANES(Z3, 192); \
	ORDER64(Z3); \
	CMPQ bottom, $24; \
	JGE done; \
	UNPLANES(Z2, 128); \
	ORDER64(Z2); \
	CMPQ bottom, $16; \
	JGE done; \
	UNPLANES(Z1, 64); \
	ORDER64(Z1); \
	CMPQ bottom, $8; \
	JGE done; \
	UNPLANES(Z0, 0); \
	ORDER64(Z0)

// BYTES64 collects equal bytes of the coefficients in Z8 to Z15: first those of
// the eight words of each register, by the indexes in Z28, then of all registers.
// Z7 has the highest ones, Z16 to Z23 are scratch.
#define BYTES64 \
	VPERMB Z8, Z28, Z8; \
	VPERMB Z9, Z28, Z9; \
	VPERMB Z10, Z28, Z10; \
	VPERMB Z11, Z28, Z11; \
	VPERMB Z12, Z28, Z12; \
	VPERMB Z13, Z28, Z13; \
	VPERMB Z14, Z28, Z14; \
	VPERMB Z15, Z28, Z15; \
	VPUNPCKLQDQ Z9, Z8, Z0; \
	VPUNPCKHQDQ Z9, Z8, Z1; \
	VPUNPCKLQDQ Z11, Z10, Z2; \
	VPUNPCKHQDQ Z11, Z10, Z3; \
	VPUNPCKLQDQ Z13, Z12, Z4; \
	VPUNPCKHQDQ Z13, Z12, Z5; \
	VPUNPCKLQDQ Z15, Z14, Z6; \
	VPUNPCKHQDQ Z15, Z14, Z7; \
	LANES(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19); \
	LANES(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)

// UNBYTES64 undoes BYTES64, and the negabinary but for a subtraction of Z16.
#define UNBYTES64 \
	VMOVDQU64 ·wordsLow(SB), Z30; \
	VMOVDQU64 ·wordsHigh(SB), Z31; \
	LANES(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19); \
	LANES(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23); \
	VPUNPCKLQDQ Z1, Z0, Z8; \
	VPUNPCKHQDQ Z1, Z0, Z9; \
	VPUNPCKLQDQ Z3, Z2, Z10; \
	VPUNPCKHQDQ Z3, Z2, Z11; \
	VPUNPCKLQDQ Z5, Z4, Z12; \
	VPUNPCKHQDQ Z5, Z4, Z13; \
	VPUNPCKLQDQ Z7, Z6, Z14; \
	VPUNPCKHQDQ Z7, Z6, Z15; \
	VPERMB Z8, Z28, Z8; \
	VPERMB Z9, Z28, Z9; \
	VPERMB Z10, Z28, Z10; \
	VPERMB Z11, Z28, Z11; \
	VPERMB Z12, Z28, Z12; \
	VPERMB Z13, Z28, Z13; \
	VPERMB Z14, Z28, Z14; \
	VPERMB Z15, Z28, Z15; \
	FILL64(0xaaaaaaaaaaaaaaaa, Z16); \
	VPXORQ Z16, Z8, Z8; \
	VPXORQ Z16, Z9, Z9; \
	VPXORQ Z16, Z10, Z10; \
	VPXORQ Z16, Z11, Z11; \
	VPXORQ Z16, Z12, Z12; \
	VPXORQ Z16, Z13, Z13; \
	VPXORQ Z16, Z14, Z14; \
	VPXORQ Z16, Z15, Z15
