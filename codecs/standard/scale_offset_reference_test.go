package standard_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestScaleOffsetReference compares all types with exact arithmetic, rounded after each
// step.
func TestScaleOffsetReference(t *testing.T) {
	for _, typ := range realTypes() {
		t.Run(typ.Name(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			slow := newExact(typ)
			for range 20 {
				offset, scale := slow.term(r), slow.term(r)
				if r.IntN(4) == 0 {
					offset = nil
				}
				text := slow.configuration(offset, scale)
				if text == `{"scale":1.0}` {
					continue // nothing is computed
				}
				b := bindArray(t, spec("scale_offset", text), codecs.Chunk{Type: typ, Shape: []int{slow.count()}})
				if offset == nil && typ != dtype.Float8E8M0FNU { // this type has no zero: nothing is subtracted
					offset = typ.Default()
				}
				values := slow.values(r, offset, scale)
				encoded := func(x dtype.Scalar) dtype.Scalar {
					return slow.step(multiplied, slow.step(subtracted, x, offset), scale)
				}
				decoded := func(x dtype.Scalar) dtype.Scalar {
					return slow.step(added, slow.step(divided, x, scale), offset)
				}
				compareExact(t, text+", encode", slow, values, b.Encode, encoded)
				compareExact(t, text+", decode", slow, values, b.Decode, decoded)
				if typ.Size() != 2 {
					continue
				}
				// After many elements, the codec looks floats up in tables.
				many := ndarray.New(typ, []int{1 << 16})
				for _, run := range []func(dst, src ndarray.Array) error{b.Encode, b.Decode} {
					_ = run(ndarray.New(typ, many.Shape), many) // zeros may have no result
				}
				compareExact(t, text+", encode after many", slow, values, b.Encode, encoded)
				compareExact(t, text+", decode after many", slow, values, b.Decode, decoded)
			}
		})
	}
}

// compareExact runs a codec over all values, where it must stop at the first value
// without a result, and then over the values that have a result.
func compareExact(t *testing.T, name string, slow *exact, values []dtype.Scalar, run func(dst, src ndarray.Array) error, reference func(dtype.Scalar) dtype.Scalar) {
	t.Helper()
	size := slow.typ.Size()
	var have, want []byte
	firstBad := -1
	for i, v := range values {
		result := reference(v)
		if result == nil {
			if firstBad < 0 {
				firstBad = i
			}
			continue
		}
		have, want = append(have, v...), append(want, result...)
	}
	array := func(data []byte) ndarray.Array {
		a := ndarray.New(slow.typ, []int{len(data) / size})
		copy(a.Data, data)
		return a
	}
	all := array(slices.Concat(values...))
	err := run(ndarray.New(slow.typ, all.Shape), all)
	place := fmt.Sprintf("element [%d], ", firstBad)
	if (err == nil) != (firstBad < 0) || err != nil && !strings.Contains(err.Error(), place) {
		t.Errorf("%s: %v, want one at %d", name, err, firstBad)
	}
	src := array(have)
	dst := ndarray.New(slow.typ, src.Shape)
	if err := run(dst, src); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !bytes.Equal(dst.Data, want) {
		compare(t, name, src, dst, array(want))
	}
}

// exact is arithmetic with fractions, rounded to a type after each step.
type exact struct {
	typ    dtype.Numeric
	finite []dtype.Scalar // floats of at most 16 bits, in ascending order
	exact  []*big.Rat     // the values of finite
}

func newExact(typ dtype.Type) *exact {
	e := &exact{typ: typ.(dtype.Numeric)}
	narrow, ok := typ.(dtype.Narrow)
	if !ok || narrow.Kind() != dtype.Float {
		return e
	}
	layout := narrow.Layout()
	for pattern := range 1 << layout.Bits() {
		if x := layout.Float64(uint16(pattern)); !math.IsNaN(x) && !math.IsInf(x, 0) && (x != 0 || !math.Signbit(x)) {
			e.finite = append(e.finite, e.scalar(uint64(pattern)))
		}
	}
	slices.SortFunc(e.finite, func(a, b dtype.Scalar) int { return cmp.Compare(e.float(a), e.float(b)) })
	for _, x := range e.finite {
		e.exact = append(e.exact, e.rat(x))
	}
	return e
}

