package standard_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestZfpPromotion has elements of narrow types, with the numbers to which zfp's
// documentation promotes them. Both are encoded to the same bytes, and the elements
// come back.
func TestZfpPromotion(t *testing.T) {
	narrow := func(typ dtype.Type, elements ndarray.Array, numbers ...int32) {
		t.Helper()
		checkPromotion(t, typ, elements, arrayOf(t, dtype.Int32, numbers...))
	}
	narrow(dtype.Int8, arrayOf[int8](t, dtype.Int8, -128, -1, 0, 127), -128<<23, -1<<23, 0, 127<<23)
	narrow(dtype.Int16, arrayOf[int16](t, dtype.Int16, -32768, -1, 0, 32767), -32768<<15, -1<<15, 0, 32767<<15)
	narrow(dtype.Int4, arrayOf[int8](t, dtype.Int4, -8, -1, 0, 7), -8<<27, -1<<27, 0, 7<<27)
	narrow(dtype.Int2, arrayOf[int8](t, dtype.Int2, -2, -1, 0, 1), -2<<29, -1<<29, 0, 1<<29)
	narrow(dtype.Uint8, arrayOf[uint8](t, dtype.Uint8, 0, 1, 128, 255), -128<<23, -127<<23, 0, 127<<23)
	narrow(dtype.Uint16, arrayOf[uint16](t, dtype.Uint16, 0, 1, 32768, 65535), -32768<<15, -32767<<15, 0, 32767<<15)
	narrow(dtype.Uint4, arrayOf[uint8](t, dtype.Uint4, 0, 1, 8, 15), -8<<27, -7<<27, 0, 7<<27)
	narrow(dtype.Uint2, arrayOf[uint8](t, dtype.Uint2, 0, 1, 2, 3), -2<<29, -1<<29, 0, 1<<29)
	narrow(dtype.Uint32, arrayOf[uint32](t, dtype.Uint32, 0, 1, 1<<31-1), 0, 1, math.MaxInt32)
	checkPromotion(t, dtype.Uint64, arrayOf[uint64](t, dtype.Uint64, 0, 1, 1<<63-1), arrayOf[int64](t, dtype.Int64, 0, 1, math.MaxInt64))
	for _, typ := range times(t) {
		checkPromotion(t, typ, arrayOf[int64](t, typ, math.MinInt64, -1, 5), arrayOf[int64](t, dtype.Int64, math.MinInt64, -1, 5))
	}
	inf := float32(math.Inf(1))
	checkPromotion(t, dtype.Float16, arrayOf[uint16](t, dtype.Float16, 0x3c00, 0xc100, 0x7c00, 1), arrayOf(t, dtype.Float32, 1, -2.5, inf, 0x1p-24))
	checkPromotion(t, dtype.BFloat16, arrayOf[uint16](t, dtype.BFloat16, 0x3f80, 0xc020, 0x7f80, 1), arrayOf(t, dtype.Float32, 1, -2.5, inf, 0x1p-133))
}

func checkPromotion(t *testing.T, typ dtype.Type, elements, numbers ndarray.Array) {
	t.Helper()
	var pool ndarray.Pool
	const reversible = `{"mode":"reversible"}`
	chain := bindZfp(t, reversible, of(typ, elements.Shape...))
	got, err := chain.AppendEncode(&pool, nil, elements)
	if err != nil {
		t.Fatalf("%s: %v", typ.Name(), err)
	}
	want, err := bindZfp(t, reversible, of(numbers.Type, numbers.Shape...)).AppendEncode(&pool, nil, numbers)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s is not encoded as %s is", typ.Name(), numbers.Type.Name())
	}
	back := ndarray.New(typ, elements.Shape)
	if err := chain.Decode(&pool, back, want); err != nil || !slices.Equal(back.Data, elements.Data) {
		t.Errorf("%s comes back as %v, want %v (%v)", typ.Name(), collect(back), collect(elements), err)
	}
}

// TestZfpDemotion has numbers that no element is promoted to, as lossy modes make them.
// They are demoted to the nearest elements.
func TestZfpDemotion(t *testing.T) {
	numbers := arrayOf[int32](t, dtype.Int32, math.MinInt32, math.MaxInt32, -1, 1<<23-1, 1<<23)
	var pool ndarray.Pool
	stream, err := bindZfp(t, `{"mode":"reversible"}`, of(dtype.Int32, 5)).AppendEncode(&pool, nil, numbers)
	if err != nil {
		t.Fatal(err)
	}
	for typ, want := range map[dtype.Type]ndarray.Array{
		dtype.Int8:   arrayOf[int8](t, dtype.Int8, -128, 127, -1, 0, 1),
		dtype.Uint8:  arrayOf[uint8](t, dtype.Uint8, 0, 255, 127, 128, 129),
		dtype.Int4:   arrayOf[int8](t, dtype.Int4, -8, 7, -1, 0, 0),
		dtype.Uint2:  arrayOf[uint8](t, dtype.Uint2, 0, 3, 1, 2, 2),
		dtype.Uint32: arrayOf[uint32](t, dtype.Uint32, 0, math.MaxInt32, 0, 1<<23-1, 1<<23),
	} {
		got := ndarray.New(typ, []int{5})
		if err := bindZfp(t, `{"mode":"reversible"}`, of(typ, 5)).Decode(&pool, got, stream); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(collect(want), collect(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", typ.Name(), diff)
		}
	}
}
