//go:build !purego

#include "textflag.h"

// func hasLZCNT() bool
TEXT ·hasLZCNT(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)
	MOVL $0x80000000, AX
	CPUID
	CMPL AX, $0x80000001
	JCS  done            // unsigned: no such leaf
	MOVL $0x80000001, AX
	MOVL $0, CX
	CPUID
	SHRL $5, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)

done:
	RET
