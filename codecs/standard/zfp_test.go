package standard_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/codectest"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

func zfpCases(t *testing.T) []codectest.Case {
	t.Helper()
	shapes := [][]int{{}, {1}, {7}, {3, 5}, {4, 1, 6}, {2, 3, 2, 3}, {30, 40}}
	native := slices.Concat([]dtype.Type{dtype.Int32, dtype.Int64, dtype.Float32, dtype.Float64}, times(t))
	narrow := []dtype.Type{
		dtype.Int2, dtype.Int4, dtype.Uint2, dtype.Uint4, dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, twelveBits{}, dtype.Float16, dtype.BFloat16,
	}
	return []codectest.Case{
		{
			Spec: spec("zfp", `{"mode":"reversible"}`), Types: slices.Concat(narrow, native), Shapes: shapes, TakesMore: true, Padded: true,
			Refused: zfpRefused(),
		},
		{
			Spec: spec("numcodecs.zfpy", `{"mode":4,"tolerance":-1,"rate":-1,"precision":-1}`), Types: native, Shapes: shapes, TakesMore: true, Padded: true,
			Refused: []codectest.Refused{
				{Configuration: `{"mode":1}`, Field: "mode"},
				{Configuration: `{"mode":5}`, Field: "mode"},
				{Configuration: `{"mode":"fixed_rate"}`, Field: "mode"},
				{Configuration: `{"mode":2,"rate":0}`, Field: "rate"},
				{Configuration: `{"mode":3,"precision":1.5}`, Field: "precision"},
				{Configuration: `{"tolerance":"1e-3"}`, Field: "tolerance"},
				{Configuration: `{}`, Chunk: of(dtype.Int16, 3)},
				{Configuration: `{}`, Chunk: of(dtype.Uint32, 3)},
				{Configuration: `{}`, Chunk: of(dtype.Float16, 3)},
				{Configuration: `{}`, Chunk: of(dtype.Float32, 1, 1, 1, 1, 1)},
				{Configuration: `{}`, Chunk: of(dtype.Float32, 1, 1, 1, 5000)}, // zfp's header has 12 bits for each
			},
		},
	}
}

