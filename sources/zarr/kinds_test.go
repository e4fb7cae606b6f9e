package zarr_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// Arrays of v2 with equal documents share what the documents say, and nothing else: not
// attributes, names of dimensions, or remarks.
func TestArraysOfOneKindV2(t *testing.T) {
	dir := t.TempDir()
	const document = `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"<i2","compressor":null,"filters":null,"fill_value":-1,"order":"C"}`
	put := func(key, text string) {
		t.Helper()
		name := filepath.Join(dir, key)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(".zgroup", `{"zarr_format":2}`)
	for i, attributes := range []string{
		`{"_ARRAY_DIMENSIONS":["x"],"units":"m"}`, `{"units":"s","_ARRAY_DIMENSIONS":["x"]}`, `{"_ARRAY_DIMENSIONS":["y"]}`,
		`{"_ARRAY_DIMENSIONS":["x","y"]}`, `{}`, `{"_ARRAY_DIMENSIONS":["x"],"_FillValue":-2}`,
	} {
		put(fmt.Sprintf("a%d/.zarray", i), document)
		put(fmt.Sprintf("a%d/.zattrs", i), attributes)
	}
	put("a6/.zarray", document)
	s := open(t, dir, zarr.Options{CF: func(string) cf.Mode { return cf.Keep }})
	type said struct {
		Attributes      string
		Dimensions      []string
		Notes, Findings int
	}
	var got []said
	for i := range 7 {
		a, err := s.Array(t.Context(), fmt.Sprintf("a%d", i))
		if err != nil {
			t.Fatal(err)
		}
		info := a.Info()
		text, err := info.Attributes.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, said{string(text), info.DimensionNames, len(info.Notes), len(info.Findings)})
	}
	want := []said{
		{`{"units":"m","_FillValue":-1}`, []string{"x"}, 1, 0}, {`{"units":"s","_FillValue":-1}`, []string{"x"}, 1, 0}, {`{"_FillValue":-1}`, []string{"y"}, 1, 0},
		{`{"_ARRAY_DIMENSIONS":["x","y"]}`, nil, 0, 0}, {`{}`, nil, 0, 0}, {`{"_FillValue":-2}`, []string{"x"}, 0, 1}, {`{}`, nil, 0, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
