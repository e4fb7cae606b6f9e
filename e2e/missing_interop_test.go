package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestInteropMissing lets xarray read hierarchies of v2 and their migrated copies. The
// same values are missing in both, with every treatment of packed values, joined, and
// appended night by night. A copy whose missing_value was NaN can be written again.
func TestInteropMissing(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "missing.py", "write", dir)
	migrated := func(target, source, more string) {
		t.Helper()
		text := fmt.Sprintf("{zmigrate: 1, source: {driver: zarr, %s}, target: {url: %s%s}}", source, target, more)
		mustRun(t, "run", "--progress", "none", write(t, dir, "job.yaml", []byte(text)))
	}
	for _, cf := range []string{"keep", "codecs", "unpack"} {
		one, joined, grown := cf+".one", cf+".joined", cf+".grown"
		migrated(one, "url: 0.zarr, cf: "+cf, "")
		p.check(t, "missing.py", "check", dir, one, "0.zarr")
		migrated(joined, "url: [0.zarr, 1.zarr], concat: time, cf: "+cf, "")
		p.check(t, "missing.py", "check", dir, joined, "0.zarr", "1.zarr")
		for _, night := range []string{"0.zarr", "1.zarr"} {
			migrated(grown, "url: "+night+", cf: "+cf, ", existing: append, append: time")
		}
		p.check(t, "missing.py", "check", dir, grown, "0.zarr", "1.zarr")
	}
	migrated("plain3", "url: plain.zarr", "")
	p.check(t, "missing.py", "check", dir, "plain3", "plain.zarr")
	mustRun(t, "copy", "--progress", "none", filepath.Join(dir, "marked.nc"), filepath.Join(dir, "marked.zarr"))
	p.check(t, "missing.py", "again", dir, "marked.zarr")
}
