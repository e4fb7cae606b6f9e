package zarr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/kerchunk"
)

// arrayDocument describes n elements in chunks of four.
func arrayDocument(n int) string {
	return fmt.Sprintf(`{"zarr_format":2,"shape":[%d],"chunks":[4],"dtype":"<i4","fill_value":-1,"order":"C","filters":null,"compressor":null}`, n)
}

// dataFile holds the numbers from 0 to n-1 behind a header.
func dataFile(n int) []byte {
	data := []byte("header--")
	for i := range n {
		data = binary.LittleEndian.AppendUint32(data, uint32(i))
	}
	return data
}

// writeFiles writes files below a new folder.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// openTable opens a table of references. The test closes it.
func openTable(t *testing.T, url string, opt Options) (sources.Source, error) {
	t.Helper()
	opt.Store.Retries = -1
	opt.Store.Limits = limits.New(0)
	s, err := Open(t.Context(), url, opt)
	if err == nil {
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return s, err
}

// values reads all of an array of int32.
func values(t *testing.T, s sources.Source, name string) ([]int32, error) {
	t.Helper()
	a, err := s.Array(t.Context(), name)
	if err != nil {
		return nil, err
	}
	dst := ndarray.New(a.Info().Type, a.Info().Shape)
	if err := a.ReadRegion(t.Context(), dst, make([]int, len(dst.Shape))); err != nil {
		return nil, err
	}
	list, _ := ndarray.As[int32](dst)
	return list, nil
}

// TestReferences reads an array of which one chunk is inline, one is missing, one is a whole
// file, and the others are parts of a file. The name of the table does not matter.
func TestReferences(t *testing.T) {
	text := `{"version": 1, "templates": {"u": "data"}, "refs": {".zgroup": "{\"zarr_format\":2}", "g/a/.zarray": ` + arrayDocument(18) +
		`, "g/a/0": ["{{u}}/x.bin", 8, 16], "g/a/1": "base64:BwAAAAcAAAAHAAAABwAAAA==", "g/a/3": ["data/whole.bin"], "g/a/4": ["data/x.bin", 24, 16]}}`
	dir := writeFiles(t, map[string]string{
		"refs.json": text, "table": text, "data/x.bin": string(dataFile(8)), "data/whole.bin": string(dataFile(4)[8:]),
		"refs.json.gz": compressed(t, "gzip", text), "refs.json.zst": compressed(t, "zstd", text), "packed": compressed(t, "zstd", text),
	})
	want := []int32{0, 1, 2, 3, 7, 7, 7, 7, -1, -1, -1, -1, 0, 1, 2, 3, 4, 5}
	for place, name := range map[string]string{"refs.json": "g/a", "refs.json/g": "a", "refs.json/g/a": "", "table": "g/a", "refs.json.gz": "g/a", "refs.json.zst/g": "a", "packed": "g/a"} {
		s, err := openTable(t, filepath.Join(dir, place), Options{})
		if err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		got, err := values(t, s, name)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", place, got, err)
		}
		var names []string
		for f := range s.Files() {
			names = append(names, filepath.Base(f.URL))
		}
		if table, _, _ := strings.Cut(place, "/"); !slices.Equal(names, []string{"whole.bin", "x.bin", table}) {
			t.Errorf("%s: files %q", place, names)
		}
	}
}

