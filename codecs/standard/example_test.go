package standard_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// lz4Codec is a codec of a program that imports this package. Its format is that of
// numcodecs: the length as a little-endian uint32, and one LZ4 block.
type lz4Codec struct {
	Acceleration int `json:"acceleration"`
	in           codecs.Size
}

// lz4Definition returns the codec's entry for a registry.
func lz4Definition() codecs.Definition {
	return codecs.Definition{
		Name: "example.lz4", Aliases: []string{"https://example.org/lz4"}, Kind: codecs.KindBytesToBytes,
		Summary: "LZ4, as an example",
		Fields:  []codecs.Field{{Name: "acceleration", Type: "integer", Default: "1", Doc: "kept for writers that have a choice; this one has none"}},
		Parse: func(configuration json.RawMessage) (codecs.Codec, error) {
			c := lz4Codec{Acceleration: 1}
			if configuration == nil {
				return c, nil
			}
			return c, json.Unmarshal(configuration, &c)
		},
	}
}

// BindBytesToBytes binds the codec to what it will receive.
func (c lz4Codec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	c.in = in
	return c, nil
}

func (c lz4Codec) Spec() codecs.Spec {
	return codecs.Spec{Name: "example.lz4", Configuration: fmt.Appendf(nil, `{"acceleration":%d}`, c.Acceleration)}
}

func (c lz4Codec) Size() codecs.Size {
	return codecs.Size{Max: 4 + lz4.CompressBlockBound(c.in.Max)}
}

func (c lz4Codec) AppendEncode(dst, src []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(src)))
	block := make([]byte, lz4.CompressBlockBound(len(src)))
	n, err := lz4.CompressBlock(src, block, nil)
	return append(dst, block[:n]...), err
}

func (c lz4Codec) AppendDecode(dst, src []byte) ([]byte, error) {
	if len(src) < 4 {
		return nil, fmt.Errorf("%w: no length in front", codecs.ErrCorrupt)
	}
	n := int(binary.LittleEndian.Uint32(src))
	switch {
	case n > c.in.Max:
		return nil, fmt.Errorf("%w: %d bytes, at most %d wanted", codecs.ErrTooLarge, n, c.in.Max)
	case c.in.Fixed && n < c.in.Max:
		return nil, fmt.Errorf("%w: %d bytes, want %d", codecs.ErrCorrupt, n, c.in.Max)
	}
	block := make([]byte, n)
	if got, err := lz4.UncompressBlock(src[4:], block); err != nil || got != n {
		return nil, fmt.Errorf("%w: %d of %d bytes: %w", codecs.ErrCorrupt, got, n, err)
	}
	return append(dst, block...), nil
}

// A program adds a codec of its own to the registry before it opens anything. It uses
// the codec in chains beside the others.
func Example() {
	registry := standard.Registry(dtype.Standard())
	if err := registry.Register(lz4Definition()); err != nil {
		fmt.Println(err)
		return
	}
	chunk := codecs.Chunk{Type: dtype.Uint16, Shape: []int{1000}, Fill: dtype.Uint16.Default()}
	chain, err := registry.Bind([]codecs.Spec{{Name: "bytes"}, {Name: "https://example.org/lz4"}, {Name: "crc32c"}}, chunk)
	if err != nil {
		fmt.Println(err)
		return
	}
	metadata, err := json.Marshal(chain.Specs())
	fmt.Println(string(metadata), err)

	var pool ndarray.Pool
	array := ndarray.New(chunk.Type, chunk.Shape)
	array.Data[1000] = 7
	data, buffer, err := chain.Encode(&pool, array)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer buffer.Release()
	back := ndarray.New(chunk.Type, chunk.Shape)
	err = chain.Decode(&pool, back, data)
	fmt.Println(len(data) < 100, string(back.Data) == string(array.Data), err)
	// Output:
	// [{"name":"bytes","configuration":{"endian":"little"}},{"name":"https://example.org/lz4","configuration":{"acceleration":1}},{"name":"crc32c"}] <nil>
	// true true <nil>
}
