package plan

import (
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/sources"
)

// TestBundles divides the units of a plan. The bundles follow each other, cover all units, and
// are about equal.
func TestBundles(t *testing.T) {
	p, err := New(t.Context(), jobtest.Raw(t, "arrays: {group/a: {chunks: [1, 1]}}\n"), jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, n := range []int{1, 2, 3, 7, 59, 60, 61, 1000} {
		at, most := 0, 0
		list := p.Bundles(n)
		for _, b := range list {
			if b.First != at || b.End < b.First {
				t.Fatalf("%d bundles: %v", n, list)
			}
			at, most = b.End, max(most, b.Units())
		}
		if len(list) != n || at != 60 || most > 60/n+1 {
			t.Errorf("%d bundles: %v", n, list)
		}
	}
}

// TestAligned moves the ends of bundles to those of source chunks.
func TestAligned(t *testing.T) {
	for _, test := range []struct {
		source, chunk, counts []int
		end, bundle, want     int
	}{
		{nil, []int{1, 1}, []int{10, 10}, 37, 20, 0},                 // any region costs the same
		{[]int{1, 1}, []int{1, 1}, []int{10, 10}, 37, 20, 0},         // the same chunks
		{[]int{4, 4}, []int{8, 8}, []int{10, 10}, 37, 20, 0},         // smaller source chunks
		{[]int{1, 10}, []int{1, 1}, []int{10, 10}, 37, 20, 7},        // a row of units
		{[]int{1, 5}, []int{1, 1}, []int{10, 10}, 37, 20, 7},         // half a row: the end of a row is the end of a source chunk, too
		{[]int{1, 5}, []int{1, 1}, []int{10, 10}, 37, 6, 2},          // the row is too far away
		{[]int{2, 10}, []int{1, 1}, []int{10, 10}, 37, 40, 17},       // two rows
		{[]int{2, 10}, []int{1, 1}, []int{10, 10}, 37, 20, 7},        // too far: a row at least
		{[]int{2, 10}, []int{1, 1}, []int{10, 10}, 37, 4, 0},         // all too far
		{[]int{6, 1}, []int{2, 1}, []int{10, 10}, 98, 50, 8},         // the last source chunk is cut off
		{[]int{6, 1, 1}, []int{2, 1, 1}, []int{10, 3, 3}, 32, 20, 5}, // three dimensions
	} {
		if got := aligned(&sources.Info{Chunks: test.source}, test.chunk, test.counts, test.end, test.bundle); got != test.want {
			t.Errorf("%+v: %d", test, got)
		}
	}
}
