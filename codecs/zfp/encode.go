package zfp

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// An encoder writes the blocks of one array, or of a part of one.
type encoder[W word] struct {
	bitWriter
	params  Params
	typ     Type
	dims    int
	room    int       // most bits of a block before it is cut
	level   cpu.Level // which kernels are used
	kernels bool      // kernels load and transform blocks
	runs    bool      // kernels handle runs of blocks
	coders  bool      // kernels code planes
	fours   bool      // kernels load four blocks of three dimensions

	mantissa, bias, width int // of floats: see layout; width is that of exponents

	infinite bool // a block with infinity or NaN has been encoded

	largest W        // the largest magnitude of the block, where kernels are used
	q, c    block[W] // the values of a block, and its coefficients in the order of the stream
	from    int      // where the values begin in q; of blocks of three dimensions, q can hold four
	most    [16]W    // the largest magnitudes of four blocks, see loadFour
	planes  wideBlock
	shift   int // where the block's bits are in the words of planes
	run     run[W]
	row     rowCode // for one dimension
}

// newEncoder returns an encoder with the kernels of a level.
func newEncoder[W word](l cpu.Level, p Params, t Type, dims int) *encoder[W] {
	uncut := p
	uncut.MaxBits = NoMaxBits
	mantissa, bias := layout[W]()
	return &encoder[W]{
		mantissa: mantissa, bias: bias, width: t.exponentBits(), params: p, typ: t, dims: dims, room: uncut.maxBlockBits(t, dims),
		level: l, kernels: dims >= 3 && hasKernels(l, dims), runs: dims < 3 && hasKernels(l, dims), coders: hasCoders(l, dims), fours: dims == 3 && hasFours(l),
	}
}

// encode writes blocks first to end-1.
func (e *encoder[W]) encode(src []W, g *grid, first, end int) {
	for b := first; b < end; {
		s := g.span(b, end)
		b += s.blocks
		for s.blocks > 0 {
			n := 1
			switch {
			case e.fours && s.fits(fourBlocks):
				n = fourBlocks
				e.encodeFour(src[s.offset:], g.stride[1], g.stride[2])
			case !e.runs || !s.fitsRun(e.dims):
				e.load(src[s.offset:], g, &s)
				e.encodeBlock()
			case e.dims == 1:
				n = runBlocks(1)
				e.encodeRow(src[s.offset:])
			default:
				n = runBlocks(2)
				e.encodeRun(src[s.offset:], g.stride[1])
			}
			s.skip(n)
		}
	}
}

// encodeFour writes four blocks of three dimensions that follow each other in src.
func (e *encoder[W]) encodeFour(src []W, sy, sz int) {
	loadFour(e.level, &e.q, &e.most, src, sy, sz)
	for i := range fourBlocks {
		e.from, e.largest = 64*i, e.most[i*len(e.most)/fourBlocks/(e.typ.bits()/32)]
		e.encodeBlock()
	}
	e.from = 0
}

// load copies the first block of a span to e.q.
func (e *encoder[W]) load(src []W, g *grid, s *span) {
	switch whole := s.whole && s.left >= 4; {
	case whole && e.kernels && e.dims == 3:
		e.largest = loadBlock(e.level, e.q[:], src, g.stride[1], g.stride[2])
	case whole && e.kernels:
		e.largest = loadWideBlock(e.level, &e.q, src, g.stride[1], g.stride[2], g.stride[3])
	case whole:
		gather(&e.q, src, g)
	default:
		gatherPartial(&e.q, src, g, s)
		if e.kernels && e.typ.isFloat() {
			e.largest = maxMagnitude(e.q[:1<<(2*e.dims)])
		}
	}
}

// A lead is the part of a block before its planes.
type lead struct {
	zeros bool // the block has no planes
	form  form
	emax  int // the exponent of a block of floats
	prec  int // most planes to keep
}

// encodeBlock writes the block in e.q, from e.from on.
func (e *encoder[W]) encodeBlock() {
	l := lead{prec: e.params.MaxPrec}
	n := 1 << (2 * e.dims)
	if e.typ.isFloat() {
		values := e.q[e.from:][:n]
		largest := e.largest
		if !e.kernels {
			largest = maxMagnitude(values)
		}
		l = e.leadOf(e.exponent(largest, values), values)
	}
	if l.form == magnitudes && !l.zeros && e.quantizesExactly(n, l.emax) {
		l.form = quantized
	}
	var bits W
	if !l.zeros {
		bits = e.transform(l.form, l.emax, max(e.typ.bits()-l.prec, 0))
	}
	e.putBlock(l, bits)
}

// exponent is [exponent] of a block of the array. It notes a block that is not finite.
func (e *encoder[W]) exponent(largest W, values []W) int {
	e.infinite = e.infinite || largest >= infinity[W]()
	return exponent(largest, values)
}

// quantizesExactly reports whether quantize and dequantize give the same bits of the n
// values in e.q again.
func (e *encoder[W]) quantizesExactly(n, emax int) bool {
	if e.kernels && e.dims == 3 {
		return exactBlock(e.level, &e.c, &e.q[e.from], emax)
	}
	return quantizesExactly(&e.c, &e.q, n, emax)
}

