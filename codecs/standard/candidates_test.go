package standard_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestCandidates encodes and decodes random values with all chains. No error is above the
// tolerance, and each kind of lossy chain is among them.
func TestCandidates(t *testing.T) {
	registry := standard.Registry(dtype.Standard())
	random := rand.New(rand.NewPCG(1, 2))
	lossy := map[string]int{}
	for range 25 {
		for _, kind := range []dtype.Type{dtype.Float32, dtype.Float64} {
			scale, offset := math.Pow(10, float64(random.IntN(9)-4)), math.Pow(10, float64(random.IntN(5)-2))*float64(random.IntN(3)-1)
			most := standard.Tolerance{Absolute: scale * math.Pow(10, -1-3*random.Float64())}
			if random.IntN(4) == 0 {
				most = standard.Tolerance{Relative: math.Pow(10, -1-3*random.Float64())}
			}
			values := standard.Values{Min: math.Inf(1), Max: math.Inf(-1), NaN: random.IntN(2) == 0}
			list := make([]float64, 600)
			for i := range list {
				list[i] = offset + scale*(random.Float64()+math.Sin(float64(i)/50))
				if kind == dtype.Float32 {
					list[i] = float64(float32(list[i]))
				}
				values.Min, values.Max = math.Min(values.Min, list[i]), math.Max(values.Max, list[i])
				if values.NaN && i%7 == 0 {
					list[i] = math.NaN()
				}
			}
			src := fieldOf(kind, list)
			fill, err := kind.ParseScalar(dtype.V3, []byte(`"NaN"`))
			if err != nil {
				t.Fatal(err)
			}
			in := codecs.Chunk{Type: kind, Shape: []int{20, 30}, Fill: fill}
			for _, specs := range standard.Candidates(in, most, values) {
				chain, err := registry.Bind(specs, in)
				if err != nil {
					continue
				}
				data, err := chain.AppendEncode(&ndarray.Pool{}, nil, src)
				if err != nil {
					t.Fatalf("%v of %s from %g to %g: %v", text(specs), kind.Name(), values.Min, values.Max, err)
				}
				dst := ndarray.New(kind, in.Shape)
				if err := chain.Decode(&ndarray.Pool{}, dst, data); err != nil {
					t.Fatal(err)
				}
				loses := len(chain.Losses()) > 0
				if loses {
					lossy[specs[0].Name]++
				}
				for i, x := range list {
					y := element(dst, i)
					bound := 0.0
					if loses {
						bound = math.Max(most.Absolute, most.Relative*math.Abs(x))
					}
					if math.IsNaN(x) != math.IsNaN(y) || math.Abs(y-x) > bound {
						t.Fatalf("%v, tolerance %+v: %v becomes %v, %g away", text(specs), most, x, y, math.Abs(y-x))
					}
				}
			}
		}
	}
	for _, name := range []string{"numcodecs.quantize", "numcodecs.bitround", "scale_offset", "zfp", "numcodecs.zfpy"} {
		if lossy[name] == 0 {
			t.Errorf("no chain with %s among %v", name, lossy)
		}
	}
}

// TestCandidatesOfTypes: there are chains that bind for each data type, and none is lossy
// without a tolerance.
func TestCandidatesOfTypes(t *testing.T) {
	types := dtype.Standard()
	registry := standard.Registry(types)
	for _, name := range []string{"bool", "int8", "uint16", "int32", "float16", "float32", "float64", "complex64", "string", "bytes", "r16", "numpy.datetime64", "fixed_length_utf32", "bfloat16"} {
		kind := typeNamed(t, types, name)
		in := codecs.Chunk{Type: kind, Shape: []int{4, 8}, Fill: kind.Default()}
		bound := 0
		for _, specs := range standard.Candidates(in, standard.Tolerance{}, standard.Values{}) {
			chain, err := registry.Bind(specs, in)
			if err != nil {
				continue
			}
			bound++
			if l := chain.Losses(); len(l) > 0 {
				t.Errorf("%s: %s: %v", name, text(specs), l)
			}
		}
		if bound < 4 {
			t.Errorf("%s: only %d chains bind", name, bound)
		}
	}
}

func typeNamed(t *testing.T, types *dtype.Registry, name string) dtype.Type {
	t.Helper()
	text := map[string]string{
		"numpy.datetime64":   `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`,
		"fixed_length_utf32": `{"name":"fixed_length_utf32","configuration":{"length_bytes":12}}`,
	}[name]
	if text == "" {
		text = fmt.Sprintf("%q", name)
	}
	kind, err := types.ParseV3([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return kind
}

func text(specs []codecs.Spec) string {
	list := ""
	for _, s := range specs {
		list += s.Name + string(s.Configuration) + " "
	}
	return list
}

func fieldOf(kind dtype.Type, list []float64) ndarray.Array {
	if kind == dtype.Float64 {
		return ndarray.From(slices.Clone(list), []int{20, 30})
	}
	small := make([]float32, len(list))
	for i, x := range list {
		small[i] = float32(x)
	}
	return ndarray.From(small, []int{20, 30})
}

func element(a ndarray.Array, i int) float64 {
	if list, ok := ndarray.As[float64](a); ok {
		return list[i]
	}
	list, _ := ndarray.As[float32](a)
	return float64(list[i])
}
