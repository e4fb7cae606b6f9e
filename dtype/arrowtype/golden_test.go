package arrowtype_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/arrowtype"
)

// goldenTypes maps pyarrow's names of types to Zarr's, where the two differ.
func goldenTypes() map[string]string {
	return map[string]string{
		"halffloat": `"float16"`,
		"float":     `"float32"`,
		"double":    `"float64"`,
		"binary":    `"bytes"`,
		"dictionary<values=string, indices=int32, ordered=0>": `"string"`,
		"fixed_size_binary[4]":                                raw(4),
		"timestamp[ns, tz=UTC]":                               datetime("ns"),
		"timestamp[ms]":                                       datetime("ms"),
		"duration[us]":                                        timedelta("us"),
		"date32[day]":                                         datetime("D"),
		"time64[us]":                                          timedelta("us"),
		"fixed_size_list<item: float>[3]":                     `"float32"`,
		"fixed_size_list<item: fixed_size_list<item: int16>[3]>[2]":                             `"int16"`,
		"extension<arrow.fixed_shape_tensor[value_type=float, shape=[4,5], dim_names=[y,x]]>":   `"float32"`,
		"extension<arrow.fixed_shape_tensor[value_type=int32, shape=[2,3], permutation=[1,0]]>": `"int32"`,
	}
}

// TestGolden determines the type of every column of files that pyarrow wrote.
func TestGolden(t *testing.T) {
	folder := filepath.Join(os.Getenv("ZMIGRATE_GOLDEN"), "arrow")
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
	}
	var expected struct {
		Files map[string]struct {
			Columns map[string]struct {
				Type  string
				Shape []int
			}
		}
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	files := 0
	for name, file := range expected.Files {
		if strings.HasSuffix(name, ".parquet") {
			continue
		}
		files++
		schema := readSchema(t, filepath.Join(folder, name))
		if schema.NumFields() != len(file.Columns) {
			t.Errorf("%s: %d columns, want %d", name, schema.NumFields(), len(file.Columns))
		}
		for _, field := range schema.Fields() {
			column, ok := file.Columns[field.Name]
			if !ok {
				t.Errorf("%s: column %s is not expected", name, field.Name)
				continue
			}
			want, ok := goldenTypes()[column.Type]
			if !ok {
				want = `"` + column.Type + `"`
			}
			shape := column.Shape[1:]
			if strings.HasPrefix(column.Type, "extension") { // a tensor's shape is in the metadata
				shape = []int{shape[0] * shape[1]}
			}
			got, gotShape, err := arrowtype.Of(field.Type)
			if err != nil || !dtype.Same(got, read(t, want)) || !cmp.Equal(append([]int{}, gotShape...), shape) {
				t.Errorf("%s: column %s is %v, %v, %v, want %s, %v", name, field.Name, got, gotShape, err, want, shape)
			}
			if zone := arrowtype.Zone(field.Type); (zone == "UTC") != strings.Contains(column.Type, "tz=UTC") {
				t.Errorf("%s: column %s of %s has the zone %q", name, field.Name, column.Type, zone)
			}
		}
	}
	if files < 5 {
		t.Errorf("%d files of Arrow's own formats, want at least 5", files)
	}
}

// readSchema reads the schema of an IPC file, which Feather is as well, or of a
// stream.
func readSchema(t *testing.T, path string) *arrow.Schema {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if filepath.Ext(path) == ".arrows" {
		r, err := ipc.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Release)
		return r.Schema()
	}
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return r.Schema()
}