// leadOf returns the lead of a block of floats. It looks at values only if emax allows
// that all of them are zeros. In the lossless mode, a block that is not zero has the
// form magnitudes until it is known that it can be quantized.
func (e *encoder[W]) leadOf(emax int, values []W) lead {
	none := emax == -e.bias
	if e.params.reversible() {
		if none {
			emax = 0 // with this scale zeros lose their sign, and do not count as exact
		}
		return lead{zeros: none && isZero(values), form: magnitudes, emax: emax, prec: e.params.MaxPrec}
	}
	prec := e.params.planes(emax, e.dims)
	return lead{zeros: none || prec == 0, form: quantized, emax: emax, prec: prec}
}

// putBlock writes a block from e.planes, up to MaxBits bits, and pads it to MinBits.
// set has the bits that are set in any coefficient.
func (e *encoder[W]) putBlock(l lead, set W) {
	e.reserve(e.room)
	start := e.pos
	if e.params.reversible() {
		l.prec = e.planesOf(l.prec, set)
	}
	v, n := e.leadCode(&l)
	if l.zeros {
		e.put(v, n)
	} else {
		e.putCoefficients(v, n, l.prec, set)
	}
	if n := e.params.MinBits - (e.pos - start); n > 0 {
		e.pad(n)
	}
}

// planesOf returns the number of planes of a block that the lossless mode keeps, at
// most prec: down to the lowest bit that is set in any coefficient.
func (e *encoder[W]) planesOf(prec int, set W) int {
	intprec := e.typ.bits()
	return max(1, min(prec, intprec-min(bits.TrailingZeros64(uint64(set)), intprec)))
}

// leadCode returns the bits of a lead in the stream, and the number of bits.
func (e *encoder[W]) leadCode(l *lead) (v uint64, n int) {
	lossless := e.params.reversible()
	switch {
	case l.zeros:
		return 0, 1
	case l.form == magnitudes:
		v, n = 3, 2
	case l.form == quantized && lossless:
		v, n = uint64(l.emax+e.bias)<<2|1, 2+e.width
	case l.form == quantized:
		return uint64(l.emax+e.bias)<<1 | 1, 1 + e.width
	}
	if lossless {
		v, n = v|uint64(l.prec-1)<<n, n+precBits(e.typ)
	}
	return v, n
}

// putCoefficients writes the code of a block's lead, of n bits, and the highest prec
// planes.
func (e *encoder[W]) putCoefficients(code uint64, n, prec int, set W) {
	intprec := e.typ.bits()
	end := e.pos + e.params.MaxBits
	if e.params.MaxBits < n {
		end = math.MaxInt // see Params.MaxBits
	}
	bottom := max(intprec-prec, 0)
	top := max(min(bits.Len64(uint64(set)), intprec), bottom) // a negative value fills all 64 bits
	if e.dims == 1 {
		top = min(top+top&1, intprec) // planes come in pairs
	}
	if zeros := intprec - top; n+zeros <= 56 {
		e.put(code, n+zeros)
	} else {
		e.put(code, n)
		e.pad(zeros)
	}
	switch e.dims {
	case 1:
		e.putNibblePlanes(&e.planes[0], top, bottom, end)
	case 2:
		if e.coders {
			e.writePlanes16(&e.planes[0], e.shift, top, bottom, end)
		} else {
			e.putPlanes16(&e.planes[0], e.shift, top, bottom, end)
		}
	case 3:
		if e.coders {
			writePlanes64(&e.bitWriter, &e.planes[0], top, bottom, end)
		} else {
			e.putPlanes(&e.planes[0], top, bottom, end)
		}
	default:
		e.putWidePlanes(&e.planes, top, bottom, end)
	}
	if e.pos > end {
		e.cut(end)
	}
}

// transform turns the values in e.q into planes, from plane bottom on. It returns the
// bits that are set in any coefficient.
func (e *encoder[W]) transform(f form, emax, bottom int) W {
	lossless := e.params.reversible()
	switch {
	case e.kernels && e.dims == 4:
		return forwardWideBlock(e.level, &e.planes, &e.c, &e.q, f, emax, lossless, bottom)
	case e.kernels:
		return forwardBlock(e.level, &e.planes[0], &e.c, &e.q[e.from], f, emax, lossless, bottom)
	}
	n := 1 << (2 * e.dims)
	switch f {
	case quantized:
		quantize(&e.q, n, emax)
	case magnitudes:
		signMagnitude(&e.q, n)
	}
	forward(&e.q, e.dims, lossless)
	all := toSequence(&e.c, &e.q, e.dims)
	switch e.dims {
	case 1:
		toNibbles(&e.planes[0], &e.c, bottom)
	case 2:
		toPlanes16(&e.planes[0], &e.c, all, bottom)
	default:
		for g := range n / 64 {
			toPlanes64(&e.planes[g], &e.c, 64*g, all, bottom)
		}
	}
	return all
}

