package zfp

import (
	"math/bits"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// In fixed rate the beginning of each block is known. If a block has up to 64 bits, the
// planes of 16 blocks of one dimension are decoded side by side.

// A fixedRow is the state of 16 blocks of one dimension that are being decoded. place
// tells where a block is.
type fixedRow struct {
	low, high [16]uint32 // remaining bits of the stream, with zeros behind them
	bits      [16]int32  // number of these bits
	planes    [16]int32  // most planes that are left
	seen      [16]uint32 // coefficients that had a one-bit
}

// fixedTables decode a plane of 4 bits. For the coefficients that had a one-bit, from
// gives the beginning of their entries in code, and mask selects the bits of the stream
// that are added to the index. An entry of code has the plane in its lower four bits,
// and above them its length.
type fixedTables struct {
	code       [256]uint8
	mask, from [64]uint8
}

var fixedTable = makeFixedTables()

func makeFixedTables() (t fixedTables) {
	from := 0
	for n, size := range []int{7, 6, 5, 4, 4} { // bits of the longest plane
		for seen := range 16 {
			if bits.Len(uint(seen)) == n {
				t.from[seen], t.mask[seen] = uint8(from), 1<<size-1
			}
		}
		for code := range 1 << size {
			r := bitReader{buf: make([]byte, 2*slack)}
			r.buf[0] = byte(code)
			x, _ := r.getPlane(n, 4, 64)
			t.code[from+code] = uint8(x) | uint8(r.pos)<<4
		}
		from += 1 << size
	}
	return t
}

// fixedRowBits is the size of the largest blocks that are decoded side by side.
const fixedRowBits = 64

// readFixedRow reads the coefficients of a row of regular blocks in fixed rate.
func (d *decoder[W]) readFixedRow() {
	intprec, size := d.typ.bits(), d.params.MaxBits
	var r fixedRow
	any := uint64(0)
	for j := range 16 {
		w := window(d.buf, d.pos+j*size)
		lead, planes := 0, d.params.MaxPrec
		at := place(j, 1) & 15
		if d.typ.isFloat() {
			lead, planes = 1, 0
			if w&1 != 0 {
				exponent := int(w >> 1 & (1<<(d.width&63) - 1))
				lead, planes = 1+d.width, d.params.planes(exponent-d.bias, 1)
				d.run.scale[at] = d.scaleOf(exponent)
			}
			w >>= lead & 63
		}
		left := size - lead
		w &= 1<<left - 1
		any |= w
		r.low[at], r.high[at] = uint32(w), uint32(w>>32)
		r.bits[at], r.planes[at] = int32(left), int32(planes)
	}
	d.pos += 16 * size
	p := &d.planes[0]
	clear(p[:intprec])
	if any == 0 {
		return
	}
	// A plane that is empty in all blocks is a single bit in each.
	empty := min(bits.TrailingZeros64(any), 31)
	if intprec == 32 {
		r.decode(d.level, &p[0], empty)
	} else if r.decode(d.level, &p[32], empty) == 0 {
		r.decode(d.level, &p[0], 0)
	}
}

// decode decodes 32 planes, of which the first are empty, with a kernel. It returns the
// number of planes that are left at the end of the longest block.
func (r *fixedRow) decode(l cpu.Level, c *uint64, empty int) (left int) {
	if l >= cpu.AVX512 {
		return decodeFixed(c, r, &fixedTable, empty, 32-empty)
	}
	return decodeFixedShort(c, r, &nibbleShuffle, empty, 32-empty)
}
