package cf

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// unpackable lists the possible types of stored values.
func unpackable() []dtype.Type {
	return []dtype.Type{
		dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Uint32, dtype.Int64, dtype.Uint64, dtype.Float32, dtype.Float64,
	}
}

// rounded returns x rounded to the physical type, half to even.
func (p *Packing) rounded(x *big.Float) *big.Float {
	if p.Physical == dtype.Float32 {
		f, _ := x.Float32()
		return big.NewFloat(float64(f))
	}
	f, _ := x.Float64()
	return big.NewFloat(f)
}

// slowly computes the physical value of a stored value with big numbers, if it stays
// finite. It returns false for missing data.
func (p *Packing) slowly(s dtype.Scalar) (float64, bool) {
	if slices.ContainsFunc(p.sentinels, func(m dtype.Scalar) bool { return string(m) == string(s) }) {
		return 0, false
	}
	v := new(big.Float)
	if p.isInteger() {
		k := p.count(s)
		if k < p.valid.low || k > p.valid.high || p.valid.empty {
			return 0, false
		}
		v.SetInt(p.exact(k))
	} else {
		f := float64(valueOf[float32](s))
		if len(s) == 8 {
			f = valueOf[float64](s)
		}
		if f < p.valid.lowF || f > p.valid.topF {
			return 0, false
		}
		v.SetFloat64(f)
	}
	wide := func() *big.Float { return new(big.Float).SetPrec(400) }
	x := p.rounded(v)
	if p.scale != nil {
		x = p.rounded(wide().Mul(x, big.NewFloat(p.scale.float)))
	}
	if p.offset != nil {
		x = p.rounded(wide().Add(x, big.NewFloat(p.offset.float)))
	}
	f, _ := x.Float64()
	return f, true
}

// bits returns the bytes that a physical value should have in memory.
func (p *Packing) bits(x float64, valid bool) string {
	if !valid {
		return string(p.nan())
	}
	if p.Physical == dtype.Float32 {
		return string(binary.NativeEndian.AppendUint32(nil, math.Float32bits(float32(x))))
	}
	return string(binary.NativeEndian.AppendUint64(nil, math.Float64bits(x)))
}

// random fills an array with values of all magnitudes, among them sentinels and limits.
// The floats do not overflow when they are scaled.
func (p *Packing) random(r *rand.Rand, a ndarray.Array) {
	size := p.Type.Size()
	for at := 0; at+size <= len(a.Data); at += size {
		item := a.Data[at : at+size]
		v := r.Uint64() >> r.IntN(64)
		if r.IntN(2) == 0 {
			v = -v
		}
		switch {
		case len(p.sentinels) > 0 && r.IntN(6) == 0:
			copy(item, p.sentinels[r.IntN(len(p.sentinels))])
		case p.isInteger() && r.IntN(6) == 0:
			edge := []uint64{p.valid.low, p.valid.high, p.valid.low - 1, p.valid.high + 1, 0, p.last()}[r.IntN(6)]
			copy(item, p.scalar(edge&p.last()))
		case p.Type == dtype.Float32:
			binary.NativeEndian.PutUint32(item, math.Float32bits(float32(int64(v))/7))
		case p.Type == dtype.Float64:
			binary.NativeEndian.PutUint64(item, math.Float64bits(float64(int64(v))/7))
		case size == 1:
			item[0] = byte(v)
		case size == 2:
			binary.NativeEndian.PutUint16(item, uint16(v))
		case size == 4:
			binary.NativeEndian.PutUint32(item, uint32(v))
		default:
			binary.NativeEndian.PutUint64(item, v)
		}
	}
}

