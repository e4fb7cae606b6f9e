package report

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources/zarr"
	zarrmeta "github.com/zmigrate/zmigrate/zarr"
)

// made is an array of a target that a test makes. value is the value of an element; nil: no
// chunk is stored.
type made struct {
	path       string
	of         dtype.Type
	shape      []int
	chunks     []int
	dimensions []string
	fill       string
	attributes map[string]string
	value      func(index []int) float64
}

// target writes arrays and opens the target.
func target(t *testing.T, arrays ...made) *sampler {
	t.Helper()
	ctx := t.Context()
	url := filepath.Join(t.TempDir(), "t.zarr")
	w, err := sinks.Create(ctx, url, sinks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range arrays {
		var attributes zarrmeta.Attributes
		for name, value := range m.attributes {
			attributes = attributes.With(name, []byte(value))
		}
		var fill []byte
		if m.fill != "" {
			fill = []byte(m.fill)
		}
		a, err := w.CreateArray(ctx, m.path, sinks.ArraySpec{Type: m.of, Shape: m.shape, Chunks: m.chunks, DimensionNames: m.dimensions, FillValue: fill, Attributes: attributes})
		if err == nil && m.value != nil {
			err = m.write(ctx, a)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := openTarget(ctx, url, zarr.Options{Codecs: standard.Registry(dtype.Standard())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.target.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// write writes all elements of an array of float64, int16 or booleans.
func (m made) write(ctx context.Context, a *sinks.Array) error {
	n, _ := ndarray.Elements(m.shape)
	last := slices.Clone(m.shape)
	for i := range last {
		last[i]--
	}
	floats, shorts, bytes := make([]float64, 0, n), make([]int16, 0, n), make([]byte, 0, n)
	first := make([]int, len(m.shape))
	for index := slices.Clone(first); index != nil; index = ndarray.Next(index, first, last) {
		v := m.value(index)
		floats, shorts, bytes = append(floats, v), append(shorts, int16(v)), append(bytes, byte(v))
	}
	switch m.of {
	case dtype.Int16:
		return a.WriteRegion(ctx, ndarray.From(shorts, m.shape), first)
	case dtype.BoolType:
		src, err := ndarray.View(m.of, m.shape, bytes)
		if err != nil {
			return err
		}
		return a.WriteRegion(ctx, src, first)
	}
	return a.WriteRegion(ctx, ndarray.From(floats, m.shape), first)
}

func along(index []int) float64 { return float64(index[0]) }

// TestSample takes samples of arrays of several shapes, and compares each value with the one
// that was written.
func TestSample(t *testing.T) {
	t.Parallel()
	field := func(index []int) float64 {
		v := 0.0
		for _, n := range index {
			v = 1000*v + float64(n)
		}
		return v
	}
	plane := func(index []int) float64 { return float64(index[0]%100*100 + index[1]%100) }
	cases := []struct {
		made
		rows, columns, yStep, xStep int
		at                          []string
		ends                        []string // of y and x
		upwards                     bool
		want                        func(row, column int) float64
	}{
		{
			made: made{path: "g/t2m", of: dtype.Float64, shape: []int{5, 6, 7}, chunks: []int{2, 4, 3}, dimensions: []string{"time", "lat", "lon"}, value: field},
			rows: 6, columns: 7, yStep: 1, xStep: 1, at: []string{"time 2 of 0 to 4"}, ends: []string{"0", "50", "0", "6"}, upwards: true,
			want: func(row, column int) float64 { return field([]int{2, row, column}) },
		},
		{
			made: made{path: "turned", of: dtype.Float64, shape: []int{7, 6, 3}, chunks: []int{7, 2, 2}, dimensions: []string{"lon", "lat", "level"}, value: field},
			rows: 6, columns: 7, yStep: 1, xStep: 1, at: []string{"level 1 of 0 to 2"}, ends: []string{"0", "50", "0", "6"}, upwards: true,
			want: func(row, column int) float64 { return field([]int{column, row, 1}) },
		},
		{
			made: made{path: "large", of: dtype.Int16, shape: []int{700, 1500}, chunks: []int{128, 200}, value: plane},
			rows: 234, columns: 500, yStep: 3, xStep: 3, ends: []string{"0", "699", "0", "1499"},
			want: func(row, column int) float64 { return plane([]int{3 * row, 3 * column}) },
		},
		{
			made: made{path: "column", of: dtype.Float64, shape: []int{1, 9, 1}, chunks: []int{1, 4, 1}, value: field},
			rows: 1, columns: 9, yStep: 1, xStep: 1, ends: []string{"", "", "0", "8"},
			want: func(_, column int) float64 { return field([]int{0, column, 0}) },
		},
		{
			made: made{path: "scalar", of: dtype.Float64, shape: []int{}, chunks: []int{}, value: func([]int) float64 { return 4.5 }},
			rows: 1, columns: 1, yStep: 1, xStep: 1, ends: []string{"", "", "", ""},
			want: func(int, int) float64 { return 4.5 },
		},
		{
			made: made{path: "mask", of: dtype.BoolType, shape: []int{4, 4}, chunks: []int{4, 4}, fill: "false", value: func(index []int) float64 { return float64((index[0] + index[1]) % 2) }},
			rows: 4, columns: 4, yStep: 1, xStep: 1, ends: []string{"0", "3", "0", "3"},
			want: func(row, column int) float64 { return float64((row + column) % 2) },
		},
		{
			// Packed values are unpacked. The stored value 3 is missing.
			made: made{
				path: "packed", of: dtype.Int16, shape: []int{2, 4}, chunks: []int{2, 4}, value: func(index []int) float64 { return float64(4*index[0] + index[1]) },
				attributes: map[string]string{"scale_factor": "0.5", "add_offset": "10.0", "_FillValue": "3"},
			},
			rows: 2, columns: 4, yStep: 1, xStep: 1, ends: []string{"0", "1", "0", "3"},
			want: func(row, column int) float64 {
				if stored := 4*row + column; stored != 3 {
					return 10 + 0.5*float64(stored)
				}
				return math.NaN()
			},
		},
		{
			made: made{
				path: "gaps", of: dtype.Int16, shape: []int{6}, chunks: []int{4}, value: along,
				attributes: map[string]string{"missing_value": "2"},
			},
			rows: 1, columns: 6, yStep: 1, xStep: 1, ends: []string{"", "", "0", "5"},
			want: func(_, column int) float64 {
				if column == 2 {
					return math.NaN()
				}
				return float64(column)
			},
		},
	}
	arrays := []made{{path: "lat", of: dtype.Float64, shape: []int{6}, chunks: []int{6}, dimensions: []string{"lat"}, value: func(index []int) float64 { return 10 * float64(index[0]) }}}
	for _, c := range cases {
		arrays = append(arrays, c.made)
	}
	s := target(t, arrays...)
	for _, c := range cases {
		got, err := s.sample(t.Context(), c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if got.rows != c.rows || got.columns != c.columns || got.y.step != c.yStep || got.x.step != c.xStep || !slices.Equal(got.at, c.at) || got.y.upwards != c.upwards {
			t.Errorf("%s: %d × %d, steps %d and %d, at %q, upwards %v", c.path, got.rows, got.columns, got.y.step, got.x.step, got.at, got.y.upwards)
			continue
		}
		if ends := []string{got.y.from, got.y.to, got.x.from, got.x.to}; c.upwards && !slices.Equal(ends, c.ends) || !c.upwards && ends[3] != c.ends[3] {
			t.Errorf("%s: ends %q, want %q", c.path, ends, c.ends)
		}
		missing, low, high := 0, math.NaN(), math.NaN()
		for i, v := range got.values {
			want := c.want(i/got.columns, i%got.columns)
			if v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
				t.Fatalf("%s: row %d, column %d: %v, want %v", c.path, i/got.columns, i%got.columns, v, want)
			}
			if math.IsNaN(v) {
				missing++
				continue
			}
			if !(low <= v) {
				low = v
			}
			if !(high >= v) {
				high = v
			}
		}
		if got.missing != missing || got.low != low || got.high != high {
			t.Errorf("%s: %d missing, from %v to %v; want %d, %v, %v", c.path, got.missing, got.low, got.high, missing, low, high)
		}
	}
}

// TestSampleBounds takes samples of arrays that are too large to be read whole, and of those
// that have no picture.
func TestSampleBounds(t *testing.T) {
	t.Parallel()
	s := target(t,
		made{path: "huge", of: dtype.Float64, shape: []int{200_000, 300_000}, chunks: []int{2000, 1000}},
		made{path: "deep", of: dtype.Float64, shape: []int{1000, 4000, 4000}, chunks: []int{100, 100, 100}},
		made{path: "long", of: dtype.Float64, shape: []int{1 << 40}, chunks: []int{1 << 20}},
		made{path: "whole", of: dtype.Float64, shape: []int{1 << 13, 1 << 13}, chunks: []int{1 << 13, 1 << 13}},
		made{path: "empty", of: dtype.Float64, shape: []int{0, 3}, chunks: []int{1, 3}},
		made{path: "words", of: dtype.StringType, shape: []int{3}, chunks: []int{3}, fill: `""`},
		made{path: "waves", of: dtype.Complex64, shape: []int{3}, chunks: []int{3}, fill: `[0,0]`},
	)
	for _, c := range []struct {
		path   string
		region [4]int // first and last of y, then of x
		err    string
	}{
		{"huge", [4]int{98_000, 101_999, 147_000, 151_999}, ""},
		{"deep", [4]int{1700, 2199, 1700, 2199}, ""},
		{"long", [4]int{0, 0, 1<<39 - 1<<24, 1<<39 + 1<<24 - 1}, ""},
		{"whole", [4]int{}, "its chunks of 512 MiB are too large for a picture"},
		{"empty", [4]int{}, "it has no elements"},
		{"words", [4]int{}, "its values are not real numbers"},
		{"waves", [4]int{}, "its values are not real numbers"},
		{"absent", [4]int{}, "absent"},
	} {
		got, err := s.sample(t.Context(), c.path)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.path, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if region := [4]int{got.y.first, got.y.last, got.x.first, got.x.last}; region != c.region {
			t.Errorf("%s: %v, want %v", c.path, region, c.region)
		}
		if got.rows > mostRows || got.columns > mostColumns {
			t.Errorf("%s: %d × %d", c.path, got.rows, got.columns)
		}
	}
}

// TestSpan leaves extreme values out of the colours.
func TestSpan(t *testing.T) {
	s := &sample{rows: 10, columns: 20, values: make([]float64, 200)}
	for i := range s.values {
		s.values[i] = float64(i)
	}
	s.values[7], s.values[199] = math.NaN(), 1e30
	if low, high := s.span(); low != 3 || high != 195 {
		t.Errorf("%v to %v", low, high)
	}
	for i := range s.values {
		s.values[i] = math.NaN()
	}
	s.low, s.high = math.NaN(), math.NaN()
	if _, err := s.picture(); err != nil {
		t.Error(err)
	}
	for part, want := range map[float64]string{-1: "440154", 0: "440154", 1: "fde725", 2: "fde725", 0.5: "23908c"} {
		if c := colourOf(part); want != hex(c.R)+hex(c.G)+hex(c.B) {
			t.Errorf("%v: %v, want %s", part, c, want)
		}
	}
}

func hex(n uint8) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[n>>4], digits[n&15]})
}
