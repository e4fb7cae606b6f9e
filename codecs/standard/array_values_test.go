package standard_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// arrayOf returns an array of one dimension.
func arrayOf[T ndarray.Number](t testing.TB, typ dtype.Type, values ...T) ndarray.Array {
	t.Helper()
	a := ndarray.New(typ, []int{len(values)})
	to, ok := ndarray.As[T](a)
	if !ok {
		t.Fatalf("%s is not %T", typ.Name(), values)
	}
	copy(to, values)
	return a
}

func valuesOf[T ndarray.Number](t testing.TB, a ndarray.Array) []T {
	t.Helper()
	values, ok := ndarray.As[T](a)
	if !ok {
		t.Fatalf("%s is not %T", a.Type.Name(), values)
	}
	return values
}

// TestBitroundSamples has the values in the description of the sample arrays of the
// registry of Zarr extensions, and corner cases that the description leaves open.
func TestBitroundSamples(t *testing.T) {
	three := spec("bitround", `{"keepbits":3}`)
	inf := float32(math.Inf(1))
	nan := math.Float32frombits
	got, err := encodeArray(t, three, arrayOf(t, dtype.Float32, 0, 0.1, 1.2, 12.3, 123.4, 1234.5,
		nan(0x7fc00000), inf, -inf, nan(0x7fffffff), nan(0xffffffff), nan(0x7f800001), math.MaxFloat32))
	if err != nil {
		t.Fatal(err)
	}
	// NaNs stay unchanged if rounding would make numbers of them.
	want := []uint32{0x7fc00000, 0x7f800000, 0xff800000, 0x7fffffff, 0xffffffff, 0x7f800001, 0x7f800000}
	if diff := cmp.Diff(want, valuesOf[uint32](t, asWords(got))[6:]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float32{0, 0.1015625, 1.25, 12, 120, 1280}, valuesOf[float32](t, got)[:6]); diff != "" {
		t.Error(diff)
	}
	got, err = encodeArray(t, three, arrayOf(t, dtype.Uint8, uint8(0), 1, 10, 11, 100, 123, 200, 208, 209, 255))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint8{0, 1, 10, 12, 96, 128, 192, 192, 224, 224}, valuesOf[uint8](t, got)); diff != "" {
		t.Error(diff)
	}
	got, err = encodeArray(t, spec("bitround", `{"keepbits":0}`), arrayOf(t, dtype.Uint8, uint8(0), 1, 2, 3, 8, 9, 127, 128, 255))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint8{0, 0, 0, 4, 0, 16, 128, 0, 0}, valuesOf[uint8](t, got)); diff != "" {
		t.Error(diff)
	}
}

// TestBitroundAgain rounds all numbers of a type, and then the results. If the chain counts as
// stable, nothing changes the second time.
func TestBitroundAgain(t *testing.T) {
	for _, typ := range []dtype.Type{dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Float16, dtype.BFloat16} {
		for keep := range 12 {
			numbers := ndarray.New(typ, []int{1 << (8 * typ.Size())})
			for i := range numbers.Shape[0] {
				numbers.Data[i*typ.Size()] = byte(i)
				if typ.Size() == 2 {
					numbers.Data[2*i+1] = byte(i >> 8)
				}
			}
			chain, err := registry.Bind([]codecs.Spec{spec("bitround", fmt.Sprintf(`{"keepbits":%d}`, keep)), spec("bytes", `{"endian":"little"}`)}, of(typ, numbers.Shape...))
			if err != nil {
				t.Fatal(err)
			}
			var results [2][]byte
			for i := range results {
				data, _, err := chain.Encode(&ndarray.Pool{}, numbers)
				if err != nil {
					t.Fatal(err)
				}
				results[i] = bytes.Clone(data)
				copy(numbers.Data, data)
			}
			if same, stable := bytes.Equal(results[0], results[1]), chain.Unstable() == ""; same != stable {
				t.Errorf("%s, %d bits: the second time changes nothing: %v; stable: %v", typ.Name(), keep, same, stable)
			}
		}
	}
}

