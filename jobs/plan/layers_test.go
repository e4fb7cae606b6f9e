package plan

import (
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestInLayers: uncompressed chunks go layer by layer from one local folder to another, and
// only there. The plan decodes no chunk twice, and needs little memory.
func TestInLayers(t *testing.T) {
	const slices = `{"zarr_format": 3, "node_type": "array", "shape": [64, 1024, 1024], "data_type": "float32",
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1, 1024, 1024]}},
		"chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": [{"name": "bytes"}], "dimension_names": ["z", "y", "x"]}`
	for name, test := range map[string]struct {
		target, array string
		want          bool
	}{
		"local":           {"{url: out.zarr}", "codecs: [bytes]", true},
		"no local folder": {"{url: mem://out}", "codecs: [bytes]", false},
		"compressed":      {"{url: out.zarr}", "codecs: [bytes, zstd]", false},
		"another type":    {"{url: out.zarr}", "codecs: [bytes], data_type: float64", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{"zarr.json": jobtest.Group, "in/zarr.json": slices})
			p := planOf(t, jobtest.Parse(t, dir, `
zmigrate: 1
source: {driver: zarr, url: in.zarr}
target: `+test.target+`
run: {checkpoint: {url: checkpoint}}
arrays: {in: {chunks: [64, 128, 128], `+test.array+`}}
`))
			a := &p.Arrays[0]
			if got := p.Task(a).Layer != nil; got != test.want {
				t.Errorf("layers: %v, want %v", got, test.want)
			}
			if test.want && (a.Decodes != a.SourceChunks || a.Cost > 16<<20 || a.DecodeOnce != 0) {
				t.Errorf("the plan has %+v", a.Reading)
			}
		})
	}
}
