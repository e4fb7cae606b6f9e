package zfp

import "github.com/zmigrate/zmigrate/internal/cpu"

// A nibbleRow holds the arguments and the results of readNibbles for 16 blocks of one
// dimension. A block of floats has its exponent minus lowest planes, no more than most.
type nibbleRow struct {
	pos      int       // the bit of the stream where the blocks begin; readNibbles sets it to their end
	width    int       // bits of the exponents of floats, 0 for integers
	lowest   int       // the largest exponent with which a block has no planes
	most     int       // 4 times the most planes of a block
	minBits  int       // fewest bits of a block
	exponent [16]int32 // biased; unchanged for blocks of zeros
	strings  [16]nibbleString
}

// newNibbleRow returns the arguments of readNibbles for the blocks of a decoder.
func (d *decoder[W]) newNibbleRow() nibbleRow {
	return nibbleRow{
		width: d.width, lowest: d.bias + d.params.MinExp - 4,
		most: 4 * min(d.params.MaxPrec, d.typ.bits()), minBits: d.params.MinBits,
	}
}

// readRow reads the coefficients of a row of regular blocks, which are not cut.
func (d *decoder[W]) readRow() {
	r := &d.row
	r.pos = d.pos
	r.strings = [16]nibbleString{}
	readNibbles(r, &d.buf[0], &nibbleCodes)
	d.pos = r.pos
	if d.width > 0 {
		for j, e := range r.exponent {
			d.run.scale[place(j, 1)&15] = d.scaleOf(int(e))
		}
	}
	d.splitRow()
}

// has reports whether the stream has n bits left, and the buffer 24 further bytes.
func (d *decoder[W]) has(n int) bool {
	return d.base+d.pos+n <= d.end && (d.pos+n)>>3+24 <= len(d.buf)
}

// scaleOf returns the bits of the scale that dequantizes blocks with a biased exponent.
func (d *decoder[W]) scaleOf(exponent int) W {
	mantissa, bias := layout[W]()
	e := exponent - (d.typ.bits() - 2)
	if e > 0 {
		return W(e) << mantissa
	}
	return scaleBits[W](e - bias)
}

// splitRow turns the planes of 16 blocks into coefficients.
func (d *decoder[W]) splitRow() {
	p, s := &d.planes[0], &d.row.strings[0]
	at := 0
	if wide[W]() {
		at = 32
	}
	if d.level >= cpu.AVX512 {
		splitNibbles(&p[at], &s[0])
	} else {
		splitNibblesShort(&p[at], &s[0])
	}
	switch {
	case !wide[W]():
	case d.level >= cpu.AVX512:
		splitNibbles(&p[0], &s[16])
	default:
		splitNibblesShort(&p[0], &s[16])
	}
}
