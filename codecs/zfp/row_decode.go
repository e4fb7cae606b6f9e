package zfp

// A nibbleRow is what readNibbles is told of 16 blocks of one dimension, and what it
// finds. The planes of a block of floats are those that remain of its exponent less
// lowest, up to most.
type nibbleRow struct {
	pos      int       // the bit of the stream where the blocks begin, and where they end
	width    int       // of the exponents of floats, 0 for integers
	lowest   int       // the largest exponent with which no plane is kept
	most     int       // 4 times the planes that are kept at most
	minBits  int       // of a block
	exponent [16]int32 // biased; those of zeros are left as they are
	strings  [16]nibbleString
}

// newNibbleRow returns what readNibbles is told of the blocks of a decoder.
func (d *decoder[W]) newNibbleRow() nibbleRow {
	return nibbleRow{
		width: d.width, lowest: d.bias + d.params.MinExp - 4,
		most: 4 * min(d.params.MaxPrec, d.typ.bits()), minBits: d.params.MinBits,
	}
}

// readRow reads the coefficients of a row of regular blocks that are not cut.
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

// has reports whether n bits of the stream are left, and 24 bytes more in the buffer.
func (d *decoder[W]) has(n int) bool {
	return d.base+d.pos+n <= d.end && (d.pos+n)>>3+24 <= len(d.buf)
}

// scaleOf returns the bits of the scale that dequantizes blocks of a biased exponent.
func (d *decoder[W]) scaleOf(exponent int) W {
	mantissa, bias := layout[W]()
	e := exponent - (d.typ.bits() - 2)
	if e > 0 {
		return W(e) << mantissa
	}
	return scaleBits[W](e - bias)
}

// splitRow makes coefficients of the planes of 16 blocks.
func (d *decoder[W]) splitRow() {
	if wide[W]() {
		splitNibbles(&d.planes[0][32], &d.row.strings[0][0])
		splitNibbles(&d.planes[0][0], &d.row.strings[0][16])
	} else {
		splitNibbles(&d.planes[0][0], &d.row.strings[0][0])
	}
}