// asWords returns float32 as their bit patterns.
func asWords(a ndarray.Array) ndarray.Array {
	a.Type = dtype.Uint32
	return a
}

// TestPackbits compares with bytes worked out by hand.
func TestPackbits(t *testing.T) {
	cases := []struct {
		configuration string
		a             ndarray.Array
		want, decoded []byte // decoded is nil if all bits come back
	}{
		{``, arrayOf[uint8](t, dtype.BoolType, 1, 0, 0, 1, 1, 0, 0, 0, 1), []byte{0b00011001, 1}, nil},
		{`{"padding_encoding":"first_byte"}`, arrayOf[uint8](t, dtype.BoolType, 1, 1, 0), []byte{5, 0b011}, nil},
		{`{"padding_encoding":"end_byte"}`, arrayOf[uint8](t, dtype.BoolType, 1, 1, 0), []byte{0b011, 5}, nil},
		{`{"padding_encoding":"last_byte"}`, arrayOf[uint8](t, dtype.Uint8, 7, 9), []byte{7, 9, 0}, nil},
		{``, arrayOf[int8](t, dtype.Int4, -1, 7, -8), []byte{0x7f, 0x08}, nil},
		{``, arrayOf[int16](t, twelveBits{}, 0x123, -1, -2048), []byte{0x23, 0xf1, 0xff, 0x00, 0x08}, nil},
		{`{"first_bit":4,"last_bit":7}`, arrayOf[int16](t, twelveBits{}, 0x123, 0x7f0), []byte{0xf2}, []byte{0x20, 0, 0xf0, 0xff}},
		{`{"start_bit":4,"end_bit":7}`, arrayOf[uint8](t, dtype.Uint8, 0x12, 0xf4), []byte{0xf1}, []byte{0x10, 0xf0}},
		{`{"last_bit":6}`, arrayOf[int8](t, dtype.Int8, -1, 3), []byte{0xff, 0x01}, nil},
		{`{"last_bit":60}`, arrayOf[uint64](t, dtype.Uint64, 1<<60|5, 1<<60|6), []byte{5, 0, 0, 0, 0, 0, 0, 0xd0, 0, 0, 0, 0, 0, 0, 0, 0x02}, nil},
	}
	var pool ndarray.Pool
	for _, c := range cases {
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("packbits", c.configuration)}, of(c.a.Type, c.a.Shape...))
		if err != nil {
			t.Errorf("%s: %v", c.configuration, err)
			continue
		}
		got, buffer, err := chain.Encode(&pool, c.a)
		if err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s%s: % x, %v, want % x", c.a.Type.Name(), c.configuration, got, err, c.want)
			continue
		}
		buffer.Release()
		back := ndarray.New(c.a.Type, c.a.Shape)
		if c.decoded == nil {
			c.decoded = c.a.Data
		} else if dtype.Native == dtype.Big && c.a.Type.Size() == 2 {
			dtype.SwapWords(2, c.decoded, c.decoded)
		}
		if err := chain.Decode(&pool, back, c.want); err != nil || !bytes.Equal(back.Data, c.decoded) {
			t.Errorf("%s%s: back to % x, %v, want % x", c.a.Type.Name(), c.configuration, back.Data, err, c.decoded)
		}
	}
}

