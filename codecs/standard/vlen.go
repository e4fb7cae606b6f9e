package standard

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Names of the codecs for elements of variable size.
const (
	vlenText  = "vlen-utf8"
	vlenBytes = "vlen-bytes"
)

// vlenDefinition is the codec "vlen-utf8" or "vlen-bytes" of the registry of Zarr
// extensions. The format is that of numcodecs: the number of elements as a
// little-endian uint32, and then for each element in C order its length, also a
// little-endian uint32, and its bytes.
//
// A data type of variable size states which of the two codecs stores its elements.
func vlenDefinition(name string) codecs.Definition {
	return codecs.Definition{
		Name: name, Aliases: []string{"numcodecs." + name}, Kind: codecs.KindArrayToBytes, V2: name,
		Summary: "elements of any length, each behind its length",
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			return vlenCodec{name}, codecs.ReadConfiguration(text, &struct{}{})
		},
	}
}

type vlenCodec struct{ name string }

func (c vlenCodec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	if o, ok := in.Type.(dtype.Object); !ok || o.V2Filter() != c.name {
		return nil, fmt.Errorf("data type %s is not one whose elements are stored by this codec", in.Type.Name())
	}
	n, ok := ndarray.Elements(in.Shape)
	if !ok || n > math.MaxUint32 || n > codecs.MaxVariable/4 {
		return nil, fmt.Errorf("a chunk of shape %v has too many elements", in.Shape)
	}
	return &vlenBound{c.name, n, c.name == vlenText}, nil
}

type vlenBound struct {
	name string
	n    int  // number of elements
	text bool // elements are UTF-8
}

func (b *vlenBound) Spec() codecs.Spec { return codecs.Spec{Name: b.name} }
func (b *vlenBound) Size() codecs.Size { return codecs.Size{Max: codecs.MaxVariable, Unbounded: true} }

func (b *vlenBound) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	total, i := 4+4*b.n, 0
	for item := range src.Items() {
		if len(item) > math.MaxUint32 {
			return nil, fmt.Errorf("element %d in C order has %d bytes, more than the format can say", i, len(item))
		}
		if b.text && !utf8.Valid(item) {
			return nil, fmt.Errorf("element %d in C order, %.60q, is not valid UTF-8: exclude the array, or write the texts again in UTF-8", i, item)
		}
		total, i = total+len(item), i+1
	}
	if total > codecs.MaxVariable {
		return nil, fmt.Errorf("%d bytes are too many for one chunk, at most %d: choose smaller chunks", total, codecs.MaxVariable)
	}
	dst = grow(dst, total)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.n))
	for item := range src.Items() {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(item)))
		dst = append(dst, item...)
	}
	return dst, nil
}

func (b *vlenBound) Decode(dst ndarray.Array, src []byte) error {
	if len(src) < 4 || uint64(binary.LittleEndian.Uint32(src)) != uint64(b.n) {
		return fmt.Errorf("%w: want the number of elements, %d, in front", codecs.ErrCorrupt, b.n)
	}
	src = src[4:]
	i := 0
	err := dst.SetItems(func() ([]byte, error) {
		if len(src) < 4 || uint64(binary.LittleEndian.Uint32(src)) > uint64(len(src)-4) {
			return nil, fmt.Errorf("%w: element %d in C order is cut short", codecs.ErrCorrupt, i)
		}
		item := src[4 : 4+binary.LittleEndian.Uint32(src)]
		if b.text && !utf8.Valid(item) {
			return nil, fmt.Errorf("%w: element %d in C order, %.60q, is not valid UTF-8", codecs.ErrCorrupt, i, item)
		}
		src = src[4+len(item):]
		i++
		return item, nil
	})
	if err == nil && len(src) > 0 {
		err = fmt.Errorf("%w: %d bytes behind the last element", codecs.ErrCorrupt, len(src))
	}
	return err
}

// EncodedSize implements [codecs.Measured].
func (b *vlenBound) EncodedSize(src ndarray.Array) int {
	n := 4 + 4*b.n
	for item := range src.Items() {
		n += len(item)
	}
	return n
}
