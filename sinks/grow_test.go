package sinks_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestGrow checks the order of writing: the root's document comes last, after everything
// that it lists.
func TestGrow(t *testing.T) {
	for _, test := range []struct {
		arrays, groups map[string][]byte
		want           []string
	}{
		{
			map[string][]byte{"g/b": []byte("b"), "g/a": []byte("a")},
			map[string][]byte{"": []byte("root"), "g": []byte("g")},
			[]string{"sync", "put g/a/zarr.json", "put g/b/zarr.json", "sync", "put g/zarr.json", "sync", "put zarr.json", "sync"},
		},
		{map[string][]byte{"": []byte("a")}, nil, []string{"sync", "sync", "sync", "put zarr.json", "sync"}},
	} {
		var r recorder
		if err := sinks.New(&r).Grow(t.Context(), test.arrays, test.groups); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, sorted(r.operations)); diff != "" {
			t.Error(diff)
		}
		for i := range test.want {
			failing := recorder{failAt: i + 1}
			if err := sinks.New(&failing).Grow(t.Context(), test.arrays, test.groups); !errors.Is(err, errStore) || goesOn(failing.operations[i+1:]) {
				t.Errorf("operation %d fails: %v after %v", i+1, err, failing.operations)
			}
		}
	}
}

func TestPlacement(t *testing.T) {
	var r recorder
	w := sinks.New(&r).Array("a", sinks.Placement{Keys: zarr.KeyEncoding{Name: "v2"}, First: []int{30, 0}})
	index := []int{1, 2}
	if got, err := w.Put(t.Context(), index, nil); err != nil || got.Key != "a/31.2" {
		t.Errorf("%+v, %v", got, err)
	}
	if diff := cmp.Diff([]int{1, 2}, index); diff != "" {
		t.Errorf("the index has changed: %s", diff)
	}
}

// TestPlacementIndex turns keys back into coordinates, which count from First on. It
// refuses a key that is not that of a chunk. If the number of dimensions differs from
// First, the coordinates in the key are returned unchanged.
func TestPlacementIndex(t *testing.T) {
	place := sinks.Placement{First: []int{30, 2}}
	for key, want := range map[string][]int{"c/31/4": {1, 2}, "c/30/0": {0, -2}, "c/7": {7}, "c/7/8/9": {7, 8, 9}} {
		got, ok := place.Index(key)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", key, ok, diff)
		}
		if len(want) == 2 && place.Key(got) != key {
			t.Errorf("%s: and back: %s", key, place.Key(got))
		}
	}
	for _, key := range []string{"zarr.json", "c/31/x", "c/31/04"} {
		if index, ok := place.Index(key); ok {
			t.Errorf("%s is the chunk %v", key, index)
		}
	}
}
