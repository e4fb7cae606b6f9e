package e2e

import (
	"path/filepath"
	"testing"
)

// TestInteropZip copies what zarr-python writes into zip archives: members as
// they are and deflated, of both formats, and chunk grids with uneven chunks.
func TestInteropZip(t *testing.T) {
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "-P", filepath.Join("..", "..", "sources", "zarr", "testdata", "make_zips.py"), dir)
	for _, name := range []string{"stored", "deflated", "rectilinear"} {
		archive, target := filepath.Join(dir, name+".zarr.zip"), filepath.Join(dir, name+".zarr")
		done(t, "copy", archive, target)
		p.check(t, "check_zip.py", archive, target)
	}
}
