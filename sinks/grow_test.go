package sinks_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sinks"
)

// TestGrow fixes the order of a growth: the root's document comes last, behind
// everything that it tells of.
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
		if diff := cmp.Diff(test.want, r.operations); diff != "" {
			t.Error(diff)
		}
		for i := range test.want {
			failing := recorder{failAt: i + 1}
			if err := sinks.New(&failing).Grow(t.Context(), test.arrays, test.groups); !errors.Is(err, errStore) || len(failing.operations) != i+1 {
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
