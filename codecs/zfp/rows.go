package zfp

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// Blocks of one and two dimensions have few values for a kernel. So a kernel handles a
// run of blocks with 64 values: a row, which is 16 neighbouring blocks of one
// dimension, or 4 blocks of two dimensions. In two dimensions, a word of a plane has
// the bits of all four blocks, with the bits of block j from bit 16j on. A row has
// coefficients instead of planes, see forwardRows32, until its blocks are coded side by
// side.

// A run holds the arguments and results of kernels for each block of a run, at the word
// that place returns. Scales are the bits of floats. The scale of a block that is not
// to be quantized is NaN.
type run[W word] struct {
	scale, back [16]W // scales that quantize floats, and that undo it
	bits        [16]W // bits that are set in any coefficient
	largest     [16]W // the largest magnitude, in the sense of floats
}

// place returns the word of block j of a run. In two dimensions the kernels use the
// next three words as well.
func place(j, dims int) int {
	if dims == 1 {
		return j&3<<2 | j>>2
	}
	return 4 * j
}

// scaleBits returns the bits of 2 to the power of e.
func scaleBits[W word](e int) W {
	mantissa, bias := layout[W]()
	switch {
	case -bias < e && e <= bias:
		return W(e+bias) << mantissa
	case wide[W]():
		return W(math.Float64bits(scale64(e)))
	}
	return W(math.Float32bits(scale32(e)))
}

// Orders for runs of blocks of two dimensions: see collect32 and collect64.
var (
	collectRows32, spreadRows32 = makeRowOrders32()
	collectRows64, spreadRows64 = makeRowOrders64()
)

// rowCoefficient returns where bit i of the planes of a run comes from: the register of
// 16 words, and the word in it.
func rowCoefficient(i int) (register, word int) {
	at := int(order2[i&15])
	return at >> 2, place(i>>4, 2) + at&3
}

func makeRowOrders32() (collect [64]uint8, spread [4][64]uint8) {
	for i := range 64 {
		register, at := rowCoefficient(i)
		collect[i] = uint8(64*register + 4*at + 3)
		for b := range 4 {
			spread[register][4*at+b] = uint8(i + 64*(b&1))
		}
	}
	return collect, spread
}

func makeRowOrders64() (collect, spread [64]uint8) {
	for i := range 64 {
		register, at := rowCoefficient(i)
		collect[i] = uint8(16*register + at)
		spread[16*register+at] = uint8(i)
	}
	return collect, spread
}

// rowPointer returns the address of 4 rows of 16 elements that are sy elements
// apart.
func rowPointer[W word](a []W, sy int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(a[:3*sy+16]))
}

// loadRun copies a run of blocks, and sets the largest magnitude of each block.
func loadRun[W word](l cpu.Level, q *block[W], r *run[W], src []W, sy, dims int) {
	from := rowPointer(src, sy)
	newer := l >= cpu.AVX512
	switch q := any(q).(type) {
	case *block[int32]:
		if largest := any(&r.largest).(*[16]int32); newer {
			gatherRows32(q, largest, from, 4*sy, dims)
		} else {
			gatherRows32Short(q, largest, from, 4*sy, dims)
		}
	case *block[int64]:
		if largest := any(&r.largest).(*[16]int64); newer {
			gatherRows64(q, largest, from, 8*sy, dims)
		} else {
			gatherRows64Short(q, largest, from, 8*sy, dims)
		}
	}
}

// forwardRun turns a run of blocks into planes, or a row into coefficients. It returns
// the blocks that come back unchanged when their floats are quantized. There may be no
// planes above the highest bit that is set in any coefficient. It uses c as scratch.
func forwardRun[W word](l cpu.Level, p *planes, c, q *block[W], r *run[W], mode, bottom, dims int) (exact int) {
	if l < cpu.AVX512 {
		return forwardRunShort(p, c, q, r, mode, bottom, dims)
	}
	switch q := any(q).(type) {
	case *block[int32]:
		return forwardRows32(p, q, &collectRows32, any(r).(*run[int32]), mode, bottom, dims)
	case *block[int64]:
		return forwardRows64(p, q, &collectRows64, any(r).(*run[int64]), mode, bottom, dims)
	}
	return 0
}

