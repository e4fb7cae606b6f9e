package zarr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestRectilinear reads arrays with uneven chunks that zarr-python wrote.
func TestRectilinear(t *testing.T) {
	src := open(t, "testdata/rectilinear.zarr.zip", zarr.Options{})
	for path, test := range map[string]struct {
		missing int   // the first element that is not stored
		chunks  []int // of the array's Info
	}{
		"lists":   {50, nil},
		"runs":    {200, nil},
		"steps":   {60, []int{3, 4}},
		"even":    {60, []int{3, 4}},
		"grown":   {8, nil},
		"shrunk":  {15, nil},
		"sharded": {104, []int{2, 4}},
	} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		info := a.Info()
		if diff := cmp.Diff(test.chunks, info.Chunks); diff != "" || info.Shards != nil || len(info.Notes) != 1 || sources.AsStored(a) != nil {
			t.Errorf("%s: shards %v, notes %q, chunks (-want +got):\n%s", path, info.Shards, info.Notes, diff)
		}
		got, _ := ndarray.As[uint16](sourcetest.ReadAll(t, a))
		if diff := cmp.Diff(ascending(info.Shape, test.missing), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	sourcetest.Run(t, src)
}

// An array is refused when it is opened if the codecs do not accept one of the shapes
// of its chunks.
func TestRectilinearRefused(t *testing.T) {
	p := newPlace(t, map[string]string{"zarr.json": v3(t, map[string]any{
		"chunk_grid": map[string]any{"name": "rectilinear", "configuration": map[string]any{"kind": "inline", "chunk_shapes": []any{[]int{1, 3}, []int{2, 2}}}},
		"codecs":     []any{map[string]any{"name": "sharding_indexed", "configuration": map[string]any{"chunk_shape": []int{3, 2}, "codecs": []any{"bytes"}}}},
	})})
	_, err := open(t, url, p.options()).Array(t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "chunks of shape [1 2]") {
		t.Errorf("got %v", err)
	}
}

// Codecs that the reader leaves out are left out for chunks of every shape.
func TestRectilinearPacked(t *testing.T) {
	p := newPlace(t, map[string]string{
		"zarr.json": v3(t, map[string]any{
			"shape": []int{3}, "data_type": "float64", "fill_value": 0,
			"chunk_grid": map[string]any{"name": "rectilinear", "configuration": map[string]any{"kind": "inline", "chunk_shapes": []any{[]int{1, 2}}}},
			"codecs": []any{map[string]any{"name": "numcodecs.fixedscaleoffset",
				"configuration": map[string]any{"offset": 10, "scale": 10, "dtype": "<f8", "astype": "|i1"}}, "bytes"},
		}),
		"c/0": "\x01", "c/1": "\x02\x03",
	})
	opt := p.options()
	opt.CF = func(string) cf.Mode { return cf.Codecs }
	if got := elements(t, open(t, url, opt), ""); string(got) != "\x01\x02\x03" {
		t.Errorf("stored elements %v", got)
	}
}
