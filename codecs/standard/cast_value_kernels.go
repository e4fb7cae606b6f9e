package standard

import (
	"slices"

	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// castForm is the representation of a type of real numbers.
type castForm struct {
	typ    dtype.Numeric
	kind   dtype.Kind         // Int, Uint or Float
	bits   int                // of an integer
	layout *dtype.FloatLayout // of a float of at most 16 bits; otherwise nil
}

// castFormOf returns the form of a data type, or false if an element is not one integer
// or one float.
func castFormOf(t dtype.Type) (castForm, bool) {
	n, ok := t.(dtype.Numeric)
	if !ok {
		return castForm{}, false
	}
	f := castForm{typ: n, kind: n.Kind(), bits: 8 * t.Size()}
	if p, ok := t.(dtype.Packed); ok {
		f.bits = p.Packing().Bits
	}
	switch f.kind {
	case dtype.Int, dtype.Uint:
		return f, f.goType() != noNumber
	case dtype.Float:
		if narrow, ok := t.(dtype.Narrow); ok {
			f.layout = narrow.Layout()
			return f, true
		}
		return f, f.goType() != noNumber
	default:
		return f, false
	}
}

// goType returns the Go type of elements in memory, or noNumber if Go has no such type.
func (f castForm) goType() number {
	at := slices.Index([]int{1, 2, 4, 8}, f.typ.Size())
	switch {
	case at < 0 || f.layout != nil:
		return noNumber
	case f.kind == dtype.Int:
		return int8Number + number(at)
	case f.kind == dtype.Uint:
		return uint8Number + number(at)
	case at < 2:
		return noNumber
	default:
		return float32Number + number(at-2)
	}
}

// least and greatest are the bounds of an integer type.
func (f castForm) least() int64 {
	if f.kind == dtype.Uint {
		return 0
	}
	return -1 << (f.bits - 1)
}

func (f castForm) greatest() uint64 {
	if f.kind == dtype.Uint {
		return 1<<f.bits - 1
	}
	return 1<<(f.bits-1) - 1
}

// wide returns a form that has all numbers of f and a Go type of more than one byte. It
// returns f itself if f is such a form.
func (f castForm) wide() castForm {
	switch {
	case f.layout != nil:
		return castForm{typ: dtype.Float32, kind: dtype.Float}
	case f.typ.Size() == 1:
		return castForm{typ: dtype.Int16, kind: dtype.Int, bits: 16}
	default:
		return f
	}
}

// outOfRange says what becomes of numbers that the target type cannot represent,
// however they are rounded.
type outOfRange uint8

const (
	refuseOutOfRange outOfRange = iota
	clampOutOfRange
	wrapOutOfRange // for integer targets; elsewhere it is refuseOutOfRange
)

// castRule is what the configuration says about numbers that the scalar map does not
// have.
type castRule struct {
	rounding   dtype.Rounding
	outOfRange outOfRange
}

// kernel returns the kernel of a cast. Elements that are keys of the map become the
// map's values. The rule converts all others. NaN stays NaN and may lose its sign and
// payload.
func (r castRule) kernel(to, from castForm, m castMap) elements.Kernel {
	wide := from.wide()
	switch {
	case dtype.Same(to.typ, from.typ) && len(m) == 0:
		return copyElements
	case from.typ.Size() == 1:
		return castBytes(to, from, m, widen(from), r.number(to, wide))
	case from.layout != nil:
		return m.kernel(to, from, through(dtype.Float32, widen(from), r.number(to, wide)))
	default:
		return m.kernel(to, from, r.number(to, from))
	}
}

func copyElements(dst, src ndarray.Array) int {
	copy(dst.Data, src.Data)
	return -1
}

// widen returns the kernel from f to f's wide form. It ignores bits of a byte that f
// does not use.
func widen(f castForm) elements.Kernel {
	switch {
	case f.layout != nil:
		return func(dst, src ndarray.Array) int {
			to, _ := ndarray.As[float32](dst)
			f.layout.ToFloat32(to, src.Data)
			return -1
		}
	case f.kind == dtype.Int:
		return func(dst, src ndarray.Array) int {
			to, _ := ndarray.As[int16](dst)
			for i, v := range src.Data {
				to[i] = int16(int8(v<<(8-f.bits)) >> (8 - f.bits))
			}
			return -1
		}
	default:
		return func(dst, src ndarray.Array) int {
			to, _ := ndarray.As[int16](dst)
			for i, v := range src.Data {
				to[i] = int16(v << (8 - f.bits) >> (8 - f.bits))
			}
			return -1
		}
	}
}

// number returns the kernel between wide forms.
func (r castRule) number(to, from castForm) elements.Kernel {
	switch from.goType() {
	case int16Number:
		return castFromInteger[int16](r, to, from)
	case int32Number:
		return castFromInteger[int32](r, to, from)
	case int64Number:
		return castFromInteger[int64](r, to, from)
	case uint16Number:
		return castFromInteger[uint16](r, to, from)
	case uint32Number:
		return castFromInteger[uint32](r, to, from)
	case uint64Number:
		return castFromInteger[uint64](r, to, from)
	case float32Number:
		return castFromFloat[float32](r, to)
	default:
		return castFromFloat[float64](r, to)
	}
}

// castBytes returns the kernel for elements of one byte. It looks results up in a table
// of all bytes, which it makes with the map and with the kernels for the wide form.
func castBytes(to, from castForm, m castMap, widen, cast elements.Kernel) elements.Kernel {
	const n = 1 << 8
	all, wide := ndarray.New(from.typ, []int{n}), ndarray.New(from.wide().typ, []int{n})
	for i := range all.Data {
		all.Data[i] = byte(i)
	}
	widen(wide, all)
	one := func(a ndarray.Array, i int) ndarray.Array {
		size := a.Type.Size()
		return elements.Line(a.Type, a.Data[i*size:(i+1)*size])
	}
	table := ndarray.New(to.typ, []int{n})
	var refused *[n]bool
	for i := range n {
		result := one(table, i)
		if value := m.find(from, one(all, i).Data); value != nil {
			copy(result.Data, value)
		} else if cast(result, one(wide, i)) >= 0 {
			if refused == nil {
				refused = new([n]bool)
			}
			refused[i] = true
		}
	}
	switch to.typ.Size() {
	case 1:
		return lookUp[uint8](table, refused)
	case 2:
		return lookUp[uint16](table, refused)
	case 4:
		return lookUp[uint32](table, refused)
	default:
		return lookUp[uint64](table, refused)
	}
}

// lookUp returns the kernel of a table. refused is nil if every byte has a result.
func lookUp[D word](table ndarray.Array, refused *[1 << 8]bool) elements.Kernel {
	list, _ := ndarray.As[D](table)
	values := (*[1 << 8]D)(list)
	return func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[D](dst)
		to = to[:len(src.Data)]
		if refused != nil {
			for i, v := range src.Data {
				if refused[v] {
					return i
				}
			}
		}
		for i, v := range src.Data {
			to[i] = values[v]
		}
		return -1
	}
}
