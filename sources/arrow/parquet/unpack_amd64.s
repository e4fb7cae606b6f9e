//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func unpackKernel(to *uint32, from *byte, groups int, w *packedWidth)
//
// The sixteen bytes from the beginning of a group on hold all of its numbers. They are in both halves
// of Y3. Each lane takes the four bytes in which its number begins, shifts the number to its lowest
// bits, and clears the others.
TEXT ·unpackKernel(SB), NOSPLIT, $0-32
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ groups+16(FP), CX
	MOVQ w+24(FP), AX
	VMOVDQU packedWidth_bytes(AX), Y0
	VMOVDQU packedWidth_shifts(AX), Y1
	VPBROADCASTD packedWidth_mask(AX), Y2
	MOVQ packedWidth_width(AX), DX

next:
	VBROADCASTI128 (SI), Y3
	VPSHUFB Y0, Y3, Y3
	VPSRLVD Y1, Y3, Y3
	VPAND Y2, Y3, Y3
	VMOVDQU Y3, (DI)
	ADDQ DX, SI
	ADDQ $32, DI
	DECQ CX
	JNZ next
	VZEROUPPER
	RET
