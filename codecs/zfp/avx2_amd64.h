// Macros of the kernels for AVX2. They use no instruction that AVX-512 has added, and
// no register beyond Y15. LIFT, UNLIFT, DELTAS, SUMS and WORDS32 of kernels_amd64.h
// work with Y registers, too: these have two lanes.

// MAGNITUDEY32 and MAGNITUDEY64 are signMagnitude. zero is 0.
#define MAGNITUDEY32(y, t) \
	VPSRAD $31, y, t; \
	VPSRLD $1, t, t;  \
	VPXOR  t, y, y

#define MAGNITUDEY64(y, t, zero) \
	VPCMPGTQ y, zero, t; \
	VPSRLQ   $1, t, t;   \
	VPXOR    t, y, y

// QUADS transposes the four words of 64 bits of a, b, c and d: word i of register j
// becomes word j of register i. s, t, u and v are scratch.
#define QUADS(a, b, c, d, s, t, u, v) \
	VPUNPCKLQDQ b, a, s;        \
	VPUNPCKHQDQ b, a, t;        \
	VPUNPCKLQDQ d, c, u;        \
	VPUNPCKHQDQ d, c, v;        \
	VPERM2I128  $0x20, u, s, a; \
	VPERM2I128  $0x20, v, t, b; \
	VPERM2I128  $0x31, u, s, c; \
	VPERM2I128  $0x31, v, t, d

// LIFT64 is LIFT for words of 64 bits. AVX2 has no shift of 64 bits that keeps the sign.
// But half of v, rounded down, is (v + B) >> 1 − C, where the shift brings in a zero, B is
// 2^63, and C is 2^62. So the words have B or C added in between, as the comments at the
// right say. Twice C is B, and twice B is 0. Adding B is the same as taking it with an
// exclusive or. Y15 has B, Y11 has C; t is scratch.
#define LIFT64(x, y, z, w, t) \
	VPXOR  Y15, x, x; /* x + B */ \
	VPXOR  Y15, z, z; /* z + B */ \
	VPADDQ w, x, x;   \
	VPADDQ y, z, z;   \
	VPSRLQ $1, x, x;  /* x + C */ \
	VPSRLQ $1, z, z;  /* z + C */ \
	VPSUBQ x, w, w;   /* w − C */ \
	VPSUBQ z, y, y;   /* y − C */ \
	VPADDQ z, x, x;   /* x + z + B */ \
	VPADDQ y, w, w;   /* w + y + B */ \
	VPSRLQ $1, x, x;  /* x + C */ \
	VPSRLQ $1, w, w;  /* w + C */ \
	VPSUBQ x, z, z;   \
	VPSUBQ w, y, y;   /* y + B */ \
	VPSRLQ $1, y, t;  \
	VPADDQ t, w, w;   /* w + B */ \
	VPSRLQ $1, w, t;  \
	VPSUBQ t, y, y;   /* y + C */ \
	VPSUBQ Y11, x, x; \
	VPXOR  Y15, w, w; \
	VPSUBQ Y11, y, y

// HALF64 puts half of x, rounded down, into h. Y15 has the sign bits, t is scratch.
#define HALF64(x, h, t) \
	VPAND  Y15, x, t; \
	VPSRLQ $1, x, h;  \
	VPOR   t, h, h

// UNLIFT64 is UNLIFT for words of 64 bits. t and u are scratch.
#define UNLIFT64(x, y, z, w, t, u) \
	HALF64(w, t, u); \
	VPADDQ t, y, y;  \
	HALF64(y, t, u); \
	VPSUBQ t, w, w;  \
	VPADDQ w, y, y;  \
	VPADDQ x, z, z;  \
	VPADDQ w, w, w;  \
	VPADDQ x, x, x;  \
	VPSUBQ y, w, w;  \
	VPSUBQ z, x, x;  \
	VPADDQ z, y, y;  \
	VPADDQ x, w, w;  \
	VPADDQ z, z, z;  \
	VPADDQ x, x, x;  \
	VPSUBQ y, z, z;  \
	VPSUBQ w, x, x

// NEGAY64 turns y into negabinary and collects its bits in Y14. Y13 has the mask.
#define NEGAY64(y) \
	VPADDQ Y13, y, y; \
	VPXOR  Y13, y, y; \
	VPOR   y, Y14, Y14

// FLOATY64 turns integers into floats: the upper halves, times 2^32 and less 2^52, are
// exact, and so are the lower halves with 2^52 added. The sum is rounded once. t and u
// are scratch.
#define FLOATY64(y, t, u) \
	VPSRLQ   $32, y, t;                 \
	VPXOR    ·highFloat(SB), t, t;      \
	VMOVDQU  ·lowFloat(SB), u;          \
	VPBLENDD $0x55, y, u, u;            \
	VSUBPD   ·highFloatLess(SB), t, t;  \
	VADDPD   u, t, y

// QUANTIZEY64 turns the four floats in Y0 into integers at DI. AVX2 cannot do that with 64
// bits, so they go through registers of integers one by one.
#define QUANTIZEY64 \
	VMOVDQU Y0, (DI);        \
	VCVTTSD2SIQ X0, AX;      \
	VCVTTSD2SIQ 8(DI), R12;  \
	VCVTTSD2SIQ 16(DI), R13; \
	VCVTTSD2SIQ 24(DI), R15; \
	MOVQ AX, (DI);           \
	MOVQ R12, 8(DI);         \
	MOVQ R13, 16(DI);        \
	MOVQ R15, 24(DI)

