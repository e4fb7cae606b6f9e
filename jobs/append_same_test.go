package jobs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

func TestDifference(t *testing.T) {
	for _, test := range []struct {
		kind dtype.Type
		a, b []string
		want int
	}{
		{dtype.Float64, []string{"1", "0"}, []string{"1", "-0.0"}, -1},
		{dtype.Float32, []string{"-0.0", "2"}, []string{"0", "3"}, 1},
		{dtype.Float32, []string{`"NaN"`, "2"}, []string{`"0x7fc00001"`, "2"}, -1},
		{dtype.Float32, []string{`"NaN"`, "2"}, []string{"0", "2"}, 0},
		{dtype.Float16, []string{"-0.0", "2"}, []string{"0", "2"}, -1},
		{dtype.Float16, []string{`"NaN"`}, []string{"0"}, 0},
		{dtype.Int16, []string{"0", "-1"}, []string{"0", "1"}, 1},
		{dtype.Int16, []string{"-32768"}, []string{"0"}, 0},
	} {
		a, b := column(t, test.kind, test.a...), column(t, test.kind, test.b...)
		at, x, y := difference(a.values, b.values)
		if at != test.want || at >= 0 && bytes.Equal(x, y) {
			t.Errorf("%v, %v: %d, %v, %v", test.a, test.b, at, x, y)
		}
	}
}

// TestAppendOtherFields appends records of other fields than the target's: no
// conversion makes the ones of the others.
func TestAppendOtherFields(t *testing.T) {
	dir, env := t.TempDir(), environment()
	for i, field := range []string{"a", "b"} {
		file := fmt.Sprintf("f%d.raw", i)
		if err := os.WriteFile(filepath.Join(dir, file), []byte{1, 2}, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source: {driver: raw, arrays: {v: {url: %s, shape: [2], dimension_names: [t], data_type: {name: struct, configuration: {fields: [{name: %s, data_type: uint8}]}}}}}
target: {url: out.zarr, existing: append, append: t}
`, file, field), dir, LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = execute(t, j, env, RunOptions{})
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
