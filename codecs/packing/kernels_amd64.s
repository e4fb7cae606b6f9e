//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func pack(to *int16, from *float32, n int, p *Packer) int
TEXT ·pack(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ p+24(FP), AX
	VBROADCASTSS Packer_Offset(AX), Y0
	VBROADCASTSS Packer_Scale(AX), Y1
	VBROADCASTSS Packer_Low(AX), Y2
	VBROADCASTSS Packer_High(AX), Y3
	XORL AX, AX

packNext:
	VMOVUPS (SI)(AX*4), Y4
	VMOVUPS 32(SI)(AX*4), Y5
	VSUBPS Y0, Y4, Y4
	VSUBPS Y0, Y5, Y5
	VMULPS Y1, Y4, Y4
	VMULPS Y1, Y5, Y5
	VCMPPS $0x1d, Y2, Y4, Y6  // not less than the lower bound; NaN is not
	VCMPPS $0x12, Y3, Y4, Y7  // not more than the upper bound
	VCMPPS $0x1d, Y2, Y5, Y8
	VCMPPS $0x12, Y3, Y5, Y9
	VANDPS Y6, Y7, Y6
	VANDPS Y8, Y9, Y8
	VANDPS Y6, Y8, Y6
	VMOVMSKPS Y6, DX
	CMPL DX, $0xff
	JNE packDone
	VCVTPS2DQ Y4, Y4          // rounds half to even
	VCVTPS2DQ Y5, Y5
	VPACKSSDW Y5, Y4, Y4      // of each half, four elements of Y4 and then four of Y5
	VPERMQ $0xd8, Y4, Y4
	VMOVDQU Y4, (DI)(AX*2)
	ADDQ $16, AX
	CMPQ AX, CX
	JB packNext

packDone:
	VZEROUPPER
	MOVQ AX, ret+32(FP)
	RET

// func unpack(to *float32, from *int16, n int, u *Unpacker)
TEXT ·unpack(SB), NOSPLIT, $0-32
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ u+24(FP), AX
	VBROADCASTSS Unpacker_Offset(AX), Y0
	VBROADCASTSS Unpacker_Scale(AX), Y1
	VPBROADCASTD Unpacker_Key(AX), Y2
	VBROADCASTSS Unpacker_Value(AX), Y3
	XORL AX, AX

unpackNext:
	VPMOVSXWD (SI)(AX*2), Y4
	VPMOVSXWD 16(SI)(AX*2), Y5
	VPCMPEQD Y2, Y4, Y6       // where the integer is the key
	VPCMPEQD Y2, Y5, Y7
	VCVTDQ2PS Y4, Y4
	VCVTDQ2PS Y5, Y5
	VDIVPS Y1, Y4, Y4
	VDIVPS Y1, Y5, Y5
	VADDPS Y0, Y4, Y4
	VADDPS Y0, Y5, Y5
	VBLENDVPS Y6, Y3, Y4, Y4
	VBLENDVPS Y7, Y3, Y5, Y5
	VMOVUPS Y4, (DI)(AX*4)
	VMOVUPS Y5, 32(DI)(AX*4)
	ADDQ $16, AX
	CMPQ AX, CX
	JB unpackNext
	VZEROUPPER
	RET
