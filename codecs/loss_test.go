package codecs_test

import (
	"encoding/json"
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

// losses lists chains, the data type that each is bound to, and what each loses.
var losses = []struct {
	name  string
	typ   dtype.Type
	chain string
	want  []string
}{
	{"none", dtype.Float32, `[{"name":"transpose","configuration":{"order":[0]}},{"name":"bytes"},{"name":"zstd"}]`, nil},
	{"keepbits", dtype.Float32, `[{"name":"bitround","configuration":{"keepbits":6}},{"name":"bytes"}]`,
		[]string{"bitround: rounded to 6 bits of the mantissa: each number is off by at most 2^-7 of itself"}},
	{"older name", dtype.Float32, `[{"name":"numcodecs.bitround","configuration":{"keepbits":22}},{"name":"bytes"}]`,
		[]string{"numcodecs.bitround: rounded to 22 bits of the mantissa: each number is off by at most 2^-23 of itself"}},
	{"all bits", dtype.Float32, `[{"name":"numcodecs.bitround","configuration":{"keepbits":23}},{"name":"bytes"}]`, nil},
	{"bits of integers", dtype.Int16, `[{"name":"bitround","configuration":{"keepbits":4}},{"name":"bytes"}]`,
		[]string{"bitround: rounded to 4 bits, counted from the highest bit that is set: each number is off by at most 2^-4 of itself"}},
	{"packed", dtype.Float64, `[{"name":"scale_offset","configuration":{"offset":5,"scale":10}},{"name":"cast_value","configuration":{"data_type":"int16","out_of_range":"clamp"}},{"name":"bytes"}]`,
		[]string{
			"scale_offset: computed in float64: off by up to 2 units in the last place of the value or the offset, whichever is larger",
			"cast_value: rounded to whole numbers (nearest-even), at most 0.05 away",
			"cast_value: numbers out of the range of int16 become its nearest number, or infinite, without a bound",
		}},
	{"power of two", dtype.Float64, `[{"name":"scale_offset","configuration":{"scale":-0.25}},{"name":"cast_value","configuration":{"data_type":"int32","rounding":"towards-zero"}},{"name":"bytes"}]`,
		[]string{"cast_value: rounded to whole numbers (towards-zero), at most 4 away"}},
	{"integers", dtype.Int32, `[{"name":"scale_offset","configuration":{"offset":1,"scale":3}},{"name":"bytes"}]`, nil},
	{"neutral", dtype.Float32, `[{"name":"scale_offset"},{"name":"bytes"}]`, nil},
	{"wider", dtype.Float32, `[{"name":"cast_value","configuration":{"data_type":"float64"}},{"name":"bytes"}]`, nil},
	{"wider NaN", dtype.Float16, `[{"name":"cast_value","configuration":{"data_type":"float32"}},{"name":"bytes"}]`,
		[]string{"cast_value: NaN stays NaN, and loses its sign and its other bits"}},
	{"narrower", dtype.Float64, `[{"name":"cast_value","configuration":{"data_type":"float16"}},{"name":"bytes"}]`,
		[]string{"cast_value: rounded to float16 (nearest-even): each number is off by at most 2^-11 of itself, except next to zero"}},
	{"narrower integer", dtype.Int32, `[{"name":"cast_value","configuration":{"data_type":"int8"}},{"name":"bytes"}]`, nil},
	{"wrapped", dtype.Int32, `[{"name":"cast_value","configuration":{"data_type":"uint8","out_of_range":"wrap"}},{"name":"bytes"}]`,
		[]string{"cast_value: numbers out of the range of uint8 wrap around, without a bound"}},
	{"mapped", dtype.Int32, `[{"name":"cast_value","configuration":{"data_type":"int8","scalar_map":{"encode":[[1000,0]]}}},{"name":"bytes"}]`,
		[]string{"cast_value: numbers that scalar_map names become others"}},
	{"zfp tolerance", dtype.Float32, `[{"name":"zfp","configuration":{"mode":"fixed_accuracy","tolerance":0.01}}]`,
		[]string{"zfp: rounded by blocks (errors may exceed the bound beside very large values; verify_bound: true makes that an error), at most 0.01 away"}},
	{"zfp proven", dtype.Float32, `[{"name":"zfp","configuration":{"mode":"fixed_accuracy","tolerance":0.01,"verify_bound":true}}]`,
		[]string{"zfp: rounded by blocks, at most 0.01 away"}},
	{"zfp of integers", dtype.Int32, `[{"name":"zfp","configuration":{"mode":"fixed_accuracy","tolerance":1}}]`, []string{"zfp: the lowest bits of integers may change"}},
	{"zfp rate", dtype.Float32, `[{"name":"zfp","configuration":{"mode":"fixed_rate","rate":8}}]`,
		[]string{"zfp: cut to 8 bits for each value: the error depends on the largest value of each block"}},
	{"zfp precision", dtype.Float64, `[{"name":"zfp","configuration":{"mode":"fixed_precision","precision":16}}]`,
		[]string{"zfp: cut to 16 bit planes: the error depends on the largest value of each block"}},
	{"zfp expert", dtype.Float32, `[{"name":"zfp","configuration":{"mode":"expert","minbits":1,"maxbits":99999,"maxprec":64,"minexp":-3}}]`,
		[]string{"zfp: rounded by blocks (errors may exceed the bound beside very large values; verify_bound: true makes that an error), at most 0.125 away"}},
	{"zfp reversible", dtype.Float32, `[{"name":"zfp","configuration":{"mode":"reversible"}}]`, nil},
	{"zfpy", dtype.Float32, `[{"name":"numcodecs.zfpy","configuration":{"mode":4,"tolerance":0.5}}]`,
		[]string{"numcodecs.zfpy: rounded by blocks (errors may exceed the bound beside very large values; verify_bound: true makes that an error), at most 0.5 away"}},
	{"quantize", dtype.Float64, `[{"name":"numcodecs.quantize","configuration":{"digits":2,"dtype":"<f8"}},{"name":"bytes"}]`,
		[]string{"numcodecs.quantize: rounded to 2 decimal digits, at most 0.00390625 away"}},
	{"fixedscaleoffset", dtype.Float64, `[{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":1,"scale":10,"dtype":"<f8","astype":"<i4"}},{"name":"bytes"}]`,
		[]string{
			"numcodecs.fixedscaleoffset: rounded to whole numbers behind offset and scale, and in the last places by the arithmetic, at most 0.05 away",
			"numcodecs.fixedscaleoffset: numbers that the stored type does not hold lose their upper bits, without a bound",
		}},
	{"astype", dtype.Float64, `[{"name":"numcodecs.astype","configuration":{"encode_dtype":"<i2"}},{"name":"bytes"}]`,
		[]string{"numcodecs.astype: rounded to whole numbers (towards-zero), at most 1 away"}},
	{"delta", dtype.Float32, `[{"name":"numcodecs.delta"},{"name":"numcodecs.astype","configuration":{"encode_dtype":"<i4"}},{"name":"bytes"}]`,
		[]string{
			"numcodecs.delta: summed up again in float32: errors of rounding add up along a chunk, without a bound",
			"numcodecs.astype: rounded to whole numbers (towards-zero)",
		}},
	{"packbits", dtype.Uint8, `[{"name":"packbits","configuration":{"first_bit":2,"last_bit":5}}]`, []string{"packbits: bits other than 2 to 5 are left out, without a bound"}},
	{"packbits of all", dtype.Uint8, `[{"name":"packbits"}]`, nil},
	{"shards", dtype.Float32, `[{"name":"sharding_indexed","configuration":{"chunk_shape":[8],"codecs":[{"name":"bitround","configuration":{"keepbits":1}},{"name":"bytes"}],"index_codecs":[{"name":"bytes"}]}}]`,
		[]string{"bitround: rounded to 1 bits of the mantissa: each number is off by at most 2^-2 of itself"}},
}

// TestLosses checks the losses that chains report. It stores numbers and checks that
// they come back within the bounds.
func TestLosses(t *testing.T) {
	told := map[string]bool{}
	registry := standard.Registry(dtype.Standard())
	for _, tt := range losses {
		t.Run(tt.name, func(t *testing.T) {
			var specs []codecs.Spec
			if err := json.Unmarshal([]byte(tt.chain), &specs); err != nil {
				t.Fatal(err)
			}
			chain, err := registry.Bind(specs, codecs.Chunk{Type: tt.typ, Shape: []int{64}, Fill: tt.typ.Default()})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			atMost := 0.0
			for _, l := range chain.Losses() {
				got = append(got, l.Name+": "+l.String())
				told[l.Name] = true
				atMost += l.AtMost
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if atMost > 0 {
				checkAway(t, chain, atMost)
			}
		})
	}
	for _, d := range registry.Definitions() {
		if d.Lossy != "" && !told[d.Name] {
			t.Errorf("%s is lossy and reports no loss", d.Name)
		}
	}
}

// checkAway stores numbers from -100 to 100. It checks that none comes back more than
// atMost away.
func checkAway(t *testing.T, chain *codecs.Chain, atMost float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	src := ndarray.New(chain.Chunk().Type, []int{64})
	want := make([]float64, 64)
	for i := range want {
		want[i] = float64(float32(200*rng.Float64() - 100))
		if x, ok := ndarray.As[float32](src); ok {
			x[i] = float32(want[i])
		} else {
			x, _ := ndarray.As[float64](src)
			x[i] = want[i]
		}
	}
	pool := &ndarray.Pool{}
	data, _, err := chain.Encode(pool, src)
	if err != nil {
		t.Fatal(err)
	}
	back := ndarray.New(src.Type, src.Shape)
	if err := chain.Decode(pool, back, data); err != nil {
		t.Fatal(err)
	}
	for i, v := range want {
		got := 0.0
		if x, ok := ndarray.As[float32](back); ok {
			got = float64(x[i])
		} else {
			x, _ := ndarray.As[float64](back)
			got = x[i]
		}
		if away := math.Abs(got - v); away > atMost*(1+1e-9) {
			t.Errorf("%g comes back as %g, more than %g away", v, got, atMost)
		}
	}
}

// TestLossOfDefinition has a codec of another program. It has no trait, and its
// definition alone says that it is lossy.
func TestLossOfDefinition(t *testing.T) {
	registry := standard.Registry(dtype.Standard())
	d, err := registry.Lookup("bytes")
	if err != nil {
		t.Fatal(err)
	}
	d.Name, d.Aliases, d.Lossy = "mine", nil, "the mood of the numbers"
	if err := registry.Register(d); err != nil {
		t.Fatal(err)
	}
	chain, err := registry.Bind([]codecs.Spec{{Name: "mine"}}, codecs.Chunk{Type: dtype.Float32, Shape: []int{4}, Fill: dtype.Float32.Default()})
	if err != nil {
		t.Fatal(err)
	}
	if list := chain.Losses(); len(list) != 1 || list[0].Name != "mine" || !strings.Contains(list[0].String(), "mood") {
		t.Errorf("got %v", list)
	}
}
