package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// otherChunks are chunk shapes, by rank, that no golden array has. An array without
// dimensions always has one chunk.
var otherChunks = []string{1: "7", 2: "5,7", 3: "3,4,2", 4: "2,3,4,5", 5: "2,2,3,3,1"}

// TestInteropCopy copies the hierarchies that zarr-python and zarrs wrote in three
// ways: with their chunks carried through, cut into other chunks, and encoded by other
// codecs. None is refused. zarr-python and tensorstore read every array with the values
// of its writer, its attributes and its dimension names.
func TestInteropCopy(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	golden := goldenStores(t)
	// Zarr v3 cannot have structs in which only some fields are big-endian.
	partlyBig := []string{"dtype/struct"}
	for _, test := range []struct {
		name, source string
		root         string   // the root's document, if it comes from another store
		encoded      []string // arrays that cannot be carried through
	}{
		{"v2", "v2.zarr", "", partlyBig},
		{"v3", "v3.zarr", "", nil},
		{"v2 consolidated", "v2.zarr", "v2_consolidated.zarr/.zmetadata", partlyBig},
		{"v3 consolidated", "v3.zarr", "v3_consolidated.zarr/zarr.json", nil},
	} {
		t.Run("zarr-python "+test.name, func(t *testing.T) {
			folder := filepath.Join(golden, "zarr-python")
			c := openGolden(t, p, folder, test.source, test.root)
			t.Run("carried through", func(t *testing.T) {
				if diff := cmp.Diff(test.encoded, c.notCarried()); diff != "" {
					t.Errorf("encoded anew (-want +got):\n%s", diff)
				}
				c.check(t, c.copy(t, nil))
			})
			if test.root != "" {
				return // the chunks belong to the store that was tested
			}
			t.Run("other chunks", func(t *testing.T) { c.check(t, c.copyBy(t, cutAnew)...) })
			t.Run("other codecs", func(t *testing.T) { c.check(t, c.copyBy(t, encodeAnew)...) })
		})
	}

	t.Run("a flipped bit is found", func(t *testing.T) {
		c := openGolden(t, p, filepath.Join(golden, "zarr-python"), "v2.zarr", "")
		target := c.copy(t, nil)
		chunk := filepath.Join(target, "compressor", "none", "c", "0", "0", "0")
		data, err := os.ReadFile(chunk)
		if err != nil {
			t.Fatal(err)
		}
		data[0] ^= 1
		write(t, filepath.Dir(chunk), filepath.Base(chunk), data)
		differences := c.differences(t, "check_copy.py", c.expected, c.store, c.source, target)
		if len(differences) != 2 {
			t.Errorf("want a difference from each of the two readers, got %q", differences)
		}
		for _, d := range differences {
			if !strings.HasPrefix(d, "compressor/none: ") || !strings.Contains(d, "byte 0 of ") {
				t.Errorf("does not name array and place: %s", d)
			}
		}
	})

	// zarr-python lacks most of the codecs of zarrs, so it reads second copies of the
	// arrays with these codecs.
	t.Run("zarrs", func(t *testing.T) {
		c := openGolden(t, p, filepath.Join(golden, "zarrs"), "", "")
		t.Run("carried through", func(t *testing.T) {
			if left := c.notCarried(); len(left) > 0 {
				t.Errorf("encoded anew: %q", left)
			}
			known, others := c.split(knownToZarrPython)
			c.check(t, append(inZstd(t, c.copy(t, others)), c.copy(t, known))...)
		})
		t.Run("other chunks", func(t *testing.T) { c.check(t, inZstd(t, c.copyBy(t, cutAnew)...)...) })
		t.Run("other codecs", func(t *testing.T) { c.check(t, c.copyBy(t, encodeAnew)...) })
	})
}

