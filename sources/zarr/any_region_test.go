package zarr_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/sources/zarr"
)

// TestAnyRegion: parts of large local chunks without compression are read without the rest of
// the chunk.
func TestAnyRegion(t *testing.T) {
	grid := func(shape ...int) any {
		return map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": shape}}
	}
	sharded := map[string]any{"name": "sharding_indexed", "configuration": map[string]any{"chunk_shape": []int{8, 128}, "codecs": []any{"bytes"}}}
	for name, test := range map[string]struct {
		grid   any
		codecs []any
		want   bool
	}{
		"large":       {grid(64, 128), []any{"bytes"}, true},
		"small":       {grid(8, 128), []any{"bytes"}, false},
		"compressed":  {grid(64, 128), []any{"bytes", map[string]any{"name": "zstd", "configuration": map[string]any{"level": 3, "checksum": false}}}, false},
		"transposed":  {grid(64, 128), []any{map[string]any{"name": "transpose", "configuration": map[string]any{"order": []int{1, 0}}}, "bytes"}, false},
		"checksummed": {grid(64, 128), []any{"bytes", "crc32c"}, false},
		"shards":      {grid(64, 128), []any{sharded}, false},
		"rectilinear": {map[string]any{"name": "rectilinear", "configuration": map[string]any{"kind": "inline", "chunk_shapes": []any{[]int{64, 56}, []int{128}}}}, []any{"bytes"}, false},
	} {
		document := v3(t, map[string]any{
			"shape": []int{120, 128}, "data_type": "float32", "fill_value": 0, "codecs": test.codecs, "chunk_grid": test.grid,
		})
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "zarr.json"), []byte(document), 0o666); err != nil {
			t.Fatal(err)
		}
		inMemory := newPlace(t, map[string]string{"zarr.json": document})
		for place, want := range map[string]bool{folder: test.want, url: false} {
			options := zarr.Options{}
			if place == url {
				options = inMemory.options()
			}
			a, err := open(t, place, options).Array(t.Context(), "")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := a.Info().AnyRegion; got != want {
				t.Errorf("%s in %s: AnyRegion is %v", name, place, got)
			}
		}
	}
}
