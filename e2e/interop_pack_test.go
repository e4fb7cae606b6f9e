package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropPack lets zarr-python write arrays through random chains of scale_offset
// and cast_value. zmigrate writes the same elements through the same chains. Each
// program reads what the other wrote.
func TestInteropPack(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := filepath.Join(fast(t), "pack")
	p.run(t, "pack_sources.py", dir, interopSeed, "400")
	mustRun(t, "run", "--progress", "none", filepath.Join(dir, "write.json"))
	mustRun(t, "run", "--progress", "none", filepath.Join(dir, "read.json"))
	p.check(t, "check_pack.py", dir)

	t.Run("a flipped bit is found", func(t *testing.T) {
		file := filepath.Join(dir, "expected", "a0")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)-1] ^= 1 // another number in every type
		write(t, filepath.Dir(file), filepath.Base(file), data)
		differences := p.differences(t, "check_pack.py", dir)
		if len(differences) != 2 || !strings.HasPrefix(differences[0], "a0 (") || !strings.Contains(differences[0], ": element [") {
			t.Fatalf("want a difference in a0 from both hierarchies, got %q", differences)
		}
	})
}
