package compare

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestDescriptions lists what differs between two arrays.
func TestDescriptions(t *testing.T) {
	float := func(x float64) dtype.Scalar { return binary.NativeEndian.AppendUint64(nil, math.Float64bits(x)) }
	day, err := dtype.Datetime64("D", 1)
	if err != nil {
		t.Fatal(err)
	}
	attributes := func(text string) (list zarr.Attributes) {
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	type change = func(stays, comes *sources.Info)
	fills := func(x, y float64) change {
		return func(a, b *sources.Info) {
			a.Fill, b.Fill, a.FillFrom, b.FillFrom = float(x), float(y), "header", "dataset"
		}
	}
	both := func(changes ...change) change {
		return func(a, b *sources.Info) {
			for _, c := range changes {
				c(a, b)
			}
		}
	}
	given := func(a, _ *sources.Info) { a.Path = "given" }
	fillsDiffer := Difference{Meaning, "_FillValue", "the fill value", "1.0, from its header,", "2.0, from its dataset,"}
	for name, test := range map[string]struct {
		change change
		want   []Difference
	}{
		"the same":         {func(a, b *sources.Info) {}, nil},
		"type":             {func(a, b *sources.Info) { b.Type = dtype.Int8 }, []Difference{{Breaking, "", "the data type", "float64", "int8"}}},
		"configured type":  {func(a, b *sources.Info) { b.Type = day }, []Difference{{Breaking, "", "the data type", "float64", `{"name":"numpy.datetime64","configuration":{"unit":"D","scale_factor":1}}`}}},
		"dimensions":       {func(a, b *sources.Info) { b.DimensionNames = []string{"t", "y"} }, []Difference{{Breaking, "", "the list of dimensions", `["t" "x"]`, `["t" "y"]`}}},
		"names gone":       {func(a, b *sources.Info) { b.DimensionNames = nil }, []Difference{{Breaking, "", "the list of dimensions", `["t" "x"]`, "2 without names"}}},
		"fewer dimensions": {func(a, b *sources.Info) { a.DimensionNames, b.DimensionNames, b.Shape = nil, nil, []int{2} }, []Difference{{Breaking, "", "the list of dimensions", "2 without names", "1 without names"}}},
		"length along":     {func(a, b *sources.Info) { b.Shape = []int{5, 3} }, nil},
		"another length":   {func(a, b *sources.Info) { b.Shape = []int{2, 4} }, []Difference{{Breaking, "", `the length of dimension "x"`, "3", "4"}}},
		"length, no names": {func(a, b *sources.Info) { a.DimensionNames, b.DimensionNames, b.Shape = nil, nil, []int{2, 4} }, []Difference{{Breaking, "", "the length of dimension 1", "3", "4"}}},
		"fills":            {fills(1, 2), []Difference{fillsDiffer}},
		"one fill":         {both(fills(1, 2), func(a, b *sources.Info) { b.Fill = nil }), nil},
		"another one":      {both(fills(1, 2), func(a, b *sources.Info) { a.Fill = nil }), nil},
		"fills, zeros":     {fills(0, math.Copysign(0, -1)), nil},
		"fills, NaN":       {fills(math.NaN(), math.Float64frombits(0x7ff8000000000007)), nil},
		"fills, given":     {both(fills(1, 2), given), nil},
		"fills of types":   {both(fills(1, 2), func(a, b *sources.Info) { b.Type = dtype.Int64 }), []Difference{{Breaking, "", "the data type", "float64", "int64"}}},
		"fills, marked": {both(fills(1, 2), func(a, b *sources.Info) { a.Attributes = attributes(`{"_FillValue": "NaN"}`) }),
			[]Difference{{Remark, "_FillValue", "the attribute _FillValue", `"NaN"`, "absent"}}},
		"fills, both marked": {both(fills(1, 2), func(a, b *sources.Info) {
			a.Attributes, b.Attributes = attributes(`{"_FillValue": "NaN"}`), attributes(`{"_FillValue": "NaN"}`)
		}), []Difference{fillsDiffer}},
		"fills, another mark": {both(fills(1, 2), func(a, b *sources.Info) { a.Attributes = attributes(`{"_FillValue": 1}`) }),
			[]Difference{{Meaning, "_FillValue", "the attribute _FillValue", "1", "absent"}}},
		"attributes":        {func(a, b *sources.Info) { b.Attributes = attributes(`{"units": "K"}`) }, []Difference{{Meaning, "units", "the attribute units", "absent", `"K"`}}},
		"attributes, given": {both(func(a, b *sources.Info) { b.Attributes = attributes(`{"units": "K"}`) }, given), nil},
		"packing":           {func(a, b *sources.Info) { b.Packing = packed{} }, []Difference{{Meaning, "", "the packing", "absent", "float32"}}},
		"packed in vain":    {func(a, b *sources.Info) { b.Packing = packed{errors.New("no codecs")} }, []Difference{{Meaning, "", "the packing", "absent", "no codecs"}}},
		"packed by attributes": {both(func(a, b *sources.Info) {
			a.Packing = packed{}
			b.Attributes = attributes(`{"units": "K", "scale_factor": 2}`)
		}, given), []Difference{
			{Meaning, "scale_factor", "the attribute scale_factor", "absent", "2"}, {Meaning, "units", "the attribute units", "absent", `"K"`}}},
		"labels": {func(a, b *sources.Info) {
			a.Labels, b.Labels = map[string]string{"1": "low"}, map[string]string{"1": "high"}
		}, []Difference{{Naming, "flag_meanings", "the name of the value 1", "low", "high"}}},
		"labels moved": {func(a, b *sources.Info) {
			a.Labels, b.Labels = map[string]string{"1": "low"}, map[string]string{"2": "low"}
		}, []Difference{{Naming, "flag_meanings", `the value with the name "low"`, "1", "2"}}},
		"labels more": {func(a, b *sources.Info) {
			a.Labels, b.Labels = map[string]string{"1": "low"}, map[string]string{"1": "low", "2": "high"}
		}, []Difference{{Remark, "flag_meanings", "the list of values with names", "{1: low}", "{1: low, 2: high}"}}},
		"labels, given": {both(func(a, b *sources.Info) { b.Labels = map[string]string{"1": "high"} }, given), nil},
	} {
		t.Run(name, func(t *testing.T) {
			of := func() *sources.Info {
				return &sources.Info{Type: dtype.Float64, Shape: []int{2, 3}, DimensionNames: []string{"t", "x"}}
			}
			a, b := of(), of()
			test.change(a, b)
			got := Descriptions(a, b, "t", func(string) bool { return a.Path == "given" })
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	a, b := &sources.Info{Type: dtype.Int8, Shape: []int{1}, DimensionNames: []string{""}}, &sources.Info{Type: dtype.Int8, Shape: []int{2}, DimensionNames: []string{""}}
	if got := Descriptions(a, b, "", func(string) bool { return false }); len(got) != 1 || got[0].What != "the length of dimension 0" {
		t.Errorf("along nothing: %v", got)
	}
}
