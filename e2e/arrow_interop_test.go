package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestInteropArrow lets pyarrow write IPC files and streams, plain and compressed, and
// Parquet in every encoding and compression. It compares what zarr-python reads of the
// migrated columns with what pyarrow reads.
func TestInteropArrow(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "arrow_sources.py", dir, interopSeed, "50")
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Files map[string]struct{ Columns map[string]arrowColumn }
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for name, file := range expected.Files {
		excluded, arrays := []string{}, map[string]any{}
		for path, c := range file.Columns {
			if c.Error != "" {
				excluded = append(excluded, path)
			} else if fill := c.fill(); fill != nil {
				arrays[path] = map[string]any{"fill_value": fill}
			}
		}
		slices.Sort(excluded)
		job, err := json.Marshal(map[string]any{
			"zmigrate": 1, "source": map[string]any{"driver": "arrow", "url": name, "exclude": excluded},
			"target": map[string]any{"url": name + ".zarr"}, "arrays": arrays,
		})
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, "run", "--progress", "none", write(t, dir, name+".json", job))
	}
	p.check(t, "check_arrow.py", dir)
}

// arrowColumn is a column as arrow_sources.py describes it.
type arrowColumn struct {
	Type   string
	Values []any
	Error  string
	// NullLists says that some lists are null. The column has the offsets of the lists.
	NullLists bool `json:"null_lists"`
}

// fill returns a fill value for a column with nulls, and nil for other columns.
func (c arrowColumn) fill() any {
	switch {
	case c.NullLists:
		return 0
	case !slices.Contains(c.Values, nil):
		return nil
	}
	some := slices.IndexFunc(c.Values, func(v any) bool { return v != nil })
	switch {
	case strings.HasPrefix(c.Type, "fixed_size_binary"):
		return []int{1, 2, 3, 4, 5}
	case c.Type == "bool":
		return true
	case some < 0 || strings.Contains(c.Type, "double"):
		return -1.5
	}
	switch c.Values[some].(type) {
	case bool:
		return true
	case string:
		return "nothing"
	case map[string]any:
		return []int{1, 2}
	default:
		return 77
	}
}

// TestInteropDecimals migrates decimals with codecs and as floats, and compares what
// zarr-python reads with the floats that Python makes of the decimals.
func TestInteropDecimals(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "arrow_sources.py", dir, interopSeed, "200")
	var targets []string
	for _, mode := range []string{"codecs", "unpack"} {
		target := filepath.Join(dir, mode+".zarr")
		targets = append(targets, target)
		job, err := json.Marshal(map[string]any{
			"zmigrate": 1, "target": map[string]any{"url": target},
			"source": map[string]any{
				"driver": "arrow", "url": "decimals.parquet", "cf": mode, "include": []string{"decimal", "decimal_nulls", "decimal_short", "decimal_wide_short"},
			},
			"defaults": map[string]any{"chunks": []int{7}},
			"arrays":   map[string]any{"decimal_*": map[string]any{"fill_value": "NaN"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, "run", "--progress", "none", write(t, dir, mode+".json", job))
	}
	p.check(t, "check_decimals.py", append([]string{filepath.Join(dir, "decimals.parquet")}, targets...)...)
}

// TestInteropNestedLists migrates tables with lists within lists, of one to three files of all
// kinds, and compares what zarr-python reads with what the rows were.
func TestInteropNestedLists(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "nested_sources.py", dir, interopSeed, "60")
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]struct{ Fills map[string]any }
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for name, c := range expected {
		arrays := map[string]any{}
		for path, fill := range c.Fills {
			arrays[path] = map[string]any{"fill_value": fill}
		}
		job, err := json.Marshal(map[string]any{
			"zmigrate": 1, "source": map[string]any{"driver": "arrow", "url": name}, "target": map[string]any{"url": name + ".zarr"}, "arrays": arrays,
		})
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, "run", "--progress", "none", write(t, dir, name+".json", job))
	}
	p.check(t, "check_nested.py", dir)
}

// TestInteropLists runs what the documentation tells readers of lists of varying length to do,
// and compares the results with what pyarrow reads.
func TestInteropLists(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, "check_lists.py", dir)
	mustRun(t, "copy", "--progress", "none", filepath.Join(dir, "table.parquet"), filepath.Join(dir, "table.zarr"))
	page, err := filepath.Abs("../docs/source-arrow.md")
	if err != nil {
		t.Fatal(err)
	}
	p.check(t, "check_lists.py", page, dir)
}
