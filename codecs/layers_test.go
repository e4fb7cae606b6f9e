package codecs_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// The encodings of the layers of a chunk are, one after the other, that of the chunk.
func TestLayer(t *testing.T) {
	in := codecs.Chunk{Type: dtype.Uint16, Shape: []int{4, 6, 5}, Fill: dtype.Scalar{0, 0}}
	for _, order := range []string{"little", "big"} {
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{{Name: "bytes", Configuration: json.RawMessage(`{"endian":"` + order + `"}`)}}, in)
		if err != nil {
			t.Fatal(err)
		}
		a := ndarray.New(in.Type, in.Shape)
		for i := range a.Data {
			a.Data[i] = byte(i)
		}
		want, err := chain.AppendEncode(&ndarray.Pool{}, nil, a)
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range [][]int{{1, 1, 1}, {1, 1, 5}, {1, 3, 5}, {1, 6, 5}, {2, 6, 5}, {4, 6, 5}} {
			layer, ok := chain.Layer(shape)
			if !ok {
				t.Fatalf("%s endian: no layers of shape %v", order, shape)
			}
			var got []byte
			grid := zarr.Grid{Shape: in.Shape, Chunk: shape}
			for n := range grid.Len() {
				if got, err = layer.AppendEncode(&ndarray.Pool{}, got, a.Sub(grid.Region(grid.Index(n)))); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s endian: layers of shape %v encode to %x, the chunk to %x", order, shape, got, want)
			}
		}
	}
}

// Chains whose encoding does not consist of those of layers have none.
func TestNoLayer(t *testing.T) {
	in := codecs.Chunk{Type: dtype.Float32, Shape: []int{4, 6}, Fill: dtype.Scalar{0, 0, 0, 0}}
	for _, specs := range []string{
		`["bytes", "zstd"]`,
		`["bytes", "crc32c"]`,
		`[{"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes"]`,
		`[{"name": "scale_offset", "configuration": {"scale": 2, "offset": 1}}, "bytes"]`,
		`[{"name": "zfp", "configuration": {"mode": "reversible"}}]`,
		`[{"name": "sharding_indexed", "configuration": {"chunk_shape": [1, 6], "codecs": ["bytes"]}}]`,
	} {
		var list []codecs.Spec
		if err := json.Unmarshal([]byte(specs), &list); err != nil {
			t.Fatal(err)
		}
		chain, err := standard.Registry(dtype.Standard()).Bind(list, in)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := chain.Layer([]int{1, 6}); ok {
			t.Errorf("%s has layers", specs)
		}
	}
}