func zfpRefused() []codectest.Refused {
	const expert = `{"mode":"expert","minbits":%s,"maxbits":%s,"maxprec":%s,"minexp":%s}`
	refused := []codectest.Refused{
		{Configuration: `{}`, Field: "mode"},
		{Configuration: `{"mode":null}`, Field: "mode"},
		{Configuration: `{"mode":4}`, Field: "mode"},
		{Configuration: `{"mode":"fixedprecision"}`, Field: "mode"},
		{Configuration: `{"mode":"reversible","tolerance":0}`, Field: "tolerance"},
		{Configuration: `{"mode":"reversible","write_header":true}`, Field: "write_header"},
		{Configuration: `{"mode":"reversible","verify_bound":true}`, Field: "verify_bound"},
		{Configuration: `{"mode":"fixed_accuracy"}`, Field: "tolerance"},
		{Configuration: `{"mode":"fixed_accuracy","tolerance":-1}`, Field: "tolerance"},
		{Configuration: `{"mode":"fixed_accuracy","tolerance":"NaN"}`, Field: "tolerance"},
		{Configuration: `{"mode":"fixed_accuracy","tolerance":1,"rate":8}`, Field: "rate"},
		{Configuration: `{"mode":"fixed_accuracy","tolerance":1,"verify_bound":1}`, Field: "verify_bound"},
		{Configuration: `{"mode":"fixed_accuracy","tolerance":1,"verify_bound":true}`, Chunk: of(dtype.Int32, 3), Field: "verify_bound"},
		{Configuration: `{"mode":"fixed_rate"}`, Field: "rate"},
		{Configuration: `{"mode":"fixed_rate","rate":0}`, Field: "rate"},
		{Configuration: `{"mode":"fixed_rate","rate":-8}`, Field: "rate"},
		{Configuration: `{"mode":"fixed_rate","rate":1e9}`, Field: "rate"},
		{Configuration: `{"mode":"fixed_rate","rate":0.01}`, Chunk: of(dtype.Int32, 3), Field: "rate"}, // no bit for a block of four
		{Configuration: `{"mode":"fixed_precision"}`, Field: "precision"},
		{Configuration: `{"mode":"fixed_precision","precision":-1}`, Field: "precision"},
		{Configuration: `{"mode":"fixed_precision","precision":2.5}`, Field: "precision"},
		{Configuration: `{"mode":"expert","minbits":1,"maxbits":9,"maxprec":9}`, Field: "minexp"},
		{Configuration: fmt.Sprintf(expert, "-1", "9", "9", "0"), Field: "minbits"},
		{Configuration: fmt.Sprintf(expert, "40000", "40000", "9", "0"), Field: "minbits"},
		{Configuration: fmt.Sprintf(expert, "10", "9", "9", "0"), Field: "minbits"},
		{Configuration: fmt.Sprintf(expert, "0", "0", "9", "0"), Field: "maxbits"},
		{Configuration: fmt.Sprintf(expert, "1", "4294967296", "9", "0"), Field: "maxbits"},
		{Configuration: fmt.Sprintf(expert, "1", "9", "0", "0"), Field: "maxprec"},
		{Configuration: fmt.Sprintf(expert, "1", "9", "65", "0"), Field: "maxprec"},
		{Configuration: fmt.Sprintf(expert, "1", "9", "9", "0.5"), Field: "minexp"},
	}
	for _, in := range []codecs.Chunk{
		of(dtype.BoolType, 3), of(dtype.Complex64, 3), of(dtype.Float8E4M3, 3), of(dtype.RawBits(2), 3), of(dtype.StringType, 3),
		of(dtype.Float32, 3, 0), of(dtype.Float32, 1, 1, 1, 1, 1),
	} {
		refused = append(refused, codectest.Refused{Configuration: `{"mode":"reversible"}`, Chunk: in})
	}
	return refused
}

// bindZfp binds a chain whose only codec is zfp.
func bindZfp(t testing.TB, configuration string, in codecs.Chunk) *codecs.Chain {
	t.Helper()
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("zfp", configuration)}, in)
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// TestZfpSpec checks that metadata have the fields of the mode and no others, whatever
// the job says. Shards pass on what the job says.
func TestZfpSpec(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{`{"mode":"reversible"}`, `{"mode":"reversible"}`},
		{`{"tolerance":1e-3,"mode":"fixed_accuracy"}`, `{"mode":"fixed_accuracy","tolerance":0.001}`},
		{`{"mode":"fixed_accuracy","tolerance":0,"verify_bound":true}`, `{"mode":"fixed_accuracy","tolerance":0}`},
		{`{"mode":"fixed_rate","rate":12.5,"precision":null}`, `{"mode":"fixed_rate","rate":12.5}`},
		{`{"mode":"fixed_precision","precision":0}`, `{"mode":"fixed_precision","precision":0}`},
		{`{"mode":"expert","minexp":-10,"maxprec":24,"maxbits":13000,"minbits":1}`, `{"mode":"expert","minbits":1,"maxbits":13000,"maxprec":24,"minexp":-10}`},
	} {
		chain := bindZfp(t, c.given, of(dtype.Float32, 5, 6))
		if got := string(chain.Specs()[0].Configuration); got != c.want {
			t.Errorf("%s is written as %s, want %s", c.given, got, c.want)
		}
		shards, err := standard.Sharding(chain)
		if err != nil {
			t.Fatal(err)
		}
		if given, want := strings.Contains(string(shards.Configuration), "verify_bound"), strings.Contains(c.given, "verify_bound"); given != want {
			t.Errorf("%s within shards: %s", c.given, shards.Configuration)
		}
		outer, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{shards}, of(dtype.Float32, 10, 6))
		if err != nil {
			t.Fatal(err)
		}
		if text := string(outer.Specs()[0].Configuration); strings.Contains(text, "verify_bound") || !strings.Contains(text, c.want) {
			t.Errorf("%s within shards is written as %s", c.given, text)
		}
	}
}

