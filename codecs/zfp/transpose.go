package zfp

import (
	"encoding/binary"
	"math/bits"
)

// planes are the bits of the coefficients of a block: bit i of plane k is bit k of
// coefficient i. Coefficients are numbered in the order of the stream.
type planes = [64]uint64

// toPlanes64 transposes coefficients at to at+63 to planes, from plane bottom on. It
// may make lower planes, too.
func toPlanes64[W word](p *planes, c *block[W], at int, all W, bottom int) {
	switch {
	case bottom >= 32:
	case uint32(all) != 0:
		transposeIn((*[32]uint64)(p[:32]), c, at, 0)
	default:
		clear(p[:32])
	}
	if high := uint64(all) >> 32; wide[W]() {
		if high != 0 {
			transposeIn((*[32]uint64)(p[32:]), c, at, 32)
		} else {
			clear(p[32:])
		}
	}
}

// fromPlanes64 undoes toPlanes64 if the planes below k are empty. It destroys the
// planes.
func fromPlanes64[W word](c *block[W], p *planes, at, k int) {
	if k < 32 {
		transposeOut((*[32]uint64)(p[:32]), c, at, 0)
	}
	if wide[W]() {
		transposeOut((*[32]uint64)(p[32:]), c, at, 32)
	}
}

// wide reports whether words have 64 bits.
func wide[W word]() bool {
	one := W(1)
	return one<<31 > 0
}

// transposeIn makes 32 planes of 64 coefficients, from their bits from bit shift on.
// Word i holds coefficients i and i+32, so that one pass over 32 words transposes both
// halves.
func transposeIn[W word](p *[32]uint64, c *block[W], at, shift int) {
	for i := range 32 {
		p[i] = uint64(uint32(c[uint8(at+i)]>>shift)) | uint64(c[uint8(at+i+32)]>>shift)<<32
	}
	transpose32(p)
}

// transposeOut adds 32 planes to 64 coefficients, from their bit shift on. It destroys
// the planes.
func transposeOut[W word](p *[32]uint64, c *block[W], at, shift int) {
	transpose32(p)
	for i := range 32 {
		c[uint8(at+i)] |= W(uint32(p[i])) << shift
		c[uint8(at+i+32)] |= W(p[i]>>32) << shift
	}
}

// transpose32 transposes two matrices of 32 by 32 bits: one in the lower halves of the
// words, and one in the upper halves.
func transpose32(p *[32]uint64) {
	const (
		m16 = 0x0000ffff0000ffff
		m8  = 0x00ff00ff00ff00ff
		m4  = 0x0f0f0f0f0f0f0f0f
		m2  = 0x3333333333333333
		m1  = 0x5555555555555555
	)
	for i := range 8 {
		a, b, c, d := p[i], p[i+8], p[i+16], p[i+24]
		a, c = exchange(a, c, 16, m16)
		b, d = exchange(b, d, 16, m16)
		a, b = exchange(a, b, 8, m8)
		c, d = exchange(c, d, 8, m8)
		p[i], p[i+8], p[i+16], p[i+24] = a, b, c, d
	}
	for i := 0; i < 32; i += 8 {
		q := (*[8]uint64)(p[i:])
		a, b, c, d, e, f, g, h := q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7]
		a, e = exchange(a, e, 4, m4)
		b, f = exchange(b, f, 4, m4)
		c, g = exchange(c, g, 4, m4)
		d, h = exchange(d, h, 4, m4)
		a, c = exchange(a, c, 2, m2)
		b, d = exchange(b, d, 2, m2)
		e, g = exchange(e, g, 2, m2)
		f, h = exchange(f, h, 2, m2)
		q[0], q[1] = exchange(a, b, 1, m1)
		q[2], q[3] = exchange(c, d, 1, m1)
		q[4], q[5] = exchange(e, f, 1, m1)
		q[6], q[7] = exchange(g, h, 1, m1)
	}
}

// exchange swaps the bits of b that mask selects with the bits of a that are s bits
// above them.
func exchange(a, b uint64, s int, mask uint64) (uint64, uint64) {
	t := (a>>s ^ b) & mask
	return a ^ t<<s, b ^ t
}

