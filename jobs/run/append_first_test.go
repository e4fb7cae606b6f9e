package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestFirstCoordinate makes new targets with coordinates to which rows can be appended, and
// with coordinates to which nothing can be appended.
func TestFirstCoordinate(t *testing.T) {
	for values, want := range map[string]string{
		"":          "",
		"4":         "",
		"3 4 6":     "",
		"6 4 3":     "",
		`3 "NaN" 4`: `coordinate "g/time": row 1 of the source is NaN`,
		"3 4 5 4.5": "row 3 of the source, 4.5 days since 2001-01-01, does not go on from row 2 of the source, 5.0 days since 2001-01-01",
		"5 3 4":     "row 2 of the source, 4.0 days since 2001-01-01, does not go on from row 1 of the source, 3.0 days since 2001-01-01",
		"3 3 4":     "row 1 of the source, 3.0 days since 2001-01-01, does not go on from row 0 of the source, 3.0 days since 2001-01-01",
		"1 2 1 2":   `row 2 of the source, 1.0 days since 2001-01-01, does not go on from row 1 of the source, 2.0 days since 2001-01-01, in the order of the rows before: sort the rows of the source; if "g/time" begins again in each file`,
	} {
		dir, list := t.TempDir(), strings.Fields(values)
		j := night{0, len(list)}.job(t, dir)
		var data []byte
		for _, text := range list {
			value, err := dtype.Float64.ParseScalar(dtype.V3, json.RawMessage(text))
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, value...)
		}
		if err := os.WriteFile(filepath.Join(dir, "time_0.raw"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := execute(t, j, jobtest.Environment(), Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v\nwant %q", values, err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "out.zarr")); want != "" && err == nil {
			t.Errorf("%s: the target is there", values)
		}
	}
}