// TestStridedPieces checks that strides and alignment change neither encoding nor
// decoding of arrays that are longer than a piece.
func TestStridedPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	shape := []int{70, 131}
	plain := ndarray.New(dtype.Float32, shape)
	values := valuesOf[float32](t, plain2(plain))
	for i := range values {
		values[i] = float32(r.IntN(2000)) / 8
	}
	turned := ndarray.New(dtype.Float32, []int{131, 70}).Transpose([]int{1, 0})
	shifted := ndarray.Array{Type: dtype.Float32, Data: make([]byte, len(plain.Data)+1), Offset: 1, Shape: shape, Strides: plain.Strides}
	for _, s := range []codecs.Spec{
		spec("bitround", `{"keepbits":4}`), spec("numcodecs.delta", `{"astype":"<f8"}`), spec("numcodecs.astype", `{"encode_dtype":"<i2"}`),
		spec("numcodecs.fixedscaleoffset", `{"offset":3,"scale":8,"astype":"<f2"}`), spec("numcodecs.quantize", `{"digits":1}`),
	} {
		b := bindArray(t, s, of(dtype.Float32, shape...))
		encoded, back := ndarray.New(b.Encoded().Type, shape), ndarray.New(dtype.Float32, shape)
		if err := b.Encode(encoded, plain); err != nil {
			t.Fatal(err)
		}
		if err := b.Decode(back, encoded); err != nil {
			t.Fatal(err)
		}
		for _, a := range []ndarray.Array{turned, shifted} {
			ndarray.Copy(a, plain)
			again := ndarray.New(b.Encoded().Type, shape)
			if err := b.Encode(again, a); err != nil || !bytes.Equal(again.Data, encoded.Data) {
				t.Errorf("%s: a strided array is encoded differently: %v", s.Name, err)
			}
			if err := b.Decode(a, encoded); err != nil {
				t.Error(err)
			}
			flat := ndarray.New(dtype.Float32, shape)
			ndarray.Copy(flat, a)
			if !bytes.Equal(flat.Data, back.Data) {
				t.Errorf("%s: a strided array is decoded differently", s.Name)
			}
		}
	}
}

// plain2 returns an array in C order as an array of one dimension.
func plain2(a ndarray.Array) ndarray.Array {
	return ndarray.Array{Type: a.Type, Data: a.Data, Shape: []int{a.Len()}, Strides: []int{a.Type.Size()}}
}

// TestArrayDataErrors checks that an error names the element that cannot be encoded,
// with its value.
func TestArrayDataErrors(t *testing.T) {
	nan := math.Float64frombits(0x7ff8 << 48)
	late := ndarray.New(dtype.Float64, []int{100, 100}) // behind the first piece
	valuesOf[float64](t, plain2(late))[9876] = nan
	cases := []struct {
		spec codecs.Spec
		a    ndarray.Array
		want string
	}{
		{spec("numcodecs.astype", `{"encode_dtype":"<i4"}`), arrayOf(t, dtype.Float64, 1, nan), `element [1], "NaN": out of range of int32`},
		{spec("numcodecs.astype", `{"encode_dtype":"<i4"}`), arrayOf[float64](t, dtype.Float64, 1<<31), `element [0], 2147483648`},
		{spec("numcodecs.astype", `{"encode_dtype":"|u1"}`), arrayOf[float32](t, dtype.Float32, 1<<31), `element [0], 2147483648`},
		{spec("numcodecs.astype", `{"encode_dtype":"<u8"}`), arrayOf[float32](t, dtype.Float32, 1<<64), `element [0], 1.8446744073709552e+19`},
		{spec("numcodecs.astype", `{"encode_dtype":"<i8"}`), late, `element [98 76], "NaN"`},
		{spec("numcodecs.astype", `{"encode_dtype":"<i8"}`), late.Transpose([]int{1, 0}), `element [76 98], "NaN"`},
		{spec("numcodecs.fixedscaleoffset", `{"offset":0,"scale":1000,"astype":"<i4"}`), arrayOf(t, dtype.Float64, 5, 3e6), `element [1], 3000000.0: out of range of int32`},
		{spec("numcodecs.delta", `{"astype":"|i1"}`), arrayOf[int16](t, dtype.Int16, 5, 128, 300, 301), `element [2], 300: its difference`},
		{spec("numcodecs.delta", `{"astype":"|i1"}`), arrayOf[int16](t, dtype.Int16, 200), `element [0], 200: its difference`},
		{spec("numcodecs.delta", `{}`), arrayOf[float64](t, dtype.Float64, 1, 2, nan, 3), `element [2], "NaN": its difference`},
		{spec("numcodecs.delta", `{"astype":"<f4"}`), arrayOf[float64](t, dtype.Float64, 1, 1e300), `element [1], 1e+300: its difference`},
	}
	for _, c := range cases {
		_, err := encodeArray(t, c.spec, c.a)
		if !errors.Is(err, dtype.ErrOutOfRange) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s%s: %v, want %s", c.spec.Name, c.spec.Configuration, err, c.want)
		}
	}
	b := bindArray(t, spec("numcodecs.astype", `{"encode_dtype":"<f4"}`), of(dtype.Int8, 2))
	err := b.Decode(ndarray.New(dtype.Int8, []int{2}), arrayOf(t, dtype.Float32, 1, float32(nan)))
	if !errors.Is(err, codecs.ErrCorrupt) || !strings.Contains(err.Error(), `element [1], "NaN"`) {
		t.Errorf("decoding NaN to int8: %v", err)
	}
}