// goldenStores returns $ZMIGRATE_GOLDEN, the folder of all goldens. Without it, it
// returns a folder with the stores that the tests of the source have.
func goldenStores(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ZMIGRATE_GOLDEN")
	_, err := os.Stat(filepath.Join(dir, "zarr-python"))
	if err == nil {
		dir, err = filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Logf("some of the golden stores only: %v", err)
	return sourcetest.Unzip(t, "../sources/zarr/testdata/golden.zip")
}

// goldenCopy is a golden store that is to be copied.
type goldenCopy struct {
	peers
	expected string // the values of its arrays
	store    string // its name in the golden folder
	source   string // its place
	arrays   []plannedCopy
}

// plannedCopy is an array in the output of plan.
type plannedCopy struct {
	Source, Path string
	DataType     json.RawMessage `json:"data_type"`
	Shape        []int
}

// openGolden copies the store of a golden folder, and plans to migrate it. If root
// names another store, the root's document is that of the other store.
func openGolden(t *testing.T, p peers, folder, store, root string) *goldenCopy {
	t.Helper()
	c := &goldenCopy{peers: p, expected: filepath.Join(folder, "expected.json"), store: store, source: filepath.Join(fast(t), "golden")}
	if err := os.CopyFS(c.source, os.DirFS(filepath.Join(folder, store))); err != nil {
		t.Fatal(err)
	}
	if root != "" {
		text, err := os.ReadFile(filepath.Join(folder, root))
		if err != nil {
			t.Fatal(err)
		}
		write(t, c.source, filepath.Base(root), text)
	}
	cmd := zmigrate(t.Context(), t, "copy", "--dry-run", "--json", c.source, c.source+".copy")
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var plan struct{ Arrays []plannedCopy }
	if err := json.Unmarshal(text, &plan); err != nil {
		t.Fatal(err)
	}
	c.arrays = plan.Arrays
	return c
}

// notCarried lists the arrays that a copy would encode anew.
func (c *goldenCopy) notCarried() (list []string) {
	_, encoded := c.split(func(a plannedCopy) bool { return a.Path == "carried through" })
	for _, a := range encoded {
		list = append(list, a.Source)
	}
	return list
}

// knownToZarrPython reports whether zarr-python can decode an array of zarrs.
func knownToZarrPython(a plannedCopy) bool {
	return a.Source == "transpose" || a.Source == "pcodec" || strings.HasPrefix(a.Source, "b2b/") && a.Source != "b2b/gdeflate"
}

// split divides the arrays into those for which is returns true, and the others.
func (c *goldenCopy) split(is func(plannedCopy) bool) (those, others []plannedCopy) {
	for _, a := range c.arrays {
		if is(a) {
			those = append(those, a)
		} else {
			others = append(others, a)
		}
	}
	return those, others
}

// check lets the peers read the targets, which together have all arrays.
func (c *goldenCopy) check(t *testing.T, targets ...string) {
	t.Helper()
	c.peers.check(t, "check_copy.py", append([]string{c.expected, c.store, c.source}, targets...)...)
}

// copy copies the given arrays, or all if none is given, and returns the target.
func (c *goldenCopy) copy(t *testing.T, arrays []plannedCopy, flags ...string) string {
	t.Helper()
	target := filepath.Join(fast(t), "copy.zarr")
	for _, a := range arrays {
		flags = append(flags, "--include", a.Source)
	}
	mustRun(t, append(append([]string{"copy", "--progress", "none"}, flags...), c.source, target)...)
	return target
}

// copyBy copies arrays with the same flags together, and returns the targets.
func (c *goldenCopy) copyBy(t *testing.T, flags func(plannedCopy) []string) (targets []string) {
	t.Helper()
	groups := map[string][]plannedCopy{}
	for _, a := range c.arrays {
		key := strings.Join(flags(a), " ")
		groups[key] = append(groups[key], a)
	}
	for _, group := range groups {
		targets = append(targets, c.copy(t, group, flags(group[0])...))
	}
	return targets
}

// cutAnew returns flags that give an array other chunks. The codecs stay, unless zfp
// would lose digits again.
func cutAnew(a plannedCopy) (flags []string) {
	if len(a.Shape) > 0 {
		flags = append(flags, "--chunks", otherChunks[len(a.Shape)])
	}
	if strings.Contains(a.Source, "zfp") && !strings.HasSuffix(a.Source, "_reversible") {
		flags = append(flags, "--codec", "zstd")
	}
	return flags
}

// encodeAnew returns flags that give an array other codecs.
func encodeAnew(a plannedCopy) []string {
	switch string(a.DataType) {
	case `"string"`:
		return []string{"--codec", "vlen-utf8", "--codec", "zstd"}
	case `"bytes"`, `"variable_length_bytes"`:
		return []string{"--codec", "vlen-bytes", "--codec", "zstd"}
	}
	return []string{"--codec", "zstd"}
}

// inZstd copies the arrays of hierarchies whose elements have a fixed size once more.
func inZstd(t *testing.T, sources ...string) (targets []string) {
	t.Helper()
	for _, source := range sources {
		target := filepath.Join(fast(t), "zstd.zarr")
		mustRun(t, "copy", "--progress", "none", "--codec", "zstd", source, target)
		targets = append(targets, target)
	}
	return targets
}
