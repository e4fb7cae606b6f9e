package standard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/pcodec"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// pcodecName is the name of the codec.
const pcodecName = "numcodecs.pcodec"

// numcodecsPcodecDefinition is the codec "numcodecs.pcodec". It stores all elements of
// a chunk in C order as one standalone pco stream. The fields besides level control how
// the encoder of pcodec searches. This encoder does not search, and keeps the fields
// unchanged.
func numcodecsPcodecDefinition() codecs.Definition {
	return codecs.Definition{
		Name: pcodecName, Kind: codecs.KindArrayToBytes,
		Summary: "pco, compression made for numbers; written in its classic mode",
		Fields: []codecs.Field{
			{Name: "level", Type: "integer 0…12", Default: "8", Doc: "0 is fastest, 12 smallest"},
			{Name: "mode_spec", Type: `"auto" or "classic"`, Default: `"auto"`, Doc: "kept for other writers"},
			{Name: "delta_spec", Type: `"auto", "none", "try_consecutive" or "try_lookback"`, Default: `"auto"`, Doc: "kept for other writers"},
			{Name: "paging_spec", Type: `"equal_pages_up_to"`, Default: `"equal_pages_up_to"`, Doc: "kept for other writers"},
			{Name: "delta_encoding_order", Type: "integer 0…7 or null", Default: "null", Doc: "kept for other writers"},
			{Name: "equal_pages_up_to", Type: "integer", Default: "262144", Doc: "kept for other writers"},
		},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := pcodecCodec{
				Level: 8, Mode: "auto", Delta: "auto", Paging: "equal_pages_up_to", Pages: 262144,
			}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			switch {
			case c.Level < 0 || c.Level > pcodec.MaxLevel:
				return nil, codecs.Fieldf("level", "%d: want 0 to %d", c.Level, pcodec.MaxLevel)
			case c.Order != nil && (*c.Order < 0 || *c.Order > 7):
				return nil, codecs.Fieldf("delta_encoding_order", "%d: want 0 to 7", *c.Order)
			case c.Mode != "auto" && c.Mode != "classic":
				return nil, codecs.Fieldf("mode_spec", `%.60q: want "auto" or "classic"`, c.Mode)
			case !slices.Contains([]string{"auto", "none", "try_consecutive", "try_lookback"}, c.Delta):
				return nil, codecs.Fieldf("delta_spec", `%.60q: want "auto", "none", "try_consecutive" or "try_lookback"`, c.Delta)
			case c.Paging != "equal_pages_up_to":
				return nil, codecs.Fieldf("paging_spec", `%.60q: want "equal_pages_up_to"`, c.Paging)
			case c.Pages < 1:
				return nil, codecs.Fieldf("equal_pages_up_to", "%d: want at least 1", c.Pages)
			}
			return c, nil
		},
	}
}

type pcodecCodec struct {
	Level  int    `json:"level"`
	Mode   string `json:"mode_spec"`
	Delta  string `json:"delta_spec"`
	Paging string `json:"paging_spec"`
	Order  *int   `json:"delta_encoding_order"`
	Pages  int    `json:"equal_pages_up_to"`
}

// pcodecTypes are the number types of pco, by kind and size in bytes.
var pcodecTypes = map[dtype.Kind]map[int]pcodec.Type{
	dtype.Int:   {1: pcodec.Int8, 2: pcodec.Int16, 4: pcodec.Int32, 8: pcodec.Int64},
	dtype.Uint:  {1: pcodec.Uint8, 2: pcodec.Uint16, 4: pcodec.Uint32, 8: pcodec.Uint64},
	dtype.Float: {2: pcodec.Float16, 4: pcodec.Float32, 8: pcodec.Float64},
}

// BindArrayToBytes implements [codecs.ArrayToBytesCodec].
func (c pcodecCodec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	var number pcodec.Type
	if n, ok := in.Type.(dtype.Numeric); ok && !partOfByte(in.Type) {
		number = pcodecTypes[n.Kind()][in.Type.Size()]
	}
	if narrow, ok := in.Type.(dtype.Narrow); ok && narrow.Layout() != dtype.Float16Layout {
		number = 0
	}
	if number == 0 {
		return nil, codecs.Fieldf("", "data type %s: it takes integers and IEEE floats of 8 to 64 bits", in.Type.Name())
	}
	n, ok := ndarray.Bytes(in.Type, in.Shape)
	if !ok || n > codecs.MaxChunk {
		return nil, fmt.Errorf("a chunk of shape %v is too large", in.Shape)
	}
	return &pcodecBound{c, in, number, n}, nil
}

// partOfByte reports whether the numbers of a type leave bits of their bytes unused.
func partOfByte(t dtype.Type) bool {
	p, ok := t.(dtype.Packed)
	return ok && p.Packing().Bits*p.Packing().Components < 8*t.Size()
}

type pcodecBound struct {
	pcodecCodec
	in     codecs.Chunk
	number pcodec.Type
	size   int // of the chunk, in bytes
}

func (b *pcodecBound) Spec() codecs.Spec {
	text, err := json.Marshal(b.pcodecCodec)
	if err != nil {
		panic(err) // words and numbers always marshal
	}
	return codecs.Spec{Name: pcodecName, Configuration: text}
}

// Size implements [codecs.ArrayToBytes]. Numbers that do not compress take their own
// bits. Each page of 2^18 numbers adds a header.
func (b *pcodecBound) Size() codecs.Size { return codecs.Size{Max: b.size + b.size/8 + 4096} }

func (b *pcodecBound) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	data, ok := src.Contiguous()
	if !ok {
		whole := ndarray.New(b.in.Type, b.in.Shape)
		ndarray.Copy(whole, src)
		data = whole.Data
	}
	return pcodec.AppendEncode(dst, data, b.number, b.Level)
}

// integerOfFloat are the integers that have the bits of floats.
var integerOfFloat = map[pcodec.Type]pcodec.Type{
	pcodec.Float16: pcodec.Int16, pcodec.Float32: pcodec.Int32, pcodec.Float64: pcodec.Int64,
}

// stored returns the type of the numbers in a stream. Behind numcodecs.bitround, numcodecs stores
// floats as integers with the same bits.
func (b *pcodecBound) stored(src []byte) pcodec.Type {
	integer, ok := integerOfFloat[b.number]
	if !ok {
		return b.number
	}
	if t, _, err := pcodec.Inspect(src); err != nil || t != integer {
		return b.number
	}
	return integer
}

func (b *pcodecBound) Decode(dst ndarray.Array, src []byte) error {
	data, ok := dst.Contiguous()
	if ok {
		return pcodecError(pcodec.DecodeInto(data, src, b.stored(src)))
	}
	whole := ndarray.New(b.in.Type, b.in.Shape)
	if err := pcodec.DecodeInto(whole.Data, src, b.stored(src)); err != nil {
		return pcodecError(err)
	}
	ndarray.Copy(dst, whole)
	return nil
}

// Scratch implements [codecs.Scratching]: the copy of a strided array.
func (b *pcodecBound) Scratch() int { return b.size }

func pcodecError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pcodec.ErrTooLarge):
		return fmt.Errorf("%w: %w", codecs.ErrTooLarge, err)
	default:
		return fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
}
