package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropTypes migrates raw arrays of the extension data types of fixed size, in
// both byte orders and under several codec chains. NumPy with ml_dtypes decodes each
// array, and the peers that know its type read it.
func TestInteropTypes(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := filepath.Join(t.TempDir(), "types")
	p.run(t, "type_sources.py", dir, interopSeed)
	mustRun(t, "run", "--progress", "none", filepath.Join(dir, "job.json"))
	expected, target := filepath.Join(dir, "expected.json"), filepath.Join(dir, "target.zarr")
	p.check(t, "check_types.py", expected, target)

	t.Run("a flipped bit is found", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(dir, "expected", "type0_zstd-big-*.bin"))
		if err != nil || len(files) != 1 {
			t.Fatalf("want one array of bfloat16 in zstd, got %v, %v", files, err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)-1] ^= 0x80
		write(t, filepath.Dir(files[0]), filepath.Base(files[0]), data)
		differences := p.differences(t, "check_types.py", expected, target)
		if len(differences) != 2 {
			t.Fatalf("want a difference from NumPy and one from tensorstore, got %q", differences)
		}
		for _, d := range differences {
			if !strings.Contains(d, "type0/zstd-big-") || !strings.Contains(d, "(bfloat16)") || !strings.Contains(d, "element [") {
				t.Errorf("does not name array, type and element: %s", d)
			}
		}
	})
}
