package zfp

import (
	"math/bits"
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// A form is the meaning of a block's values before or after the transform.
type form int

const (
	integers   form = iota
	quantized       // floats multiplied by a power of two
	magnitudes      // floats whose bits are taken as signed magnitudes
)

// Bits of the mode of a kernel.
const (
	modeLossless   = 1
	modeQuantized  = 2
	modeMagnitudes = 4
	modePart       = 8 // of a block of four dimensions: coefficients stay as they are
)

// kernelMode returns the mode for a form.
func kernelMode(f form, lossless bool) int {
	mode := 0
	switch f {
	case quantized:
		mode = modeQuantized
	case magnitudes:
		mode = modeMagnitudes
	}
	if lossless {
		mode |= modeLossless
	}
	return mode
}

// The kernels transform a block along x, y and z in turn, and leave its axes in another
// order. collect32 has the place of the highest byte of each coefficient, counted from
// the block's first byte. spread32 has the place from which each byte of the block
// comes.
var collect32, spread32 = makeOrder32()

func makeOrder32() (collect [64]uint8, spread [4][64]uint8) {
	for i, at := range order3 {
		x, y, z := at&3, at>>2&3, at>>4
		word := 16*z + 4*x + y
		collect[i] = 4*word + 3
		for b := range uint8(4) {
			spread[z][4*(word&15)+b] = uint8(i) + 64*(b&1)
		}
	}
	return collect, spread
}

// collect64 has the places of coefficients in a register that holds byte k of 64
// coefficients. spread64 has the coefficient of each byte.
var collect64, spread64 = makeOrder64()

func makeOrder64() (collect, spread [64]uint8) {
	for i, at := range order3 {
		x, y, z := at&3, at>>2&3, at>>4
		word := 16*z + 4*x + y
		collect[i] = word
		spread[word] = uint8(i)
	}
	return collect, spread
}

// transposed has the places of coefficients in blocks of four dimensions, as the
// kernels leave them: each block of three dimensions is transposed as above.
var transposed = makeOrder4()

func makeOrder4() (at [256]uint8) {
	for i, natural := range order4 {
		x, y, z, w := natural&3, natural>>2&3, natural>>4&3, natural>>6
		at[i] = 64*w + 16*z + 4*x + y
	}
	return at
}

// spreadInOrder32 and spreadInOrder64 are spread32 and spread64 for coefficients in the
// order of the stream.
var spreadInOrder32, spreadInOrder64 = makeInOrder()

func makeInOrder() (spread32 [4][64]uint8, spread64 [64]uint8) {
	for i := range uint8(64) {
		spread64[i] = i
		for b := range uint8(4) {
			spread32[i>>4][4*(i&15)+b] = i + 64*(b&1)
		}
	}
	return spread32, spread64
}

// loadBlock copies a block whose rows and slices are sy and sz elements apart. It
// returns the block's largest magnitude, in the sense of floats.
func loadBlock[W word](l cpu.Level, q []W, src []W, sy, sz int) W {
	to := unsafe.Pointer(unsafe.SliceData(q[:64]))
	from := unsafe.Pointer(unsafe.SliceData(src[:3*sy+3*sz+4]))
	switch newer := l >= cpu.AVX512; {
	case wide[W]() && newer:
		return W(gather64(to, from, 8*sy, 8*sz))
	case wide[W]():
		return W(gather64Short(to, from, 8*sy, 8*sz))
	case newer:
		return W(gather32(to, from, 4*sy, 4*sz))
	}
	return W(gather32Short(to, from, 4*sy, 4*sz))
}

// fourBlocks is the number of blocks that loadFour loads.
const fourBlocks = 4

// loadFour copies four neighbouring blocks along x to q, one behind the other. It sets their
// largest magnitudes, which are a quarter of most apart with 32 bits, and an eighth with 64.
func loadFour[W word](l cpu.Level, q *block[W], most *[16]W, src []W, sy, sz int) {
	from := unsafe.Pointer(unsafe.SliceData(src[:3*sy+3*sz+4*fourBlocks]))
	newer := l >= cpu.AVX512
	switch q := any(q).(type) {
	case *block[int32]:
		if most := any(most).(*[16]int32); newer {
			gatherFour32(q, most, from, 4*sy, 4*sz)
		} else {
			gatherFour32Short(q, most, from, 4*sy, 4*sz)
		}
	case *block[int64]:
		if most := any(most).(*[16]int64); newer {
			gatherFour64(q, most, from, 8*sy, 8*sz)
		} else {
			gatherFour64Short(q, most, from, 8*sy, 8*sz)
		}
	}
}

// loadWideBlock is loadBlock in four dimensions.
func loadWideBlock[W word](l cpu.Level, q *block[W], src []W, sy, sz, sw int) W {
	var largest W
	for w := range 4 {
		largest = max(largest, loadBlock(l, q[64*w:], src[w*sw:], sy, sz))
	}
	return largest
}

// forwardWideBlock is forwardBlock in four dimensions.
func forwardWideBlock[W word](l cpu.Level, p *wideBlock, c, q *block[W], f form, emax int, lossless bool, bottom int) W {
	mode := kernelMode(f, lossless)
	if l < cpu.AVX512 {
		return forwardWideBlockShort(p, c, q, mode, emax, bottom)
	}
	var set W
	switch q := any(q).(type) {
	case *block[int32]:
		c := any(c).(*block[int32])
		set = W(forward4x32(c, q, scale32(30-emax), mode))
		if uint32(set)>>bottom != 0 {
			planes4x32(p, c, &transposed, bottom)
		}
	case *block[int64]:
		c := any(c).(*block[int64])
		set = W(forward4x64(c, q, scale64(62-emax), mode))
		if uint64(set)>>bottom != 0 {
			planes4x64(p, c, &transposed, bottom)
		}
	}
	return set
}

// forwardWideBlockShort is forwardWideBlock with kernels for short registers.
func forwardWideBlockShort[W word](p *wideBlock, c, q *block[W], mode, emax, bottom int) W {
	switch q := any(q).(type) {
	case *block[int32]:
		for w := range 4 {
			transform32Short(&q[64*w], &q[64*w], scale32(30-emax), mode|modePart)
		}
		set := finish4x32Short(&q[0], mode)
		if top := bits.Len32(uint32(set)); top > bottom {
			c := any(c).(*block[int32])
			for i, at := range order4 {
				c[i] = q[at]
			}
			for g := range p {
				planes32Short(&p[g], &c[64*g], &sortNone32.collect, top, bottom)
			}
		}
		return W(set)
	case *block[int64]:
		for w := range 4 {
			transform64Short(&q[64*w], &q[64*w], scale64(62-emax), mode|modePart)
		}
		set := finish4x64Short(&q[0], mode)
		if top := bits.Len64(uint64(set)); top > bottom {
			c := any(c).(*block[int64])
			for i, at := range order4 {
				c[i] = q[at]
			}
			for g := range p {
				planes64Short(&p[g], &c[64*g], &sortNone64.collect, top, bottom)
			}
		}
		return W(set)
	}
	return 0
}

// exactBlock is quantizesExactly with kernels, for a block that begins at q.
func exactBlock[W word](l cpu.Level, c *block[W], q *W, emax int) bool {
	newer := l >= cpu.AVX512
	switch q := any(q).(type) {
	case *int32:
		if newer {
			return exact32(any(c).(*block[int32]), q, scale32(30-emax), scale32(emax-30))
		}
		return exact32Short(q, scale32(30-emax), scale32(emax-30))
	case *int64:
		if newer {
			return exact64(any(c).(*block[int64]), q, scale64(62-emax), scale64(emax-62))
		}
		return exact64Short(q, scale64(62-emax), scale64(emax-62))
	}
	return false
}

// forwardBlock turns a block that begins at q into planes, from plane bottom on. It returns the bits
// that are set in any coefficient. There may be no planes above these. It uses c as
// scratch.
func forwardBlock[W word](l cpu.Level, p *planes, c *block[W], q *W, f form, emax int, lossless bool, bottom int) W {
	mode := kernelMode(f, lossless)
	newer := l >= cpu.AVX512
	switch q := any(q).(type) {
	case *int32:
		if newer {
			return W(forward32(p, q, &collect32, scale32(30-emax), mode, bottom))
		}
		c := any(c).(*block[int32])
		set := transform32Short(&c[0], q, scale32(30-emax), mode)
		if top := bits.Len32(uint32(set)); top > bottom {
			planes32Short(p, &c[0], &sortBlock32.collect, top, bottom)
		}
		return W(set)
	case *int64:
		if newer {
			return W(forward64(p, q, &collect64, scale64(62-emax), mode, bottom))
		}
		c := any(c).(*block[int64])
		set := transform64Short(&c[0], q, scale64(62-emax), mode)
		if top := bits.Len64(uint64(set)); top > bottom {
			planes64Short(p, &c[0], &sortBlock64.collect, top, bottom)
		}
		return W(set)
	}
	return 0
}

// inverseBlock turns the planes that were found into a block, and copies it to rows and
// slices that are sy and sz elements apart. It uses c as scratch.
func inverseBlock[W word](l cpu.Level, dst []W, sy, sz int, p *planes, c *block[W], f found, lossless bool) {
	to := unsafe.Pointer(unsafe.SliceData(dst[:3*sy+3*sz+4]))
	mode := kernelMode(f.form, lossless)
	newer := l >= cpu.AVX512
	switch c := any(c).(type) {
	case *block[int32]:
		if newer {
			inverse32(to, 4*sy, 4*sz, p, &spread32, scale32(f.emax-30), mode, f.bottom)
			return
		}
		coefficients32Short(&c[0], p, &sortBlock32.spread, f.bottom)
		inverse32Short(to, 4*sy, 4*sz, &c[0], scale32(f.emax-30), mode)
	case *block[int64]:
		if newer {
			inverse64(to, 8*sy, 8*sz, p, &spread64, scale64(f.emax-62), mode, f.bottom)
			return
		}
		coefficients64Short(&c[0], p, &sortBlock64.spread, f.bottom)
		inverse64Short(to, 8*sy, 8*sz, &c[0], scale64(f.emax-62), mode)
	}
}

// inverseWideBlock is inverseBlock in four dimensions. It uses c and q as scratch; q
// may be the memory of dst.
func inverseWideBlock[W word](l cpu.Level, dst []W, sy, sz, sw int, p *wideBlock, c, q *block[W], f found, lossless bool) {
	if l < cpu.AVX512 {
		inverseWideBlockShort(dst, sy, sz, sw, p, c, q, f, lossless)
		return
	}
	to := unsafe.Pointer(unsafe.SliceData(dst[:3*sy+3*sz+3*sw+4]))
	mode := kernelMode(f.form, lossless)
	groups := (f.length + 63) / 64
	clear(q[:])
	switch c := any(c).(type) {
	case *block[int32]:
		q := any(q).(*block[int32])
		for g := range groups {
			coefficients32(&c[64*g], &p[g], &spreadInOrder32, f.bottom)
		}
		for i, v := range c[:f.length] {
			q[transposed[i&255]] = v
		}
		inverse4x32(to, 4*sy, 4*sz, 4*sw, q, scale32(f.emax-30), mode)
	case *block[int64]:
		q := any(q).(*block[int64])
		for g := range groups {
			coefficients64(&c[64*g], &p[g], &spreadInOrder64, f.bottom)
		}
		for i, v := range c[:f.length] {
			q[transposed[i&255]] = v
		}
		inverse4x64(to, 8*sy, 8*sz, 8*sw, q, scale64(f.emax-62), mode)
	}
}

// inverseWideBlockShort is inverseWideBlock with kernels for short registers.
func inverseWideBlockShort[W word](dst []W, sy, sz, sw int, p *wideBlock, c, q *block[W], f found, lossless bool) {
	mode := kernelMode(f.form, lossless)
	groups := (f.length + 63) / 64
	clear(q[:])
	switch c := any(c).(type) {
	case *block[int32]:
		q := any(q).(*block[int32])
		for g := range groups {
			coefficients32Short(&c[64*g], &p[g], &sortNone32.spread, f.bottom)
		}
		for i, v := range c[:f.length] {
			q[order4[i&255]] = v
		}
		begin4x32Short(&q[0], mode)
		for w := range 4 {
			to := unsafe.Pointer(unsafe.SliceData(dst[w*sw:][:3*sy+3*sz+4]))
			inverse32Short(to, 4*sy, 4*sz, &q[64*w], scale32(f.emax-30), mode)
		}
	case *block[int64]:
		q := any(q).(*block[int64])
		for g := range groups {
			coefficients64Short(&c[64*g], &p[g], &sortNone64.spread, f.bottom)
		}
		for i, v := range c[:f.length] {
			q[order4[i&255]] = v
		}
		begin4x64Short(&q[0], mode)
		for w := range 4 {
			to := unsafe.Pointer(unsafe.SliceData(dst[w*sw:][:3*sy+3*sz+4]))
			inverse64Short(to, 8*sy, 8*sz, &q[64*w], scale64(f.emax-62), mode)
		}
	}
}
