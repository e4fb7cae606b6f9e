package zfp

import (
	"math"
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// A writer16 holds the arguments of writeBlock16 for the planes of a block of 16
// coefficients.
type writer16 struct {
	pos         int    // number of bits written
	acc         uint64 // the last pos%8 of them
	end         int    // no plane begins at or behind this bit
	top, bottom int    // the plane above the highest one, and the lowest plane
}

// writePlanes16 is putPlanes16 with a kernel.
func (w *bitWriter) writePlanes16(p *planes, shift, top, bottom, end int) {
	// A literal would be made in another place and copied. The copy would have to wait
	// until the fields are in the cache, which costs a seventh of the speed.
	var s writer16
	s.pos, s.acc, s.end, s.top, s.bottom = w.pos, w.acc, end, top, bottom
	writeBlock16(&s, &w.buf[0], unsafe.Add(unsafe.Pointer(p), shift/8), &spreads)
	w.pos, w.acc = s.pos, s.acc
}

// A reader16 holds the arguments and results of readBlocks16 for blocks of 16
// coefficients. A block of floats has its exponent minus lowest planes, no more than most.
type reader16 struct {
	pos     int // the bit of the stream where the blocks begin; readBlocks16 sets it to their end
	limit   int // most bits of a block
	minBits int
	width   int // bits of the exponents of floats, 0 for integers
	lowest  int // the largest exponent with which a block has no planes
	most    int // most planes that are kept
	top     int // the plane above the highest one
	// runByRun is 1 if the kernel reads long tails run by run. Otherwise it takes all runs
	// at once with PDEP and PEXT, which are fast from the level PEXT on.
	runByRun int
	blocks   [4]block16
}

// A block16 describes a block that was read.
type block16 struct {
	plane    int // the lowest plane that was read
	exponent int // biased, if the block has an exponent
	length   int // number of coefficients up to the last one with a one-bit
}

// newReader16 returns the arguments of readBlocks16 for the blocks of a decoder.
func (d *decoder[W]) newReader16() reader16 {
	limit := math.MaxInt32
	if d.fixed {
		limit = d.params.MaxBits
	}
	intprec := d.typ.bits()
	return reader16{
		limit: limit, minBits: d.params.MinBits, width: d.width, lowest: d.bias + d.params.MinExp - 6,
		most: min(d.params.MaxPrec, intprec), top: intprec, runByRun: runByRun(d.level),
	}
}

// runByRun returns the field of a reader16 for a level.
func runByRun(l cpu.Level) int {
	if l >= cpu.PEXT {
		return 0
	}
	return 1
}

// readRun16 reads the planes of 4 regular blocks, and returns the lowest plane.
func (d *decoder[W]) readRun16() (bottom int) {
	p := &d.planes[0]
	d.clearPlanes()
	r := &d.run16
	r.pos = d.pos
	readBlocks16(r, &d.buf[0], unsafe.Pointer(p), &shortTails, 4)
	bottom = d.typ.bits()
	for j := range r.blocks {
		b := &r.blocks[j]
		bottom = min(bottom, b.plane)
		if d.width > 0 {
			d.run.scale[place(j, 2)] = d.scaleOf(b.exponent)
		}
	}
	d.pos = r.pos
	return bottom
}

// readPlanes16 is getPlanes16 with a kernel.
func (r *bitReader) readPlanes16(l cpu.Level, p *planes, shift, intprec, bottom, end int) (low, length int) {
	var s reader16 // see writePlanes16
	s.pos, s.limit, s.most, s.top, s.runByRun = r.pos, end-r.pos, intprec-bottom, intprec, runByRun(l)
	readBlocks16(&s, &r.buf[0], unsafe.Add(unsafe.Pointer(p), shift/8), &shortTails, 1)
	r.pos = s.pos
	return s.blocks[0].plane, s.blocks[0].length
}
