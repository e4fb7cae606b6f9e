package standard_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestBz2AfterDamage decodes, measures and verifies an intact chunk of bzip2 after one that is
// too long. The reader of the long one has decoded bytes that nobody read, and keeps them when
// it is used again.
func TestBz2AfterDamage(t *testing.T) {
	bound := func(n int) (*codecs.Chain, ndarray.Array, []byte) {
		in := codecs.Chunk{Type: dtype.Uint8, Shape: []int{n}, Fill: dtype.Uint8.Default()}
		chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("bytes", ""), spec("numcodecs.bz2", "")}, in)
		if err != nil {
			t.Fatal(err)
		}
		src := ndarray.New(in.Type, in.Shape)
		for i := range src.Data {
			src.Data[i] = byte(i * i)
		}
		var pool ndarray.Pool
		data, err := chain.AppendEncode(&pool, nil, src)
		if err != nil {
			t.Fatal(err)
		}
		return chain, src, data
	}
	chain, src, data := bound(1000)
	_, _, long := bound(3000)
	var pool ndarray.Pool
	got := ndarray.New(dtype.Uint8, []int{1000})
	for name, read := range map[string]func(data []byte) error{
		"decode": func(data []byte) error { return chain.Decode(&pool, got, data) },
		"verify": func(data []byte) error { return chain.Verify(t.Context(), codecs.InMemory(data)) },
	} {
		for range 3 {
			if err := read(long); !errors.Is(err, codecs.ErrTooLarge) {
				t.Errorf("%s: a chunk that is too long: %v", name, err)
			}
			if err := read(data); err != nil {
				t.Errorf("%s: an intact chunk: %v", name, err)
			}
		}
	}
	if !bytes.Equal(got.Data, src.Data) {
		t.Error("other values")
	}
}
