#include "go_asm.h"
#include "textflag.h"

// The stack is as the kernel leaves it: argc is at SP.
TEXT ·start(SB), NOSPLIT|NOFRAME, $0
	SUBQ $16, SP
	MOVQ $302, AX // prlimit64
	MOVQ $0, DI   // of this process
	MOVQ $9, SI   // RLIMIT_AS
	MOVQ $0, DX   // nothing to set
	MOVQ SP, R10
	SYSCALL
	TESTQ AX, AX
	JNE  begin
	MOVQ 0(SP), AX
	CMPQ AX, $const_leastAddressSpace
	JCC  begin
	MOVQ $1, AX   // write
	MOVQ $2, DI   // to standard error
	MOVQ ·noRoom(SB), SI
	MOVQ ·noRoom+8(SB), DX
	SYSCALL
	MOVQ $231, AX // exit_group
	MOVQ $1, DI
	SYSCALL

begin:
	ADDQ $16, SP
	JMP  _rt0_amd64_linux(SB)
