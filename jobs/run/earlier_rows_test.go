package run

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestRepairOfEarlierRows damages a chunk of the last run that also has rows of the run before. A
// repair takes those rows from the chunk. If they are damaged, or if the chunk is gone, it is
// refused: it would make wrong values those on record.
func TestRepairOfEarlierRows(t *testing.T) {
	const key = "g/v/c/0/0" // days 0 to 3
	codecs := map[string]string{
		"values": "codecs: [bytes]",
		"bytes":  "codecs: [bytes, zstd]", // without digests, as the next one
		"crc32c": "codecs: [bytes, crc32c]",
		"shards": "shards: [8, 2], codecs: [bytes]",
	}
	for layout, options := range codecs {
		for name, test := range map[string]struct {
			damage func(data []byte) []byte
			fails  bool
		}{
			"an earlier row": {func(d []byte) []byte { d[0] ^= 1; return d }, true},
			"a new row":      {func(d []byte) []byte { d[24] ^= 1; return d }, false},
			"gone":           {func([]byte) []byte { return nil }, true},
		} {
			undigested := layout == "bytes" || layout == "crc32c"
			if undigested && name != "gone" {
				continue // the codecs notice that
			}
			t.Run(layout+", "+name, func(t *testing.T) {
				dir, env := t.TempDir(), jobtest.Environment()
				edit := []string{"g/v: {chunks: [4, 2]", "g/v: {chunks: [4, 2], " + options}
				if undigested {
					edit = append(edit, "append: time}", "append: time}\nrun: {digest: none}")
				}
				for _, n := range []night{{0, 3}, {3, 2}} {
					if _, err := execute(t, n.job(t, dir, edit...), env, Options{}); err != nil {
						t.Fatal(err)
					}
				}
				file := filepath.Join(dir, "out.zarr", filepath.FromSlash(key))
				was, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if damaged := test.damage(bytes.Clone(was)); damaged == nil {
					err = os.Remove(file)
				} else {
					err = os.WriteFile(file, damaged, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					_, err = execute(t, night{3, 2}.job(t, dir, edit...), env, Options{Repair: []string{key}})
					if !test.fails {
						break
					}
					if !errors.Is(err, ErrTampered) || !strings.Contains(err.Error(), key+" also has rows of earlier runs") {
						t.Fatalf("error %v", err)
					}
				}
				if test.fails {
					return
				}
				if is, readErr := os.ReadFile(file); err != nil || readErr != nil || !bytes.Equal(is, was) {
					t.Errorf("%v, %v: %x, want %x", err, readErr, is, was)
				}
			})
		}
	}
}

// TestAppendToDamagedRows damages the last chunk of a target without changing its time, or removes
// it. The next append would write that chunk again with wrong rows in it, so it is refused. If another program
// has written the chunk, which has another time then, the append goes on.
func TestAppendToDamagedRows(t *testing.T) {
	for name, later := range map[string]time.Duration{"damaged": 0, "gone": 0, "written by another program": time.Second} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			edit := []string{"g/v: {chunks: [4, 2]", "g/v: {chunks: [4, 2], codecs: [bytes]"}
			if _, err := execute(t, night{0, 3}.job(t, dir, edit...), env, Options{}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "out.zarr", "g", "v", "c", "0", "0")
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data[0] ^= 1
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, time.Time{}, info.ModTime().Add(later)); err != nil {
				t.Fatal(err)
			}
			if name == "gone" {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			_, err = execute(t, night{3, 2}.job(t, dir, edit...), env, Options{})
			if damaged := err != nil && strings.Contains(err.Error(), "g/v/c/0/0 is "+name); damaged != (later == 0) || err != nil && !damaged {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestRepairOfStrayRows puts an object in the place of a chunk of the last run that holds only the
// fill value. A repair removes it.
func TestRepairOfStrayRows(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	var job *jobfile.Job
	for _, name := range []string{"a.raw", "b.raw"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte{0, 0, 0, 0, 1, 2, 3, 4}, 0o600); err != nil {
			t.Fatal(err)
		}
		job = jobtest.Parse(t, dir, `
zmigrate: 1
source: {driver: raw, arrays: {v: {url: `+name+`, data_type: uint8, shape: [8], dimension_names: [t]}}}
target: {url: out.zarr, existing: append, append: t}
defaults: {chunks: [4], codecs: [bytes]}
`)
		if _, err := execute(t, job, env, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	stray := filepath.Join(dir, "out.zarr", "v", "c", "2")
	if err := os.WriteFile(stray, []byte{5, 6, 7, 8}, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, job, env, Options{Repair: []string{"v/c/2"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stray); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the object is still there: %v", err)
	}
}