// compressed returns a text that gzip or zstd has compressed.
func compressed(t *testing.T, by, text string) string {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if by == "zstd" {
		z, err := zstd.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	_, err := io.WriteString(w, text)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestReferencesRefused has references that lead out of the allowed places, and files that are
// missing or too short. Opening the array is an error that names the chunk and the file; the
// array beside it can be read.
func TestReferencesRefused(t *testing.T) {
	outside := writeFiles(t, map[string]string{"x.bin": string(dataFile(8)), "etc/secret": "secret"})
	for name, c := range map[string]struct {
		reference, want string
		follow          []string
		cause           error
	}{
		"an absolute path": {`["` + outside + `/x.bin", 8, 16]`, "x.bin: the file is outside", nil, kerchunk.ErrOutside},
		"a relative path":  {`["../x.bin", 8, 16]`, "x.bin: the file is outside", nil, kerchunk.ErrOutside},
		"a link":           {`["link/x.bin", 8, 16]`, "x.bin: the file is outside", nil, kerchunk.ErrOutside},
		"allowed":          {`["` + outside + `/x.bin", 8, 16]`, "", []string{outside}, nil},
		"allowed by link":  {`["link/x.bin", 8, 16]`, "", []string{outside}, nil},
		"missing":          {`["none.bin", 8, 16]`, "none.bin", nil, nil},
		"too short":        {`["x.bin", 8, 17]`, "x.bin: the reference leads to bytes up to 25, but the file has 24", nil, nil},
		"far too short":    {`["x.bin", 9223372036854775800, 7]`, "bytes up to 9223372036854775807", nil, nil},
		"unknown place":    {`["ftp://host/x.bin", 8, 16]`, "ftp", nil, errors.ErrUnsupported},
	} {
		text := `{"a/.zarray": ` + arrayDocument(4) + `, "a/0": ` + c.reference + `, "b/.zarray": ` + arrayDocument(4) + `, "b/0": ["x.bin", 8, 16]}`
		dir := writeFiles(t, map[string]string{"refs.json": text, "x.bin": string(dataFile(4))})
		if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		s, err := openTable(t, filepath.Join(dir, "refs.json"), Options{Follow: sources.Following{Folders: c.follow}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := values(t, s, "b"); err != nil || got[3] != 3 {
			t.Errorf("%s: the other array: %v, %v", name, got, err)
		}
		_, err = s.Array(t.Context(), "a")
		switch {
		case c.want == "" && err != nil, c.want != "" && err == nil:
			t.Errorf("%s: %v", name, err)
		case err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "a/0 refers to") || !strings.Contains(err.Error(), "refs.json")):
			t.Errorf("%s: %v; want %s", name, err, c.want)
		case c.cause != nil && !errors.Is(err, c.cause):
			t.Errorf("%s: %v; want %v", name, err, c.cause)
		}
	}
}

// TestReferencesChanged: a file that changes after it was seen is an error, and never the fill
// value.
func TestReferencesChanged(t *testing.T) {
	text := `{"a/.zarray": ` + arrayDocument(8) + `, "a/0": ["x.bin", 8, 16], "a/1": ["y.bin", 8, 16]}`
	for name, change := range map[string]func(at string) error{
		"newer":   func(at string) error { return os.Chtimes(at, time.Time{}, time.Unix(1, 0)) },
		"shorter": func(at string) error { return os.Truncate(at, 20) },
		"gone":    os.Remove,
	} {
		dir := writeFiles(t, map[string]string{"refs.json": text, "x.bin": string(dataFile(4)), "y.bin": string(dataFile(4))})
		s, err := openTable(t, filepath.Join(dir, "refs.json"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Array(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := s.Changed(t.Context()); err != nil {
			t.Errorf("%s: %v before the change", name, err)
		}
		if err := change(filepath.Join(dir, "y.bin")); err != nil {
			t.Fatal(err)
		}
		if err := s.Changed(t.Context()); !errors.Is(err, sources.ErrChanged) || !strings.Contains(err.Error(), "y.bin") {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := values(t, s, "a"); name != "newer" && (err == nil || !strings.Contains(err.Error(), "y.bin")) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestReferencesHTTP reads a table and its files from a server. The table cannot lead to a file of
// this machine. A file that has another ETag than at first is an error.
func TestReferencesHTTP(t *testing.T) {
	local := writeFiles(t, map[string]string{"x.bin": string(dataFile(4))})
	table := `{"a/.zarray": ` + arrayDocument(8) + `, "a/0": ["sub/x.bin", 8, 16], "a/1": ["sub/x.bin", 24, 16], "b/.zarray": ` + arrayDocument(4) + `, "b/0": ["file://` + local + `/x.bin", 8, 16]}`
	dir := writeFiles(t, map[string]string{"d/refs.json": table, "d/sub/x.bin": string(dataFile(8))})
	var changed atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		if changed.Load() {
			w.Header().Set("ETag", `"two"`)
		}
		http.ServeFile(w, r, filepath.Join(dir, filepath.FromSlash(r.URL.Path)))
	}))
	defer server.Close()
	s, err := openTable(t, server.URL+"/d/refs.json", Options{Follow: sources.Following{Folders: []string{local, "/"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := values(t, s, "a"); err != nil || !slices.Equal(got, []int32{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := s.Array(t.Context(), "b"); !errors.Is(err, kerchunk.ErrOutside) {
		t.Errorf("a local file: %v", err)
	}
	changed.Store(true)
	if _, err := values(t, s, "a"); !errors.Is(err, sources.ErrChanged) {
		t.Errorf("another version: %v", err)
	}
}

// TestReferencesParquet reads a table in Parquet, which kerchunk wrote. Its relative paths count
// from the folder in which the table's folder is.
func TestReferencesParquet(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "refs.parq")
	if err := os.CopyFS(table, os.DirFS("internal/kerchunk/testdata/pyarrow")); err != nil {
		t.Fatal(err)
	}
	open := func() sources.Source {
		s, err := openTable(t, table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	if got := s.Arrays(); !slices.Equal(got, []string{"a", "deep/b", "many", "none"}) {
		t.Errorf("arrays %q", got)
	}
	if got, err := values(t, s, "none"); err != nil || !slices.Equal(got, []int32{0, 0, 0}) {
		t.Errorf("an array without chunks: %v, %v", got, err)
	}
	if _, err := s.Array(t.Context(), "many"); err == nil || !strings.Contains(err.Error(), "data/one.nc") {
		t.Errorf("a file that is missing: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", "one.nc"), dataFile(12)[8:], 0o666); err != nil {
		t.Fatal(err)
	}
	s = open()
	if got, err := values(t, s, "many"); err != nil || !slices.Equal(got, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
		t.Errorf("%v, %v", got, err)
	}
	var names []string
	for f := range s.Files() {
		names = append(names, filepath.Base(f.URL))
	}
	if want := []string{"one.nc", ".zmetadata", "refs.0.parq", "refs.1.parq", "refs.2.parq"}; !slices.Equal(names, want) {
		t.Errorf("files %q", names)
	}
	if err := os.Chtimes(filepath.Join(table, "many", "refs.1.parq"), time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Changed(t.Context()); !errors.Is(err, sources.ErrChanged) {
		t.Errorf("a part of the table has changed: %v", err)
	}
}

// TestNoTable: other files in JSON are no tables, and the error says so.
func TestNoTable(t *testing.T) {
	dir := writeFiles(t, map[string]string{"x.json": `{"type": "FeatureCollection"}`, "zarr.json": `{"zarr_format":3,"node_type":"group"}`, "y.json": "[1]", "folder.json/zarr.json": `{"zarr_format":3,"node_type":"group"}`})
	for name, want := range map[string]string{"x.json": "not a table of references: it holds no zarr.json", "zarr.json": "name its folder", "y.json": "a file, but a Zarr hierarchy is a folder"} {
		if _, err := openTable(t, filepath.Join(dir, name), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := openTable(t, filepath.Join(dir, "folder.json"), Options{}); err != nil {
		t.Error(err)
	}
}

// TestJSONTable finds the table in a URL.
func TestJSONTable(t *testing.T) {
	for url, want := range map[string][2]string{
		"a/b.json": {"a/b.json", ""}, "a/b.json/c/d": {"a/b.json", "c/d"}, "https://h/a.json/c?q=1": {"https://h/a.json?q=1", "c"}, "a/b.json/": {"a/b.json", ""},
		"a/b.zarr": {}, "https://h/a?x=b.json": {},
	} {
		table, inside, ok := jsonTable(url)
		if table != want[0] || inside != want[1] || ok != (want[0] != "") {
			t.Errorf("%s: %q, %q, %v", url, table, inside, ok)
		}
	}
}

var _ store.ReferencedFiles = (*referred)(nil)
