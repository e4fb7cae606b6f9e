package zarr_test

import (
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// FuzzOpen opens a store whose root has any document, with a chunk of any bytes. It
// never panics, and small arrays are read or refused.
func FuzzOpen(f *testing.F) {
	const arrayV3 = `{"zarr_format":3,"node_type":"array","shape":[3,5],"data_type":"int16","fill_value":1,"chunk_key_encoding":"default",
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,4]}},"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,4],"codecs":["bytes","crc32c"]}}]}`
	const arrayV2 = `{"zarr_format":2,"shape":[3,5],"chunks":[2,4],"dtype":">i2","fill_value":null,"order":"F","filters":null,"compressor":{"id":"zlib"}}`
	f.Add([]byte(arrayV3), "zarr.json", []byte("\x00\x01"))
	f.Add([]byte(arrayV2), ".zarray", []byte("\x78\x9c"))
	f.Add([]byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":{"g/a":`+arrayV3+`}}}`), "zarr.json", []byte(nil))
	f.Add([]byte(`{"zarr_consolidated_format":1,"metadata":{"g/.zgroup":{"zarr_format":2},"g/a/.zarray":`+arrayV2+`,"g/a/.zattrs":{"_ARRAY_DIMENSIONS":["y","x"]}}}`), ".zmetadata", []byte(nil))
	f.Add([]byte(`{"zarr_format":3,"node_type":"array","shape":[3,5],"data_type":"uint8","fill_value":1,"chunk_key_encoding":"default",
		"chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[1,[2,2]],[3,2]]}},"codecs":["bytes"]}`), "zarr.json", []byte("\x00\x01\x02"))
	f.Fuzz(func(t *testing.T, text []byte, key string, chunk []byte) {
		var memory store.Memory
		st, err := store.Open(t.Context(), url, store.Options{Memory: &memory})
		if err != nil {
			t.Fatal(err)
		}
		for key, data := range map[string][]byte{key: text, "c/0/0": chunk, "0.0": chunk} {
			if err := st.Put(t.Context(), key, data); err != nil {
				return // not a valid key of a store
			}
		}
		src, err := zarr.Open(t.Context(), url, zarr.Options{Store: store.Options{Memory: &memory, Retries: -1}})
		if err != nil {
			return
		}
		defer func() {
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}()
		for _, name := range src.Arrays() {
			a, err := src.Array(t.Context(), name)
			if err != nil {
				continue
			}
			info := a.Info()
			if n, ok := ndarray.Bytes(info.Type, info.Shape); !ok || n > 1<<12 || info.Memory > 1<<20 {
				continue
			}
			_ = a.ReadRegion(t.Context(), ndarray.New(info.Type, info.Shape), make([]int, len(info.Shape)))
		}
	})
}
