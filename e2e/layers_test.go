package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
)

// tiles writes an uncompressed array of slices of 64 KiB, and a job that makes tiles of it, layer
// by layer.
func tiles(t *testing.T, dir string, slices int) (job, target string) {
	t.Helper()
	write(t, dir, "data.bin", smooth(slices*128*128))
	from := write(t, dir, "slices.yaml", fmt.Appendf(nil, `zmigrate: 1
source: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [%d, 128, 128]}}}
target: {url: slices.zarr}
arrays: {a: {chunks: [1, 128, 128], codecs: [bytes]}}
`, slices))
	undisturbed(t, from, filepath.Join(dir, "slices.zarr"))
	target = filepath.Join(dir, "tiles.zarr")
	job = write(t, dir, "tiles.yaml", []byte(`zmigrate: 1
source: {driver: zarr, url: slices.zarr}
target: {url: tiles.zarr}
arrays: {a: {chunks: [8, 64, 128], codecs: [bytes]}}
run: {checkpoint: {every: 1ms}}
`))
	if planOf(t, job).Arrays[0].Layer == nil {
		t.Fatal("the plan has no layers, so this test would show nothing")
	}
	return job, target
}

// TestEveryDurableOperationOfLayersFails breaks a run that writes chunks layer by layer at each
// operation, so also between the layers of a chunk.
func TestEveryDurableOperationOfLayersFails(t *testing.T) {
	t.Parallel()
	job, target := tiles(t, fast(t), 32)
	operations := breakEverywhere(t, job, target, func() { removeTarget(t, target) }, func(t *testing.T, finished map[string]string) {
		checkUnfinished(t, target, finished)
	})
	if operations < 40 { // at least those for 8 tiles of 8 layers, 64 KiB each at most
		t.Errorf("%d operations", operations)
	}
}

// TestKilledBetweenLayers kills runs that write chunks layer by layer.
func TestKilledBetweenLayers(t *testing.T) {
	t.Parallel()
	job, target := tiles(t, fast(t), 256)
	killedOften(t, job, target)
}