// TestZfpSize checks that objects of fixed rate have one size, and that other modes
// have a bound.
func TestZfpSize(t *testing.T) {
	for _, c := range []struct {
		configuration string
		shape         []int
		fixed         int // bytes; 0: bounded
	}{
		{`{"mode":"fixed_rate","rate":8}`, []int{9, 8}, 6 * 16},
		{`{"mode":"fixed_rate","rate":8}`, nil, 8},
		{`{"mode":"expert","minbits":100,"maxbits":100,"maxprec":64,"minexp":-1074}`, []int{64}, 200},
		{`{"mode":"fixed_accuracy","tolerance":0.1}`, []int{9, 8}, 0},
		{`{"mode":"reversible"}`, []int{9, 8}, 0},
	} {
		got := bindZfp(t, c.configuration, of(dtype.Float64, c.shape...)).Size()
		if got.Fixed != (c.fixed > 0) || got.Fixed && got.Max != c.fixed {
			t.Errorf("%s %v: %+v, want %d bytes", c.configuration, c.shape, got, c.fixed)
		}
	}
}

// TestZfpManyDimensions checks that chunks of more than four dimensions are refused
// with advice, and that the advice works.
func TestZfpManyDimensions(t *testing.T) {
	in := of(dtype.Float32, 2, 3, 4, 5, 6)
	zfp := spec("zfp", `{"mode":"reversible"}`)
	_, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{zfp}, in)
	if err == nil || !strings.Contains(err.Error(), "reshape") {
		t.Errorf("%v, want advice to use reshape", err)
	}
	reshape := spec("reshape", `{"shape":[[0,1],[2],[3],[4]]}`)
	if _, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{reshape, zfp}, in); err != nil {
		t.Error(err)
	}
}

// TestZfpRefusesValues checks that the error names the first element that would change,
// even in arrays that are transposed in memory.
func TestZfpRefusesValues(t *testing.T) {
	const accuracy, rate, reversible = `{"mode":"fixed_accuracy","tolerance":0.1}`, `{"mode":"fixed_rate","rate":8}`, `{"mode":"reversible"}`
	const expert = `{"mode":"expert","minbits":1,"maxbits":16658,"maxprec":32,"minexp":-1074}`
	nan, inf := math.Float64frombits(0x7ff8<<48), math.Inf(-1)
	for _, c := range []struct {
		configuration string
		a             ndarray.Array // six elements
		want          string        // "" if all values are accepted
	}{
		{accuracy, arrayOf(t, dtype.Float64, 1, 2, 3, 4, nan, inf), `element [1 1], "NaN"`},
		{rate, arrayOf(t, dtype.Float64, 1, 2, inf, 4, nan, 5), `element [0 2], "-Infinity"`},
		{expert, arrayOf(t, dtype.Float32, 1, 2, float32(nan), 4, 5, 6), `element [0 2], "NaN"`},
		{accuracy, arrayOf[uint16](t, dtype.Float16, 1, 2, 0x7c00, 4, 5, 6), `element [0 2], "Infinity"`},
		{reversible, arrayOf(t, dtype.Float64, 1, nan, inf, 4, 5, 6), ""},
		{accuracy, arrayOf(t, dtype.Float64, 1, math.MaxFloat64, -math.MaxFloat64, 4, 5, 6), ""},
		{rate, arrayOf[int32](t, dtype.Int32, 1, 2, 3, 4, 5, 1<<30), "element [1 2], 1073741824"},
		{rate, arrayOf[int32](t, dtype.Int32, 1, -1<<30, 3, 4, 5, 6), "element [0 1], -1073741824"},
		{rate, arrayOf[int32](t, dtype.Int32, 1<<30-1, 1-1<<30, 3, 4, 5, 6), ""},
		{rate, arrayOf[int64](t, dtype.Int64, 1, 2, 3, 1<<62, 5, 6), "element [1 0], 4611686018427387904"},
		{rate, arrayOf[int64](t, dtype.Int64, 1, 2, 3, math.MinInt64, 5, 6), "element [1 0], -9223372036854775808"},
		{rate, arrayOf[int8](t, dtype.Int8, -128, 127, 3, 4, 5, 6), ""},
		{reversible, arrayOf[int32](t, dtype.Int32, math.MinInt32, math.MaxInt32, 3, 4, 5, 6), ""},
		{reversible, arrayOf[uint32](t, dtype.Uint32, 1, 2, 3, 4, 1<<31, 6), "element [1 1], 2147483648"},
		{reversible, arrayOf[uint64](t, dtype.Uint64, 1, math.MaxUint64, 3, 4, 5, 6), "element [0 1], 18446744073709551615"},
	} {
		c.a.Shape, c.a.Strides = []int{2, 3}, ndarray.CStrides(c.a.Type.Size(), []int{2, 3})
		turned := ndarray.New(c.a.Type, []int{3, 2}).Transpose([]int{1, 0})
		ndarray.Copy(turned, c.a)
		for _, a := range []ndarray.Array{c.a, turned} {
			var pool ndarray.Pool
			_, err := bindZfp(t, c.configuration, of(a.Type, 2, 3)).AppendEncode(&pool, nil, a)
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, dtype.ErrOutOfRange) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s of %s: %v, want %q", c.configuration, a.Type.Name(), err, c.want)
			}
			if n := pool.Lent(); n != 0 {
				t.Errorf("%d buffers were not released", n)
			}
		}
	}
}

