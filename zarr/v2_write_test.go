package zarr

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// The documents of Zarr v2 are read back as the same metadata.
func TestWriteV2(t *testing.T) {
	types := dtype.Standard()
	registry := standard.Registry(types)
	fill, err := dtype.Int16.ParseScalar(dtype.V3, json.RawMessage("-5"))
	if err != nil {
		t.Fatal(err)
	}
	specs := []codecs.Spec{{Name: "bytes", Configuration: json.RawMessage(`{"endian":"big"}`)}, {Name: "numcodecs.zlib", Configuration: json.RawMessage(`{"level":4}`)}}
	for _, c := range []struct {
		a                 Array
		array, attributes string
	}{
		{
			Array{Type: dtype.Int16, Grid: Grid{Shape: []int{5, 4}, Chunk: []int{2, 4}}, Fill: fill, Codecs: specs, DimensionNames: []string{"y", "x"}, Attributes: Attributes{{"units", json.RawMessage(`"<m>"`)}}},
			`{"chunks":[2,4],"compressor":{"id":"zlib","level":4},"dtype":">i2","fill_value":-5,"filters":null,"order":"C","shape":[5,4],"zarr_format":2}`,
			`{"units":"<m>","_ARRAY_DIMENSIONS":["y","x"]}`,
		},
		{
			Array{Type: dtype.Int16, Grid: Grid{Shape: []int{}, Chunk: []int{}}, Codecs: specs[:1]},
			`{"chunks":[],"compressor":null,"dtype":">i2","fill_value":null,"filters":null,"order":"C","shape":[],"zarr_format":2}`,
			`{"_ARRAY_DIMENSIONS":[]}`,
		},
		{
			Array{Type: dtype.Int16, Grid: Grid{Shape: []int{3, 3}, Chunk: []int{3, 3}}, Codecs: specs[:1], DimensionNames: []string{"y", ""}},
			`{"chunks":[3,3],"compressor":null,"dtype":">i2","fill_value":null,"filters":null,"order":"C","shape":[3,3],"zarr_format":2}`,
			`{}`,
		},
	} {
		array, attributes, err := c.a.V2(registry)
		if err != nil || string(array) != c.array || string(attributes) != c.attributes {
			t.Errorf("%s\n%s\n%v", array, attributes, err)
			continue
		}
		back, err := ParseArrayV2(array, attributes, types, registry)
		if err != nil {
			t.Error(err)
			continue
		}
		names := c.a.DimensionNames
		if slices.Contains(names, "") {
			names = nil
		}
		if !slices.Equal(back.Grid.Chunk, c.a.Grid.Chunk) || !slices.Equal(back.DimensionNames, names) || string(back.Fill) != string(c.a.Fill) || back.Keys != KeysV2 {
			t.Errorf("%+v", back)
		}
	}
	runs := Array{Type: dtype.Int16, Grid: Grid{Shape: []int{3}, Runs: [][]Run{{}}}, Codecs: specs[:1]}
	if _, _, err := runs.V2(registry); err == nil {
		t.Error("a rectilinear grid has documents of Zarr v2")
	}
}
