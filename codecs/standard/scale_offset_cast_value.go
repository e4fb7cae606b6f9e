package standard

import (
	"math"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/codecs/packing"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// The most common pair of neighbours is scale_offset and cast_value from floats to
// integers. It has loops of its own: each element is read and written once and stays in
// a register in between. These loops handle elements that are rounded half to even or
// clamped, and NaN if the scalar map has a value for it. They leave other elements, a
// block at a time, to the kernels of the two codecs.

// JoinEncode implements [codecs.Joining] for floats of 32 or 64 bits that become
// integers of at most 32 bits.
func (b *scaleOffsetBound) JoinEncode(next codecs.Elementwise, both elements.Kernel) elements.Kernel {
	cast, ok := next.(*castValueBound)
	if !ok || cast.rule.rounding != dtype.NearestEven {
		return nil
	}
	switch cast.from.goType() {
	case float32Number:
		return packingFrom(float32(b.offset.float), float32(b.scale.float), cast, both)
	case float64Number:
		return packingFrom(b.offset.float, b.scale.float, cast, both)
	default:
		return nil
	}
}

func packingFrom[S float](o, s S, cast *castValueBound, both elements.Kernel) elements.Kernel {
	if cast.to.kind == dtype.Float {
		return nil
	}
	p := packer[S]{offset: o, scale: s}
	p.low, p.high = roundedBounds[S](cast.to, dtype.NearestEven)
	p.clamps = cast.rule.outOfRange == clampOutOfRange
	for _, e := range cast.encodeMap {
		switch key := floatOf(cast.from.typ, e.key); {
		case key != key:
			p.mapsNaN, p.ofNaN = true, wholeOf(cast.to.typ, e.value).Int64()
		case key >= float64(p.low) && key <= float64(p.high):
			return nil
		default:
			p.clamps = false // numbers that do not fit are left to the codecs
		}
	}
	p.least, p.greatest = cast.to.least(), int64(cast.to.greatest())
	switch cast.to.goType() {
	case int8Number:
		return packInto[int8](&p, both)
	case uint8Number:
		return packInto[uint8](&p, both)
	case int16Number:
		return packInto[int16](&p, both)
	case uint16Number:
		return packInto[uint16](&p, both)
	case int32Number:
		return packInto[int32](&p, both)
	case uint32Number:
		return packInto[uint32](&p, both)
	default:
		return nil
	}
}

// packer has the terms of scale_offset, and what becomes of floats.
type packer[S float] struct {
	offset, scale   S
	low, high       S // numbers between them are rounded to a number of the integer type
	clamps          bool
	least, greatest int64 // the bounds to which numbers are clamped
	mapsNaN         bool
	ofNaN           int64
}

// packBlock is how many elements are left to the codecs' kernels at a time.
const packBlock = 256

func packInto[D integer, S float](p *packer[S], both elements.Kernel) elements.Kernel {
	many := packMany[D](p)
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		from, _ := ndarray.As[S](src)
		for at := 0; at < len(from); {
			stop := len(from)
			if many != nil {
				at += many(to[at:], from[at:])
				stop = min(at+packBlock, stop)
			}
			n := packRun(to[at:stop], from[at:stop], p)
			if at += n; at == stop {
				continue
			}
			end := min(at+packBlock, len(from))
			if bad := both(elements.Span(dst, at, end), elements.Span(src, at, end)); bad >= 0 {
				return at + bad
			}
			at = end
		}
		return -1
	}
}

// packMany returns a function that packs elements from the front of from, and returns how many it
// has packed. It returns nil if there is no kernel for the types.
func packMany[D integer, S float](p *packer[S]) func(to []D, from []S) int {
	q, ok := any(p).(*packer[float32])
	if !ok || packing.Kernels() == "" {
		return nil
	}
	terms := &packing.Packer{Offset: q.offset, Scale: q.scale, Low: q.low, High: q.high}
	many, _ := any(func(to []int16, from []float32) int { return packing.Pack(to, from, terms) }).(func([]D, []S) int)
	return many
}

// packRun returns how many elements it has handled: all before the first element that
// has no result, or whose result these rules do not give. It rounds by adding 1.5 ×
// 2^52. For a number far below 2^52, the sum has no bits for a fraction, and its lower
// bits are those of the rounded integer.
func packRun[D integer, S float](to []D, from []S, p *packer[S]) int {
	const shifter = 0x1.8p52
	o, s, low, high := p.offset, p.scale, p.low, p.high
	to = to[:len(from)]
	for i, v := range from {
		r := S(S(v-o) * s)
		switch {
		case r >= low && r <= high:
			to[i] = D(math.Float64bits(float64(r) + shifter))
		case r != r && p.mapsNaN:
			to[i] = D(p.ofNaN)
		case r-r != 0 || !p.clamps:
			return i
		case r < 0:
			to[i] = D(p.least)
		default:
			to[i] = D(p.greatest)
		}
	}
	return len(from)
}