// ROUNDTRIPY64 does to floats what quantizing them to integers, and turning these into
// floats, does: numbers lose their fractions, and -0 its sign. What does not fit an
// integer becomes the smallest one. zero is 0, t is scratch.
#define ROUNDTRIPY64(y, zero, t) \
	VANDPD    ·magnitude64(SB), y, t;        \
	VCMPPD    $5, ·float63(SB), t, t;        \
	VROUNDPD  $3, y, y;                      \
	VADDPD    zero, y, y;                    \
	VBLENDVPD t, ·smallest64(SB), y, y

// MAXY64 puts the larger of the non-negative words of x and y into y; t is scratch.
#define MAXY64(x, y, t) \
	VPCMPGTQ  y, x, t; \
	VBLENDVPD t, x, y, y

// SWAP8 exchanges the bits of quadwords that the mask m has with those that lie s above
// them; t is scratch.
#define SWAP8(s, m, y, t) \
	VPSRLQ $s, y, t; \
	VPXOR  y, t, t;  \
	VPAND  m, t, t;  \
	VPXOR  t, y, y;  \
	VPSLLQ $s, t, t; \
	VPXOR  t, y, y

// BITS8 transposes the 8 by 8 bits of each quadword: bit j of byte i becomes bit i of
// byte j. Y8, Y9 and Y10 have the masks; t is scratch.
#define BITS8(y, t) \
	SWAP8(7, Y8, y, t);   \
	SWAP8(14, Y9, y, t);  \
	SWAP8(28, Y10, y, t)

// MASKS8 loads what BITS8, OCTET and UNOCTET use.
#define MASKS8 \
	VMOVDQU ·swap7(SB), Y8;            \
	VMOVDQU ·swap14(SB), Y9;           \
	VMOVDQU ·swap28(SB), Y10;          \
	VBROADCASTI128 ·pairs8(SB), Y11;   \
	VMOVDQU ·lanes4(SB), Y12

// SORT8 puts the 64 bytes in the four lanes a, b, c and d, each of which is in both
// lanes of a register, into the order that the indexes at BX state: into Y4 and Y5.
// Y1 and Y2 are scratch. SORTLANE adds one lane.
#define SORTLANE(at, y) \
	VPSHUFB at(BX), y, Y1;    \
	VPSHUFB at+32(BX), y, Y2; \
	VPOR    Y1, Y4, Y4;       \
	VPOR    Y2, Y5, Y5

// OCTET makes 8 planes at DI of 64 bytes at R8, which have 8 bits of each coefficient:
//   1. the bytes are sorted. Y4 has coefficients 0 to 15 and 32 to 47, Y5 the others;
//   2. the 8 by 8 bits of each 8 coefficients are transposed: byte j has bits j;
//   3. the bytes j of all quadwords are put together.
#define OCTET \
	VBROADCASTI128 (R8), Y0;   \
	VPSHUFB 0(BX), Y0, Y4;     \
	VPSHUFB 32(BX), Y0, Y5;    \
	VBROADCASTI128 16(R8), Y0; \
	SORTLANE(64, Y0);          \
	VBROADCASTI128 32(R8), Y0; \
	SORTLANE(128, Y0);         \
	VBROADCASTI128 48(R8), Y0; \
	SORTLANE(192, Y0);         \
	BITS8(Y4, Y0);             \
	BITS8(Y5, Y1);             \
	VPSHUFB Y11, Y4, Y4;       \
	VPSHUFB Y11, Y5, Y5;       \
	VPUNPCKLWD Y5, Y4, Y0;     \
	VPUNPCKHWD Y5, Y4, Y1;     \
	VPERMD Y0, Y12, Y0;        \
	VPERMD Y1, Y12, Y1;        \
	VMOVDQU Y0, (DI);          \
	VMOVDQU Y1, 32(DI)

// UNOCTET undoes OCTET: it makes the 64 bytes at R8 of the 8 planes at DX. If these are
// empty, it stores zeros and goes to empty.
#define UNOCTET(empty) \
	VMOVDQU (DX), X0;                 \
	VMOVDQU 16(DX), X1;               \
	VINSERTI128 $1, 32(DX), Y0, Y0;   \
	VINSERTI128 $1, 48(DX), Y1, Y1;   \
	VPOR Y0, Y1, Y2;                  \
	VMOVDQU Y2, (R8);                 \
	VMOVDQU Y2, 32(R8);               \
	VPTEST Y2, Y2;                    \
	JZ empty;                         \
	VPSHUFB Y11, Y0, Y0;              \
	VPSHUFB Y11, Y1, Y1;              \
	VPUNPCKLWD Y1, Y0, Y2;            \
	VPUNPCKHWD Y1, Y0, Y3;            \
	VPERMD Y2, Y12, Y6;               \
	VPERMD Y3, Y12, Y7;               \
	BITS8(Y6, Y0);                    \
	BITS8(Y7, Y1);                    \
	VPERMQ $0x44, Y6, Y0;             \
	VPSHUFB 0(BX), Y0, Y4;            \
	VPSHUFB 32(BX), Y0, Y5;           \
	VPERMQ $0xee, Y6, Y0;             \
	SORTLANE(64, Y0);                 \
	VPERMQ $0x44, Y7, Y0;             \
	SORTLANE(128, Y0);                \
	VPERMQ $0xee, Y7, Y0;             \
	SORTLANE(192, Y0);                \
	VMOVDQU Y4, (R8);                 \
	VMOVDQU Y5, 32(R8)

// FILLY32 and FILLY64 fill a register with a word; x is its lower part.
#define FILLY32(word, x, y) \
	MOVL         $word, AX; \
	VMOVD        AX, x;     \
	VPBROADCASTD x, y

#define FILLY64(word, x, y) \
	MOVQ         $word, AX; \
	VMOVQ        AX, x;     \
	VPBROADCASTQ x, y
