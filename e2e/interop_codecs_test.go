package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInteropCodecs migrates raw arrays of every data type through every registered
// codec. All programs that have the codecs read the results: the peers, and a script
// that decodes according to the specifications.
func TestInteropCodecs(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := filepath.Join(fast(t), "codecs")
	p.run(t, "codec_sources.py", dir, interopSeed)
	mustRun(t, "run", "--progress", "none", filepath.Join(dir, "job.json"))
	var names []string
	for _, d := range environment().Codecs.Definitions() {
		names = append(names, d.Name)
	}
	arguments := []string{filepath.Join(dir, "expected.json"), filepath.Join(dir, "target.zarr"), strings.Join(names, ",")}
	p.check(t, "check_codecs.py", arguments...)

	t.Run("a flipped bit is found", func(t *testing.T) {
		const array = "chain0/0-bool-0d"
		file := filepath.Join(dir, "expected", "0.bin")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		data[0] ^= 1
		write(t, filepath.Dir(file), filepath.Base(file), data)
		differences := p.differences(t, "check_codecs.py", append(arguments, array)...)
		if len(differences) != 3 {
			t.Fatalf("want a difference from each of the three readers, got %q", differences)
		}
		for _, d := range differences {
			if !strings.Contains(d, array+" (blosc lz4, noshuffle): ") || !strings.Contains(d, "element [] is ") {
				t.Errorf("does not name array, chain and element: %s", d)
			}
		}
	})

	t.Run("a codec without an entry is found", func(t *testing.T) {
		arguments[2] = strings.Join(append(names[1:], "numcodecs.new"), ",")
		differences := p.differences(t, "check_codecs.py", append(arguments, "chain0/1-bool-empty")...)
		want := []string{"numcodecs.new: has no entry in check_codecs.py", names[0] + ": is not registered"}
		if len(differences) != len(want) || differences[0] != want[0] || differences[1] != want[1] {
			t.Errorf("got %q, want %q", differences, want)
		}
	})
}