// TestZfpVerifyBound has a block whose large value leaves float32 too few digits for
// the tolerance. That is an error with verify_bound, and none without.
func TestZfpVerifyBound(t *testing.T) {
	const verified = `{"mode":"fixed_accuracy","tolerance":0.001,"verify_bound":true}`
	var pool ndarray.Pool
	mild, wild := ndarray.New(dtype.Float32, []int{8, 8}), ndarray.New(dtype.Float32, []int{8, 8})
	values, _ := ndarray.As[float32](mild)
	for i := range values {
		values[i] = float32(math.Sin(float64(i) / 5))
	}
	copy(wild.Data, mild.Data)
	values, _ = ndarray.As[float32](wild)
	values[8*5+6] = 1e9 // in the block that begins at [4 4]
	if _, err := bindZfp(t, verified, of(dtype.Float32, 8, 8)).AppendEncode(&pool, nil, mild); err != nil {
		t.Error(err)
	}
	if _, err := bindZfp(t, strings.Replace(verified, "true", "false", 1), of(dtype.Float32, 8, 8)).AppendEncode(&pool, nil, wild); err != nil {
		t.Error(err)
	}
	_, err := bindZfp(t, verified, of(dtype.Float32, 8, 8)).AppendEncode(&pool, nil, wild)
	if err == nil || !strings.Contains(err.Error(), "element [4 4], ") || !strings.Contains(err.Error(), "the tolerance of 0.001") {
		t.Errorf("%v, want the first element of the block and the tolerance", err)
	}
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("sharding_indexed", `{"chunk_shape":[8,4],"codecs":[{"name":"zfp","configuration":`+verified+`}]}`)}, of(dtype.Float32, 8, 8))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chain.AppendEncode(&pool, nil, wild); err == nil || !strings.Contains(err.Error(), "element [4 0], ") {
		t.Errorf("within shards: %v, want the element of the inner chunk", err)
	}
	if n := pool.Lent(); n != 0 {
		t.Errorf("%d buffers were not released", n)
	}
}