// TestUnpack compares all types, with strides and within the memory of dst, with
// arithmetic in big numbers.
func TestUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	one := floats(scaleFactor, addOffset)
	for _, stored := range unpackable() {
		for i, attributes := range []string{
			`{"scale_factor": 0.01, "add_offset": 273.15}`,
			`{"scale_factor": -3.3e-5, "_FillValue": 100}`,
			`{"add_offset": 1e6, "_FillValue": 100, "missing_value": [99, 98]}`,
			`{"scale_factor": 0.1, "add_offset": -7.0, "_FillValue": 100, "valid_range": [3, 90]}`,
			`{"scale_factor": 0.1, "add_offset": -7.0, "valid_max": 3.5, "_Unsigned": "true"}`,
			`{"scale_factor": 0.1, "valid_range": [90, 3]}`,
			`{"scale_factor": 0.1, "_Unsigned": "false", "_FillValue": -1}`,
		} {
			for _, types := range []map[string]dtype.Type{nil, one} {
				p := header{stored, attributes, types}.packing(t)
				t.Run(fmt.Sprintf("%s to %s, %d", stored.Name(), p.Physical.Name(), i), func(t *testing.T) {
					shapes := [][]int{{}, {0, 3}, {3, 5, 9}}
					if len(p.sentinels) > 0 && p.valid.given {
						shapes = append(shapes, []int{pieceElements + 76}, []int{3, 2, pieceElements/6 + 7})
					}
					for _, shape := range shapes {
						checkUnpack(t, p, r, shape)
					}
				})
			}
		}
	}
}

func checkUnpack(t *testing.T, p *Packing, r *rand.Rand, shape []int) {
	t.Helper()
	src := ndarray.New(p.Type, shape)
	p.random(r, src)
	want := ndarray.New(p.Physical, shape)
	for i := range src.Len() {
		x, valid := p.slowly(src.Data[i*p.Type.Size():][:p.Type.Size()])
		copy(want.Data[i*p.Physical.Size():], p.bits(x, valid))
	}
	order := make([]int, len(shape))
	wider := slices.Clone(shape)
	for i := range shape {
		order[i] = len(shape) - 1 - i
		wider[i]++
	}
	region := ndarray.Region{Start: make([]int, len(shape)), Shape: shape}
	for name, into := range map[string]func() ndarray.Array{
		"contiguous": func() ndarray.Array { return ndarray.New(p.Physical, shape) },
		"transposed": func() ndarray.Array {
			turned := make([]int, len(shape))
			for i, k := range order {
				turned[i] = shape[k]
			}
			return ndarray.New(p.Physical, turned).Transpose(order)
		},
		"with gaps": func() ndarray.Array { return ndarray.New(p.Physical, wider).Sub(region) },
	} {
		got := ndarray.New(p.Physical, shape)
		dst := into()
		p.Unpack(dst, src)
		ndarray.Copy(got, dst)
		if diff := cmp.Diff(want.Data, got.Data); diff != "" {
			t.Fatalf("%v, %s: (-want +got):\n%s", shape, name, diff)
		}
		dst = into()
		stored := p.Within(dst)
		ndarray.Copy(stored, src)
		p.Unpack(dst, stored)
		ndarray.Copy(got, dst)
		if diff := cmp.Diff(want.Data, got.Data); diff != "" {
			t.Fatalf("%v, %s, within its own memory: (-want +got):\n%s", shape, name, diff)
		}
	}
}

// TestUnpackNaN: all NaNs get the same bits, also those that come from infinities.
func TestUnpackNaN(t *testing.T) {
	p := header{dtype.Float64, `{"scale_factor": 0.0}`, nil}.packing(t)
	src, dst := ndarray.New(dtype.Float64, []int{3}), ndarray.New(dtype.Float64, []int{3})
	for i, bits := range []uint64{0xfff8000000000007, 0x7ff0000000000001, 0xfff0000000000000} {
		binary.NativeEndian.PutUint64(src.Data[8*i:], bits)
	}
	p.Unpack(dst, src)
	for i := range 3 {
		if got := binary.NativeEndian.Uint64(dst.Data[8*i:]); got != 0x7ff8000000000000 {
			t.Errorf("element %d is %#x", i, got)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	for name, h := range map[string]header{
		"int16 to float32":           {dtype.Int16, `{"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32768}`, floats(scaleFactor, addOffset)},
		"int16 to float64":           {dtype.Int16, `{"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32768}`, nil},
		"uint8 to float64 and range": {dtype.Uint8, `{"scale_factor": 0.01, "_FillValue": 255, "valid_range": [2, 250]}`, nil},
	} {
		attributes := h
		b.Run(name, func(b *testing.B) {
			p := attributes.packing(b)
			src, dst := ndarray.New(p.Type, []int{1 << 20}), ndarray.New(p.Physical, []int{1 << 20})
			p.random(rand.New(rand.NewPCG(1, 2)), src)
			b.SetBytes(int64(len(dst.Data)))
			for b.Loop() {
				p.Unpack(dst, src)
			}
		})
	}
}
