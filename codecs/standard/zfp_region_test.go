package standard_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestZfpDecodeRegion checks that a box is decoded from the bytes of its blocks in mode
// fixed rate, and equals that part of the whole chunk.
func TestZfpDecodeRegion(t *testing.T) {
	for _, c := range []struct {
		specs []codecs.Spec
		whole bool // an object is read at once
	}{
		{[]codecs.Spec{spec("zfp", `{"mode":"fixed_rate","rate":8}`)}, false},
		{[]codecs.Spec{spec("zfp", `{"mode":"fixed_rate","rate":7.3}`)}, false},
		{[]codecs.Spec{spec("transpose", `{"order":[2,0,1]}`), spec("zfp", `{"mode":"fixed_rate","rate":3}`)}, false},
		{[]codecs.Spec{spec("zfp", `{"mode":"fixed_rate","rate":8}`), spec("crc32c", "")}, true},
		{[]codecs.Spec{spec("zfp", `{"mode":"fixed_precision","precision":12}`)}, true},
	} {
		for _, typ := range []dtype.Type{dtype.Float64, dtype.Int32, dtype.Uint8, dtype.Float16} {
			in := of(typ, 10, 13, 22)
			chain, err := standard.Registry(dtype.Standard()).Bind(c.specs, in)
			if err != nil {
				t.Fatal(err)
			}
			checkZfpRegions(t, chain, c.whole)
		}
	}
}

func checkZfpRegions(t *testing.T, chain *codecs.Chain, wholly bool) {
	t.Helper()
	var pool ndarray.Pool
	in := chain.Chunk()
	whole := ndarray.New(in.Type, in.Shape)
	for i := range whole.Data {
		whole.Data[i] = byte(i*i>>5) & 0x3b // finite, within the limits
	}
	data, err := chain.AppendEncode(&pool, nil, whole)
	if err == nil {
		err = chain.Decode(&pool, whole, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		box := ndarray.Region{Start: make([]int, 3), Shape: make([]int, 3)}
		blocks := 1
		for i, n := range in.Shape {
			box.Start[i] = r.IntN(n)
			box.Shape[i] = 1 + r.IntN(n-box.Start[i])
			blocks *= (box.Start[i]+box.Shape[i]-1)/4 - box.Start[i]/4 + 1
		}
		got := ndarray.New(in.Type, box.Shape)
		o := &thrifty{object{data: data}}
		if err := chain.DecodeRegion(t.Context(), &pool, got, box.Start, o); err != nil {
			t.Fatalf("%v, %s, %v: %v", chain.Specs(), in.Type.Name(), box, err)
		}
		if diff := cmp.Diff(collect(whole.Sub(box)), collect(got)); diff != "" {
			t.Fatalf("%v, %s, %v: %s", chain.Specs(), in.Type.Name(), box, diff)
		}
		// At each end of a row of blocks, a byte may contain bits of the neighbouring
		// row.
		if most := blocks*len(data)/(3*4*6) + 2*len(o.reads); !wholly && o.bytesRead() > most {
			t.Errorf("%v, %s, %v: %d bytes read for %d blocks, want at most %d", chain.Specs(), in.Type.Name(), box, o.bytesRead(), blocks, most)
		}
	}
	for cut := 0; cut < len(data)-8; cut += 7 {
		got := ndarray.New(in.Type, []int{1, 1, 1})
		err := chain.DecodeRegion(t.Context(), &pool, got, []int{0, 0, 0}, &object{data: data[:cut]})
		if !wholly && !errors.Is(err, codecs.ErrCorrupt) {
			t.Fatalf("%v, %s, cut to %d of %d bytes: %v", chain.Specs(), in.Type.Name(), cut, len(data), err)
		}
	}
	if n := pool.Lent(); n != 0 {
		t.Errorf("%v: %d buffers were not released", chain.Specs(), n)
	}
}

// thrifty is an object whose requests cost nothing.
type thrifty struct{ object }

func (*thrifty) GapBytes() int { return 0 }
