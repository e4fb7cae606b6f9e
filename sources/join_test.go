package sources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// part is an array of which only the description matters.
func part(t dtype.Type, shape ...int) Array {
	return &strided{info: &Info{Type: t, Shape: shape}}
}

func TestPartsThatDoNotFit(t *testing.T) {
	i2 := dtype.Int16
	const huge = 1 << 62
	for name, test := range map[string]struct {
		dim   int // -1: stack
		parts []Array
		want  string
	}{
		"join of nothing":          {0, nil, "nothing to join"},
		"join of scalars":          {0, []Array{part(i2)}, "has no dimension 0 to join along"},
		"join along no dimension":  {2, []Array{part(i2, 1, 1)}, "has no dimension 2 to join along"},
		"join of types":            {0, []Array{part(i2, 1), part(dtype.Uint16, 1)}, "part 1 has data type uint16, the first has int16"},
		"join of shapes":           {0, []Array{part(i2, 1, 2), part(i2, 1, 3)}, "part 1 has shape [1 3]"},
		"join of ranks":            {0, []Array{part(i2, 1, 2), part(i2, 1)}, "part 1 has shape [1]"},
		"join beyond all indexes":  {0, []Array{part(i2, huge), part(i2, huge)}, "too many elements"},
		"join of too many bytes":   {0, []Array{part(i2, huge/2), part(i2, huge/2)}, "too many elements"},
		"stack of nothing":         {-1, nil, "nothing to stack"},
		"stack of types":           {-1, []Array{part(i2), part(dtype.Uint16)}, "part 1 has data type uint16"},
		"stack of shapes":          {-1, []Array{part(i2, 2), part(i2, 3)}, "part 1 has shape [3]"},
		"stack of too many bytes":  {-1, []Array{part(i2, huge/2), part(i2, huge/2)}, "too many elements"},
		"stack of different ranks": {-1, []Array{part(i2, 2), part(i2, 2, 1)}, "part 1 has shape [2 1]"},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			if test.dim < 0 {
				_, err = Stack(Info{Path: "v"}, test.parts)
			} else {
				_, err = Join(Info{Path: "v"}, test.dim, test.parts)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// TestJoinedDescription checks the descriptions of joined and of stacked parts.
func TestJoinedDescription(t *testing.T) {
	of := func(info Info, shape ...int) Array {
		info.Shape = shape
		return &strided{info: &info}
	}
	short, long := Info{Type: dtype.Int16, ItemBytes: 3, LongRun: 10}, Info{Type: dtype.Int16, ItemBytes: 8, LongRun: 99, Remote: true}
	columns := Info{Type: dtype.Int16, Slowest: []int{1, 0}}
	for name, test := range map[string]struct {
		dim   int // -1: stack
		info  Info
		parts []Array
		want  Info
	}{
		"joined":           {0, Info{}, []Array{of(short, 2, 5), of(long, 1, 5)}, Info{Type: dtype.Int16, Shape: []int{3, 5}, ItemBytes: 8, LongRun: 10}},
		"along the second": {1, Info{LongRun: 20}, []Array{of(short, 2, 5), of(long, 2, 1)}, Info{Type: dtype.Int16, Shape: []int{2, 6}, ItemBytes: 8, LongRun: 20, Slowest: []int{1, 0}}},
		"columns":          {1, Info{}, []Array{of(columns, 2, 5), of(columns, 2, 1)}, Info{Type: dtype.Int16, Shape: []int{2, 6}, Slowest: []int{1, 0}}},
		"rows of columns":  {0, Info{Slowest: []int{1, 0}}, []Array{of(columns, 2, 5)}, Info{Type: dtype.Int16, Shape: []int{2, 5}}},
		"stacked":          {-1, Info{LongRun: 20}, []Array{of(short, 2, 5), of(long, 2, 5), of(short, 2, 5)}, Info{Type: dtype.Int16, Shape: []int{3, 2, 5}, ItemBytes: 8, LongRun: 10}},
		"stacked columns":  {-1, Info{}, []Array{of(columns, 2, 5)}, Info{Type: dtype.Int16, Shape: []int{1, 2, 5}, Slowest: []int{0, 2, 1}}},
		"memory stays":     {0, Info{Memory: 7}, []Array{of(short, 2)}, Info{Type: dtype.Int16, Shape: []int{2}, ItemBytes: 3, LongRun: 10, Memory: 7}},
		"texts far away":   {0, Info{Memory: 7}, []Array{of(Info{Type: dtype.StringType, Remote: true}, 2)}, Info{Type: dtype.StringType, Shape: []int{2}, Memory: 7, Remote: true}},
		"bytes far away":   {0, Info{Memory: 4 << 20}, []Array{of(Info{Type: dtype.Uint8, Remote: true}, 2)}, Info{Type: dtype.Uint8, Shape: []int{2}, Memory: 8 << 20, Remote: true}},
	} {
		t.Run(name, func(t *testing.T) {
			var a Array
			var err error
			if test.dim < 0 {
				a, err = Stack(test.info, test.parts)
			} else {
				a, err = Join(test.info, test.dim, test.parts)
			}
			if err != nil {
				t.Fatal(err)
			}
			info := *a.Info()
			info.Layout = nil // TestReads has it
			got, want := fmt.Sprintf("%+v", info), fmt.Sprintf("%+v", test.want)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestJoinedRegions reads every region of arrays of parts, some of them empty.
func TestJoinedRegions(t *testing.T) {
	next := 0.0
	part := func(rows, columns int) Array {
		h := &held{info: &Info{Type: dtype.Float64, Shape: []int{rows, columns}}}
		for range rows * columns {
			h.values = append(h.values, next)
			next++
		}
		return h
	}
	rows, err := Join(Info{}, 0, []Array{part(0, 2), part(2, 2), part(0, 2), part(1, 2), part(0, 2)})
	if err != nil {
		t.Fatal(err)
	}
	next = 0
	planes, err := Stack(Info{}, []Array{part(1, 2), part(1, 2), part(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []Array{rows, planes} {
		for first := range 4 {
			for n := range 4 - first {
				for column := range 3 {
					shape := slices.Clone(a.Info().Shape)
					start := make([]int, len(shape))
					last := len(shape) - 1
					start[0], shape[0], start[last], shape[last] = first, n, column, 2-column
					dst := ndarray.New(dtype.Float64, shape)
					if err := a.ReadRegion(t.Context(), dst, start); err != nil {
						t.Fatal(err)
					}
					var want []float64
					for row := first; row < first+n; row++ {
						for k := column; k < 2; k++ {
							want = append(want, float64(2*row+k))
						}
					}
					if got, _ := ndarray.As[float64](dst); !slices.Equal(got, want) {
						t.Errorf("%T: region at %v of shape %v: %v, want %v", a, start, shape, got, want)
					}
				}
			}
		}
		outside := ndarray.New(dtype.Float64, a.Info().Shape)
		start := make([]int, len(outside.Shape))
		start[0] = 1
		if err := a.ReadRegion(t.Context(), outside, start); err == nil {
			t.Errorf("%T: a region outside is read", a)
		}
	}
}

// TestInParallel checks that there is one call for each number, and that no call begins
// after an error.
func TestInParallel(t *testing.T) {
	calls := make([]int, 40)
	if err := InParallelUpTo(t.Context(), 1, len(calls), func(_ context.Context, i int) error { calls[i]++; return nil }); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(calls, func(n int) bool { return n != 1 }) {
		t.Errorf("calls %v", calls)
	}
	failed, last := errors.New("failed"), 0
	err := InParallelUpTo(t.Context(), 1, 40, func(_ context.Context, i int) error {
		last = i
		if i == 7 {
			return failed
		}
		return nil
	})
	if !errors.Is(err, failed) || last > 8 {
		t.Errorf("call %d, after %v", last, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := InParallel(ctx, 3, func(context.Context, int) error { t.Error("called"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	if err := InParallel(ctx, 1, func(context.Context, int) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("the last call was interrupted: %v", err)
	}
}

// TestAnyRegionOfParts: any region of joined or selected arrays is read at its own cost if that
// holds for all parts, and if all elements of a dimension are selected.
func TestAnyRegionOfParts(t *testing.T) {
	made := func(any bool) Array {
		return &strided{info: &Info{Path: "a", Type: dtype.Uint8, Shape: []int{4, 6}, Chunks: []int{2, 6}, AnyRegion: any}}
	}
	for _, second := range []bool{true, false} {
		parts := []Array{made(true), made(second)}
		joined, err := Join(*parts[0].Info(), 0, parts)
		if err != nil {
			t.Fatal(err)
		}
		stacked, err := Stack(*parts[0].Info(), parts)
		if err != nil {
			t.Fatal(err)
		}
		if joined.Info().AnyRegion != second || stacked.Info().AnyRegion != second {
			t.Errorf("a second part with %v: joined %v, stacked %v", second, joined.Info().AnyRegion, stacked.Info().AnyRegion)
		}
	}
	for step, want := range map[int]bool{1: true, 2: false} {
		if got := Selected(made(true), []Span{{0, 2, step}, {0, 6, 1}}).Info().AnyRegion; got != want {
			t.Errorf("with a step of %d: %v", step, got)
		}
	}
}
