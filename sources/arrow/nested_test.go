package arrow_test

import (
	"encoding/json"
	"errors"
	"fmt"
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
)

// nestedCase is a table with lists within lists, of expected.json.
type nestedCase struct {
	Arrays map[string][]any
	Fills  map[string]json.RawMessage
}

// nestedCases unpacks the tables with lists within lists.
func nestedCases(t *testing.T) (dir string, cases map[string]nestedCase) {
	t.Helper()
	dir = sourcetest.Unzip(t, "testdata/nested.zip")
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 6 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	return dir, cases
}

// options replaces the nulls of a case.
func (c nestedCase) options() arrow.Options {
	return arrow.Options{Null: func(path string, typ dtype.Type) (dtype.Scalar, error) {
		if c.Fills[path] == nil {
			return nil, nil
		}
		return typ.ParseScalar(dtype.V3, c.Fills[path])
	}}
}

// TestNestedLists compares lists within lists, and structs and maps of them, with what
// e2e/interop/nested_sources.py computed. The whole arrays are compared, and regions that begin
// everywhere.
func TestNestedLists(t *testing.T) {
	dir, cases := nestedCases(t)
	for name, want := range cases {
		src, err := arrow.Open(t.Context(), filepath.Join(dir, name), want.options())
		if err != nil {
			t.Fatal(err)
		}
		sourcetest.CloseLater(t, src)
		if got := len(src.Arrays()); got != len(want.Arrays) {
			t.Errorf("%s: arrays %q, want %d", name, src.Arrays(), len(want.Arrays))
		}
		for path, elements := range want.Arrays {
			a, err := src.Array(t.Context(), path)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if n := a.Info().Shape[0]; n != len(elements) {
				t.Errorf("%s: %s has %d elements, want %d", name, path, n, len(elements))
				continue
			}
			for start := 0; start < len(elements); start += 1 + start/2 {
				for _, n := range []int{1, 3, len(elements) - start} {
					n = min(n, len(elements)-start)
					shape := append([]int{n}, a.Info().Shape[1:]...)
					part, begin := ndarray.New(a.Info().Type, shape), make([]int, len(shape))
					begin[0] = start
					if err := a.ReadRegion(t.Context(), part, begin); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if got, want := shown(part), fmt.Sprint(flat(elements[start:start+n])); got != want {
						t.Fatalf("%s: %s from %d on: got %s, want %s", name, path, start, got, want)
					}
				}
			}
		}
	}
}

// flat returns the elements of lists within each other.
func flat(list []any) (all []any) {
	for _, v := range list {
		if within, is := v.([]any); is {
			all = append(all, flat(within)...)
		} else {
			all = append(all, v)
		}
	}
	return all
}

// TestListViewsResident: the places of the elements of list views count in the memory of the job, once.
func TestListViewsResident(t *testing.T) {
	dir, cases := nestedCases(t)
	for name, most := range map[string]int64{"case_000": 0, "case_002": 1 << 20} {
		r := &sources.Resident{}
		opt := cases[name].options()
		opt.Resident = r
		src, err := arrow.Open(t.Context(), filepath.Join(dir, name), opt)
		if err != nil {
			t.Fatal(err)
		}
		sourcetest.CloseLater(t, src)
		var first int64
		for range 2 {
			for _, path := range src.Arrays() {
				if _, err := src.Array(t.Context(), path); err != nil {
					t.Fatal(err)
				}
			}
			if first == 0 {
				first = r.Bytes()
			}
		}
		if n := r.Bytes(); n != first || n > most || (n > 0) != (most > 0) {
			t.Errorf("%s: %d bytes are counted, then %d", name, first, n)
		}
	}
}

// TestFilledNulls: a list that is null is empty, although the file has elements for it.
func TestFilledNulls(t *testing.T) {
	dir := sourcetest.Unzip(t, "testdata/null_lists.zip")
	want := open(t, withNull(t), filepath.Join(dir, "empty.arrow"))
	for _, name := range []string{"filled.arrow", "filled.arrows"} {
		src := open(t, withNull(t), filepath.Join(dir, name))
		if got := src.Arrays(); !slices.Equal(got, want.Arrays()) || len(got) != 9 {
			t.Fatalf("%s: arrays %q, want %q", name, got, want.Arrays())
		}
		for _, path := range src.Arrays() {
			var all [2]string
			for i, s := range []sources.Source{src, want} {
				a, err := s.Array(t.Context(), path)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				all[i] = shown(sourcetest.ReadAll(t, a))
			}
			if all[0] != all[1] {
				t.Errorf("%s: %s: got %s, want %s", name, path, all[0], all[1])
			}
		}
	}
}

// shown spells elements as fmt spells those of a JSON list.
func shown(a ndarray.Array) string {
	var list []any
	for item := range a.Items() {
		text := a.Type.FormatScalar(dtype.V3, item)
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			panic(err) // every scalar has JSON
		}
		list = append(list, v)
	}
	return fmt.Sprint(list)
}

// TestNullNestedLists: the message about a null tells which lists have it.
func TestNullNestedLists(t *testing.T) {
	dir, cases := nestedCases(t)
	want := cases["case_005"]
	for missing, array := range map[string]string{"twice/offsets": "twice/values/values", "twice/values/offsets": "twice/values/values", "twice/values/values": "twice/values/values"} {
		fills := nestedCase{Fills: map[string]json.RawMessage{}}
		for path, fill := range want.Fills {
			if path != missing {
				fills.Fills[path] = fill
			}
		}
		src, err := arrow.Open(t.Context(), filepath.Join(dir, "case_005"), fills.options())
		if err != nil {
			t.Fatal(err)
		}
		sourcetest.CloseLater(t, src)
		_, err = src.Array(t.Context(), array)
		text := fmt.Sprintf("give the array %q a fill_value", missing)
		if missing == array {
			text = "give the array a fill_value"
		}
		if err == nil || !strings.Contains(err.Error(), " is null: "+text) {
			t.Errorf("without the fill value of %s: %v", missing, err)
		}
	}
}

// TestDamagedNestedLists inverts bytes of files with lists within lists, one at a time. The result is an
// error or other elements, and no panic.
func TestDamagedNestedLists(t *testing.T) {
	dir, cases := nestedCases(t)
	damaged, refused := 0, 0
	for name, c := range cases {
		files, err := filepath.Glob(filepath.Join(dir, name, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			bad := filepath.Join(t.TempDir(), filepath.Base(file))
			for at := 4; at < len(data); at += 1 + len(data)/30 {
				data[at] ^= 0xff
				if err := os.WriteFile(bad, data, 0o600); err != nil {
					t.Fatal(err)
				}
				data[at] ^= 0xff
				damaged++
				if err := readColumns(t, bad, c.options()); err != nil {
					refused++
				}
			}
		}
	}
	if damaged < 200 || refused < damaged/8 {
		t.Errorf("%d damaged files, %d of which are refused", damaged, refused)
	}
}

// readColumns reads all arrays of a file that are not too large.
func readColumns(t *testing.T, path string, opt arrow.Options) error {
	src, err := arrow.Open(t.Context(), path, opt)
	if err != nil {
		return err
	}
	var all []error
	for _, name := range src.Arrays() {
		a, err := src.Array(t.Context(), name)
		if err == nil {
			if n, ok := ndarray.Bytes(a.Info().Type, a.Info().Shape); ok && n < 1<<20 {
				err = a.ReadRegion(t.Context(), ndarray.New(a.Info().Type, a.Info().Shape), make([]int, len(a.Info().Shape)))
			}
		}
		all = append(all, err)
	}
	return errors.Join(append(all, src.Close())...)
}
