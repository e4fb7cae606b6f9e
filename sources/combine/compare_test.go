package combine

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// TestCombineTypes has different data types with the same name.
func TestCombineTypes(t *testing.T) {
	a, b := file("t(t)=0"), file("t(t)=1")
	for unit, m := range map[string]*member{"us": a, "ms": b} {
		var err error
		if m.arrays["t"].info.Type, err = dtype.Datetime64(unit, 1); err != nil {
			t.Fatal(err)
		}
	}
	_, err := combineAll(t, Options{Concat: "t", Wanted: everything}, a, b)
	if err == nil || !strings.Contains(err.Error(), `"unit":"us"`) || !strings.Contains(err.Error(), `"unit":"ms"`) {
		t.Errorf("got %v", err)
	}
}

// TestCombineAttributeTypes compares the types of attributes where both are known.
func TestCombineAttributeTypes(t *testing.T) {
	for _, test := range []struct {
		a, b dtype.Type
		want string
	}{
		{nil, nil, ""}, {dtype.Int8, nil, ""}, {nil, dtype.Int8, ""}, {dtype.Int8, dtype.Int8, ""},
		{dtype.Int8, dtype.Uint8, `the attribute missing_value is "3" of int8 in a and "3" of uint8 in b`},
	} {
		a, b := file("t(t)=0;missing_value=3"), file("t(t)=1;missing_value=3")
		for m, kind := range map[*member]dtype.Type{a: test.a, b: test.b} {
			if kind != nil {
				m.arrays["t"].info.AttributeTypes = map[string]dtype.Type{"missing_value": kind}
			}
		}
		_, err := combineAll(t, Options{Concat: "t", Wanted: everything}, a, b)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

// TestCombineFills joins two arrays. One has NaN as its mark and as its fill value. The
// other has no mark, and another fill value.
func TestCombineFills(t *testing.T) {
	for _, test := range []struct {
		marks  [2]string
		accept bool
	}{{[2]string{";_FillValue=NaN", ""}, true}, {[2]string{"", ";_FillValue=NaN"}, true}, {[2]string{"", ""}, false}} {
		a, b := file("t(t)=0"+test.marks[0]), file("t(t)=1"+test.marks[1])
		a.arrays["t"].info.Fill, a.arrays["t"].info.FillFrom = binary.NativeEndian.AppendUint64(nil, math.Float64bits(math.NaN())), "HDF5 dataset"
		b.arrays["t"].info.Fill, b.arrays["t"].info.FillFrom = make(dtype.Scalar, 8), "HDF5 dataset"
		if _, err := combineAll(t, Options{Concat: "t", Wanted: everything}, a, b); (err == nil) != test.accept {
			t.Errorf("%q: error %v", test.marks, err)
		}
	}
}

// TestCombineLabels joins arrays whose data types name their values.
func TestCombineLabels(t *testing.T) {
	first := map[string]string{"0": "clear", "1": "low", "2": "high"}
	for name, test := range map[string]struct {
		labels      map[string]string
		fault, note string
	}{
		"the same":       {map[string]string{"2": "high", "1": "low", "0": "clear"}, "", ""},
		"one more":       {map[string]string{"0": "clear", "1": "low", "2": "high", "3": "fog"}, "", `the list of values with names is {0: clear, 1: low, 2: high} in a and {0: clear, 1: low, 2: high, 3: fog} in b`},
		"another one":    {map[string]string{"0": "clear", "1": "low", "3": "fog"}, "", `the list of values`},
		"none":           {nil, "", `the list of values with names is {0: clear, 1: low, 2: high} in a and {} in b`},
		"renamed":        {map[string]string{"0": "clear", "1": "Low", "2": "high"}, `array "t": the name of the value 1 is low in a and Low in b; the stored values do not mean the same`, ""},
		"in other order": {map[string]string{"0": "clear", "1": "high", "2": "low"}, `the name of the value 1 is low in a and high in b`, ""},
		"moved":          {map[string]string{"0": "clear", "1": "low", "3": "high"}, `the value with the name "high" is 2 in a and 3 in b`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := file("t(t)=0"), file("t(t)=1")
			a.arrays["t"].info.Labels, b.arrays["t"].info.Labels = first, test.labels
			how := Options{Concat: "t", Wanted: everything, Override: true}
			src, err := combineAll(t, how, a, b)
			if test.fault != "" {
				if err == nil || !strings.Contains(err.Error(), test.fault) {
					t.Fatalf("got %v, want an error with %q", err, test.fault)
				}
				how.Given = func(_, attribute string) bool { return attribute == "flag_meanings" }
				if _, err := combineAll(t, how, a, b); err != nil {
					t.Errorf("with the attribute given: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			joined, err := src.Array(t.Context(), "t")
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(joined.Info().Notes, "\n"); (notes == "") != (test.note == "") || !strings.Contains(notes, test.note) {
				t.Errorf("notes %q, want one with %q", notes, test.note)
			}
		})
	}
}
