package combine

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
)

// TestUnevenChunks joins files that end within a chunk: regions are much longer than
// chunks.
func TestUnevenChunks(t *testing.T) {
	chunked := func(value string) *member {
		m := file("t(t)=" + value)
		m.arrays["t"].info.Chunks = []int{2}
		return m
	}
	src, err := combineAll(t, Options{Concat: "t"}, chunked("1,2,3"), chunked("4,5"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := src.Array(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	if info := a.Info(); info.Chunks != nil || info.LongRun != 4*2*8 {
		t.Errorf("chunks %v, regions of %d bytes", info.Chunks, info.LongRun)
	}
}

// TestChunksThatStay keeps the shape of chunks if files end with a chunk, or if the arrays
// have other dimensions.
func TestChunksThatStay(t *testing.T) {
	for text, chunks := range map[string][]int{"v(t)=1,2": {2}, "v(t,x)=1,2,3": {2, 2}} {
		var members []*member
		for range 2 {
			m := file(text)
			m.arrays["v"].info.Chunks = chunks
			members = append(members, m)
		}
		src, err := combineAll(t, Options{Concat: "t"}, members...)
		if err != nil {
			t.Fatal(err)
		}
		a, err := src.Array(t.Context(), "v")
		if err != nil {
			t.Fatal(err)
		}
		if info := a.Info(); !slices.Equal(info.Chunks, chunks) || info.LongRun != 0 {
			t.Errorf("%s: chunks %v, regions of %d bytes", text, info.Chunks, info.LongRun)
		}
	}
}

// TestFillValues compares fill values that are in no attribute.
func TestFillValues(t *testing.T) {
	withFill := func(x float64) *member {
		m := file("v(t)=1")
		m.arrays["v"].info.Fill = binary.NativeEndian.AppendUint64(nil, math.Float64bits(x))
		m.arrays["v"].info.FillFrom = "HDF5 dataset"
		return m
	}
	how := Options{Concat: "t", Wanted: everything, Override: true}
	if _, err := combineAll(t, how, withFill(1), withFill(1), file("v(t)=1")); err != nil {
		t.Error(err)
	}
	_, err := combineAll(t, how, withFill(1), withFill(2))
	if want := "the fill value is 1.0, from its HDF5 dataset, in a and 2.0"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
}

// TestChunks checks the chunks of joined arrays.
func TestChunks(t *testing.T) {
	chunked := func(n, chunk int) sources.Array {
		return &held{info: &sources.Info{Type: dtype.Float64, Shape: []int{n}, Chunks: []int{chunk}}}
	}
	for _, test := range []struct {
		parts []sources.Array
		want  bool
	}{
		{[]sources.Array{chunked(4, 2), chunked(2, 2), chunked(3, 2)}, true},
		{[]sources.Array{chunked(4, 2), chunked(0, 5), chunked(1, 1)}, true},
		{[]sources.Array{chunked(3, 1), chunked(2, 1)}, true},
		{[]sources.Array{chunked(4, 2), chunked(3, 2), chunked(0, 2)}, true},
		{[]sources.Array{chunked(4, 2), chunked(3, 2), chunked(2, 2)}, false},
		{[]sources.Array{chunked(4, 2), chunked(3, 3)}, false},
		{[]sources.Array{chunked(4, 2), &held{info: &sources.Info{Type: dtype.Float64, Shape: []int{2}}}}, false},
		{[]sources.Array{chunked(0, 2)}, false},
	} {
		if got := evenly(test.parts); got != test.want {
			t.Errorf("%v: %v", test.parts, got)
		}
	}
}
