package plan

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestManyTimes plans five million times that do not become whole days. The plan is
// refused, before a run begins.
func TestManyTimes(t *testing.T) {
	const times = `{"zarr_format": 3, "node_type": "array", "shape": [5000, 1000], "data_type": "int32",
	"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5000, 1000]}},
	"chunk_key_encoding": {"name": "default"}, "fill_value": 1, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
	"dimension_names": ["y", "x"], "attributes": {"units": "minutes since 2000-01-01"}}`
	dir := t.TempDir()
	jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), map[string]string{"zarr.json": jobtest.Group, "scan/zarr.json": times})
	j := jobtest.Parse(t, dir, `
zmigrate: 1
source: {driver: zarr, url: in.zarr, time: {units: days since 2000-01-01}}
target: {url: out.zarr}
`)
	_, err := New(t.Context(), j, jobtest.Environment())
	if err == nil || !strings.Contains(err.Error(), `array "scan": element [0 0]: 1 minutes since 2000-01-01 is 0.000694444 days since 2000-01-01, which int32 does not hold exactly`) {
		t.Errorf("got %v", err)
	}
}