// forwardRunShort is forwardRun with kernels for short registers.
func forwardRunShort[W word](p *planes, c, q *block[W], r *run[W], mode, bottom, dims int) (exact int) {
	switch q := any(q).(type) {
	case *block[int32]:
		r := any(r).(*run[int32])
		if dims == 1 {
			return forwardRows32Short((*int32)(unsafe.Pointer(p)), q, r, mode, dims)
		}
		c := any(c).(*block[int32])
		exact = forwardRows32Short(&c[0], q, r, mode, dims)
		if top := bits.Len32(uint32(r.bits[0] | r.bits[4] | r.bits[8] | r.bits[12])); top > bottom {
			planes32Short(p, &c[0], &sortRun32.collect, top, bottom)
		}
	case *block[int64]:
		r := any(r).(*run[int64])
		c := any(c).(*block[int64])
		if mode&modeQuantized == 0 {
			c = q
		} else {
			exact = quantizeRows64Short(c, q, r, mode, dims)
		}
		transformRows64Short(p, c, r, mode, dims)
		if dims == 1 {
			return exact
		}
		if top := bits.Len64(uint64(r.bits[0] | r.bits[4] | r.bits[8] | r.bits[12])); top > bottom {
			planes64Short(p, &c[0], &sortRun64.collect, top, bottom)
		}
	}
	return exact
}

// inverseRun turns planes into a run of blocks, or coefficients into a row. It uses c as
// scratch.
func inverseRun[W word](l cpu.Level, dst []W, sy int, p *planes, c *block[W], r *run[W], mode, bottom, dims, exact int) {
	to := rowPointer(dst, sy)
	newer := l >= cpu.AVX512
	switch r := any(r).(type) {
	case *run[int32]:
		c := &any(c).(*block[int32])[0]
		switch {
		case newer:
			inverseRows32(to, 4*sy, p, &spreadRows32, r, mode, bottom, dims, exact)
			return
		case dims == 1:
			c = (*int32)(unsafe.Pointer(p))
		default:
			coefficients32Short(c, p, &sortRun32.spread, bottom)
		}
		inverseRows32Short(to, 4*sy, c, r, mode, dims, exact)
	case *run[int64]:
		c := any(c).(*block[int64])
		if newer {
			inverseRows64(to, 8*sy, p, &spreadRows64, r, mode, bottom, dims, exact)
			return
		}
		if dims == 2 {
			coefficients64Short(&c[0], p, &sortRun64.spread, bottom)
		}
		inverseRows64Short(to, 8*sy, p, c, r, mode, dims, exact)
	}
}

// valuesInRun copies the block at a word of a run to c.
func valuesInRun[W word](c, q *block[W], at, dims int) []W {
	if dims == 1 {
		return append(c[:0], q[4*place(at, 1):][:4]...) // place is its own inverse
	}
	v := c[:0]
	for y := range 4 {
		v = append(v, q[16*y+at:][:4]...)
	}
	return v
}

// runBlocks returns the number of blocks in a run.
func runBlocks(dims int) int { return 64 >> (2 * dims) }

// runStride returns the distance, in elements, of the rows of a run.
func runStride(g *grid) int {
	if g.dims == 1 {
		return 16
	}
	return g.stride[1]
}

// fitsRun reports whether the blocks of a span begin with a run.
func (s *span) fitsRun(dims int) bool {
	return s.fits(runBlocks(dims))
}

// fits reports whether a span has n blocks that lie wholly in the array.
func (s *span) fits(n int) bool {
	return s.whole && s.blocks >= n && s.left >= 4*n
}

// runMode returns the mode of kernels for runs.
func runMode(t Type, lossless bool) int {
	mode := 0
	if t.isFloat() {
		mode = modeQuantized
		if lossless {
			mode |= modeMagnitudes
		}
	}
	if lossless {
		mode |= modeLossless
	}
	return mode
}

// encodeRun writes 4 blocks of two dimensions. The first element of src is the first
// element of the blocks, and rows are sy elements apart.
func (e *encoder[W]) encodeRun(src []W, sy int) {
	loadRun(e.level, &e.q, &e.run, src, sy, e.dims)
	var leads [16]lead
	e.leadRun(&leads, 4)
	intprec := e.typ.bits()
	bottom := intprec
	for j := range 4 {
		bottom = min(bottom, max(intprec-leads[place(j, 2)].prec, 0))
	}
	bottom = max(bottom, e.lowestPlane())
	exact := forwardRun(e.level, &e.planes[0], &e.c, &e.q, &e.run, runMode(e.typ, e.params.reversible()), bottom, e.dims)
	for j := range 4 {
		at := place(j, 2)
		l := &leads[at]
		if l.form == magnitudes && exact>>at&1 != 0 {
			l.form = quantized
		}
		e.shift = 16 * j
		e.putBlock(*l, e.run.bits[at])
	}
	e.shift = 0
}

