package standard_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

func arrayArchive(t *testing.T) fs.FS {
	t.Helper()
	archive, err := zip.OpenReader("testdata/array-codecs.zip")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = archive.Close() })
	return archive
}

// little converts elements between little-endian order and the host's order.
func little(a ndarray.Array) ndarray.Array {
	if t, ok := a.Type.(dtype.Ordered); ok && dtype.Native == dtype.Big {
		ndarray.Swap(a, t)
	}
	return a
}

// TestNumcodecs compares with the results of numcodecs for the same elements, byte by
// byte, in both directions.
func TestNumcodecs(t *testing.T) {
	text, err := fs.ReadFile(arrayArchive(t), "numcodecs.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Codec         string
		Configuration json.RawMessage
		Type          string
		X, Encoded    string
		Y, Decoded    string
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	types := dtype.Standard()
	array := func(text string, typ dtype.Type) ndarray.Array {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		a := ndarray.New(typ, []int{len(data) / typ.Size()})
		copy(a.Data, data)
		return little(a)
	}
	for _, c := range cases {
		name := c.Codec + string(c.Configuration) + " of " + c.Type
		typ, err := types.ParseV3(json.RawMessage(`"` + c.Type + `"`))
		if err != nil {
			t.Fatal(err)
		}
		s := codecs.Spec{Name: c.Codec, Configuration: c.Configuration}
		if c.X != "" {
			b := bindArray(t, s, of(typ, array(c.X, typ).Len()))
			x, want := array(c.X, typ), array(c.Encoded, b.Encoded().Type)
			got := ndarray.New(want.Type, want.Shape)
			if err := b.Encode(got, x); err != nil {
				t.Errorf("%s: encode: %v", name, err)
			} else {
				compare(t, name+", encoded", x, got, want)
			}
		}
		if c.Y != "" {
			want := array(c.Decoded, typ)
			b := bindArray(t, s, of(typ, want.Len()))
			y, got := array(c.Y, b.Encoded().Type), ndarray.New(want.Type, want.Shape)
			if err := b.Decode(got, y); err != nil {
				t.Errorf("%s: decode: %v", name, err)
			} else {
				compare(t, name+", decoded", y, got, want)
			}
		}
	}
	if len(cases) < 600 {
		t.Errorf("only %d cases", len(cases))
	}
}

// compare reports the first element that differs.
func compare(t *testing.T, name string, from, got, want ndarray.Array) {
	t.Helper()
	size := want.Type.Size()
	for i := range want.Len() {
		g, w := got.Data[i*size:(i+1)*size], want.Data[i*size:(i+1)*size]
		if !bytes.Equal(g, w) {
			n := from.Type.Size()
			t.Errorf("%s: element %d, %s, becomes %s, want %s", name, i, from.Type.FormatScalar(dtype.V3, from.Data[i*n:(i+1)*n]),
				want.Type.FormatScalar(dtype.V3, g), want.Type.FormatScalar(dtype.V3, w))
			return
		}
	}
}

// TestArrayGolden reads the arrays of the archive.
func TestArrayGolden(t *testing.T) {
	folder := arrayArchive(t)
	read := map[string]int{}
	for _, entry := range expectedArrays(t, folder) {
		if testArray(t, folder, entry) {
			read[entry.Store]++
		}
	}
	if read["v2.zarr"] != 8 || read["v3.zarr"] < 40 {
		t.Errorf("arrays read: %v", read)
	}
}

// TestArrayGoldenFolders reads the arrays from which the archive was chosen, if their
// codecs are known.
func TestArrayGoldenFolders(t *testing.T) {
	for _, name := range []string{"zarr-python", "zarrs"} {
		folder := filepath.Join(os.Getenv("ZMIGRATE_GOLDEN"), name)
		if _, err := os.Stat(folder); err != nil {
			t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
		}
		for _, entry := range expectedArrays(t, os.DirFS(folder)) {
			if name == "zarrs" || entry.Store == "v2.zarr" {
				testArray(t, os.DirFS(folder), entry)
			}
		}
	}
}

// expectedArray is an array of a folder of goldens, with the file of its values.
type expectedArray struct {
	Store, Path, Raw string
	Values           []json.RawMessage // of elements of variable size
}

func expectedArrays(t *testing.T, folder fs.FS) []expectedArray {
	t.Helper()
	text, err := fs.ReadFile(folder, "expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected struct{ Arrays []expectedArray }
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	return expected.Arrays
}

// testArray compares an array with the expected values. It returns false for an array
// that Zarr v3 cannot describe, or whose codecs are not known.
func testArray(t *testing.T, folder fs.FS, entry expectedArray) bool {
	t.Helper()
	where := path.Join(entry.Store, entry.Path)
	array := parseGolden(t, folder, where)
	if array == nil {
		return false
	}
	chain, err := standard.Registry(dtype.Standard()).Bind(array.Codecs, codecs.Chunk{Type: array.Type, Shape: array.Grid.Chunk, Fill: array.Fill})
	if errors.Is(err, codecs.ErrUnknown) {
		return false
	}
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return false
	}
	got := readGolden(t, folder, where, array, chain)
	if entry.Raw == "" {
		compareItems(t, where, got, entry.Values)
		return true
	}
	want, err := fs.ReadFile(folder, entry.Raw)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(little(got).Data, want) {
		t.Errorf("%s: the values differ", where)
	}
	return true
}

// parseGolden parses the document of an array, of Zarr v2 or v3. It returns nil if Zarr
// v3 cannot describe the array.
func parseGolden(t *testing.T, folder fs.FS, where string) *zarr.Array {
	t.Helper()
	if text, err := fs.ReadFile(folder, path.Join(where, zarr.MetadataKey)); err == nil {
		array, err := zarr.ParseArray(text, dtype.Standard())
		if err != nil {
			t.Fatal(err)
		}
		return array
	}
	text, err := fs.ReadFile(folder, path.Join(where, ".zarray"))
	if err != nil {
		t.Fatal(err)
	}
	var v2 struct {
		Shape, Chunks []int
		Dtype         json.RawMessage
		Fill          json.RawMessage `json:"fill_value"`
		Order         string
		Filters       []json.RawMessage
		Compressor    json.RawMessage
		Separator     string `json:"dimension_separator"`
	}
	if err := json.Unmarshal(text, &v2); err != nil {
		t.Fatal(err)
	}
	filter := ""
	if len(v2.Filters) > 0 {
		var first struct{ ID string }
		if err := json.Unmarshal(v2.Filters[0], &first); err != nil {
			t.Fatal(err)
		}
		filter = first.ID
	}
	typ, order, err := dtype.Standard().ParseV2(v2.Dtype, filter)
	if err != nil {
		t.Fatal(err)
	}
	specs, err := standard.FromV2(standard.Registry(dtype.Standard()), standard.V2{Order: order, F: v2.Order == "F", Filters: v2.Filters, Compressor: v2.Compressor})
	if err != nil {
		if order != dtype.Mixed {
			t.Errorf("%s: %v", where, err)
		}
		return nil
	}
	fill, err := dtype.ParseFill(typ, dtype.V2, v2.Fill)
	if err != nil {
		t.Fatal(err)
	}
	if fill == nil {
		fill = typ.Default()
	}
	data, err := typ.V3()
	if err != nil {
		t.Fatal(err)
	}
	if v2.Separator == "" {
		v2.Separator = "."
	}
	document, err := json.Marshal(map[string]any{
		"zarr_format": 3, "node_type": "array", "shape": v2.Shape, "data_type": data, "fill_value": typ.FormatScalar(dtype.V3, fill),
		"chunk_grid":         map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": v2.Chunks}},
		"chunk_key_encoding": map[string]any{"name": "v2", "configuration": map[string]any{"separator": v2.Separator}},
		"codecs":             specs,
	})
	if err != nil {
		t.Fatal(err)
	}
	array, err := zarr.ParseArray(document, dtype.Standard())
	if err != nil {
		t.Fatal(err)
	}
	return array
}