// TestEncodedFill checks that the codec encodes the fill value.
func TestEncodedFill(t *testing.T) {
	f32 := func(v float32) dtype.Scalar { return arrayOf(t, dtype.Float32, v).Data }
	i16 := func(v int16) dtype.Scalar { return arrayOf(t, dtype.Int16, v).Data }
	cases := []struct {
		spec       codecs.Spec
		typ        dtype.Type
		fill, want dtype.Scalar
	}{
		{spec("bitround", `{"keepbits":3}`), dtype.Float32, f32(1.2), f32(1.25)},
		{spec("bitround", `{"keepbits":3}`), dtype.Complex64, append(f32(1.2), f32(12.3)...), append(f32(1.25), f32(12)...)},
		{spec("bitround", `{"keepbits":3}`), dtype.Float32, nil, nil},
		{spec("bitround", `{"keepbits":3}`), dtype.Complex64, nil, nil},
		{spec("numcodecs.astype", `{"encode_dtype":"<i2"}`), dtype.Float32, f32(-7.9), i16(-7)},
		{spec("numcodecs.astype", `{"encode_dtype":"<i2"}`), dtype.Float32, f32(float32(math.NaN())), nil},
		{spec("numcodecs.fixedscaleoffset", `{"offset":1,"scale":10,"astype":"<i2"}`), dtype.Float32, f32(3.06), i16(21)},
		{spec("numcodecs.quantize", `{"digits":1}`), dtype.Float32, f32(0.1), f32(0.125)},
		{spec("numcodecs.delta", `{"astype":"<i2"}`), dtype.Int32, arrayOf[int32](t, dtype.Int32, -9).Data, i16(-9)},
		{spec("zarrs.squeeze", ``), dtype.Float32, f32(4), f32(4)},
		{spec("reshape", `{"shape":[-1]}`), dtype.Float32, f32(4), f32(4)},
	}
	for _, c := range cases {
		b := bindArray(t, c.spec, codecs.Chunk{Type: c.typ, Shape: []int{3}, Fill: c.fill})
		if got := b.Encoded().Fill; !bytes.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%s%s: fill value % x, want % x", c.spec.Name, c.spec.Configuration, got, c.want)
		}
	}
}