// TestZfpInChains checks that each element comes back within the tolerance behind
// codecs of arrays, inside of shards and in front of codecs of bytes.
func TestZfpInChains(t *testing.T) {
	const zfp = `{"name":"zfp","configuration":{"mode":"fixed_accuracy","tolerance":0.01}}`
	accurate := spec("zfp", `{"mode":"fixed_accuracy","tolerance":0.01}`)
	for _, specs := range [][]codecs.Spec{
		{accurate, spec("crc32c", "")},
		{spec("transpose", `{"order":[2,0,1]}`), accurate},
		{spec("reshape", `{"shape":[[0,1],[2]]}`), accurate, spec("zstd", "")},
		{spec("sharding_indexed", fmt.Sprintf(sharded, "4,3,8", zfp, "end"))},
		{spec("transpose", `{"order":[1,2,0]}`), spec("sharding_indexed", fmt.Sprintf(sharded, "3,4,2", zfp, "start"))},
		{spec("numcodecs.zfpy", `{"mode":4,"tolerance":0.01}`)},
	} {
		chain, err := standard.Registry(dtype.Standard()).Bind(specs, of(dtype.Float64, 8, 6, 8))
		if err != nil {
			t.Fatal(err)
		}
		var pool ndarray.Pool
		a, b := ndarray.New(dtype.Float64, []int{8, 6, 8}), ndarray.New(dtype.Float64, []int{8, 6, 8})
		values, _ := ndarray.As[float64](a)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range values {
			values[i] = 100 * r.NormFloat64()
		}
		stored, err := chain.AppendEncode(&pool, nil, a)
		if err == nil {
			err = chain.Decode(&pool, b, stored)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, _ := ndarray.As[float64](b)
		for i, v := range values {
			if !(math.Abs(v-got[i]) <= 0.01) {
				t.Fatalf("%v: element %d, %v, comes back as %v", chain.Specs(), i, v, got[i])
			}
		}
	}
}

// TestZfpOneElement checks that a 0-D chunk is a field of one element, and that a box
// of it can be read.
func TestZfpOneElement(t *testing.T) {
	for _, configuration := range []string{`{"mode":"reversible"}`, `{"mode":"fixed_rate","rate":64}`} {
		var pool ndarray.Pool
		chain := bindZfp(t, configuration, of(dtype.Float32))
		a := ndarray.New(dtype.Float32, nil)
		ndarray.Fill(a, arrayOf[float32](t, dtype.Float32, 1.5).Data)
		stored, err := chain.AppendEncode(&pool, nil, a)
		if err != nil {
			t.Fatal(err)
		}
		line, err := bindZfp(t, configuration, of(dtype.Float32, 1)).AppendEncode(&pool, nil, arrayOf[float32](t, dtype.Float32, 1.5))
		if err != nil || !slices.Equal(stored, line) {
			t.Errorf("%s: not the bytes of one element along a dimension (%v)", configuration, err)
		}
		got := ndarray.New(dtype.Float32, nil)
		if err := chain.DecodeRegion(t.Context(), &pool, got, nil, &object{data: stored}); err != nil || !slices.Equal(got.Data, a.Data) {
			t.Errorf("%s: %v (%v)", configuration, collect(got), err)
		}
	}
}

// TestZfpyHeader checks that a stream whose header contradicts the metadata is corrupt.
// A stream of another mode is read by its header.
func TestZfpyHeader(t *testing.T) {
	bind := func(configuration string, in codecs.Chunk) *codecs.Chain {
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("numcodecs.zfpy", configuration)}, in)
		if err != nil {
			t.Fatal(err)
		}
		return chain
	}
	var pool ndarray.Pool
	a := arrayOf[float32](t, dtype.Float32, 1, 2, 3, 4, 5, 6)
	stored, err := bind(`{"mode":3,"precision":32}`, of(dtype.Float32, 6)).AppendEncode(&pool, nil, a)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in      codecs.Chunk
		corrupt bool
	}{
		{of(dtype.Float32, 6), false},
		{of(dtype.Float32, 7), true},
		{of(dtype.Float32, 6, 1), true},
		{of(dtype.Int32, 6), true},
		{of(dtype.Float64, 3), true},
	} {
		got := ndarray.New(c.in.Type, c.in.Shape)
		err := bind(`{"mode":4,"tolerance":0.5}`, c.in).Decode(&pool, got, stored)
		if errors.Is(err, codecs.ErrCorrupt) != c.corrupt || !c.corrupt && !slices.Equal(got.Data, a.Data) {
			t.Errorf("%s %v: %v, elements %v", c.in.Type.Name(), c.in.Shape, err, collect(got))
		}
	}
}
