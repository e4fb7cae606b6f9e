package standard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// registry is shared by tests that bind thousands of chains.
var registry = standard.Registry(dtype.Standard())

// TestElementwiseChains compares random chains of elementwise codecs, which run as one
// pass, with running their codecs one after the other over whole arrays. It compares
// results and errors, for whole chunks and for boxes, with strided memory on both
// sides.
func TestElementwiseChains(t *testing.T) {
	const chains = 1500
	seen := map[string]int{}
	for seed := range uint64(chains) {
		c := newElementwiseChain(t, rand.New(rand.NewPCG(seed, 1)))
		c.encode(seen)
		c.decode(seen)
		if t.Failed() {
			t.Fatalf("chain of seed %d: %s", seed, c.specs)
		}
	}
	for _, kind := range []string{"encoded", "encode fails", "encode fails late", "decoded", "decode fails", "decode fails late", "box"} {
		if seen[kind] < chains/50 {
			t.Errorf("only %d chains with this outcome: %s", seen[kind], kind)
		}
	}
}

// elementwiseChain is a chain with its codecs, each bound alone.
type elementwiseChain struct {
	*testing.T
	r      *rand.Rand
	pool   ndarray.Pool
	specs  []codecs.Spec
	chain  *codecs.Chain
	bytes  *codecs.Chain
	arrays []codecs.ArrayToArray
	stages []codecs.Chunk // the last one is what bytes receives
}