// JoinDecode implements [codecs.Joining]. There is no such loop.
func (b *scaleOffsetBound) JoinDecode(codecs.Elementwise, elements.Kernel) elements.Kernel {
	return nil
}

// JoinEncode implements [codecs.Joining]. There is no such loop.
func (b *castValueBound) JoinEncode(codecs.Elementwise, elements.Kernel) elements.Kernel { return nil }

// JoinDecode implements [codecs.Joining] for integer types whose numbers are all
// numbers of the float type, and stay finite when they are scaled.
func (b *castValueBound) JoinDecode(next codecs.Elementwise, both elements.Kernel) elements.Kernel {
	scale, ok := next.(*scaleOffsetBound)
	if !ok {
		return nil
	}
	switch b.from.goType() {
	case float32Number:
		return unpackingTo(float32(scale.offset.float), float32(scale.scale.float), 24, b, both)
	case float64Number:
		return unpackingTo(scale.offset.float, scale.scale.float, 53, b, both)
	default:
		return nil
	}
}

// unpackingTo is JoinDecode for floats with precision bits of precision.
func unpackingTo[T float](o, s T, precision int, cast *castValueBound, both elements.Kernel) elements.Kernel {
	stored := cast.to
	if stored.typ.Size() == 1 {
		return unpackBytes[T](cast, both)
	}
	if stored.kind == dtype.Float || stored.bits > precision || len(cast.decodeMap) > 1 {
		return nil
	}
	for _, x := range []float64{float64(stored.least()), float64(stored.greatest())} {
		if r := T(T(x)/s) + o; r-r != 0 {
			return nil
		}
	}
	u := unpacker[T]{offset: o, scale: s}
	for _, e := range cast.decodeMap {
		value := both.Scalar(cast.from.typ, stored.typ, e.key)
		if value == nil {
			return nil
		}
		u.mapped, u.key, u.value = true, e.number, T(floatOf(cast.from.typ, value))
	}
	switch stored.goType() {
	case int16Number:
		return unpackFrom[int16](u)
	case uint16Number:
		return unpackFrom[uint16](u)
	case int32Number:
		return unpackFrom[int32](u)
	case uint32Number:
		return unpackFrom[uint32](u)
	default:
		return nil
	}
}

// unpacker has the terms of scale_offset, and the value of the only key of the scalar
// map, if there is one.
type unpacker[T float] struct {
	offset, scale T
	mapped        bool
	key           uint64
	value         T
}

func unpackFrom[S integer, T float](u unpacker[T]) elements.Kernel {
	many := unpackMany[S](u)
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[T](dst)
		from, _ := ndarray.As[S](src)
		to = to[:len(from)]
		if many != nil {
			n := many(to, from)
			to, from = to[n:], from[n:]
		}
		if u.mapped {
			unpackMapped(to, from, u, S(u.key))
			return -1
		}
		o, s := u.offset, u.scale
		for i, v := range from {
			to[i] = T(T(v)/s) + o
		}
		return -1
	}
}

// unpackMany is [packMany] for unpacking.
func unpackMany[S integer, T float](u unpacker[T]) func(to []T, from []S) int {
	v, ok := any(u).(unpacker[float32])
	if !ok || packing.Kernels() == "" {
		return nil
	}
	terms := &packing.Unpacker{Offset: v.offset, Scale: v.scale, Key: packing.NoKey}
	if v.mapped {
		terms.Key, terms.Value = int32(int16(v.key)), v.value
	}
	many, _ := any(func(to []float32, from []int16) int { return packing.Unpack(to, from, terms) }).(func([]T, []S) int)
	return many
}

func unpackMapped[S integer, T float](to []T, from []S, u unpacker[T], key S) {
	o, s, value := u.offset, u.scale, u.value
	for i, v := range from {
		r := T(T(v)/s) + o
		if v == key {
			r = value
		}
		to[i] = r
	}
}

// unpackBytes is for types of one byte if every byte has a result. It looks results up
// in a table.
func unpackBytes[T float](cast *castValueBound, both elements.Kernel) elements.Kernel {
	const n = 1 << 8
	all, results := ndarray.New(cast.to.typ, []int{n}), ndarray.New(cast.from.typ, []int{n})
	for i := range all.Data {
		all.Data[i] = byte(i)
	}
	ndarray.ClearUnused(all)
	if both(results, all) >= 0 {
		return nil
	}
	table, _ := ndarray.As[T](results)
	values := (*[n]T)(table)
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[T](dst)
		to = to[:len(src.Data)]
		for i, v := range src.Data {
			to[i] = values[v]
		}
		return -1
	}
}
