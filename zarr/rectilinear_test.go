package zarr

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
)

// rectilinearArray returns the document of an array with a rectilinear grid.
func rectilinearArray(shape, chunks string) []byte {
	return fmt.Appendf(nil, `{"zarr_format":3,"node_type":"array","shape":%s,"data_type":"uint8","fill_value":0,"codecs":["bytes"],
		"chunk_key_encoding":"default","chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":%s}}}`, shape, chunks)
}

func TestRectilinear(t *testing.T) {
	for _, test := range []struct {
		shape, chunks string
		want          [][]int // extents along each dimension
		regular       []int   // shape of the chunks of the regular grid; nil: there is none
	}{
		{"[6,10]", "[[1,3,[1,2]],[5,2,3]]", [][]int{{1, 3, 1, 1}, {5, 2, 3}}, nil},
		{"[9]", "[[[2,4],1]]", [][]int{{2, 2, 2, 2, 1}}, []int{2}},
		{"[7,10]", "[3,[[4,2],2]]", [][]int{{3, 3, 3}, {4, 4, 2}}, []int{3, 4}},
		{"[6]", "[[2,4]]", [][]int{{2, 4}}, nil},
		{"[6]", "[[4,[1,2]]]", [][]int{{4, 1, 1}}, nil},
		{"[6]", "[[2,2,2]]", [][]int{{2, 2, 2}}, []int{2}},
		{"[5]", "[[2,4,1]]", [][]int{{2, 4}}, nil}, // the last chunk has its full extent
		{"[5]", "[[[2,1000000000000],7]]", [][]int{{2, 2, 2}}, []int{2}},
		{"[5]", "[[3,4611686018427387903]]", [][]int{{3, 4611686018427387903}}, nil},
		{"[0]", "[[3,4]]", [][]int{{}}, []int{3}},
		{"[9]", "[[1,[2,2],2,2]]", [][]int{{1, 2, 2, 2, 2}}, nil},
		{"[5]", "[[1,[2,5]]]", [][]int{{1, 2, 2}}, nil},
		{"[3]", "[[1,[2,5]]]", [][]int{{1, 2}}, nil},
		{"[2,10]", "[3,[5,2,3]]", [][]int{{3}, {5, 2, 3}}, nil},
		{"[1,10]", "[[1,1],[5,2,3]]", [][]int{{1}, {5, 2, 3}}, nil},
		{"[0,10]", "[[1,1],[5,2,3]]", [][]int{{}, {5, 2, 3}}, nil},
		{"[]", "[]", [][]int{}, []int{}},
	} {
		a, err := ParseArray(rectilinearArray(test.shape, test.chunks), dtype.Standard())
		if err != nil {
			t.Errorf("%s: %v", test.chunks, err)
			continue
		}
		got := [][]int{}
		for k, n := range a.Grid.Count() {
			list := []int{}
			for i := range n {
				_, extent := a.Grid.Span(k, i)
				list = append(list, extent)
			}
			got = append(got, list)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", test.chunks, test.shape, diff)
		}
		even := true
		for _, extents := range test.want {
			even = even && len(slices.Compact(slices.Clone(extents))) <= 1
		}
		if even != (a.Grid.Runs == nil) {
			t.Errorf("%s of %s: runs %v", test.chunks, test.shape, a.Grid.Runs)
		}
		regular, ok := a.Grid.Regular()
		if ok != (test.regular != nil) || ok && !cmp.Equal(test.regular, regular.Chunk) {
			t.Errorf("%s of %s: regular chunks %v, %v", test.chunks, test.shape, regular.Chunk, ok)
		}
		checkRuns(t, a.Grid)
	}
}

