package e2e

import (
	"path/filepath"
	"testing"
)

// TestInteropZip copies zip archives that zarr-python writes. Members are stored or
// deflated, the hierarchies are of both formats, and some chunk grids have chunks of
// different sizes.
func TestInteropZip(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "-P", filepath.Join("..", "..", "sources", "zarr", "testdata", "make_zips.py"), dir)
	for _, name := range []string{"stored", "deflated", "rectilinear"} {
		archive, target := filepath.Join(dir, name+".zarr.zip"), filepath.Join(dir, name+".zarr")
		mustRun(t, "copy", archive, target)
		p.check(t, "check_zip.py", archive, target)
	}
}
