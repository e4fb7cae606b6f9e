package arrow_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// readable is a source without the arrays that cannot be opened.
type readable struct {
	sources.Source
	names []string
}

func (r readable) Arrays() []string { return r.names }

func newReadable(t *testing.T, src sources.Source) readable {
	t.Helper()
	r := readable{Source: src}
	for _, name := range src.Arrays() {
		if _, err := src.Array(t.Context(), name); err == nil {
			r.names = append(r.names, name)
		}
	}
	if len(r.names) == 0 {
		t.Fatal("no column can be read")
	}
	return r
}

// withNull replaces the nulls of all columns.
func withNull(t *testing.T) arrow.Options {
	return arrow.Options{Null: func(_ string, typ dtype.Type) (dtype.Scalar, error) { return null(t, typ), nil }}
}

func TestConformance(t *testing.T) {
	dir := unpack(t)
	for _, name := range []string{"file_plain.arrow", "file_zstd.arrow", "stream.arrows", "none_v1.parquet", "snappy_v2.parquet"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			sourcetest.Run(t, newReadable(t, open(t, withNull(t), path)))
			joined := open(t, withNull(t), path, path, path)
			sourcetest.Run(t, newReadable(t, joined))
		})
	}
}

// TestJoined compares three joined files with the single files.
func TestJoined(t *testing.T) {
	dir := unpack(t)
	one, other := filepath.Join(dir, "none_v1.parquet"), filepath.Join(dir, "stream.arrows")
	for _, name := range []string{"int16", "string", "matrix", "struct/in/count"} {
		var want []string
		for _, path := range []string{one, other, one} {
			a, err := open(t, withNull(t), path).Array(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			for item := range sourcetest.ReadAll(t, a).Items() {
				want = append(want, string(item))
			}
		}
		a, err := open(t, withNull(t), one, other, one).Array(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for item := range sourcetest.ReadAll(t, a).Items() {
			got = append(got, string(item))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the rows of three files differ from those of each", name)
		}
		if n := a.Info().Shape[0]; n != 51 {
			t.Errorf("%s has %d rows, want 51", name, n)
		}
	}
}

// TestFolder reads the files of a folder and of the folders below it, in the natural
// order of their names. It leaves out files that writers leave beside the data.
func TestFolder(t *testing.T) {
	dir := unpack(t)
	parts := t.TempDir()
	var want []string
	for _, name := range []string{"part-2.parquet", "part-10.parquet", "year=2020/part-0.parquet", "_SUCCESS", ".part-1.crc", "_metadata/x"} {
		data, err := os.ReadFile(filepath.Join(dir, "rle.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(parts, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(filepath.Base(path), "part") {
			want = append(want, path)
		}
	}
	for url, want := range map[string][]string{
		parts: want, filepath.Join(parts, "part-*"): want[:2], want[0]: want[:1], filepath.Join(parts, "none"): {filepath.Join(parts, "none")},
	} {
		got, err := arrow.Expand(t.Context(), url, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list := files(want...)
		for i := range list {
			if url == parts && strings.Contains(list[i].URL, "year=") {
				list[i].Keys = []arrow.Key{{Name: "year", Value: "2020"}}
			}
		}
		if diff := cmp.Diff(list, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", url, diff)
		}
	}
	for url, want := range map[string]bool{parts: true, want[1]: true, filepath.Join(dir, "stream.arrows"): true, filepath.Join(dir, "expected.json"): false, filepath.Join(dir, "none.nc"): false} {
		_, sure, err := sources.Drivers{arrow.Driver()}.Detect(t.Context(), url, store.Options{})
		if got := err == nil && sure == sources.Certain; got != want {
			t.Errorf("%s is recognised: %v, %v", url, sure, err)
		}
	}
}

func TestDescription(t *testing.T) {
	dir := unpack(t)
	src := open(t, arrow.Options{Combine: combine.Options{Concat: "time"}}, filepath.Join(dir, "file_plain.arrow"))
	var groups []string
	for _, g := range src.Groups() {
		groups = append(groups, g.Path)
	}
	if diff := cmp.Diff([]string{"", "struct", "struct/in"}, groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if got := string(src.Groups()[0].Attributes.Get("made by")); got != `"arrow_sources.py"` {
		t.Errorf("the root has the attributes %v", src.Groups()[0].Attributes)
	}
	type description struct {
		Shape, Slowest, Chunks []int
		Names                  []string
		Attributes             string
	}
	for name, want := range map[string]description{
		"int8":            {Shape: []int{17}, Chunks: []int{5}, Names: []string{"time"}, Attributes: `units="m" `},
		"timestamp_utc":   {Shape: []int{17}, Chunks: []int{5}, Names: []string{"time"}, Attributes: `timezone="UTC" `},
		"matrix":          {Shape: []int{17, 2, 3}, Chunks: []int{5, 2, 3}, Names: []string{"time", "matrix_0", "matrix_1"}},
		"tensor":          {Shape: []int{17, 2, 3}, Chunks: []int{5, 2, 3}, Names: []string{"time", "y", "x"}},
		"tensor_permuted": {Shape: []int{17, 4, 2, 3}, Slowest: []int{0, 2, 3, 1}, Chunks: []int{5, 4, 2, 3}, Names: []string{"time", "w", "c", "h"}},
	} {
		a, err := src.Array(t.Context(), name)
		if err != nil {
			t.Error(err)
			continue
		}
		info := a.Info()
		got := description{Shape: info.Shape, Slowest: info.Slowest, Chunks: info.Chunks, Names: info.DimensionNames}
		for _, x := range info.Attributes {
			got.Attributes += fmt.Sprintf("%s=%s ", x.Name, x.Value)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestNulls opens columns with nulls, with and without a value that replaces them.
func TestNulls(t *testing.T) {
	dir := unpack(t)
	for _, file := range []string{"file_lz4.arrow", "stream.arrows", "gzip_v1.parquet", "lz4_v2.parquet"} {
		path := filepath.Join(dir, file)
		for name, row := range firstNulls(t, dir, file) {
			_, err := open(t, arrow.Options{}, path).Array(t.Context(), name)
			want := fmt.Sprintf("row %d is null: give the array a fill_value", row)
			if name == "dictionary_of_null" && err == nil { // nulls are found only among the dictionary's values
				var a sources.Array
				if a, err = open(t, arrow.Options{}, path).Array(t.Context(), name); err == nil {
					err = a.ReadRegion(t.Context(), ndarray.New(a.Info().Type, a.Info().Shape), []int{0})
				}
			}
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: column %s: got %v, want an error with %q", file, name, err, want)
			}
		}
	}
	bad := errors.New("300 does not fit")
	opt := arrow.Options{Null: func(string, dtype.Type) (dtype.Scalar, error) { return nil, bad }}
	src := open(t, opt, filepath.Join(dir, "file_lz4.arrow"))
	if _, err := src.Array(t.Context(), "int8_nulls"); !errors.Is(err, bad) {
		t.Errorf("got %v, want the reason why there is no value", err)
	}
	if _, err := src.Array(t.Context(), "int8"); err != nil {
		t.Errorf("a value that nobody needs: %v", err)
	}
}

// firstNulls lists the first row with a null of each column that has nulls.
func firstNulls(t *testing.T, dir, file string) map[string]int {
	t.Helper()
	rows := map[string]int{}
	for name, c := range readGolden(t, dir)[file].Columns {
		for i, v := range c.Values {
			if string(v) == "null" {
				rows[name] = i * c.Shape[0] / len(c.Values)
				break
			}
		}
	}
	if len(rows) < 10 {
		t.Fatalf("%s: only %d columns have nulls", file, len(rows))
	}
	return rows
}

func TestDifferences(t *testing.T) {
	dir := unpack(t)
	first := filepath.Join(dir, "file_plain.arrow")
	src := open(t, withNull(t), first, filepath.Join(dir, "rle.parquet"), filepath.Join(dir, "dictionaries_deltas.arrows"), filepath.Join(dir, "empty.arrow"))
	_, err := src.Array(t.Context(), "bool")
	for _, want := range []string{"differences between the files", `dictionaries_deltas.arrows: no array "bool", which `, `empty.arrow: no array "bool", which `, "exclude it"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if _, err := src.Array(t.Context(), "words"); err == nil || !strings.Contains(err.Error(), `file_plain.arrow: no array "words"`) {
		t.Errorf("a column of a later file: got %v", err)
	}
	if !slices.Contains(src.Arrays(), "words") {
		t.Error("a column of a later file is not listed")
	}
}

// TestKeys reads columns of a partitioned table from the names of its folders.
func TestKeys(t *testing.T) {
	data := archived(t, "rle.parquet")
	root := filepath.Join(t.TempDir(), "base=1")
	for _, name := range []string{
		"year=2024/month=01/part.parquet", "year=2024/month=02/part.parquet", "year=2023/month=10/part.parquet", "_temporary/year=1/x",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	read := func(location, key string) (string, []string) {
		t.Helper()
		list, err := arrow.Expand(t.Context(), location, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		src, err := arrow.OpenAll(t.Context(), list, withNull(t))
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close() //nolint:errcheck // only read
		a, err := src.Array(t.Context(), key)
		if err != nil {
			return err.Error(), nil
		}
		var values []string
		for item := range sourcetest.ReadAll(t, a).Items() {
			text := string(a.Info().Type.FormatScalar(dtype.V3, slices.Clone(dtype.Scalar(item))))
			if len(values) == 0 || values[len(values)-1] != text {
				values = append(values, text)
			}
		}
		return a.Info().Type.Name(), values
	}
	check := func(location, key, wantType string, want ...string) {
		t.Helper()
		typ, values := read(location, key)
		if diff := cmp.Diff(append([]string{wantType}, want...), append([]string{typ}, values...)); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", key, location, diff)
		}
	}
	check(root, "year", "int64", "2023", "2024")
	check(root+"/", "month", "int64", "10", "1", "2")
	check(filepath.Join(root, "year=*", "month=0*", "*.parquet"), "month", "int64", "1", "2")
	if text, _ := read(root, "base"); !strings.Contains(text, "no file has an array") {
		t.Errorf("a folder above the table is a key: %s", text)
	}
	if err := os.Rename(filepath.Join(root, "year=2024", "month=02"), filepath.Join(root, "year=2024", "month=May%2FJune")); err != nil {
		t.Fatal(err)
	}
	check(root, "month", "string", `"10"`, `"01"`, `"May/June"`)
	if err := os.Rename(filepath.Join(root, "year=2023"), filepath.Join(root, "year=__HIVE_DEFAULT_PARTITION__")); err != nil {
		t.Fatal(err)
	}
	check(root, "year", "int64", "2024", "-77")
}

func TestFilesRefused(t *testing.T) {
	dir := unpack(t)
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	file, stream, parquet := read("file_plain.arrow"), read("stream.arrows"), read("none_v1.parquet")
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":           {nil, "the file is empty: write or copy it again"},
		"something":         {[]byte("a,b\n1,2\n"), "neither Arrow IPC (a file or a stream) nor Parquet"},
		"short":             {[]byte("a"), "neither Arrow IPC (a file or a stream) nor Parquet"},
		"Feather 1":         {[]byte("FEA1 … FEA1"), "write_feather"},
		"encrypted":         {[]byte("PARE … PARE"), "without encryption"},
		"half a file":       {file[:len(file)/2], "truncated"},
		"half a Parquet":    {parquet[:len(parquet)/2], "truncated: the file begins with PAR1 but does not end with it: write or copy it again"},
		"half a stream":     {stream[:len(stream)/2], "truncated"},
		"a later stream":    {[]byte("\xff\xff\xff\xff\x10\x00\x00\x00 no flatbuffer  "), "message at byte 0"},
		"only magic":        {[]byte("PAR1PAR1"), "truncated: a Parquet file of 8 bytes: write or copy it again"},
		"footer too large":  {[]byte("PAR1\xff\xff\xff\x7fPAR1"), "a footer of 2147483647 bytes"},
		"Arrow footer size": {[]byte("ARROW1\x00\x00\x00\x00\xff\xff\xff\x7fARROW1"), "a footer of 2147483647 bytes"},
	} {
		path := filepath.Join(dir, "bad")
		if err := os.WriteFile(path, test.data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := arrow.OpenAll(t.Context(), files(filepath.Join(dir, "rle.parquet"), path), arrow.Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an error with %q", name, err, test.want)
		}
	}
	if _, err := arrow.OpenAll(t.Context(), files(filepath.Join(dir, "missing")), arrow.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}