func newElementwiseChain(t *testing.T, r *rand.Rand) *elementwiseChain {
	t.Helper()
	shapes := [][]int{{}, {1}, {0, 3}, {700}, {2500}, {5000}, {40, 70}, {7, 30, 23}, {129, 1, 65}}
	types := realTypes()
	if r.IntN(2) == 0 {
		types = []dtype.Type{dtype.Float64, dtype.Float32, dtype.Int16}
	}
	pair := r.IntN(2) == 0 // the pair of codecs that has loops of its own
	if pair {
		types = []dtype.Type{dtype.Float64, dtype.Float32}
	}
	c := &elementwiseChain{T: t, r: r}
	c.stages = []codecs.Chunk{{Type: types[r.IntN(len(types))], Shape: shapes[r.IntN(len(shapes))]}}
	for n := 1 + r.IntN(4); len(c.arrays) < n || pair && len(c.arrays) < 2; {
		in := c.stages[len(c.arrays)]
		s := randomElementwise(r, in)
		if pair && len(c.arrays) < 2 {
			s = randomPair(r)[len(c.arrays)]
		}
		d, err := registry.Lookup(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		codec, err := d.Parse(s.Configuration)
		if err != nil {
			continue
		}
		bound, err := codec.(codecs.ArrayToArrayCodec).BindArrayToArray(in)
		if err != nil {
			continue // the codec does not accept the type
		}
		if one, ok := bound.(codecs.OneWay); ok {
			bound = one.Returning()
		}
		c.specs, c.arrays, c.stages = append(c.specs, s), append(c.arrays, bound), append(c.stages, bound.Encoded())
	}
	endian := []string{`{"endian":"little"}`, `{"endian":"big"}`}[r.IntN(2)]
	c.bytes = c.bind([]codecs.Spec{spec("bytes", endian)}, c.stages[len(c.arrays)])
	c.specs = append(c.specs, spec("bytes", endian))
	c.chain = c.bind(c.specs, c.stages[0])
	return c
}

func (c *elementwiseChain) bind(specs []codecs.Spec, in codecs.Chunk) *codecs.Chain {
	c.Helper()
	chain, err := registry.Bind(specs, in)
	if err != nil {
		c.Fatal(err)
	}
	return chain
}

// randomPair returns two codecs that pack floats.
func randomPair(r *rand.Rand) [2]codecs.Spec {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	return [2]codecs.Spec{
		spec("scale_offset", fmt.Sprintf(`{"offset":%s,"scale":%s}`, pick("0", "-3", "10.5"), pick("2", "-1", "0.5", "100"))),
		spec("cast_value", fmt.Sprintf(`{"data_type":%q%s%s}`, pick("int8", "uint8", "int16", "uint16", "int32", "uint32", "int4"),
			pick("", `,"out_of_range":"clamp"`, `,"out_of_range":"clamp"`, `,"out_of_range":"wrap"`),
			pick("", `,"scalar_map":{"encode":[["NaN",0]],"decode":[[0,"NaN"]]}`, `,"scalar_map":{"encode":[["NaN",1],["-Infinity",2]],"decode":[[1,"NaN"],[2,0]]}`,
				`,"scalar_map":{"encode":[["NaN",3],[1e9,7],["Infinity",2]],"decode":[[3,1e9]]}`, `,"scalar_map":{"encode":[[2,0]],"decode":[[0,2]]}`))),
	}
}

// randomElementwise returns a codec. It may refuse the chunk.
func randomElementwise(r *rand.Rand, in codecs.Chunk) codecs.Spec {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	switch r.IntN(9) {
	case 0, 1, 2:
		return spec("scale_offset", fmt.Sprintf(`{"offset":%s,"scale":%s}`, pick("0", "0", "1", "-3", "10.5", "100"), pick("1", "2", "-1", "0.5", "0.5", "10", "1e30", "0.01")))
	case 3, 4, 5, 6:
		types := []dtype.Type{dtype.Int16, dtype.Uint8, dtype.Int32, dtype.Float64, dtype.Float32}
		if r.IntN(3) == 0 {
			types = realTypes()
		}
		return spec("cast_value", fmt.Sprintf(`{"data_type":%q%s%s%s}`, types[r.IntN(len(types))].Name(),
			pick("", "", `,"rounding":"towards-zero"`, `,"rounding":"nearest-away"`, `,"rounding":"towards-positive"`),
			pick("", "", `,"out_of_range":"clamp"`, `,"out_of_range":"wrap"`),
			pick("", "", `,"scalar_map":{"encode":[["NaN",0]],"decode":[[0,"NaN"]]}`, `,"scalar_map":{"encode":[[1,2],["Infinity",7]]}`,
				`,"scalar_map":{"decode":[[1,2],[3,0]]}`, `,"scalar_map":{"encode":[[1,0]],"decode":[[0,1]]}`)))
	case 7:
		return spec("numcodecs.astype", fmt.Sprintf(`{"encode_dtype":%q}`, pick("<f4", "<f8", "<i4", "<f2", "|u1")))
	default:
		if r.IntN(2) == 0 && len(in.Shape) == 2 {
			return spec("transpose", `{"order":[1,0]}`) // ends the pass in front
		}
		return spec("numcodecs.fixedscaleoffset", fmt.Sprintf(`{"offset":%s,"scale":%s,"astype":%q}`, pick("0", "5", "0.5"), pick("1", "10", "0.1"), pick("<i2", "<i4", "<f4")))
	}
}

// values returns elements, of which the chain accepts most but perhaps not all.
func (c *elementwiseChain) values(in codecs.Chunk) ndarray.Array {
	a := ndarray.New(in.Type, in.Shape)
	size, wild, often := in.Type.Size(), c.r.IntN(3), []int{1, 20, 400}[c.r.IntN(3)]
	small := []dtype.Scalar{in.Type.Default()}
	for i := range 40 {
		text := fmt.Sprint(i - 4)
		if c.r.IntN(3) == 0 {
			text = fmt.Sprintf("%.2f", float64(i)/3)
		}
		if v, err := in.Type.ParseScalar(dtype.V3, json.RawMessage(text)); err == nil {
			small = append(small, v)
		}
	}
	special := slices.Clone(small)
	for _, text := range slices.Concat([]string{`"NaN"`, `"Infinity"`, `"-Infinity"`, `-0.0`, `1e9`, `30000`}, c.edges(), []string{`"NaN"`}) {
		if v, err := in.Type.ParseScalar(dtype.V3, json.RawMessage(text)); err == nil {
			special = append(special, v)
		}
	}
	for i := range a.Len() {
		element := a.Data[i*size : (i+1)*size]
		switch {
		case wild > 0 && c.r.IntN(1000) < often:
			copy(element, special[c.r.IntN(len(special))])
		case wild == 2 && c.r.IntN(3000) == 0:
			for k := range element {
				element[k] = byte(c.r.Uint32())
			}
		default:
			copy(element, small[c.r.IntN(len(small))])
		}
	}
	ndarray.ClearUnused(a)
	return a
}

// edges returns numbers that a scale_offset in front turns into numbers near the bounds
// of integers and of float16.
func (c *elementwiseChain) edges() []string {
	var terms struct{ Offset, Scale float64 }
	if c.specs[0].Name != "scale_offset" {
		return nil
	}
	if err := json.Unmarshal(c.specs[0].Configuration, &terms); err != nil {
		c.Fatal(err)
	}
	list := []string{fmt.Sprintf("%.17g", 1e9/terms.Scale+terms.Offset)} // becomes a key of the scalar map
	for _, bits := range []int{7, 8, 15, 16, 31, 32} {
		for _, step := range []float64{-1, -0.75, -0.5, -0.25, 0, 0.5} {
			x := math.Ldexp(1, bits) + step
			list = append(list, fmt.Sprintf("%.17g", x/terms.Scale+terms.Offset), fmt.Sprintf("%.17g", -x/terms.Scale+terms.Offset))
		}
		list = append(list, fmt.Sprintf("%.17g", (float64(c.r.IntN(100))-0.5)/terms.Scale+terms.Offset))
	}
	return list
}

// layout returns the elements of a, in the same memory or with other strides.
func (c *elementwiseChain) layout(a ndarray.Array) ndarray.Array {
	if c.r.IntN(2) == 0 {
		return a
	}
	n := len(a.Shape)
	order, outer := make([]int, n), make([]int, n)
	for i := range order {
		order[i], outer[i] = n-1-i, a.Shape[n-1-i]+1
	}
	b := ndarray.New(a.Type, outer).Transpose(order).Sub(ndarray.Region{Start: make([]int, n), Shape: a.Shape})
	ndarray.Copy(b, a)
	return b
}

func (c *elementwiseChain) encode(seen map[string]int) {
	c.Helper()
	src := c.values(c.stages[0])
	var want error
	a := src
	for i, bound := range c.arrays {
		next := ndarray.New(c.stages[i+1].Type, c.stages[i+1].Shape)
		if err := bound.Encode(next, a); err != nil {
			want = &codecs.Error{Index: i, Codec: c.specs[i].Name, Err: err}
			break
		}
		a = next
	}
	got, err := c.chain.AppendEncode(&c.pool, nil, c.layout(src))
	c.sameError("encode", err, want, seen)
	if err != nil || want != nil {
		return
	}
	plain, err := c.bytes.AppendEncode(&c.pool, nil, a)
	if err != nil || !bytes.Equal(got, plain) {
		c.Errorf("other bytes are encoded (%v)", err)
	}
	seen["encoded"]++
}

func (c *elementwiseChain) decode(seen map[string]int) {
	c.Helper()
	stored, err := c.bytes.AppendEncode(&c.pool, nil, c.values(c.stages[len(c.arrays)]))
	if err != nil {
		c.Fatal(err)
	}
	stored = append([]byte{0}, stored...)[c.r.IntN(2):] // sometimes not aligned
	if len(stored) > c.bytes.Size().Max {
		stored = slices.Clone(stored[1:])
	}
	in := c.stages[0]
	a := ndarray.New(c.stages[len(c.arrays)].Type, c.stages[len(c.arrays)].Shape)
	if err := c.bytes.Decode(&c.pool, a, stored); err != nil {
		c.Fatal(err)
	}
	want := c.undo(&a)
	got := c.layout(ndarray.New(in.Type, in.Shape))
	err = c.chain.Decode(&c.pool, got, stored)
	c.sameError("decode", err, want, seen)
	if err == nil && want == nil {
		c.same("decode", got, a)
		seen["decoded"]++
	}
	c.decodeBox(stored, seen)
	if n := c.pool.Lent(); n != 0 {
		c.Errorf("%d buffers were not released", n)
	}
}

// decodeBox decodes a part of the chunk.
func (c *elementwiseChain) decodeBox(stored []byte, seen map[string]int) {
	c.Helper()
	in := c.stages[0]
	box := ndarray.Region{Start: make([]int, len(in.Shape)), Shape: make([]int, len(in.Shape))}
	for i, n := range in.Shape {
		box.Start[i] = c.r.IntN(n + 1)
		box.Shape[i] = c.r.IntN(n - box.Start[i] + 1)
	}
	inner := box
	for _, bound := range c.arrays {
		inner = bound.(codecs.Regional).EncodedRegion(inner)
	}
	a := ndarray.New(c.stages[len(c.arrays)].Type, inner.Shape)
	if err := c.bytes.DecodeRegion(context.Background(), &c.pool, a, inner.Start, codecs.InMemory(stored)); err != nil {
		c.Fatal(err)
	}
	want := c.undo(&a)
	got := c.layout(ndarray.New(in.Type, box.Shape))
	err := c.chain.DecodeRegion(context.Background(), &c.pool, got, box.Start, codecs.InMemory(stored))
	c.sameError("decode", err, want, seen)
	if err == nil && want == nil {
		c.same("box", got, a)
		seen["box"]++
	}
}

// undo decodes with one codec after the other.
func (c *elementwiseChain) undo(a *ndarray.Array) error {
	for i, bound := range slices.Backward(c.arrays) {
		shape := a.Shape
		if c.specs[i].Name == "transpose" {
			shape = []int{shape[1], shape[0]}
		}
		next := ndarray.New(c.stages[i].Type, shape)
		if err := bound.Decode(next, *a); err != nil {
			return &codecs.Error{Index: i, Codec: c.specs[i].Name, Err: err}
		}
		*a = next
	}
	return nil
}

func (c *elementwiseChain) sameError(what string, got, want error, seen map[string]int) {
	c.Helper()
	text := func(err error) string { // without what only a chain adds
		before, _, _ := strings.Cut(fmt.Sprint(err), " (element ")
		return before
	}
	if text(got) != text(want) {
		c.Errorf("%s: %v, one after the other: %v", what, got, want)
	}
	if fault, ok := errors.AsType[*codecs.Error](want); ok {
		seen[what+" fails"]++
		if first := map[string]int{"encode": 0, "decode": len(c.arrays) - 1}[what]; fault.Index != first {
			seen[what+" fails late"]++
		}
	}
}

func (c *elementwiseChain) same(what string, got, want ndarray.Array) {
	c.Helper()
	flat := ndarray.New(got.Type, got.Shape)
	ndarray.Copy(flat, got)
	if !bytes.Equal(flat.Data, want.Data) {
		c.Errorf("%s: other values", what)
	}
}

// TestElementwiseMemory checks that there are no whole arrays between the codecs of a
// pass, or between a pass and bytes.
func TestElementwiseMemory(t *testing.T) {
	for _, c := range []struct {
		specs  []codecs.Spec
		arrays int // arrays of 8 bytes an element
	}{
		{[]codecs.Spec{spec("scale_offset", `{"scale":2}`), {Name: "bytes"}}, 1},
		{[]codecs.Spec{spec("scale_offset", `{"scale":2}`), spec("cast_value", `{"data_type":"int64"}`), spec("bytes", `{"endian":"big"}`)}, 1},
		{[]codecs.Spec{spec("scale_offset", `{"scale":2}`), spec("transpose", `{"order":[1,0]}`), {Name: "bytes"}}, 2},
		{[]codecs.Spec{spec("scale_offset", `{"scale":2}`), spec("scale_offset", `{"scale":4}`), spec("bitround", `{"keepbits":3}`), {Name: "bytes"}}, 2},
	} {
		chain, err := registry.Bind(c.specs, of(dtype.Float64, 256, 512))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := chain.Memory(), c.arrays*ndarray.Rounded(256*512*8); got != want {
			t.Errorf("%s: %d bytes, want %d", c.specs, got, want)
		}
	}
}
