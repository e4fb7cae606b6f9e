// EXTEND adds to n the number of bytes from at+n on that equal those from earlier+n on. Both are addresses, and so
// is end, which is that of the content's end. It changes R15.
#define EXTEND(at, earlier, n, end, next, bytes, differ, done) \
next:                          \
	LEAQ   8(at)(n*1), R15     \
	CMPQ   R15, end            \
	JHI    bytes               \
	MOVQ   (at)(n*1), R15      \
	XORQ   (earlier)(n*1), R15 \
	JNE    differ              \
	ADDQ   $8, n               \
	JMP    next                \
bytes:                         \
	LEAQ   (at)(n*1), R15      \
	CMPQ   R15, end            \
	JCC    done                \
	MOVBLZX (R15), R15         \
	CMPB   R15, (earlier)(n*1) \
	JNE    done                \
	INCQ   n                   \
	JMP    bytes               \
differ:                        \
	TZCNTQ R15, R15            \
	SHRQ   $3, R15             \
	ADDQ   R15, n              \
done:
