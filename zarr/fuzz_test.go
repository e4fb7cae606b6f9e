package zarr

import (
	"bytes"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

func FuzzParseArray(f *testing.F) {
	text, err := marshal(testArray())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.Replace(text, []byte(`{"name":"crc32c"}`), nil, 1))
	f.Add([]byte(`{"zarr_format":3,"node_type":"array","shape":[],"data_type":"int8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[]}},"chunk_key_encoding":"default","fill_value":0,"codecs":[]}`))
	f.Add([]byte(`{"zarr_format":3,"node_type":"array","shape":[],"data_type":{"name":"r16"},"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[]}},"chunk_key_encoding":"v2","fill_value":[1,2],"codecs":["bytes"]}`))
	f.Add([]byte(`{"zarr_format":3,"node_type":"array","shape":[9,7],"data_type":"int8","chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[2,3],3,[1,4]],4]}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes"]}`))
	types := dtype.Standard()
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := ParseArray(text, types)
		if err != nil {
			return
		}
		a.Grid.Len()
		if a.Grid.Runs != nil {
			checkRuns(t, a.Grid)
			return
		}
		first, err := Document(a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseArray(first, types)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := Document(b); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s becomes %s (%v)", first, second, err)
		}
	})
}

func FuzzParseGroup(f *testing.F) {
	f.Add([]byte(`{"zarr_format":3,"node_type":"group","attributes":{"a":1},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"x":{}}}}`))
	f.Add([]byte(`{"zarr_format":3,"node_type":"group"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ParseGroup(text)
		if err != nil {
			return
		}
		first, err := Document(g)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseGroup(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := Document(again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s becomes %s (%v)", first, second, err)
		}
	})
}
