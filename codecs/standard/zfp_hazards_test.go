package standard_test

import (
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

// TestZfpHazards has fill values and tolerances that are hazards without any data.
func TestZfpHazards(t *testing.T) {
	const accuracy, rate, reversible = `{"mode":"fixed_accuracy","tolerance":%s}`, `{"mode":"fixed_rate","rate":16}`, `{"mode":"reversible"}`
	accurate := func(tolerance string) string { return fmt.Sprintf(accuracy, tolerance) }
	for _, c := range []struct {
		typ                 dtype.Type
		configuration, fill string
		want                []string // code, field and part of the message
	}{
		{dtype.Float32, accurate("0.01"), `0.0`, nil},
		{dtype.Float32, reversible, `"NaN"`, nil},
		{dtype.Float32, reversible, `9.969209968386869e36`, nil},
		{dtype.Float32, accurate("0.01"), `"NaN"`, []string{"zfp-nonfinite mode", `the fill value "NaN"`}},
		{dtype.Float64, rate, `"-Infinity"`, []string{"zfp-nonfinite mode", `the fill value "-Infinity"`}},
		{dtype.Float16, rate, `"Infinity"`, []string{"zfp-nonfinite mode", `the fill value "Infinity"`}},
		{dtype.Float32, accurate("0.01"), `1024.0`, nil},
		{dtype.Float32, accurate("0.01"), `1e9`, []string{"zfp-tolerance tolerance", "the tolerance of 0.01"}},
		{dtype.Float64, accurate("0.01"), `1e9`, nil},
		{dtype.Float64, accurate("0.01"), `-1e36`, []string{"zfp-tolerance tolerance", "the fill value -1e+36"}},
		{dtype.Float64, rate, `1e36`, []string{"zfp-range mode", "lose their digits"}},
		{dtype.Float64, rate, `-512.0`, nil},
		{dtype.Int32, rate, `1073741824`, []string{"zfp-range mode", "below 2^30"}},
		{dtype.Int32, rate, `-1073741823`, nil},
		{dtype.Int32, reversible, `-2147483648`, nil},
		{dtype.Int64, rate, `4611686018427387904`, []string{"zfp-range mode", "below 2^62"}},
		{dtype.Int16, rate, `-32768`, nil},
		{dtype.Int32, accurate("1"), `0`, []string{"zfp-tolerance tolerance", "no tolerance for integers"}},
		{dtype.Uint32, reversible, `0`, []string{"zfp-unsigned ", "above 2147483647"}},
		{dtype.Uint64, reversible, `0`, []string{"zfp-unsigned ", "above 9223372036854775807"}},
	} {
		fill, err := dtype.ParseFill(c.typ, dtype.V3, []byte(c.fill))
		if err != nil {
			t.Fatal(err)
		}
		chain := bindZfp(t, c.configuration, codecs.Chunk{Type: c.typ, Shape: []int{5, 6}, Fill: fill})
		var got []codecs.Hazard
		for _, h := range chain.Hazards() {
			if h.Code != codecs.FillValueChanges { // not only zfp reports this
				got = append(got, h)
			}
		}
		switch {
		case len(c.want) == 0 && len(got) == 0:
		case len(got) != 1 || len(c.want) == 0 || got[0].Code+" "+got[0].Field != c.want[0] || !strings.Contains(got[0].Message, c.want[1]) || got[0].Hint == "":
			t.Errorf("%s of %s with %s: %+v, want %q", c.configuration, c.typ.Name(), c.fill, got, c.want)
		}
		if len(got) == 1 && (got[0].Code == standard.ZfpNonfinite || got[0].Code == standard.ZfpRange) && len(chain.Hazards()) > 1 {
			t.Errorf("%s of %s with %s is reported twice: %+v", c.configuration, c.typ.Name(), c.fill, chain.Hazards())
		}
	}
}

// TestZfpHazardsAreReal encodes the fill value beside other values. There must be a
// loss if the chain reports a hazard, and none if it does not.
func TestZfpHazardsAreReal(t *testing.T) {
	for _, fill := range []float32{1, 1 << 12, 1 << 16, 1 << 20, 1e9, 9.969209968386869e36} {
		for _, tolerance := range []float64{1e-6, 1e-4, 0.01, 1, 1000} {
			fills := arrayOf(t, dtype.Float32, fill)
			chain := bindZfp(t, fmt.Sprintf(`{"mode":"fixed_accuracy","tolerance":%g}`, tolerance), codecs.Chunk{Type: dtype.Float32, Shape: []int{4, 4}, Fill: fills.Data})
			warned := slices.ContainsFunc(chain.Hazards(), func(h codecs.Hazard) bool { return h.Code == standard.ZfpTolerance })
			r := rand.New(rand.NewPCG(1, 2))
			worst := 0.0
			for range 200 {
				var pool ndarray.Pool
				a, b := ndarray.New(dtype.Float32, []int{4, 4}), ndarray.New(dtype.Float32, []int{4, 4})
				values, _ := ndarray.As[float32](a)
				for i := range values {
					values[i] = r.Float32()
				}
				values[r.IntN(16)] = fill
				stored, err := chain.AppendEncode(&pool, nil, a)
				if err == nil {
					err = chain.Decode(&pool, b, stored)
				}
				if err != nil {
					t.Fatal(err)
				}
				got, _ := ndarray.As[float32](b)
				for i, v := range values {
					worst = max(worst, math.Abs(float64(v)-float64(got[i])))
				}
			}
			if worst > tolerance && !warned || worst < min(tolerance, 1)/16 && warned {
				t.Errorf("fill value %g, tolerance %g: the largest error is %g, a hazard is reported: %v", fill, tolerance, worst, warned)
			}
		}
	}
}
