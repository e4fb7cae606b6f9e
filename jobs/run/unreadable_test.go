package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestArraysThatCannotBeRead has arrays that cannot be read, and missing chunks that the job
// does not allow. All of them are reported before anything is written.
func TestArraysThatCannotBeRead(t *testing.T) {
	other := func(codec string) string {
		return strings.Replace(jobtest.Array, `[{"name": "bytes"}]`, `[{"name": "bytes"}, {"name": "`+codec+`"}]`, 1)
	}
	for name, test := range map[string]struct {
		documents map[string]string
		set       []string
		want      []string // in the error
	}{
		"codecs": {
			map[string]string{"zarr.json": jobtest.Group, "a/zarr.json": other("one"), "b/zarr.json": jobtest.Array, "c/zarr.json": other("two")}, nil,
			[]string{`array "a"`, `unknown codec "one"`, `array "c"`, `unknown codec "two"`},
		},
		"chunks": {
			map[string]string{"zarr.json": jobtest.Group, "a/zarr.json": jobtest.Array, "a/c/0": "12", "b/zarr.json": jobtest.Array, "b/c/0": "12", "b/c/1": "34", "c/zarr.json": jobtest.Array},
			[]string{"source.missing_chunks=error"},
			[]string{`array "a": `, `in.zarr: chunk [1], a/c/1: `, `array "c": `, `in.zarr: chunk [0], c/c/0: `, "2 of 2 are missing"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			jobtest.WriteTree(t, filepath.Join(dir, "in.zarr"), test.documents)
			j, err := jobfile.Parse("job.yaml", []byte("zmigrate: 1\nsource: {driver: zarr, url: in.zarr}\ntarget: {url: out.zarr}\n"), dir, jobfile.LoadOptions{Set: test.set})
			if err != nil {
				t.Fatal(err)
			}
			_, err = execute(t, j, jobtest.Environment(), Options{})
			for _, part := range test.want {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%v: want %s in it", err, part)
				}
			}
			if err != nil && strings.Contains(err.Error(), `array "b"`) {
				t.Errorf("%v: there is nothing wrong with b", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "out.zarr")); !os.IsNotExist(err) {
				t.Errorf("the target: %v", err)
			}
		})
	}
}
