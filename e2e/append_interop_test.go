package e2e

import (
	"path/filepath"
	"testing"
)

// TestInteropAppend appends days to hierarchies of earlier days that zmigrate, xarray
// and zarr-python have written. xarray compares each hierarchy with the whole series:
// the values, the times, and which variables are coordinates.
func TestInteropAppend(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "append_sources.py", dir)
	file := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "copy", "--progress", "none", file("first.nc"), file("ours.zarr"))
	for _, target := range []string{"ours.zarr", "xarray.zarr", "python.zarr"} {
		for range 2 { // the second time there is nothing to do
			mustRun(t, "copy", "--progress", "none", "--existing", "append", file("rest.nc"), file(target))
		}
		p.check(t, "check_cf.py", file("whole.nc"), file(target))
	}
}