// scalar returns a scalar of the lower bits of a number.
func (e *exact) scalar(bits uint64) dtype.Scalar {
	a := ndarray.New(e.typ, []int{1})
	switch e.typ.Size() {
	case 1:
		a.Data[0] = byte(bits)
	case 2:
		x, _ := ndarray.As[uint16](a)
		x[0] = uint16(bits)
	case 4:
		x, _ := ndarray.As[uint32](a)
		x[0] = uint32(bits)
	default:
		x, _ := ndarray.As[uint64](a)
		x[0] = bits
	}
	ndarray.ClearUnused(a)
	return a.Data
}

func (e *exact) bits(x dtype.Scalar) uint64 {
	a := ndarray.Array{Type: e.typ, Data: bytes.Clone(x), Shape: []int{1}, Strides: []int{len(x)}}
	switch len(x) {
	case 1:
		return uint64(x[0])
	case 2:
		v, _ := ndarray.As[uint16](a)
		return uint64(v[0])
	case 4:
		v, _ := ndarray.As[uint32](a)
		return uint64(v[0])
	default:
		v, _ := ndarray.As[uint64](a)
		return v[0]
	}
}

// float returns the value of a float.
func (e *exact) float(x dtype.Scalar) float64 {
	if narrow, ok := e.typ.(dtype.Narrow); ok {
		return narrow.Layout().Float64(uint16(e.bits(x)))
	}
	if len(x) == 4 {
		return float64(math.Float32frombits(uint32(e.bits(x))))
	}
	return math.Float64frombits(e.bits(x))
}

func (e *exact) isFloat() bool { return e.typ.Kind() == dtype.Float }

// rat returns the value of a finite number.
func (e *exact) rat(x dtype.Scalar) *big.Rat {
	if e.isFloat() {
		return new(big.Rat).SetFloat64(e.float(x))
	}
	r, _ := new(big.Rat).SetString(string(e.typ.FormatScalar(dtype.V3, x)))
	return r
}

type operator int

const (
	subtracted operator = iota
	multiplied
	divided
	added
)

// step returns the result of one operation, or nil if there is none or x is nil. If y
// is nil, it returns x.
func (e *exact) step(o operator, x, y dtype.Scalar) dtype.Scalar {
	if x == nil || y == nil {
		return x
	}
	sign := false // the sign of a zero
	if e.isFloat() {
		a, b := e.float(x), e.float(y)
		sign = math.Signbit([]float64{a - b, a * b, a / b, a + b}[o])
		switch {
		case math.IsNaN(a):
			narrow, ok := e.typ.(dtype.Narrow)
			switch {
			case ok:
				nan, _ := narrow.Layout().NaN()
				return e.scalar(e.bits(x) | uint64(nan))
			case len(x) == 4:
				return e.scalar(e.bits(x) | 1<<22)
			}
			return e.scalar(e.bits(x) | 1<<51)
		case math.IsInf(a, 0):
			if flip := (o == multiplied || o == divided) && b < 0; flip {
				return e.scalar(e.bits(x) ^ 1<<(8*len(x)-1))
			}
			return x
		}
	}
	r, other := e.rat(x), e.rat(y)
	switch o {
	case subtracted:
		r.Sub(r, other)
	case multiplied:
		r.Mul(r, other)
	case divided:
		r.Quo(r, other)
	default:
		r.Add(r, other)
	}
	return e.round(r, sign)
}

func (e *exact) round(r *big.Rat, negativeZero bool) dtype.Scalar {
	switch {
	case !e.isFloat():
		value, err := e.typ.ParseScalar(dtype.V3, json.RawMessage(r.RatString()))
		if err != nil {
			return nil
		}
		return value
	case e.finite != nil:
		return e.roundNarrow(r, negativeZero)
	case e.typ.Size() == 4:
		f, _ := r.Float32()
		if math.IsInf(float64(f), 0) {
			return nil
		}
		if f == 0 && negativeZero {
			return e.scalar(1 << 31)
		}
		return e.scalar(uint64(math.Float32bits(f)))
	default:
		f, _ := r.Float64()
		if math.IsInf(f, 0) {
			return nil
		}
		if f == 0 && negativeZero {
			return e.scalar(1 << 63)
		}
		return e.scalar(math.Float64bits(f))
	}
}

