package arrow_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/zarr"
)

// foreign is what pyarrow reads from a file of testdata/foreign.zip. Refused says why
// pyarrow cannot read the whole file, or a column.
type foreign struct {
	Refused string
	Columns map[string]struct {
		goldenColumn
		Refused string
	}
}

// differs lists the files that are read in another way than by pyarrow. A text is part
// of the error with which the file is refused. Without a text, the file is read like
// the sound file.
func differs() map[string]string {
	return map[string]string{
		// pyarrow leaves rows out, or adds no rows, as the row group says.
		"group_rows_zero_snappy_v1.parquet": "20 values for 0 rows",
		"group_rows_less_snappy_v1.parquet": "20 values for 19 rows",
		"group_rows_more_snappy_v1.parquet": "20 values for 1000 rows",
		// pyarrow reads 10 elements of some columns and 30 of others.
		"values_zero_snappy_v1.parquet": "",
		// pyarrow reads compressed bytes as values.
		"not_compressed_somebody_snappy_v2.parquet":                "",
		"not_compressed_somebody_zstd_v2.parquet":                  "",
		"not_compressed_parquet-cpp_2_0_0_snappy_v2.parquet":       "",
		"not_compressed_parquet-cpp-arrow_2_0_0_snappy_v2.parquet": "",
	}
}

// TestForeign reads files with the faults of other writers and compares them with
// pyarrow; see testdata/README.md. A file that pyarrow refuses may be refused or read.
func TestForeign(t *testing.T) {
	dir := sourcetest.Unzip(t, "testdata/foreign.zip")
	if columns := testForeign(t, dir); columns < 400 {
		t.Errorf("only %d columns were read", columns)
	}
}

// TestForeignFolder does the same over a folder that make_foreign.py wrote.
func TestForeignFolder(t *testing.T) {
	dir := os.Getenv("ZMIGRATE_FOREIGN")
	if dir == "" {
		t.Skip("set ZMIGRATE_FOREIGN to a folder of testdata/make_foreign.py")
	}
	testForeign(t, dir)
}

func testForeign(t *testing.T, dir string) (columns int) {
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Files map[string]foreign }
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	opt := arrow.Options{Null: func(_ string, typ dtype.Type) (dtype.Scalar, error) { return null(t, typ), nil }}
	for name, want := range document.Files {
		t.Run(name, func(t *testing.T) {
			src, err := arrow.OpenAll(t.Context(), files(filepath.Join(dir, name)), opt)
			if err != nil {
				if hint := differs()[name]; want.Refused == "" && (hint == "" || !strings.Contains(err.Error(), hint)) {
					t.Error(err)
				}
				return
			}
			sourcetest.CloseLater(t, src)
			if hint, other := differs()[name]; other {
				if want = document.Files["sound.parquet"]; hint != "" {
					t.Errorf("no error with %q", hint)
				}
			}
			for name, c := range want.Columns {
				path := name
				if !slices.Contains(src.Arrays(), name) {
					path = zarr.CleanName(name)
				}
				if c.Refused != "" {
					tryColumn(t, src, path)
					continue
				}
				if a, err := src.Array(t.Context(), path); err == nil && !slices.Equal(a.Info().Shape, c.Shape) {
					// pyarrow stops before the end, without an error.
					if values, err := readAll(t, a); err == nil {
						t.Errorf("%s: %d bytes of values, where pyarrow has shape %v", path, len(values.Data), c.Shape)
					}
					continue
				}
				columns++
				t.Run(path, func(t *testing.T) { checkColumn(t, src, path, c.goldenColumn) })
			}
		})
	}
	return columns
}

// tryColumn reads a column that pyarrow refuses. It must not panic.
func tryColumn(t *testing.T, src sources.Source, path string) {
	a, err := src.Array(t.Context(), path)
	if err == nil {
		_, _ = readAll(t, a)
	}
}

func readAll(t *testing.T, a sources.Array) (ndarray.Array, error) {
	whole := ndarray.New(a.Info().Type, a.Info().Shape)
	return whole, a.ReadRegion(t.Context(), whole, make([]int, len(whole.Shape)))
}

// TestFindings: findings at the root name the faults of a file, and findings at an
// array name a column whose name no path can have.
func TestFindings(t *testing.T) {
	dir := sourcetest.Unzip(t, "testdata/foreign.zip")
	for name, want := range map[string]string{
		"sound.parquet":                    "",
		"repeated_no_annotation.parquet":   "the footer says 0 rows, but its row groups have 6: these are read",
		"rows_more_snappy_v1.parquet":      "the footer says 1000 rows, but its row groups have 30: these are read",
		"strings.parquet":                  `3 nodes of the schema, the first of them "bytes", lack their repetition and are taken for required`,
		"values_less_snappy_v1.parquet":    `in 1 row groups, some columns have another number of values than there are rows; one value for each row is read: row group 0, column "f": 19 values for 20 rows`,
		"nation.dict.parquet":              "",
		"unknown_fields_none_v2.parquet":   "",
		"total_same_snappy_v1.parquet":     "",
		"page_size_zero_none_v1.parquet":   "",
		"null_count_wrong_none_v2.parquet": "",
	} {
		src := open(t, withNull(t), filepath.Join(dir, name))
		var text string
		for _, f := range src.Groups()[0].Findings {
			if text += f.Message + "\n"; f.Code != sources.Faulty || f.Hint == "" {
				t.Errorf("%s: finding %+v", name, f)
			}
		}
		if (text == "") != (want == "") || !strings.Contains(text, want) {
			t.Errorf("%s: findings %q, want %q", name, text, want)
		}
	}
	a, err := open(t, withNull(t), filepath.Join(dir, "name_has_slash_none_v2.parquet")).Array(t.Context(), "s_x")
	if err != nil {
		t.Fatal(err)
	}
	if list := a.Info().Findings; len(list) != 1 || list[0].Code != sources.Renamed || !strings.Contains(list[0].Message, `"s/x"`) {
		t.Errorf("findings %+v", list)
	}
}

// TestUnknownCompression refuses columns before anything of them is read.
func TestUnknownCompression(t *testing.T) {
	dir := sourcetest.Unzip(t, "testdata/foreign.zip")
	for name, want := range map[string]string{
		"codec_lzo_snappy_v1.parquet":     "compression LZO: write the file again with zstd",
		"codec_unknown_snappy_v1.parquet": "compression 99: write the file again with zstd",
	} {
		src := open(t, withNull(t), filepath.Join(dir, name))
		if _, err := src.Array(t.Context(), "i"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if _, err := src.Array(t.Context(), "f"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
