// Macros of the kernels for blocks of 32 and of 64 bits.

// LIFT is forwardLift on vectors whose values are in x, y, z and w; t is
// scratch. ADD, SUB and SRA are for the size of the values.
#define LIFT(ADD, SUB, SRA, x, y, z, w, t) \
	ADD w, x, x;  \
	ADD y, z, z;  \
	SRA $1, x, x; \
	SRA $1, z, z; \
	SUB x, w, w;  \
	SUB z, y, y;  \
	ADD z, x, x;  \
	ADD y, w, w;  \
	SRA $1, x, x; \
	SRA $1, w, w; \
	SUB x, z, z;  \
	SUB w, y, y;  \
	SRA $1, y, t; \
	ADD t, w, w;  \
	SRA $1, w, t; \
	SUB t, y, y

// UNLIFT is inverseLift.
#define UNLIFT(ADD, SUB, SRA, x, y, z, w, t) \
	SRA $1, w, t; \
	ADD t, y, y;  \
	SRA $1, y, t; \
	SUB t, w, w;  \
	ADD w, y, y;  \
	ADD x, z, z;  \
	ADD w, w, w;  \
	ADD x, x, x;  \
	SUB y, w, w;  \
	SUB z, x, x;  \
	ADD z, y, y;  \
	ADD x, w, w;  \
	ADD z, z, z;  \
	ADD x, x, x;  \
	SUB y, z, z;  \
	SUB w, x, x

// DELTAS takes the differences of the lossless mode, SUMS undoes it.
#define DELTAS(SUB, x, y, z, w) \
	SUB z, w, w; \
	SUB y, z, z; \
	SUB x, y, y; \
	SUB z, w, w; \
	SUB y, z, z; \
	SUB z, w, w

#define SUMS(ADD, x, y, z, w) \
	ADD z, w, w; \
	ADD y, z, z; \
	ADD z, w, w; \
	ADD x, y, y; \
	ADD y, z, z; \
	ADD z, w, w

// These are the macros above for words of 32 bits, which end with D, and for words of 64 bits, which end with
// Q. They have the same parameters.
#define LIFTD(x, y, z, w, t) LIFT(VPADDD, VPSUBD, VPSRAD, x, y, z, w, t)
#define LIFTQ(x, y, z, w, t) LIFT(VPADDQ, VPSUBQ, VPSRAQ, x, y, z, w, t)
#define UNLIFTD(x, y, z, w, t) UNLIFT(VPADDD, VPSUBD, VPSRAD, x, y, z, w, t)
#define UNLIFTQ(x, y, z, w, t) UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, x, y, z, w, t)
#define DELTASD(x, y, z, w, t) DELTAS(VPSUBD, x, y, z, w)
#define DELTASQ(x, y, z, w, t) DELTAS(VPSUBQ, x, y, z, w)
#define SUMSD(x, y, z, w, t) SUMS(VPADDD, x, y, z, w)
#define SUMSQ(x, y, z, w, t) SUMS(VPADDQ, x, y, z, w)

// LANES transposes the four lanes of 128 bits of a, b, c and d: lane i of
// register j becomes lane j of register i. s, t, u and v are scratch.
#define LANES(a, b, c, d, s, t, u, v) \
	VSHUFI64X2 $0x44, b, a, s; \
	VSHUFI64X2 $0xee, b, a, t; \
	VSHUFI64X2 $0x44, d, c, u; \
	VSHUFI64X2 $0xee, d, c, v; \
	VSHUFI64X2 $0x88, u, s, a; \
	VSHUFI64X2 $0xdd, u, s, b; \
	VSHUFI64X2 $0x88, v, t, c; \
	VSHUFI64X2 $0xdd, v, t, d

// FILL32 and FILL64 fill a register with a word.
#define FILL32(word, z) \
	MOVL         $word, AX; \
	VPBROADCASTD AX, z

#define FILL64(word, z) \
	MOVQ         $word, AX; \
	VPBROADCASTQ AX, z

// WORDS32 does what LANES does with the four words of 32 bits in each lane.
#define WORDS32(a, b, c, d, s, t, u, v) \
	VPUNPCKLDQ  b, a, s; \
	VPUNPCKHDQ  b, a, t; \
	VPUNPCKLDQ  d, c, u; \
	VPUNPCKHDQ  d, c, v; \
	VPUNPCKLQDQ u, s, a; \
	VPUNPCKHQDQ u, s, b; \
	VPUNPCKLQDQ v, t, c; \
	VPUNPCKHQDQ v, t, d

// MAGNITUDE32 is signMagnitude.
#define MAGNITUDE32(z, t) \
	VPSRAD $31, z, t; \
	VPSRLD $1, t, t;  \
	VPXORD t, z, z

// WORDS64 transposes the four words of 64 bits in each half of a, b, c and d:
// word i of register j becomes word j of register i. Z30 and Z31 have the
// indexes, s, t, u and v are scratch.
#define WORDS64(a, b, c, d, s, t, u, v) \
	VPUNPCKLQDQ b, a, s;   \
	VPUNPCKHQDQ b, a, t;   \
	VPUNPCKLQDQ d, c, u;   \
	VPUNPCKHQDQ d, c, v;   \
	VMOVDQA64   s, a;      \
	VMOVDQA64   t, b;      \
	VMOVDQA64   s, c;      \
	VMOVDQA64   t, d;      \
	VPERMT2Q    u, Z30, a; \
	VPERMT2Q    v, Z30, b; \
	VPERMT2Q    u, Z31, c; \
	VPERMT2Q    v, Z31, d