// toPlanes16 transposes 16 coefficients to planes of 16 bits, 16 planes at a time, from
// the 16 planes with plane bottom on. In the matrix, word j holds coefficients j, j+4,
// j+8 and j+12.
func toPlanes16[W word](p *planes, c *block[W], all W, bottom int) {
	for shift := bottom &^ 15; shift < 64; shift += 16 {
		if !wide[W]() && shift >= 32 {
			return
		}
		if uint16(all>>shift) == 0 {
			clear(p[shift : shift+16])
			continue
		}
		var a [4]uint64
		for j := range 4 {
			a[j] = uint64(uint16(c[j]>>shift)) | uint64(uint16(c[j+4]>>shift))<<16 |
				uint64(uint16(c[j+8]>>shift))<<32 | uint64(uint16(c[j+12]>>shift))<<48
		}
		transpose16(&a)
		out := (*[16]uint64)(p[shift:])
		for j := range 4 {
			out[j], out[j+4] = a[j]&0xffff, a[j]>>16&0xffff
			out[j+8], out[j+12] = a[j]>>32&0xffff, a[j]>>48
		}
	}
}

// fromPlanes16 adds the planes from kmin on, a multiple of 16, to the bits of 16
// coefficients.
func fromPlanes16[W word](c *block[W], p *planes, kmin int) {
	for shift := kmin; shift < 64; shift += 16 {
		if !wide[W]() && shift == 32 {
			return
		}
		in := (*[16]uint64)(p[shift:])
		var a [4]uint64
		for j := range 4 {
			a[j] = in[j] | in[j+4]<<16 | in[j+8]<<32 | in[j+12]<<48
		}
		transpose16(&a)
		for j := range 4 {
			c[j] |= W(uint16(a[j])) << shift
			c[j+4] |= W(uint16(a[j]>>16)) << shift
			c[j+8] |= W(uint16(a[j]>>32)) << shift
			c[j+12] |= W(uint16(a[j]>>48)) << shift
		}
	}
}

// transpose16 transposes a matrix of 16 by 16 bits. Word j holds rows j, j+4, j+8 and
// j+12.
func transpose16(a *[4]uint64) {
	const m2, m1 = 0x3333333333333333, 0x5555555555555555
	for j, v := range a {
		t := (v ^ v>>24) & 0x00000000ff00ff00
		v ^= t ^ t<<24
		t = (v ^ v>>12) & 0x0000f0f00000f0f0
		a[j] = v ^ t ^ t<<12
	}
	a[0], a[2] = exchange(a[0], a[2], 2, m2)
	a[1], a[3] = exchange(a[1], a[3], 2, m2)
	a[0], a[1] = exchange(a[0], a[1], 1, m1)
	a[2], a[3] = exchange(a[2], a[3], 1, m1)
}

// toNibbles transposes 4 coefficients to planes of 4 bits. Each of the words 0, 16, 32
// and 48 has 16 planes. It begins with the planes of plane bottom.
func toNibbles[W word](p *planes, c *block[W], bottom int) {
	for shift := bottom &^ 15; shift < 64; shift += 16 {
		if !wide[W]() && shift >= 32 {
			return
		}
		p[shift] = spread4(uint64(uint16(c[0]>>shift))) | spread4(uint64(uint16(c[1]>>shift)))<<1 |
			spread4(uint64(uint16(c[2]>>shift)))<<2 | spread4(uint64(uint16(c[3]>>shift)))<<3
	}
}

// spread4 moves bit i of 16 bits to bit 4i.
func spread4(v uint64) uint64 {
	v = (v | v<<24) & 0x000000ff000000ff
	v = (v | v<<12) & 0x000f000f000f000f
	v = (v | v<<6) & 0x0303030303030303
	return (v | v<<3) & 0x1111111111111111
}

// fromNibbles turns planes into coefficients.
func fromNibbles[W word](c *block[W], s *nibbleString) {
	top := 16
	if wide[W]() {
		top = 48
	}
	for at := 0; 8*at <= 4*top; at += 8 {
		v := binary.LittleEndian.Uint64(s[at&31:])
		for i := range 4 {
			c[i] |= W(bits.Reverse16(uint16(gather4(v>>i)))) << (top - 2*at)
		}
	}
}

// gather4 undoes spread4, and ignores the other bits.
func gather4(v uint64) uint64 {
	v &= 0x1111111111111111
	v = (v | v>>3) & 0x0303030303030303
	v = (v | v>>6) & 0x000f000f000f000f
	v = (v | v>>12) & 0x000000ff000000ff
	return (v | v>>24) & 0xffff
}
