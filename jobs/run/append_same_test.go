package run

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestAppendOtherFields appends records whose fields differ from those of the target. No
// conversion turns one record type into another.
func TestAppendOtherFields(t *testing.T) {
	dir, env := t.TempDir(), jobtest.Environment()
	for i, field := range []string{"a", "b"} {
		file := fmt.Sprintf("f%d.raw", i)
		if err := os.WriteFile(filepath.Join(dir, file), []byte{1, 2}, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source: {driver: raw, arrays: {v: {url: %s, shape: [2], dimension_names: [t], data_type: {name: struct, configuration: {fields: [{name: %s, data_type: uint8}]}}}}}
target: {url: out.zarr, existing: append, append: t}
`, file, field), dir, jobfile.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = execute(t, j, env, Options{})
		if i == 0 {
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		want := `{"name":"struct","configuration":{"fields":[{"name":"b","data_type":"uint8"}]}}, the target has {"name":"struct","configuration":{"fields":[{"name":"a","data_type":"uint8"}]}}`
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "converts") {
			t.Errorf("%v\nwant %s, and no conversion", err, want)
		}
	}
}

// TestAppendOtherZero appends zeros to an array whose fill value is the other zero, which
// is the same value. The zeros keep their sign: they are stored, because a reader would
// find the target's fill value in their place.
func TestAppendOtherZero(t *testing.T) {
	for name, test := range map[string]struct {
		target, job string
		item        []byte // the job's fill value
	}{
		"zeros": {"-0.0", "0.0", []byte{0, 0, 0, 0}},
		"NaNs":  {`"0xffc00001"`, `"NaN"`, []byte{0, 0, 0xc0, 0x7f}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), jobtest.Environment()
			for i, fill := range []string{test.target, test.job} {
				file, data := fmt.Sprintf("f%d.raw", i), []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}
				if i == 1 {
					data = slices.Repeat(test.item, 2)
				}
				if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
					t.Fatal(err)
				}
				j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source: {driver: raw, arrays: {v: {url: %s, shape: [2], dimension_names: [t], data_type: float32}}}
target: {url: out.zarr, existing: append, append: t}
arrays: {v: {chunks: [2], codecs: [bytes], fill_value: %s}}
`, file, fill), dir, jobfile.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := execute(t, j, env, Options{}); err != nil {
					t.Fatal(err)
				}
			}
			got, err := os.ReadFile(filepath.Join(dir, "out.zarr", "v", "c", "1"))
			if want := slices.Repeat(test.item, 2); err != nil || !bytes.Equal(got, want) {
				t.Errorf("stored as %x, %v, want %x", got, err, want)
			}
		})
	}
}