// lowestPlane returns the lowest plane for which MaxBits leaves room behind the lead of
// a block, because each plane takes at least a bit.
func (e *encoder[W]) lowestPlane() int {
	header := 0
	if e.typ.isFloat() {
		header = 1 + e.width
	}
	if e.params.reversible() || e.params.MaxBits <= header {
		return 0 // see Params.MaxBits
	}
	return max(e.typ.bits()-(e.params.MaxBits-header), 0)
}

// leadRun is leadInRun for all blocks of a run, which are step words apart. In the lossy modes
// most blocks are of one kind, which takes less time in leadRun.
func (e *encoder[W]) leadRun(leads *[16]lead, step int) {
	if !e.typ.isFloat() {
		for at := range leads {
			leads[at].prec = e.params.MaxPrec
		}
		return
	}
	lossless := e.params.reversible()
	mantissa, bias := layout[W]()
	digits := e.typ.bits() - 2
	for at := 0; at < len(leads); at += step {
		largest := e.run.largest[at&15]
		emax := int(largest>>mantissa) - (bias - 1)
		scale := digits - emax + bias
		prec := e.params.planes(emax, e.dims)
		if lossless || emax > bias || scale <= 0 || scale > 2*bias || prec == 0 || largest == 0 {
			leads[at&15] = e.leadInRun(at)
			continue
		}
		e.run.scale[at&15] = W(scale) << mantissa
		leads[at&15] = lead{form: quantized, emax: emax, prec: prec}
	}
}

// leadInRun returns the lead of the block at a word of a run, and sets the block's scale. In the
// lossless mode the kernel determines which blocks of floats can be quantized.
func (e *encoder[W]) leadInRun(at int) lead {
	if !e.typ.isFloat() {
		return lead{prec: e.params.MaxPrec}
	}
	largest := e.run.largest[at]
	emax := int(largest>>e.mantissa) - (e.bias - 1)
	var values []W
	if largest == 0 || emax > e.bias+1 { // zeros; infinity or NaN
		values = valuesInRun(&e.c, &e.q, at, e.dims)
		emax = e.exponent(largest, values)
	}
	l := e.leadOf(emax, values)
	if l.emax == -e.bias {
		e.run.scale[at], e.run.back[at] = infinity[W]()+1, 0 // NaN
		return l
	}
	digits := e.typ.bits() - 2
	e.run.scale[at] = scaleBits[W](digits - l.emax)
	if l.form == magnitudes {
		e.run.back[at] = scaleBits[W](l.emax - digits)
	}
	return l
}

// decodeRun reads the run of blocks that begins with block b.
func (d *decoder[W]) decodeRun(dst []W, sy, b int) error {
	bottom, exact := 0, 0xffff
	switch {
	case !d.regular || !d.has(runBlocks(d.dims)*d.longest):
		var err error
		if bottom, exact, err = d.readRun(b); err != nil {
			return err
		}
	case d.dims == 2:
		bottom = d.readRun16()
	case d.fixed && d.longest <= fixedRowBits:
		d.readFixedRow()
	default:
		d.readRow()
	}
	mode := runMode(d.typ, d.params.reversible())
	bottom = min(bottom, d.typ.bits()-1)
	inverseRun(d.level, dst, sy, &d.planes[0], &d.c, &d.run, mode, bottom, d.dims, exact)
	return nil
}

// readRun reads the planes of the run of blocks that begins with block b, or the
// coefficients in one dimension. It returns the lowest plane, and the places of the
// quantized blocks.
func (d *decoder[W]) readRun(b int) (bottom, exact int, err error) {
	intprec := d.typ.bits()
	bottom = intprec
	if d.dims == 1 {
		d.row.strings = [16]nibbleString{}
	} else {
		d.clearPlanes()
	}
	for j := range runBlocks(d.dims) {
		d.shift = j << (2 * d.dims)
		f, err := d.readBlock(b + j)
		if err != nil {
			return 0, 0, err
		}
		if f.length == 0 {
			continue // it means zeros in every form
		}
		bottom = min(bottom, f.bottom)
		if f.form == quantized {
			at := place(j, d.dims)
			exact |= (1<<(1+3*(d.dims-1)) - 1) << at
			d.run.scale[at] = scaleBits[W](f.emax - (intprec - 2))
		}
	}
	d.shift = 0
	if d.dims == 1 {
		d.splitRow()
	}
	return bottom, exact, nil
}
