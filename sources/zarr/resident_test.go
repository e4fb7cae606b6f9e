package zarr

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
)

// TestResident counts the memory of tables: what a table in JSON takes, a bound for references in
// Parquet, and one for what is read together. If the memory of the job is little, the bounds are
// lower. Several tables share them.
func TestResident(t *testing.T) {
	inline := strings.Repeat("x", 1<<20)
	dir := writeFiles(t, map[string]string{"refs.json": `{"a/.zarray": ` + arrayDocument(4) + `, "b": "` + inline + `"}`})
	table, parquet := filepath.Join(dir, "refs.json"), filepath.Join("internal", "kerchunk", "testdata", "fastparquet")
	const mib = 1 << 20
	for name, c := range map[string]struct {
		memory      int64
		urls        []string
		least, most int64
	}{
		"JSON":              {1 << 30, []string{table}, 1*mib + 40*mib, 1*mib + 40*mib + 2000},
		"JSON, little":      {16 * mib, []string{table}, 1*mib + 3*mib, 5 * mib},
		"JSON, very little": {1 * mib, []string{table}, 1 * mib, 1*mib + 2000},
		"Parquet":           {1 << 30, []string{parquet}, 104 * mib, 104 * mib},
		"Parquet, little":   {16 * mib, []string{parquet}, 6 * mib, 6 * mib},
		"unknown":           {0, []string{parquet}, 104 * mib, 104 * mib},
		"two tables":        {1 << 30, []string{table, table}, 2*mib + 40*mib, 2*mib + 40*mib + 4000},
		"no table":          {1 << 30, []string{"testdata/stored.zarr.zip"}, 0, 0},
	} {
		r := &sources.Resident{Memory: c.memory}
		var s sources.Source
		var err error
		if len(c.urls) == 1 {
			s, err = openTable(t, c.urls[0], Options{Resident: r})
		} else {
			s, err = OpenAll(t.Context(), c.urls, Options{Resident: r}, combine.Options{Stack: "n"})
			if err == nil {
				t.Cleanup(func() { _ = s.Close() })
			}
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := r.Bytes(); got < c.least || got > c.most {
			t.Errorf("%s: %d bytes, want %d to %d", name, got, c.least, c.most)
		}
	}
}
