package zarr_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// golden is the folder of stores that other programs wrote, "" if it is not present.
// The archive testdata/golden.zip has some of them.
var golden = os.Getenv("ZMIGRATE_GOLDEN")

// expectedArray is an array as the program that wrote it understands it.
type expectedArray struct {
	Store, Path, Raw string
	Shape            []int
	Values           []json.RawMessage // elements of variable size
}

func open(t *testing.T, url string, opt zarr.Options) sources.Source {
	t.Helper()
	src, err := zarr.Open(t.Context(), url, opt)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseLater(t, src)
	return src
}

// unpack writes the archive's files to a new folder.
func unpack(t *testing.T) string {
	t.Helper()
	return sourcetest.Unzip(t, "testdata/golden.zip")
}

// TestGolden compares every array of the archive with its expected values.
func TestGolden(t *testing.T) {
	dir := unpack(t)
	if n := testGolden(t, filepath.Join(dir, "zarr-python")); n < 60 {
		t.Errorf("only %d arrays of zarr-python were read", n)
	}
	if n := testGolden(t, filepath.Join(dir, "zarrs")); n < 10 {
		t.Errorf("only %d arrays of zarrs were read", n)
	}
}

// TestGoldenFolder does the same over the whole folder.
func TestGoldenFolder(t *testing.T) {
	for _, writer := range []string{"zarr-python", "zarrs"} {
		dir := filepath.Join(golden, writer)
		if _, err := os.Stat(dir); err != nil {
			t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
		}
		testGolden(t, dir)
	}
}

// testGolden compares every array in dir and returns how many it has read.
func testGolden(t *testing.T, dir string) int {
	t.Helper()
	byStore := map[string][]expectedArray{}
	for _, e := range expected(t, dir) {
		byStore[e.Store] = append(byStore[e.Store], e)
	}
	read := 0
	for name, list := range byStore {
		src := open(t, filepath.Join(dir, name), zarr.Options{})
		for _, e := range list {
			if !slices.Contains(src.Arrays(), e.Path) {
				t.Errorf("%s: array %q is not listed", name, e.Path)
			} else if testGoldenArray(t, src, dir, e) {
				read++
			}
		}
	}
	return read
}

func expected(t *testing.T, dir string) []expectedArray {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Arrays []expectedArray }
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document.Arrays
}

// testGoldenArray reports whether the array was read.
func testGoldenArray(t *testing.T, src sources.Source, dir string, e expectedArray) bool {
	t.Helper()
	where := path.Join(e.Store, e.Path)
	a, err := src.Array(t.Context(), e.Path)
	if err != nil {
		t.Error(err)
		return false
	}
	if diff := cmp.Diff(e.Shape, a.Info().Shape); diff != "" {
		t.Errorf("%s: shape (-want +got):\n%s", where, diff)
		return false
	}
	got := sourcetest.ReadAll(t, a)
	if e.Raw == "" {
		compareItems(t, where, got, e.Values)
		return true
	}
	want, err := os.ReadFile(filepath.Join(dir, e.Raw))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(little(got).Data, want) {
		t.Errorf("%s: the values differ", where)
	}
	return true
}

// little converts elements in the host's order to little-endian ones.
func little(a ndarray.Array) ndarray.Array {
	if t, ok := a.Type.(dtype.Ordered); ok && dtype.Native == dtype.Big {
		ndarray.Swap(a, t)
	}
	return a
}

// compareItems compares elements of variable size: strings, or bytes in hex.
func compareItems(t *testing.T, where string, got ndarray.Array, want []json.RawMessage) {
	t.Helper()
	var items []string
	for item := range got.Items() {
		items = append(items, string(item))
	}
	var texts []string
	for _, text := range want {
		var s string
		var binary struct{ Hex string }
		if json.Unmarshal(text, &s) != nil {
			if err := json.Unmarshal(text, &binary); err != nil {
				t.Fatal(err)
			}
			decoded, err := hex.DecodeString(binary.Hex)
			if err != nil {
				t.Fatal(err)
			}
			s = string(decoded)
		}
		texts = append(texts, s)
	}
	if diff := cmp.Diff(texts, items); diff != "" {
		t.Errorf("%s: elements (-want +got):\n%s", where, diff)
	}
}

// TestConformance runs the suite of all sources over all arrays whose elements have a
// fixed size.
func TestConformance(t *testing.T) {
	dir := unpack(t)
	for writer, stores := range map[string][]string{"zarr-python": {"v2.zarr", "v3.zarr"}, "zarrs": {""}} {
		for _, e := range expected(t, filepath.Join(dir, writer)) {
			if e.Raw == "" {
				if err := os.RemoveAll(filepath.Join(dir, writer, e.Store, e.Path)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, name := range stores {
			t.Run(writer+" "+name, func(t *testing.T) {
				sourcetest.Run(t, open(t, filepath.Join(dir, writer, name), zarr.Options{}))
			})
		}
	}
}

// TestConsolidated reads hierarchies through their consolidated metadata alone, from a
// store that cannot be listed, and compares them with the documents of the nodes.
func TestConsolidated(t *testing.T) {
	dir := filepath.Join(unpack(t), "zarr-python")
	for name, document := range map[string]string{"v2": ".zmetadata", "v3": "zarr.json"} {
		plain := open(t, filepath.Join(dir, name+".zarr"), zarr.Options{})
		want := map[string]*sources.Info{}
		for _, path := range plain.Arrays() {
			a, err := plain.Array(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			want[path] = a.Info()
		}
		text, err := os.ReadFile(filepath.Join(dir, name+"_consolidated.zarr", document))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".zarr", document), text, 0o666); err != nil {
			t.Fatal(err)
		}
		unlisted := store.Options{Fault: func(op, key string) error {
			if op == "list" || op == "read" && slices.Contains([]string{".zarray", ".zattrs", ".zgroup", "zarr.json"}, path.Base(key)) && key != document {
				return errors.New("not to be asked for")
			}
			return nil
		}}
		src := open(t, filepath.Join(dir, name+".zarr"), zarr.Options{Store: unlisted})
		if diff := cmp.Diff(plain.Groups()[0], src.Groups()[0]); diff != "" {
			t.Errorf("%s: the root (-want +got):\n%s", name, diff)
		}
		for path, info := range want {
			a, err := src.Array(t.Context(), path)
			if err != nil {
				t.Error(err)
				continue
			}
			if diff := cmp.Diff(info, a.Info(), cmp.Comparer(dtype.Same)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, path, diff)
			}
		}
		for _, e := range expected(t, dir) {
			if e.Store == name+".zarr" {
				testGoldenArray(t, src, dir, e)
			}
		}
	}
}
