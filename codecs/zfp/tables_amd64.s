//go:build !purego

#include "textflag.h"

// Indexes of the words that WORDS64 takes of two registers.
DATA ·wordsLow+0(SB)/8, $0
DATA ·wordsLow+8(SB)/8, $1
DATA ·wordsLow+16(SB)/8, $8
DATA ·wordsLow+24(SB)/8, $9
DATA ·wordsLow+32(SB)/8, $4
DATA ·wordsLow+40(SB)/8, $5
DATA ·wordsLow+48(SB)/8, $12
DATA ·wordsLow+56(SB)/8, $13
GLOBL ·wordsLow(SB), RODATA|NOPTR, $64

DATA ·wordsHigh+0(SB)/8, $2
DATA ·wordsHigh+8(SB)/8, $3
DATA ·wordsHigh+16(SB)/8, $10
DATA ·wordsHigh+24(SB)/8, $11
DATA ·wordsHigh+32(SB)/8, $6
DATA ·wordsHigh+40(SB)/8, $7
DATA ·wordsHigh+48(SB)/8, $14
DATA ·wordsHigh+56(SB)/8, $15
GLOBL ·wordsHigh(SB), RODATA|NOPTR, $64

// Indexes that transpose 8 words of 8 bytes.
DATA ·bytes8+0(SB)/8, $0x3830282018100800
DATA ·bytes8+8(SB)/8, $0x3931292119110901
DATA ·bytes8+16(SB)/8, $0x3a322a221a120a02
DATA ·bytes8+24(SB)/8, $0x3b332b231b130b03
DATA ·bytes8+32(SB)/8, $0x3c342c241c140c04
DATA ·bytes8+40(SB)/8, $0x3d352d251d150d05
DATA ·bytes8+48(SB)/8, $0x3e362e261e160e06
DATA ·bytes8+56(SB)/8, $0x3f372f271f170f07
GLOBL ·bytes8(SB), RODATA|NOPTR, $64

// The same for UNPLANES, with the bytes of each word in the reverse order.
DATA ·columns8+0(SB)/8, $0x0008101820283038
DATA ·columns8+8(SB)/8, $0x0109111921293139
DATA ·columns8+16(SB)/8, $0x020a121a222a323a
DATA ·columns8+24(SB)/8, $0x030b131b232b333b
DATA ·columns8+32(SB)/8, $0x040c141c242c343c
DATA ·columns8+40(SB)/8, $0x050d151d252d353d
DATA ·columns8+48(SB)/8, $0x060e161e262e363e
DATA ·columns8+56(SB)/8, $0x070f171f272f373f
GLOBL ·columns8(SB), RODATA|NOPTR, $64

// Bit m in byte m.
DATA ·bits8+0(SB)/8, $0x8040201008040201
GLOBL ·bits8(SB), RODATA|NOPTR, $8

// Indexes that reverse the bytes of each of two words.
DATA ·reverse8+0(SB)/8, $0x0001020304050607
DATA ·reverse8+8(SB)/8, $0x08090a0b0c0d0e0f
GLOBL ·reverse8(SB), RODATA|NOPTR, $16
