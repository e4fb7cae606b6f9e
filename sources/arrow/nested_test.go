package arrow_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
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
					part := ndarray.New(a.Info().Type, []int{n})
					if err := a.ReadRegion(t.Context(), part, []int{start}); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if got, want := shown(part), fmt.Sprint(elements[start:start+n]); got != want {
						t.Fatalf("%s: %s from %d on: got %s, want %s", name, path, start, got, want)
					}
				}
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
