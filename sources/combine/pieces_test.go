package combine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// masked makes a member with a variable mask(y,x) of 1100 × 2000 numbers, 17 MiB in
// chunks of 300 × 700; changed elements are -1.
func masked(day int, changed ...int) *member {
	m := file(fmt.Sprintf("t(t)=%d", day), "mask(y,x)=")
	h := m.arrays["mask"]
	h.info.Shape, h.info.Chunks = []int{1100, 2000}, []int{300, 700}
	h.made = func(i int) float64 {
		if slices.Contains(changed, i) {
			return -1
		}
		return float64(i)
	}
	return m
}

// TestLargeCoordinate compares all values of a variable that is not joined, however
// large it is.
func TestLargeCoordinate(t *testing.T) {
	how := Options{Concat: "t", Wanted: everything}
	src, err := combineAll(t, how, masked(0), masked(1), masked(2))
	if err != nil {
		t.Fatal(err)
	}
	a, err := src.Array(t.Context(), "mask")
	if err != nil {
		t.Fatal(err)
	}
	if info := a.Info(); len(info.Notes)+len(info.Findings) > 0 {
		t.Errorf("notes %q, findings %v", info.Notes, info.Findings)
	}
	const row = 2000
	_, err = combineAll(t, how, masked(0), masked(1, 1099*row+1999), masked(2), masked(3, 700*row+1500, 900*row+3, 20*row+1999))
	for _, want := range []string{
		"2 differences between the files",
		`array "mask": the value at [1099 1999] is 2199999.0 in a and -1.0 in b`,
		`array "mask": the value at [20 1999] is 41999.0 in a and -1.0 in d`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// TestComparedOnce reads each element of each member once, in whole chunks. No read is
// larger than a piece.
func TestComparedOnce(t *testing.T) {
	var mu sync.Mutex
	var members []*member
	elements := 0
	for day := range 20 {
		m := masked(day)
		info := m.arrays["mask"].info
		m.arrays["mask"].read = func(r ndarray.Region) {
			mu.Lock()
			defer mu.Unlock()
			for k, extent := range info.Chunks {
				if r.Start[k]%extent != 0 || r.Shape[k]%extent != 0 && r.Start[k]+r.Shape[k] != info.Shape[k] {
					t.Errorf("the region at %v of shape %v cuts chunks of shape %v", r.Start, r.Shape, info.Chunks)
				}
			}
			n, _ := ndarray.Elements(r.Shape)
			if elements += n; n*8 > max(pieceBytes, 300*700*8) {
				t.Errorf("the region at %v has %d bytes", r.Start, n*8)
			}
		}
		members = append(members, m)
	}
	if _, err := combineAll(t, Options{Concat: "t", Wanted: everything}, members...); err != nil {
		t.Fatal(err)
	}
	if want := 20 * 1100 * 2000; elements != want {
		t.Errorf("%d elements were read, want %d", elements, want)
	}
}

// TestPieces divides arrays along the order in which they are stored. If chunks are large,
// a piece has fewer of them.
func TestPieces(t *testing.T) {
	const far = 64 << 20
	for _, test := range []struct {
		name    string
		info    sources.Info
		workers int
		shapes  []string // of the pieces
	}{
		{"rows", sources.Info{Shape: []int{3, 1 << 16}}, 16, []string{"[2 65536]", "[1 65536]"}},
		{"columns", sources.Info{Shape: []int{1 << 16, 3}, Slowest: []int{1, 0}}, 16, []string{"[65536 2]", "[65536 1]"}},
		{"chunks", sources.Info{Shape: []int{5, 50000}, Chunks: []int{2, 30000}}, 16, []string{"[2 50000]", "[2 50000]", "[1 50000]"}},
		{"chunks longer than all", sources.Info{Shape: []int{4}, Chunks: []int{1 << 30}}, 16, []string{"[4]"}},
		{"a large chunk", sources.Info{Shape: []int{8 << 20}, Chunks: []int{8 << 20}}, 1, []string{"[8388608]"}},
		{"a source that takes much", sources.Info{Shape: []int{1}, Memory: far}, 1, []string{"[1]"}},
		{"no dimension", sources.Info{Shape: []int{}}, 16, []string{"[]"}},
	} {
		test.info.Type = dtype.Float64
		r := &reference{array: &held{info: &test.info}}
		r.divide([]sources.Array{r.array})
		var shapes []string
		for _, piece := range r.pieces {
			shapes = append(shapes, fmt.Sprint(piece.Shape))
		}
		if !slices.Equal(shapes, test.shapes) || r.workers != test.workers {
			t.Errorf("%s: %v by %d workers, want %v by %d", test.name, shapes, r.workers, test.shapes, test.workers)
		}
	}
}

// TestSample compares everything if it is not too much. Otherwise it compares some pieces.
// If one piece of each member is still too much, it compares some members.
func TestSample(t *testing.T) {
	const gib = 1 << 30
	for _, test := range []struct {
		how            Options
		pieces, others int // before, of one GiB each
		left, members  int
	}{
		{Options{}, 4, 1, 4, 1}, {Options{}, 5, 1, 3, 1}, {Options{}, 2, 7, 1, 7}, {Options{}, 2, 40, 1, 7},
		{Options{Override: true}, 1, 0, 1, 0}, {Options{Override: true}, 4, 1, 1, 1}, {Options{Override: true}, 4, 3, 1, 1},
		{Options{Compared: 8 * gib}, 4, 1, 4, 1}, {Options{Compared: 4 * gib, Override: true}, 4, 1, 2, 1}, {Options{Compared: 4 * gib}, 3, 1, 2, 1},
	} {
		r := &reference{array: &held{info: &sources.Info{Type: dtype.Uint8}}}
		for range test.pieces {
			r.pieces = append(r.pieces, ndarray.Region{Shape: []int{gib}})
		}
		c := &combined{how: test.how}
		if others := c.sample(r, upTo(test.others)); len(r.pieces) != test.left || len(others) != test.members {
			t.Errorf("%+v: %d pieces of %d members", test, len(r.pieces), len(others))
		}
	}
	for n, want := range map[float64]string{0: "0.0 MiB", 3 << 19: "1.5 MiB", gib - 1: "1024.0 MiB", gib: "1.0 GiB", 5 << 29: "2.5 GiB"} {
		if got := size(n); got != want {
			t.Errorf("%.0f bytes are %s, want %s", n, got, want)
		}
	}
}

// TestUncompared has findings about values that are too many to be compared.
func TestUncompared(t *testing.T) {
	const each = 1100 * 2000 * 8
	members := func() (list []*member) {
		for day := range 8 {
			list = append(list, masked(day))
		}
		return list
	}
	for _, test := range []struct {
		name    string
		how     Options
		message string // of the finding
		note    string
	}{
		{"everything", Options{Compared: 8 * each}, "", ""},
		{"some of each", Options{Compared: 4 * each}, "taken from a as the values of all files: 69.0 MiB of 134.3 MiB, evenly spread, are compared, with no difference", ""},
		{"some of some", Options{Compared: each / 4}, "6.4 MiB of 134.3 MiB", ""},
		{"taken from the first", Options{Compared: 4 * each, Override: true}, "", "taken from a; 69.0 MiB of 134.3 MiB, evenly spread, are compared"},
	} {
		test.how.Concat, test.how.Wanted = "t", everything
		src, err := combineAll(t, test.how, members()...)
		if err != nil {
			t.Fatal(err)
		}
		a, err := src.Array(t.Context(), "mask")
		if err != nil {
			t.Fatal(err)
		}
		info := a.Info()
		if n := len(info.Findings); (n > 0) != (test.message != "") || n > 0 && (!strings.Contains(info.Findings[0].Message, test.message) || info.Findings[0].Code != Uncompared) {
			t.Errorf("%s: findings %q, want %q", test.name, info.Findings, test.message)
		}
		if n := len(info.Notes); (n > 0) != (test.note != "") || n > 0 && !strings.Contains(info.Notes[0], test.note) {
			t.Errorf("%s: notes %q, want %q", test.name, info.Notes, test.note)
		}
	}
}

// TestLargeStackedCoordinate gives a coordinate the new dimension if the values of files
// differ, or may differ. So no values of any file are lost.
func TestLargeStackedCoordinate(t *testing.T) {
	large := func(changed ...int) *member {
		m := masked(0, changed...)
		m.arrays["v"] = file("v()=1;coordinates=mask").arrays["v"]
		m.names = append(m.names, "v")
		return m
	}
	for _, test := range []struct {
		name    string
		how     Options
		changed []int
		want    []string // dimensions
		note    string
	}{
		{"the same", Options{}, nil, []string{"y", "x"}, "all files share"},
		{"another value", Options{}, []int{2100000}, []string{"run", "y", "x"}, "the value at [1050 0] is 2100000.0 in a and -1.0 in b"},
		{"unknown", Options{Compared: 1 << 20}, nil, []string{"run", "y", "x"}, "evenly spread, are compared, with no difference"},
	} {
		test.how.Stack, test.how.Wanted = "run", everything
		src, err := combineAll(t, test.how, large(), large(test.changed...))
		if err != nil {
			t.Fatal(err)
		}
		a, err := src.Array(t.Context(), "mask")
		if err != nil {
			t.Fatal(err)
		}
		info := a.Info()
		if !slices.Equal(info.DimensionNames, test.want) || len(info.Notes) != 1 || !strings.Contains(info.Notes[0], test.note) {
			t.Errorf("%s: dimensions %q and notes %q, want %q and %q", test.name, info.DimensionNames, info.Notes, test.want, test.note)
		}
	}
}

// TestSameValue compares values, not bits.
func TestSameValue(t *testing.T) {
	negative := math.Copysign(0, -1)
	other := math.Float64frombits(math.Float64bits(math.NaN()) ^ 2)
	day := func(n int, x, y float64) *member {
		m := file(fmt.Sprintf("t(t)=%d", n), "x(x)=0,0")
		m.arrays["x"].values = []float64{x, y}
		return m
	}
	how := Options{Concat: "t", Wanted: everything}
	if _, err := combineAll(t, how, day(0, 0, math.NaN()), day(1, negative, other)); err != nil {
		t.Error(err)
	}
	if _, err := combineAll(t, how, day(0, 0, math.NaN()), day(1, 0, 1)); err == nil {
		t.Error("NaN is 1")
	}
}