// MAGNITUDE64 is signMagnitude.
#define MAGNITUDE64(z, t) \
	VPSRAQ $63, z, t; \
	VPSRLQ $1, t, t;  \
	VPXORQ t, z, z

// LANEBITS sets the four bits of each lane in r where all four are set; t is
// scratch.
#define LANEBITS(r, t) \
	MOVL  r, t;        \
	SHRL  $1, t;       \
	ANDL  t, r;        \
	MOVL  r, t;        \
	SHRL  $2, t;       \
	ANDL  t, r;        \
	ANDL  $0x1111, r;  \
	IMUL3L $15, r, r

// HALVES puts the lower halves of a and b together, and the upper ones.
#define HALVES(a, b, low, high) \
	VSHUFI64X2 $0x44, b, a, low; \
	VSHUFI64X2 $0xee, b, a, high

// SLICES32 transforms the slices a, b, c and d of a block. First a register is a slice z, its lanes are rows
// y, their words columns x. Then its lanes are columns, their words rows. op is LIFTD, or DELTASD in the
// lossless mode. Z28 to Z31 are scratch.
#define SLICES32(op, a, b, c, d) \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31); \
	op(a, b, c, d, Z28);                     \
	LANES(a, b, c, d, Z28, Z29, Z30, Z31);   \
	op(a, b, c, d, Z28);                     \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31); \
	op(a, b, c, d, Z28)

// UNSLICES32 undoes it. op is UNLIFTD or SUMSD.
#define UNSLICES32(op, a, b, c, d) \
	op(a, b, c, d, Z28);                     \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31); \
	op(a, b, c, d, Z28);                     \
	LANES(a, b, c, d, Z28, Z29, Z30, Z31);   \
	op(a, b, c, d, Z28);                     \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31)

// FORWARD32 transforms a block that Z0 to Z3 hold, INVERSE32 undoes that.
#define FORWARD32(op) SLICES32(op, Z0, Z1, Z2, Z3)
#define INVERSE32(op) UNSLICES32(op, Z0, Z1, Z2, Z3)

// LOWER64 applies op to a block in Z0 to Z7, UPPER64 to one in Z8 to Z15. TURNLOWER64 and TURNUPPER64 turn
// words into registers, and registers into words. Z16 to Z23 are scratch.
#define LOWER64(op) \
	op(Z0, Z2, Z4, Z6, Z16); \
	op(Z1, Z3, Z5, Z7, Z17)

#define UPPER64(op) \
	op(Z8, Z10, Z12, Z14, Z16); \
	op(Z9, Z11, Z13, Z15, Z17)

#define TURNLOWER64 \
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19); \
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)

#define TURNUPPER64 \
	WORDS64(Z8, Z10, Z12, Z14, Z16, Z17, Z18, Z19); \
	WORDS64(Z9, Z11, Z13, Z15, Z20, Z21, Z22, Z23)

// FORWARD64 transforms a block that Z0 to Z7 hold, to Z8 to Z15: first two
// registers are a slice z, their halves are rows y, their words columns x; then
// their halves are columns, their words rows. op is LIFTQ, or DELTASQ in the lossless mode.
#define FORWARD64(op) \
	TURNLOWER64;              \
	LOWER64(op);              \
	HALVES(Z0, Z2, Z8, Z10); \
	HALVES(Z4, Z6, Z9, Z11); \
	HALVES(Z1, Z3, Z12, Z14); \
	HALVES(Z5, Z7, Z13, Z15); \
	UPPER64(op);           \
	TURNUPPER64;           \
	UPPER64(op)

// INVERSE64 undoes it: from Z8 to Z15 to Z0 to Z7. op is UNLIFTQ or SUMSQ.
#define INVERSE64(op) \
	UPPER64(op);           \
	TURNUPPER64;           \
	UPPER64(op);           \
	HALVES(Z8, Z10, Z0, Z2); \
	HALVES(Z9, Z11, Z4, Z6); \
	HALVES(Z12, Z14, Z1, Z3); \
	HALVES(Z13, Z15, Z5, Z7); \
	LOWER64(op);              \
	TURNLOWER64

// FLOAT32 and FLOAT64 turn integers into floats, and multiply them by s.
#define FLOAT32(s, z) \
	VCVTDQ2PS z, z; \
	VMULPS    s, z, z

#define FLOAT64(s, z) \
	VCVTQQ2PD z, z; \
	VMULPD    s, z, z

// LOAD32 loads four rows of 16 bytes at SI, R8 bytes apart, and moves on by R9; R10 is
// three times R8.
#define LOAD32(x, z) \
	VMOVDQU      (SI), x;               \
	VINSERTI32X4 $1, (SI)(R8*1), z, z;  \
	VINSERTI32X4 $2, (SI)(R8*2), z, z;  \
	VINSERTI32X4 $3, (SI)(R10*1), z, z; \
	ADDQ         R9, SI

// SLICE32 and SLICE64 store a slice of four rows at DI, R8 bytes apart, and move on by
// R9; R10 is three times R8.
#define SLICE32(x, z) \
	VMOVDQU       x, (DI);            \
	VEXTRACTI32X4 $1, z, (DI)(R8*1);  \
	VEXTRACTI32X4 $2, z, (DI)(R8*2);  \
	VEXTRACTI32X4 $3, z, (DI)(R10*1); \
	ADDQ          R9, DI

#define SLICE64(y0, z0, y1, z1) \
	VMOVDQU       y0, (DI);            \
	VEXTRACTI64X4 $1, z0, (DI)(R8*1);  \
	VMOVDQU       y1, (DI)(R8*2);      \
	VEXTRACTI64X4 $1, z1, (DI)(R10*1); \
	ADDQ          R9, DI
