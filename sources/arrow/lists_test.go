package arrow_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// listFiles are the files of the archive with lists of varying length.
func listFiles() []string {
	return []string{
		"lists_plain.arrow", "lists_lz4.arrow", "lists_plain.arrows", "lists_zstd.arrows", "lists_big_endian.arrows",
		"lists_none_v1.parquet", "lists_gzip_v1.parquet", "lists_zstd_v2.parquet",
	}
}

// TestListRegions reads elements and offsets of lists in regions of every length that begin
// everywhere, and compares them with the whole arrays.
func TestListRegions(t *testing.T) {
	dir := unpack(t)
	for _, name := range listFiles() {
		src := open(t, withNull(t), filepath.Join(dir, name))
		for _, path := range []string{"list_nulls/values", "list_nulls/offsets", "list_strings/values", "list_structs/values/in/b", "list_structs/offsets", "map/values/key", "within/list/values", "within/list/offsets"} {
			a, err := src.Array(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			whole := sourcetest.ReadAll(t, a)
			n := a.Info().Shape[0]
			for start := range n {
				for _, length := range []int{1, 2, 5, n - start} {
					if start+length > n {
						continue
					}
					part := ndarray.New(a.Info().Type, []int{length})
					if err := a.ReadRegion(t.Context(), part, []int{start}); err != nil {
						t.Fatal(err)
					}
					want := whole.Sub(ndarray.Region{Start: []int{start}, Shape: []int{length}})
					if !slices.EqualFunc(slices.Collect(part.Items()), slices.Collect(want.Items()), slices.Equal[[]byte]) {
						t.Fatalf("%s: %s: %d elements from %d on differ from the whole", name, path, length, start)
					}
				}
			}
		}
	}
}

// TestListDescription: the arrays of a list have dimensions whose parts cannot be selected.
func TestListDescription(t *testing.T) {
	src := open(t, withNull(t), filepath.Join(unpack(t), "lists_plain.arrow"))
	for path, want := range map[string]string{
		"list/values":              "[list_item] [row list_item]",
		"list/offsets":             "[list_edge] [row list_item list_edge]",
		"list_structs/values/in/b": "[list_structs_item] [row list_structs_item]",
		"list_structs/offsets":     "[list_structs_edge] [row list_structs_item list_structs_edge]",
		"within/list/offsets":      "[list_edge] [row list_item list_edge]",
	} {
		a, err := src.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		info := a.Info()
		if got := fmt.Sprint(info.DimensionNames, " ", info.Ragged); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	groups := map[string]string{}
	for _, g := range src.Groups() {
		groups[g.Path] = string(g.Attributes.Get("sequence_shape"))
	}
	want := map[string]string{"": "", "within": "", "list_structs/values": "", "list_structs/values/in": "", "map/values": "", "map_nulls/values": ""}
	for _, name := range []string{"list", "list_nulls", "list_long", "list_empty", "list_strings", "list_bool", "list_dates", "large_list", "list_structs", "map", "map_nulls", "within/list"} {
		want[name] = "[17]"
	}
	if diff := cmp.Diff(want, groups); diff != "" {
		t.Errorf("groups with their sequence_shape (-want +got):\n%s", diff)
	}
}

// TestNullLists: a list that is null is an error, unless the offsets have a value in its place.
func TestNullLists(t *testing.T) {
	dir := unpack(t)
	for _, name := range listFiles() {
		path := filepath.Join(dir, name)
		only := func(allowed string) arrow.Options {
			return arrow.Options{Null: func(path string, typ dtype.Type) (dtype.Scalar, error) {
				if path != allowed {
					return nil, nil
				}
				return null(t, typ), nil
			}}
		}
		for _, array := range []string{"large_list/values", "large_list/offsets"} {
			_, err := open(t, only("large_list/values"), path).Array(t.Context(), array)
			for _, want := range []string{path, "column \"" + array + "\"", " is null: give the array \"large_list/offsets\" a fill_value, and lists that are null become empty lists"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %s: got %v, want an error with %q", name, array, err, want)
				}
			}
			if _, err := open(t, only("large_list/offsets"), path).Array(t.Context(), array); err != nil {
				t.Errorf("%s: %s: %v", name, array, err)
			}
		}
		if _, err := open(t, only("list_nulls/offsets"), path).Array(t.Context(), "list_nulls/values"); err == nil || !strings.Contains(err.Error(), "is null: give the array a fill_value, which takes the place of nulls") {
			t.Errorf("%s: an element that is null: got %v", name, err)
		}
	}
}

// noRows writes a file with the columns of another, and without rows.
func noRows(t *testing.T, like string) string {
	t.Helper()
	from, err := os.ReadFile(like)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewFileReader(bytes.NewReader(from))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "no_rows.arrow")
	to, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := ipc.NewFileWriter(to, ipc.WithSchema(r.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), to.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestListsOfFiles joins files of all kinds, and compares the lists with those of the single
// files, in regions of every length that begin everywhere.
func TestListsOfFiles(t *testing.T) {
	dir := unpack(t)
	empty := noRows(t, filepath.Join(dir, "lists_plain.arrow"))
	paths := []string{empty}
	for _, name := range listFiles() {
		paths = append(paths, filepath.Join(dir, name))
	}
	paths = append(paths, empty, paths[1])
	joined := open(t, withNull(t), paths...)
	for _, path := range []string{"list_nulls/values", "list_nulls/offsets", "list_strings/values", "list_strings/offsets", "list_structs/values/in/b", "map/values/key", "within/list/offsets"} {
		var want [][]byte
		count := int64(0)
		for i, file := range paths {
			a, err := open(t, withNull(t), file).Array(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			whole := sourcetest.ReadAll(t, a)
			if !a.Info().Lists.Offsets {
				want = append(want, slices.Collect(whole.Items())...)
				continue
			}
			offsets, _ := ndarray.As[int64](whole)
			for k, offset := range offsets {
				if i == 0 || k > 0 {
					want = append(want, binary.NativeEndian.AppendUint64(nil, uint64(count+offset)))
				}
			}
			count += offsets[len(offsets)-1]
		}
		a, err := joined.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if n := a.Info().Shape[0]; n != len(want) {
			t.Fatalf("%s: %d elements, want %d", path, n, len(want))
		}
		for start := range want {
			for _, length := range []int{1, 7, 40, len(want) - start} {
				if start+length > len(want) {
					continue
				}
				part := ndarray.New(a.Info().Type, []int{length})
				if err := a.ReadRegion(t.Context(), part, []int{start}); err != nil {
					t.Fatal(err)
				}
				if !slices.EqualFunc(slices.Collect(part.Items()), want[start:start+length], slices.Equal[[]byte]) {
					t.Fatalf("%s: %d elements from %d on differ", path, length, start)
				}
			}
		}
	}
	for _, g := range joined.Groups() {
		if g.Path == "within/list" {
			if got, want := string(g.Attributes.Get("sequence_shape")), fmt.Sprintf("[%d]", 17*(len(paths)-2)); got != want {
				t.Errorf("sequence_shape is %s, want %s", got, want)
			}
		}
	}
	if joined.Groups()[0].Attributes.Get("sequence_shape") != nil {
		t.Error("the root has a sequence_shape")
	}
}

// TestListsAreNotStacked: lists of other lengths in each file have no place in one array.
func TestListsAreNotStacked(t *testing.T) {
	one := filepath.Join(unpack(t), "lists_plain.arrow")
	options := withNull(t)
	options.Combine.Stack = "file"
	src := open(t, options, one, one)
	if _, err := src.Array(t.Context(), "list/values"); !sources.Unsupported(err) || !strings.Contains(err.Error(), "cannot be stacked: join the files") {
		t.Errorf("got %v", err)
	}
	if _, err := src.Array(t.Context(), "within/number"); err != nil {
		t.Error(err)
	}
}
