// Code generated from avx2_tables_amd64.s.kernels by internal/kernels. DO NOT EDIT.

//go:build !purego

#include "textflag.h"

DATA ·highFloat+0(SB)/8, $0x4530000080000000
DATA ·highFloat+8(SB)/8, $0x4530000080000000
DATA ·highFloat+16(SB)/8, $0x4530000080000000
DATA ·highFloat+24(SB)/8, $0x4530000080000000
GLOBL ·highFloat(SB), RODATA|NOPTR, $32

DATA ·lowFloat+0(SB)/8, $0x4330000000000000
DATA ·lowFloat+8(SB)/8, $0x4330000000000000
DATA ·lowFloat+16(SB)/8, $0x4330000000000000
DATA ·lowFloat+24(SB)/8, $0x4330000000000000
GLOBL ·lowFloat(SB), RODATA|NOPTR, $32

DATA ·highFloatLess+0(SB)/8, $0x4530000080100000
DATA ·highFloatLess+8(SB)/8, $0x4530000080100000
DATA ·highFloatLess+16(SB)/8, $0x4530000080100000
DATA ·highFloatLess+24(SB)/8, $0x4530000080100000
GLOBL ·highFloatLess(SB), RODATA|NOPTR, $32

DATA ·float63+0(SB)/8, $0x43e0000000000000
DATA ·float63+8(SB)/8, $0x43e0000000000000
DATA ·float63+16(SB)/8, $0x43e0000000000000
DATA ·float63+24(SB)/8, $0x43e0000000000000
GLOBL ·float63(SB), RODATA|NOPTR, $32

DATA ·smallest64+0(SB)/8, $0xc3e0000000000000
DATA ·smallest64+8(SB)/8, $0xc3e0000000000000
DATA ·smallest64+16(SB)/8, $0xc3e0000000000000
DATA ·smallest64+24(SB)/8, $0xc3e0000000000000
GLOBL ·smallest64(SB), RODATA|NOPTR, $32

DATA ·magnitude64+0(SB)/8, $0x7fffffffffffffff
DATA ·magnitude64+8(SB)/8, $0x7fffffffffffffff
DATA ·magnitude64+16(SB)/8, $0x7fffffffffffffff
DATA ·magnitude64+24(SB)/8, $0x7fffffffffffffff
GLOBL ·magnitude64(SB), RODATA|NOPTR, $32

DATA ·swap7+0(SB)/8, $0x00aa00aa00aa00aa
DATA ·swap7+8(SB)/8, $0x00aa00aa00aa00aa
DATA ·swap7+16(SB)/8, $0x00aa00aa00aa00aa
DATA ·swap7+24(SB)/8, $0x00aa00aa00aa00aa
GLOBL ·swap7(SB), RODATA|NOPTR, $32

DATA ·swap14+0(SB)/8, $0x0000cccc0000cccc
DATA ·swap14+8(SB)/8, $0x0000cccc0000cccc
DATA ·swap14+16(SB)/8, $0x0000cccc0000cccc
DATA ·swap14+24(SB)/8, $0x0000cccc0000cccc
GLOBL ·swap14(SB), RODATA|NOPTR, $32

DATA ·swap28+0(SB)/8, $0x00000000f0f0f0f0
DATA ·swap28+8(SB)/8, $0x00000000f0f0f0f0
DATA ·swap28+16(SB)/8, $0x00000000f0f0f0f0
DATA ·swap28+24(SB)/8, $0x00000000f0f0f0f0
GLOBL ·swap28(SB), RODATA|NOPTR, $32

DATA ·words1+0(SB)/8, $0x0000000100000001
DATA ·words1+8(SB)/8, $0x0000000100000001
DATA ·words1+16(SB)/8, $0x0000000100000001
DATA ·words1+24(SB)/8, $0x0000000100000001
GLOBL ·words1(SB), RODATA|NOPTR, $32

DATA ·words7+0(SB)/8, $0x0000000700000007
DATA ·words7+8(SB)/8, $0x0000000700000007
DATA ·words7+16(SB)/8, $0x0000000700000007
DATA ·words7+24(SB)/8, $0x0000000700000007
GLOBL ·words7(SB), RODATA|NOPTR, $32

DATA ·words8+0(SB)/8, $0x0000000800000008
DATA ·words8+8(SB)/8, $0x0000000800000008
DATA ·words8+16(SB)/8, $0x0000000800000008
DATA ·words8+24(SB)/8, $0x0000000800000008
GLOBL ·words8(SB), RODATA|NOPTR, $32

DATA ·words15+0(SB)/8, $0x0000000f0000000f
DATA ·words15+8(SB)/8, $0x0000000f0000000f
DATA ·words15+16(SB)/8, $0x0000000f0000000f
DATA ·words15+24(SB)/8, $0x0000000f0000000f
GLOBL ·words15(SB), RODATA|NOPTR, $32

DATA ·words32+0(SB)/8, $0x0000002000000020
DATA ·words32+8(SB)/8, $0x0000002000000020
DATA ·words32+16(SB)/8, $0x0000002000000020
DATA ·words32+24(SB)/8, $0x0000002000000020
GLOBL ·words32(SB), RODATA|NOPTR, $32

DATA ·words63+0(SB)/8, $0x0000003f0000003f
DATA ·words63+8(SB)/8, $0x0000003f0000003f
DATA ·words63+16(SB)/8, $0x0000003f0000003f
DATA ·words63+24(SB)/8, $0x0000003f0000003f
GLOBL ·words63(SB), RODATA|NOPTR, $32

// Indexes that put bytes of two quadwords side by side.
DATA ·pairs8+0(SB)/8, $0x0b030a0209010800
DATA ·pairs8+8(SB)/8, $0x0f070e060d050c04
GLOBL ·pairs8(SB), RODATA|NOPTR, $16

// Indexes that transpose 4 words of 4 bytes.
DATA ·bytes4+0(SB)/8, $0x0d0905010c080400
DATA ·bytes4+8(SB)/8, $0x0f0b07030e0a0602
GLOBL ·bytes4(SB), RODATA|NOPTR, $16

// Indexes that put words of two lanes side by side.
DATA ·lanes4+0(SB)/4, $0
DATA ·lanes4+4(SB)/4, $4
DATA ·lanes4+8(SB)/4, $1
DATA ·lanes4+12(SB)/4, $5
DATA ·lanes4+16(SB)/4, $2
DATA ·lanes4+20(SB)/4, $6
DATA ·lanes4+24(SB)/4, $3
DATA ·lanes4+28(SB)/4, $7
GLOBL ·lanes4(SB), RODATA|NOPTR, $32

// One bit in each word of 32 bits.
DATA ·bits32+0(SB)/4, $1
DATA ·bits32+4(SB)/4, $2
DATA ·bits32+8(SB)/4, $4
DATA ·bits32+12(SB)/4, $8
DATA ·bits32+16(SB)/4, $16
DATA ·bits32+20(SB)/4, $32
DATA ·bits32+24(SB)/4, $64
DATA ·bits32+28(SB)/4, $128
GLOBL ·bits32(SB), RODATA|NOPTR, $32

// Indexes of the lower halves of quadwords, and of the upper ones.
DATA ·halves8+0(SB)/4, $0
DATA ·halves8+4(SB)/4, $2
DATA ·halves8+8(SB)/4, $4
DATA ·halves8+12(SB)/4, $6
DATA ·halves8+16(SB)/4, $1
DATA ·halves8+20(SB)/4, $3
DATA ·halves8+24(SB)/4, $5
DATA ·halves8+28(SB)/4, $7
GLOBL ·halves8(SB), RODATA|NOPTR, $32