// checkRuns checks that each chunk of a grid begins where the one before ends, unless
// there are too many.
func checkRuns(t *testing.T, g Grid) {
	t.Helper()
	for k, n := range g.Count() {
		at := 0
		for i := range min(n, 1000) {
			begin, extent := g.Span(k, i)
			if begin != at || extent < 1 || extent > g.Chunk[k] || begin >= g.Shape[k] {
				t.Fatalf("%+v: chunk %d along dimension %d has %d elements from %d on, want from %d", g, i, k, extent, begin, at)
			}
			last := min(begin+extent, g.Shape[k]) - 1
			if g.Find(k, begin) != i || g.Find(k, last) != i {
				t.Fatalf("%+v: elements %d and %d are in chunks %d and %d, want %d", g, begin, last, g.Find(k, begin), g.Find(k, last), i)
			}
			at = begin + extent
		}
		if n <= 1000 && at < g.Shape[k] {
			t.Fatalf("%+v: the chunks end at %d", g, at)
		}
	}
	for number := range min(g.Len(), 100) {
		if index := g.Index(number); g.Number(index) != number || !cmp.Equal(len(g.ChunkShape(index)), len(g.Shape)) {
			t.Fatalf("%+v: chunk %d has index %v", g, number, index)
		}
	}
}

func TestRectilinearRefused(t *testing.T) {
	for name, test := range map[string]struct{ shape, chunks, word string }{
		"too few elements":     {"[9]", "[[4,4]]", "chunk_shapes[0]: the chunks hold 8 elements, the array has 9"},
		"too few dimensions":   {"[9,9]", "[[9]]", "1 dimensions, the array has 2"},
		"no list":              {"[9]", "9", "want an array"},
		"no chunks":            {"[9]", "[[]]", "no chunks"},
		"null":                 {"[9]", "[null]", "chunk_shapes[0]: null"},
		"zero":                 {"[9]", "[[9,0]]", "entry 1: 0"},
		"zero step":            {"[9]", "[0]", "chunk_shapes[0]: 0"},
		"negative":             {"[9]", "[[-1,10]]", "entry 0: -1"},
		"a fraction":           {"[9]", "[[9.5]]", "entry 0: 9.5"},
		"more than 64 bits":    {"[9]", "[[99999999999999999999]]", "entry 0: 9999"},
		"no run":               {"[9]", "[[[9]]]", "entry 0: [9]"},
		"a long run":           {"[9]", "[[[9,1,1]]]", "entry 0: [9,1,1]"},
		"a run of none":        {"[9]", "[[[9,0]]]", "entry 0: 0"},
		"a run of text":        {"[9]", `[[["9",1]]]`, `entry 0: "9"`},
		"too many elements":    {"[9,9]", "[[4611686018427387903],[4611686018427387903]]", "too many elements"},
		"wrong behind the end": {"[2]", "[[2,-3]]", "entry 1: -3"},
	} {
		_, err := ParseArray(rectilinearArray(test.shape, test.chunks), dtype.Standard())
		if err == nil || !strings.Contains(err.Error(), test.word) || !strings.Contains(err.Error(), "chunk_grid") {
			t.Errorf("%s: got %v, want %s", name, err, test.word)
		}
	}
	for configuration, word := range map[string]string{
		`{"chunk_shapes":[2]}`:                            "kind: missing",
		`{"kind":"by reference","chunk_shapes":[2]}`:      `kind: "by reference"`,
		`{"kind":"inline"}`:                               "chunk_shapes: missing",
		`{"kind":"inline","chunk_shapes":null}`:           "chunk_shapes: null: want an array",
		`{"kind":"inline","chunk_shapes":[2],"x":1}`:      `unknown field "x"`,
		`{"kind":"inline","chunk_shapes":[[[[],[]]]]}`:    "entry 0: []: want a positive integer",
		`{"kind":"inline","chunk_shapes":[{"extent":2}]}`: "want a positive integer, or an array of extents",
	} {
		if g, err := rectilinear([]byte(configuration), []int{2}); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s gives %+v, %v, want %s", configuration, g, err, word)
		}
	}
}

// TestRectilinearToTheEnd has chunks that end beyond the largest int.
func TestRectilinearToTheEnd(t *testing.T) {
	for _, count := range []int{3, 4} {
		runs, err := parseRuns(fmt.Appendf(nil, "[[%d,%d],1]", math.MaxInt/2, count), math.MaxInt)
		if diff := cmp.Diff([]Run{{Extent: math.MaxInt / 2, Count: 3}}, runs); diff != "" || err != nil {
			t.Errorf("%d: %v (-want +got):\n%s", count, err, diff)
		}
	}
}
