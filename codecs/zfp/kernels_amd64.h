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

// FORWARD32 transforms the slices a, b, c and d of a block: first a register is
// a slice z, its lanes are rows y, their words columns x; then its lanes are
// columns, their words rows. Z28 to Z31 are scratch.
#define FORWARD32(a, b, c, d) \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31);     \
	LIFT(VPADDD, VPSUBD, VPSRAD, a, b, c, d, Z28); \
	LANES(a, b, c, d, Z28, Z29, Z30, Z31);       \
	LIFT(VPADDD, VPSUBD, VPSRAD, a, b, c, d, Z28); \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31);     \
	LIFT(VPADDD, VPSUBD, VPSRAD, a, b, c, d, Z28)

// DIFFER32 is FORWARD32 of the lossless mode.
#define DIFFER32(a, b, c, d) \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31); \
	DELTAS(VPSUBD, a, b, c, d);              \
	LANES(a, b, c, d, Z28, Z29, Z30, Z31);   \
	DELTAS(VPSUBD, a, b, c, d);              \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31); \
	DELTAS(VPSUBD, a, b, c, d)

// FORWARD64 transforms a block that Z0 to Z7 hold, to Z8 to Z15: first two
// registers are a slice z, their halves are rows y, their words columns x; then
// their halves are columns, their words rows. Z16 to Z23 are scratch.
#define FORWARD64 \
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19); \
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23); \
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z0, Z2, Z4, Z6, Z16); \
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z1, Z3, Z5, Z7, Z17); \
	HALVES(Z0, Z2, Z8, Z10); \
	HALVES(Z4, Z6, Z9, Z11); \
	HALVES(Z1, Z3, Z12, Z14); \
	HALVES(Z5, Z7, Z13, Z15); \
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z8, Z10, Z12, Z14, Z16); \
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z9, Z11, Z13, Z15, Z17); \
	WORDS64(Z8, Z10, Z12, Z14, Z16, Z17, Z18, Z19); \
	WORDS64(Z9, Z11, Z13, Z15, Z20, Z21, Z22, Z23); \
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z8, Z10, Z12, Z14, Z16); \
	LIFT(VPADDQ, VPSUBQ, VPSRAQ, Z9, Z11, Z13, Z15, Z17)

// DIFFER64 is FORWARD64 of the lossless mode.
#define DIFFER64 \
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19); \
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23); \
	DELTAS(VPSUBQ, Z0, Z2, Z4, Z6); \
	DELTAS(VPSUBQ, Z1, Z3, Z5, Z7); \
	HALVES(Z0, Z2, Z8, Z10); \
	HALVES(Z4, Z6, Z9, Z11); \
	HALVES(Z1, Z3, Z12, Z14); \
	HALVES(Z5, Z7, Z13, Z15); \
	DELTAS(VPSUBQ, Z8, Z10, Z12, Z14); \
	DELTAS(VPSUBQ, Z9, Z11, Z13, Z15); \
	WORDS64(Z8, Z10, Z12, Z14, Z16, Z17, Z18, Z19); \
	WORDS64(Z9, Z11, Z13, Z15, Z20, Z21, Z22, Z23); \
	DELTAS(VPSUBQ, Z8, Z10, Z12, Z14); \
	DELTAS(VPSUBQ, Z9, Z11, Z13, Z15)

// INVERSE32 undoes FORWARD32, RESTORE32 undoes DIFFER32.
#define INVERSE32(a, b, c, d) \
	UNLIFT(VPADDD, VPSUBD, VPSRAD, a, b, c, d, Z28); \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31);       \
	UNLIFT(VPADDD, VPSUBD, VPSRAD, a, b, c, d, Z28); \
	LANES(a, b, c, d, Z28, Z29, Z30, Z31);         \
	UNLIFT(VPADDD, VPSUBD, VPSRAD, a, b, c, d, Z28); \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31)

#define RESTORE32(a, b, c, d) \
	SUMS(VPADDD, a, b, c, d);                \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31); \
	SUMS(VPADDD, a, b, c, d);                \
	LANES(a, b, c, d, Z28, Z29, Z30, Z31);   \
	SUMS(VPADDD, a, b, c, d);                \
	WORDS32(a, b, c, d, Z28, Z29, Z30, Z31)

// INVERSE64 undoes FORWARD64, RESTORE64 undoes DIFFER64: from Z8 to Z15 to Z0 to Z7.
#define INVERSE64 \
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z8, Z10, Z12, Z14, Z16); \
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z9, Z11, Z13, Z15, Z17); \
	WORDS64(Z8, Z10, Z12, Z14, Z16, Z17, Z18, Z19); \
	WORDS64(Z9, Z11, Z13, Z15, Z20, Z21, Z22, Z23); \
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z8, Z10, Z12, Z14, Z16); \
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z9, Z11, Z13, Z15, Z17); \
	HALVES(Z8, Z10, Z0, Z2); \
	HALVES(Z9, Z11, Z4, Z6); \
	HALVES(Z12, Z14, Z1, Z3); \
	HALVES(Z13, Z15, Z5, Z7); \
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z0, Z2, Z4, Z6, Z16); \
	UNLIFT(VPADDQ, VPSUBQ, VPSRAQ, Z1, Z3, Z5, Z7, Z17); \
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19); \
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)

#define RESTORE64 \
	SUMS(VPADDQ, Z8, Z10, Z12, Z14); \
	SUMS(VPADDQ, Z9, Z11, Z13, Z15); \
	WORDS64(Z8, Z10, Z12, Z14, Z16, Z17, Z18, Z19); \
	WORDS64(Z9, Z11, Z13, Z15, Z20, Z21, Z22, Z23); \
	SUMS(VPADDQ, Z8, Z10, Z12, Z14); \
	SUMS(VPADDQ, Z9, Z11, Z13, Z15); \
	HALVES(Z8, Z10, Z0, Z2); \
	HALVES(Z9, Z11, Z4, Z6); \
	HALVES(Z12, Z14, Z1, Z3); \
	HALVES(Z13, Z15, Z5, Z7); \
	SUMS(VPADDQ, Z0, Z2, Z4, Z6); \
	SUMS(VPADDQ, Z1, Z3, Z5, Z7); \
	WORDS64(Z0, Z2, Z4, Z6, Z16, Z17, Z18, Z19); \
	WORDS64(Z1, Z3, Z5, Z7, Z20, Z21, Z22, Z23)

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

// SCALES64 loads the scales of a run to a and b, and goes to done; in two
// dimensions, R13, each for its half of a register.
#define SCALES64(at, a, b, done) \
	VMOVDQU64 at(R11), a;    \
	VMOVDQU64 at+64(R11), b; \
	CMPQ      R13, $1;       \
	JE        done;          \
	VPERMQ    $0, a, a;      \
	VPERMQ    $0, b, b