// TestReshapeIsAView checks that reshape is a view if it joins no dimensions.
func TestReshapeIsAView(t *testing.T) {
	cases := []struct {
		configuration string
		in, out       []int
		view          bool
	}{
		{`{"shape":[2,3,[1]]}`, []int{6, 4}, []int{2, 3, 4}, true},
		{`{"shape":[1,[0],1,2,-1]}`, []int{6, 4}, []int{1, 6, 1, 2, 2}, true},
		{`{"shape":[[0],[2]]}`, []int{6, 1, 4}, []int{6, 4}, true},
		{`{"shape":[[0,1],3]}`, []int{6, 1, 3}, []int{6, 3}, true},
		{`{"shape":[[0,1]]}`, []int{6, 4}, []int{24}, false},
		{`{"shape":[4,6]}`, []int{6, 4}, []int{4, 6}, false},
		{`{"shape":[[],-1]}`, []int{5}, []int{1, 5}, true},
	}
	for _, c := range cases {
		b := bindArray(t, spec("reshape", c.configuration), of(dtype.Int16, c.in...))
		if diff := cmp.Diff(c.out, b.Encoded().Shape); diff != "" {
			t.Errorf("%s: %s", c.configuration, diff)
		}
		if _, view := b.(codecs.View); view != c.view {
			t.Errorf("%s of %v: a view: %t, want %t", c.configuration, c.in, view, c.view)
		}
	}
	b := bindArray(t, spec("zarrs.squeeze", ``), of(dtype.Int16, 1, 1))
	if diff := cmp.Diff([]int{1}, b.Encoded().Shape); diff != "" {
		t.Error(diff)
	}
	// Copy between arrays that are both strided.
	src, dst := ndarray.New(dtype.Int16, []int{4, 6}).Transpose([]int{1, 0}), ndarray.New(dtype.Int16, []int{6, 4}).Transpose([]int{1, 0})
	for i := range src.Len() {
		binary.NativeEndian.PutUint16(src.Data[i/4*2+i%4*12:], uint16(i))
	}
	if err := bindArray(t, spec("reshape", `{"shape":[4,6]}`), of(dtype.Int16, 6, 4)).Encode(dst, src); err != nil {
		t.Fatal(err)
	}
	for i := range dst.Len() {
		if got := binary.NativeEndian.Uint16(dst.Data[i/6*2+i%6*8:]); got != uint16(i) {
			t.Fatalf("element %d is %d", i, got)
		}
	}
}

// TestN5Blocks has headers that contradict the chunk.
func TestN5Blocks(t *testing.T) {
	s := spec("n5_default", `{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}}]}`)
	in := of(dtype.Int16, 2, 3)
	in.Fill = arrayOf[int16](t, dtype.Int16, -1).Data
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{s}, in)
	if err != nil {
		t.Fatal(err)
	}
	block := func(words ...uint16) (data []byte) {
		for _, w := range words {
			data = binary.BigEndian.AppendUint16(data, w)
		}
		return data
	}
	cases := []struct {
		name  string
		data  []byte
		want  []int16
		cause error
	}{
		{"full", block(0, 2, 0, 2, 0, 3, 1, 2, 3, 4, 5, 6), []int16{1, 3, 5, 2, 4, 6}, nil},
		{"cut", block(0, 2, 0, 1, 0, 2, 1, 2), []int16{1, 2, -1, -1, -1, -1}, nil},
		{"other proportions", block(0, 2, 0, 3, 0, 2, 1, 2, 3, 4, 5, 6), []int16{1, 4, -1, 2, 5, -1}, nil},
		{"empty", block(0, 2, 0, 0, 0, 3), []int16{-1, -1, -1, -1, -1, -1}, nil},
		{"mode", block(1, 2, 0, 2, 0, 3, 1, 2, 3, 4, 5, 6), nil, codecs.ErrCorrupt},
		{"dimensions", block(0, 3, 0, 2, 0, 3, 0, 1, 1, 2, 3, 4, 5, 6), nil, codecs.ErrCorrupt},
		{"header", block(0, 2, 0, 2, 0), nil, codecs.ErrCorrupt},
		{"larger", block(0, 2, 0, 4, 0, 3), nil, codecs.ErrTooLarge},
		{"overflow", block(0, 2, 0xffff, 0xffff, 0xffff, 0xffff), nil, codecs.ErrTooLarge},
		{"too few", block(0, 2, 0, 1, 0, 2, 1), nil, codecs.ErrCorrupt},
		{"too many", block(0, 2, 0, 2, 0, 3, 1, 2, 3, 4, 5, 6, 7), nil, codecs.ErrCorrupt},
	}
	var pool ndarray.Pool
	for _, c := range cases {
		a := ndarray.New(in.Type, in.Shape)
		err := chain.Decode(&pool, a, c.data)
		if !errors.Is(err, c.cause) || (err == nil) != (c.cause == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.cause)
		} else if err == nil {
			if diff := cmp.Diff(c.want, valuesOf[int16](t, plain2(a))); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
			}
		}
	}
}
