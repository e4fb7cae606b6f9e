package zarr_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestStoredRegions lists the stored regions of an array of eight chunks. One chunk is
// stored, among objects that are not chunks of the array.
func TestStoredRegions(t *testing.T) {
	objects := map[string]string{
		"a/zarr.json": v3(t, map[string]any{"shape": []int{4, 16}}), "a/c/1/2": half,
		"a/c/0": half, "a/c/2/0": half, "a/c/0/4": half, "a/c/1/2/0": half, "a/c/01/0": half, "a/c/x": half, "ab/c/0/0": half,
		"scalar/zarr.json": v3(t, map[string]any{"shape": []int{}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{}}}}),
		"scalar/c":         "x",
		"text/zarr.json":   v3(t, map[string]any{"data_type": "string", "fill_value": "", "codecs": []any{"vlen-utf8"}}),
	}
	fill := dtype.Scalar{7}
	for name, test := range map[string]struct {
		array   string
		change  func(p *place, opt *zarr.Options)
		regions []ndarray.Region
		rest    dtype.Scalar
		err     error
	}{
		"one of many":               {array: "a", regions: []ndarray.Region{{Start: []int{2, 8}, Shape: []int{2, 4}}}, rest: fill},
		"a scalar":                  {array: "scalar", regions: []ndarray.Region{{Start: []int{}, Shape: []int{}}}, rest: fill},
		"elements of variable size": {array: "text"},
		"none may be missing":       {array: "scalar", change: func(_ *place, opt *zarr.Options) { opt.AllChunks = true }},
		"no list":                   {array: "a", change: func(p *place, _ *zarr.Options) { p.faults["list a/c/"] = store.ErrNoList }},
		"no folder":                 {array: "a", change: func(p *place, _ *zarr.Options) { p.faults["list a/c/"] = fs.ErrNotExist }},
		"a list that fails":         {array: "a", change: func(p *place, _ *zarr.Options) { p.faults["list a/c/"] = fs.ErrPermission }, err: fs.ErrPermission},
	} {
		p := newPlace(t, objects)
		opt := p.options()
		if test.change != nil {
			test.change(p, &opt)
		}
		a, err := open(t, url, opt).Array(t.Context(), test.array)
		if err != nil {
			t.Fatal(err)
		}
		var regions []ndarray.Region
		rest, err := sources.AsSparse(a).StoredRegions(t.Context(), func(r ndarray.Region) { regions = append(regions, r) })
		if !errors.Is(err, test.err) || !cmp.Equal(test.rest, rest) || !cmp.Equal(test.regions, regions) {
			t.Errorf("%s: regions %v, others %v, error %v", name, regions, rest, err)
		}
	}
}

// TestStoredRegionsOfABadList has lists that lack an object. If the object can be read, or
// if the server does not say whether it has the object, the list is not used.
func TestStoredRegionsOfABadList(t *testing.T) {
	for _, fault := range []error{nil, fs.ErrPermission} {
		p := newPlace(t, map[string]string{"zarr.json": v3(t, nil), "c/0/0": half})
		opt := p.options()
		listed := false
		opt.Store.Fault = func(op, key string) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			switch {
			case op == "list":
				listed = true
			case op == "stat" && listed && key == "c/1/0":
				if fault != nil {
					return fault
				}
				p.put(map[string]string{key: half})
			}
			return nil
		}
		a, err := open(t, url, opt).Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if rest, err := sources.AsSparse(a).StoredRegions(t.Context(), func(ndarray.Region) {}); rest != nil || !errors.Is(err, fault) {
			t.Errorf("others are %v, error %v, want %v", rest, err, fault)
		}
	}
}
