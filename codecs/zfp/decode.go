package zfp

import (
	"fmt"
	"math"
	"sync"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// A decoder reads the blocks of one array, or of a part of one.
type decoder[W word] struct {
	bitReader
	params  Params
	typ     Type
	dims    int
	room    int       // most bits that reading a block looks at
	longest int       // most bits of a block
	end     int       // number of bits of the stream
	base    int       // number of bits of the stream in front of buf
	level   cpu.Level // which kernels are used
	kernels bool      // kernels transform and store blocks
	runs    bool      // kernels handle runs of blocks
	coders  bool      // kernels decode planes
	fixed   bool      // all blocks have MaxBits bits
	regular bool      // kernels read runs of blocks, if the stream is long enough

	bias, width int // bias and width of the exponents of floats

	q, c   block[W] // the values of a block, and its coefficients in the order of the stream
	planes wideBlock
	row    nibbleRow // planes in one dimension
	shift  int       // where the block's bits are in the words of planes
	run    run[W]
	run16  reader16 // for two dimensions
}

// A found describes a block that was read, besides its planes. With more than four
// fields it would be kept in memory, which costs a fifth of the speed.
type found struct {
	length int // number of coefficients up to the last one that is not 0
	form   form
	emax   int
	bottom int // the lowest plane that was read
}

// newDecoder returns a decoder of a stream, from its bit pos on, with the kernels of a
// level.
func newDecoder[W word](l cpu.Level, stream []byte, pos int, p Params, t Type, dims int) *decoder[W] {
	loose := p
	loose.MaxBits, loose.MaxPrec = NoMaxBits, NoMaxPrec
	_, bias := layout[W]()
	d := &decoder[W]{
		bias: bias, width: t.exponentBits(),
		params: p, typ: t, dims: dims, end: 8 * len(stream),
		level: l, kernels: dims >= 3 && hasKernels(l, dims), runs: dims < 3 && hasKernels(l, dims), coders: hasCoders(l, dims),
	}
	_, d.fixed = p.BlockBits(t)
	d.room = loose.maxBlockBits(t, dims)
	d.longest = p.maxBlockBits(t, dims)
	d.regular = d.runs && d.coders && !p.reversible() && (p.MaxBits >= d.room || d.fixed && (dims == 2 || p.MaxBits <= fixedRowBits))
	d.row, d.run16 = d.newNibbleRow(), d.newReader16()
	d.buf, d.pos = stream, pos
	return d
}

// decode reads blocks first to end-1 into their places in an array.
func (d *decoder[W]) decode(dst []W, g *grid, first, end int) error {
	for b := first; b < end; {
		s := g.span(b, end)
		for s.blocks > 0 {
			n := 1
			if d.runs && s.fitsRun(d.dims) {
				n = runBlocks(d.dims)
				if err := d.decodeRun(dst[s.offset:], runStride(g), b); err != nil {
					return err
				}
			} else {
				d.clearPlanes()
				f, err := d.readBlock(b)
				if err != nil {
					return err
				}
				d.store(dst[s.offset:], g, &s, f)
			}
			b += n
			s.skip(n)
		}
	}
	return nil
}

// store transforms the first block of a span back and copies it to its place in the
// array.
func (d *decoder[W]) store(dst []W, g *grid, s *span, f found) {
	switch whole := s.whole && s.left >= 4; {
	case whole && d.kernels && f.length > 0:
		d.inverseTo(dst, g.stride[1], g.stride[2], g.stride[3], f)
	case whole:
		d.transform(f)
		scatter(dst, &d.q, g)
	default:
		d.transform(f)
		scatterPartial(dst, &d.q, g, s)
	}
}

// clearPlanes prepares the planes for a block, or for a run of blocks. It also clears
// planes below the lowest plane of a block that are handled together with it.
func (d *decoder[W]) clearPlanes() {
	if d.dims == 1 {
		d.row.strings[0] = nibbleString{}
		return
	}
	lowest := 0
	if !d.params.reversible() {
		lowest = max(d.typ.bits()-d.params.MaxPrec, 0) &^ 15
		if d.dims > 2 && !d.kernels {
			lowest &^= 31
		}
	}
	for g := range max(1, 1<<(2*d.dims)/64) {
		clear(d.planes[g][lowest:d.typ.bits()])
	}
}

// readBlock adds the planes of block b to the planes. It fails if the block extends
// beyond the end of the stream.
func (d *decoder[W]) readBlock(b int) (found, error) {
	if d.base+d.pos < d.end {
		if d.pos>>3+d.room>>3+slack > len(d.buf) {
			d.extend()
		}
		start := d.pos
		f := d.decodeBlock(start)
		d.pos = max(d.pos, start+d.params.MinBits)
		if d.base+d.pos <= d.end {
			return f, nil
		}
	}
	return found{}, fmt.Errorf("%w: block %d goes beyond the end of %d bytes", ErrCorrupt, b, d.end/8)
}

// extend replaces the buffer by its rest with zeros behind it, enough for any block
// that begins in it. It is called once.
func (d *decoder[W]) extend() {
	at := d.pos >> 3
	rest := d.buf[at:]
	d.buf = make([]byte, len(rest)+d.room>>3+2*slack)
	copy(d.buf, rest)
	d.base += 8 * at
	d.pos -= 8 * at
}

// decodeBlock reads the planes of a block that begins at bit start.
func (d *decoder[W]) decodeBlock(start int) found {
	lossless := d.params.reversible()
	if !d.typ.isFloat() {
		return d.decodeInts(start, d.params.MaxPrec, found{})
	}
	w := window(d.buf, d.pos)
	d.pos++
	if w&1 == 0 {
		return found{}
	}
	if lossless {
		d.pos++
		if w&2 != 0 {
			return d.decodeInts(start, 0, found{form: magnitudes})
		}
		w >>= 1
	}
	emax := int(w>>1&(1<<(d.width&63)-1)) - d.bias
	d.pos += d.width
	f := d.decodeInts(start, d.params.planes(emax, d.dims), found{form: quantized, emax: emax})
	if lossless && emax == -d.bias {
		d.dropPlanes()
		f.length = 0
	}
	return f
}

// dropPlanes clears the planes of a block that have been read.
func (d *decoder[W]) dropPlanes() {
	switch d.dims {
	case 1:
		d.row.strings[d.shift>>2&15] = nibbleString{}
		return
	case 3, 4:
		d.clearPlanes()
		return
	}
	for k := range d.planes[0] {
		d.planes[0][k] &^= (1<<(1<<(2*d.dims)) - 1) << d.shift
	}
}

// decodeInts reads up to prec planes, the highest ones, from the bits of a block that
// MaxBits leaves from bit start on. In the lossless mode the block states the number of
// planes.
func (d *decoder[W]) decodeInts(start, prec int, f found) found {
	intprec := d.typ.bits()
	if d.params.reversible() {
		prec = int(d.get(precBits(d.typ))) + 1
	}
	bottom := max(intprec-prec, 0)
	end := start + d.params.MaxBits
	if end < d.pos {
		end = math.MaxInt // see Params.MaxBits
	}
	p := &d.planes[0]
	switch d.dims {
	case 1:
		n, set := d.getNibbles(&d.row.strings[d.shift>>2&15], intprec-bottom, end)
		f.bottom = intprec - n
		if set {
			f.length = 4
		}
	case 2:
		if d.coders {
			f.bottom, f.length = d.readPlanes16(d.level, p, d.shift, intprec, bottom, end)
		} else {
			f.bottom, f.length = d.getPlanes16(p, d.shift, intprec, bottom, end)
		}
	case 3:
		if d.coders {
			f.bottom, f.length = d.readPlanes(p, intprec, bottom, end)
		} else {
			f.bottom, f.length = d.getPlanes(p, intprec, bottom, end)
		}
	default:
		f.bottom, f.length = d.getWidePlanes(&d.planes, intprec, bottom, end)
	}
	return f
}

// transform turns the planes that were read into values in d.q.
func (d *decoder[W]) transform(f found) {
	n := 1 << (2 * d.dims)
	lossless := d.params.reversible()
	switch {
	case f.length == 0:
		clear(d.q[:n])
		return
	case d.kernels:
		d.inverseTo(d.q[:], 4, 16, 64, f)
		return
	}
	clear(d.c[:n])
	switch d.dims {
	case 1:
		fromNibbles(&d.c, &d.row.strings[0])
	case 2:
		fromPlanes16(&d.c, &d.planes[0], f.bottom&^15)
	default:
		for g := range (f.length + 63) / 64 {
			fromPlanes64(&d.c, &d.planes[g], 64*g, f.bottom)
		}
	}
	fromSequence(&d.q, &d.c, d.dims)
	inverse(&d.q, d.dims, lossless)
	switch f.form {
	case quantized:
		dequantize(&d.q, n, f.emax)
	case magnitudes:
		signMagnitude(&d.q, n)
	}
}

// inverseTo turns planes into values with kernels, and copies the values to rows,
// slices and blocks of three dimensions that are sy, sz and sw elements apart.
func (d *decoder[W]) inverseTo(dst []W, sy, sz, sw int, f found) {
	lossless := d.params.reversible()
	if d.dims == 3 {
		inverseBlock(d.level, dst, sy, sz, &d.planes[0], &d.c, f, lossless)
		return
	}
	inverseWideBlock(d.level, dst, sy, sz, sw, &d.planes, &d.c, &d.q, f, lossless)
}

// Decode reads the stream of an array that [AppendEncode] or libzfp wrote, from its
// first byte on. The elements of dst are in C order; shape has 1 to 4 dimensions, whose
// product is the length of dst; with [Options].Strides dst ends with the last element, and the
// elements between are left as they are. Type, shape and parameters must be those with which the
// stream was written. A stream without a header does not state them, and others give
// other elements or ErrCorrupt.
//
// If a stream ends before the last bit of its last block, the error wraps ErrCorrupt
// and names the block; the content of dst is then undefined. Bits behind the last block
// are ignored, so that streams of libraries with words of less than 64 bits can be read
// as well. Arguments out of range give an error that wraps ErrParams.
func Decode[T Scalar](dst []T, shape []int, src []byte, p Params, o Options) error {
	g, err := checkArray(dst, shape, p, o)
	if err != nil {
		return err
	}
	pos := 0
	if o.Header {
		if pos, err = checkHeader(src, typeOf[T](), shape, p); err != nil {
			return err
		}
	}
	if typeOf[T]().bits() == 32 {
		return decodeArray[int32](dst, &g, src, pos, p, o)
	}
	return decodeArray[int64](dst, &g, src, pos, p, o)
}

// decodeArray decodes an array whose elements have the size of W. The blocks begin at
// bit pos of the stream.
func decodeArray[W word, T Scalar](dst []T, g *grid, src []byte, pos int, p Params, o Options) error {
	t := typeOf[T]()
	blockBits, fixed := p.BlockBits(t)
	if !fixed {
		return newDecoder[W](cpu.Used(), src, pos, p, t, g.dims).decode(words[W](dst), g, 0, g.count)
	}
	if _, err := maxStream(g.count, blockBits, pos); err != nil {
		return err
	}
	runs := pieces(g.count, o.Workers)
	failed := make([]error, len(runs))
	piece := func(i int) {
		d := newDecoder[W](cpu.Used(), src, pos+runs[i][0]*blockBits, p, t, g.dims)
		failed[i] = d.decode(words[W](dst), g, runs[i][0], runs[i][1])
	}
	var wait sync.WaitGroup
	for i := 1; i < len(runs); i++ {
		wait.Go(func() { piece(i) })
	}
	piece(0)
	wait.Wait()
	for _, err := range failed {
		if err != nil {
			return err // the error of the first block that is missing
		}
	}
	return nil
}