// Slack is the number of bytes behind the largest stream that [AppendEncode] needs to
// work without a copy of the stream: room for a header, and for a block before it is
// cut.
const Slack = maxMinBits/8 + maxHeaderBits/8 + 2*slack

// Options are further settings of a stream. The zero Options are those of the Zarr
// codec zfp.
type Options struct {
	// Header puts zfp's full header in front of the blocks, as numcodecs.zfpy does. A
	// decoder then expects the header. If it states another type, shape or mode than
	// the arguments, the error wraps ErrCorrupt.
	Header bool
	// Strides are the distances of neighbouring elements along each dimension, in elements.
	// That of the last dimension is 1, and the others leave room for what they step over. nil
	// means that there are no gaps. The stream does not depend on it.
	Strides []int
	// Finite makes AppendEncode return [ErrNotFinite] for floats that are infinity or NaN, which
	// lossy modes may turn into any other floats. It takes no time.
	Finite bool
	// Workers is the most goroutines that work on an array. Below 2, only the caller's
	// goroutine works. The stream does not depend on it. All arrays are encoded in
	// pieces. Only arrays in fixed rate are decoded in pieces.
	Workers int
}

// AppendEncode appends the stream of an array to dst and returns the longer slice. The
// elements of src are in C order, those along the last dimension next to each other;
// shape has 1 to 4 dimensions, whose product is the length of src. With [Options].Strides src
// ends with the last element. The stream is a multiple of 8 bytes long.
//
// Any elements can be encoded; see the package's limits for the values that come back
// in the lossy modes. Arguments out of range give an error that wraps ErrParams, and
// dst unchanged. If dst has a free capacity of [MaxSize] and [Slack] bytes,
// AppendEncode needs no other memory for the stream. Otherwise it allocates about the
// size of the stream.
func AppendEncode[T Scalar](dst []byte, src []T, shape []int, p Params, o Options) ([]byte, error) {
	g, err := checkArray(src, shape, p, o)
	if err != nil {
		return dst, err
	}
	if typeOf[T]().bits() == 32 {
		return encodeArray[int32](dst, src, &g, shape, p, o)
	}
	return encodeArray[int64](dst, src, &g, shape, p, o)
}

// encodeArray encodes an array whose elements have the size of W.
func encodeArray[W word, T Scalar](dst []byte, src []T, g *grid, shape []int, p Params, o Options) ([]byte, error) {
	t := typeOf[T]()
	e := newEncoder[W](cpu.Used(), p, t, g.dims)
	if size, fixed := p.BlockBits(t); fixed {
		total, err := maxStream(g.count, size, 0) // Slack has room for the header
		if err != nil {
			return dst, err
		}
		dst = slices.Grow(dst, total+Slack)
	}
	e.buf, e.pos = dst[:cap(dst)], 8*len(dst)
	if o.Header {
		if err := e.putHeader(t, shape, p); err != nil {
			return dst, err
		}
	}
	runs := pieces(g.count, o.Workers)
	others := make([]*encoder[W], len(runs)-1)
	var wait sync.WaitGroup
	for i := range others {
		others[i] = newEncoder[W](cpu.Used(), p, t, g.dims)
		wait.Go(func() { others[i].encode(words[W](src), g, runs[i+1][0], runs[i+1][1]) })
	}
	e.encode(words[W](src), g, runs[0][0], runs[0][1])
	wait.Wait()
	for _, other := range others {
		e.reserve(other.pos)
		e.append(other.buf, other.pos)
		e.infinite = e.infinite || other.infinite
	}
	if o.Finite && e.infinite {
		return dst, ErrNotFinite
	}
	e.reserve(64)
	e.pad(-(e.pos - 8*len(dst)) & 63)
	return e.buf[:e.pos/8], nil
}

// minPiece is the number of blocks for which a goroutine is worth starting.
const minPiece = 256

// pieces cuts blocks into as many runs of about the same length as there are workers.
func pieces(blocks, workers int) [][2]int {
	n := max(1, min(workers, blocks/minPiece))
	runs := make([][2]int, n)
	for i := range runs {
		runs[i] = [2]int{cut(blocks, i, n), cut(blocks, i+1, n)}
	}
	return runs
}

// cut returns the beginning of part i of n.
func cut(blocks, i, n int) int {
	return blocks/n*i + min(i, blocks%n)
}

// checkArray checks the arguments that encoding and decoding have in common, and
// returns the grid of the array.
func checkArray[T Scalar](elements []T, shape []int, p Params, o Options) (grid, error) {
	g, err := newGrid(shape)
	if err != nil {
		return grid{}, err
	}
	if err := p.Validate(typeOf[T]()); err != nil {
		return grid{}, err
	}
	if o.Strides != nil {
		if err := g.setStrides(o.Strides); err != nil {
			return grid{}, err
		}
	}
	if len(elements) != g.extent {
		return grid{}, fmt.Errorf("%w: %d elements for shape %v and strides %v, which take %d", ErrParams, len(elements), shape, o.Strides, g.extent)
	}
	return g, nil
}