// roundNarrow returns the nearest float. Of two equally near floats it returns the even
// one, or the larger one if all are odd.
func (e *exact) roundNarrow(r *big.Rat, negativeZero bool) dtype.Scalar {
	i, found := slices.BinarySearchFunc(e.exact, r, (*big.Rat).Cmp)
	if !found {
		below, above := i-1, i
		// Beyond the largest float, the next one is as far away as the one before.
		beyond := func(edge, inner int) *big.Rat {
			x := e.exact[edge]
			step := new(big.Rat).Sub(x, e.exact[inner])
			if e.typ == dtype.Float8E8M0FNU {
				step = x // twice the largest; the smallest has no float below
			}
			return new(big.Rat).Add(x, step)
		}
		var low, high *big.Rat
		n := len(e.finite)
		switch {
		case i == 0 && e.typ == dtype.Float8E8M0FNU:
			low = new(big.Rat).Quo(e.exact[0], big.NewRat(2, 1))
			if r.Cmp(low) < 0 {
				return nil
			}
			high = e.exact[0]
		case i == 0:
			low, high = beyond(0, 1), e.exact[0]
		case i == n:
			low, high = e.exact[n-1], beyond(n-1, n-2)
		default:
			low, high = e.exact[below], e.exact[above]
		}
		fromLow, toHigh := new(big.Rat).Sub(r, low), new(big.Rat).Sub(high, r)
		up := fromLow.Cmp(toHigh) > 0
		if fromLow.Cmp(toHigh) == 0 {
			switch {
			case e.typ == dtype.Float8E8M0FNU || i == n:
				up = true
			case i == 0:
				up = false
			default:
				up = e.bits(e.finite[below])&1 == 1
			}
		}
		if i = below; up {
			i = above
		}
		if i < 0 || i == n {
			return nil
		}
	}
	result := e.finite[i]
	narrow := e.typ.(dtype.Narrow).Layout()
	if e.float(result) == 0 && negativeZero {
		if minus, fits := narrow.Round(math.Copysign(0, -1), dtype.NearestEven); fits {
			return e.scalar(uint64(minus))
		}
	}
	return result
}

// count returns how many values are tried with each configuration.
func (e *exact) count() int {
	if e.typ.Size() == 1 {
		return 256
	}
	return 200
}

// term returns an offset or scale, often a small one.
func (e *exact) term(r *rand.Rand) dtype.Scalar {
	for {
		x := e.scalar(r.Uint64())
		if r.IntN(2) == 0 {
			texts := []string{"1", "2", "-1", "3", "-6", "10", "0.1", "0.01", "1000", "7", "1.5"}
			value, err := e.typ.ParseScalar(dtype.V3, json.RawMessage(texts[r.IntN(len(texts))]))
			if err != nil {
				continue
			}
			x = value
		}
		if !e.isFloat() && e.rat(x).Sign() != 0 {
			return x
		}
		if f := e.float(x); e.isFloat() && f != 0 && f-f == 0 {
			return x
		}
	}
}

// configuration writes a configuration. A float that has no exact JSON number is
// written as its bit pattern.
func (e *exact) configuration(offset, scale dtype.Scalar) string {
	text := `{"scale":` + string(e.typ.FormatScalar(dtype.V3, scale))
	if offset != nil {
		text += `,"offset":` + string(e.typ.FormatScalar(dtype.V3, offset))
	}
	return text + "}"
}

// values returns all values of a type of one byte. For other types it returns random
// values, and some near the values where results begin to be out of range or to have no
// remainder.
func (e *exact) values(r *rand.Rand, offset, scale dtype.Scalar) []dtype.Scalar {
	var list []dtype.Scalar
	for i := range e.count() {
		switch {
		case e.typ.Size() == 1:
			list = append(list, e.scalar(uint64(i)))
			continue
		case i%4 == 0 && !e.isFloat():
			x := e.rat(e.scalar(r.Uint64() >> r.IntN(64)))
			x.Quo(x, e.rat(scale))
			if whole := new(big.Int).Quo(x.Num(), x.Denom()); i%8 == 0 {
				x.SetInt(whole)
				if offset != nil {
					x.Add(x, e.rat(offset))
				}
			} else {
				x.SetInt(whole).Mul(x, e.rat(scale))
			}
			if value := e.round(x, false); value != nil {
				list = append(list, value)
				continue
			}
		case i%4 == 1 && offset != nil:
			list = append(list, e.scalar(e.bits(offset)+uint64(i/4)-20))
			continue
		case i%4 == 2:
			list = append(list, e.scalar(e.bits(scale)*uint64(i/4)))
			continue
		}
		list = append(list, e.scalar(r.Uint64()>>(r.IntN(2)*r.IntN(64))))
	}
	return list
}
