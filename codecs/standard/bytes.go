package standard

import (
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// BytesName is the name of the codec for plain elements.
const BytesName = "bytes"

// bytesDefinition is the codec "bytes" of Zarr v3 core. It stores elements in C order
// and in a stated byte order.
func bytesDefinition() codecs.Definition {
	return codecs.Definition{
		Name: BytesName, Aliases: []string{"endian"}, Kind: codecs.KindArrayToBytes, Usual: true,
		Summary: "elements in C order, in the byte order given",
		Fields: []codecs.Field{{
			Name: "endian", Type: `"little" or "big"`, Default: `"little"`,
			Doc: "byte order of the words of an element; left out for types of single bytes",
		}},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				Endian *string `json:"endian"`
			}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			switch {
			case c.Endian == nil || *c.Endian == "little":
				return bytesCodec{dtype.Little}, nil
			case *c.Endian == "big":
				return bytesCodec{dtype.Big}, nil
			default:
				return nil, codecs.Fieldf("endian", `%.60q: want "little" or "big"`, *c.Endian)
			}
		},
	}
}

type bytesCodec struct{ order dtype.Order }

func (c bytesCodec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	if in.Type.Size() == 0 {
		instead := "a codec for elements of variable size"
		if o, ok := in.Type.(dtype.Object); ok {
			instead = "the codec " + o.V2Filter()
		}
		return nil, fmt.Errorf("elements of data type %s have no fixed size: choose %s", in.Type.Name(), instead)
	}
	n, ok := ndarray.Bytes(in.Type, in.Shape)
	if !ok {
		return nil, fmt.Errorf("a chunk of shape %v is too large", in.Shape)
	}
	b := &bytesBound{shape: in.Shape, typ: in.Type, size: n}
	if t, ok := in.Type.(dtype.Ordered); ok {
		b.order = c.order
		if c.order != dtype.Native {
			b.swap = t
		}
	}
	return b, nil
}

type bytesBound struct {
	typ   dtype.Type
	shape []int
	size  int
	order dtype.Order
	swap  dtype.Ordered // nil if the host's byte order is stored
}

func (b *bytesBound) Spec() codecs.Spec {
	if b.order == dtype.NoOrder {
		return codecs.Spec{Name: BytesName}
	}
	return codecs.Spec{Name: BytesName, Configuration: json.RawMessage(`{"endian":"` + b.order.String() + `"}`)}
}

func (b *bytesBound) Size() codecs.Size {
	return codecs.Size{Max: b.size, Fixed: true, Item: b.typ.Size()}
}

// ByteOrder implements [codecs.ByteOrdered].
func (b *bytesBound) ByteOrder() dtype.Order { return b.order }

func (b *bytesBound) EncodeAlias(src ndarray.Array) ([]byte, bool) {
	if b.swap != nil {
		return nil, false
	}
	return src.Contiguous()
}

func (b *bytesBound) DecodeAlias(dst ndarray.Array) ([]byte, bool) {
	if b.LoadKernel() != nil {
		return nil, false
	}
	return dst.Contiguous()
}

func (b *bytesBound) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	dst = grow(dst, b.size)
	out, err := ndarray.View(b.typ, b.shape, dst[len(dst):len(dst)+b.size])
	if err != nil {
		return nil, err
	}
	if b.swap != nil {
		ndarray.CopySwapped(out, src, b.swap)
	} else {
		ndarray.Copy(out, src)
	}
	return dst[:len(dst)+b.size], nil
}

// Stored implements [codecs.Plain].
func (b *bytesBound) Stored(data []byte) (ndarray.Array, error) {
	if len(data) != b.size {
		return ndarray.Array{}, fmt.Errorf("%w: %d bytes, the chunk has %d", codecs.ErrCorrupt, len(data), b.size)
	}
	return ndarray.View(b.typ, b.shape, data)
}

// LoadKernel implements [codecs.Plain]. It is nil if stored elements are those in
// memory.
func (b *bytesBound) LoadKernel() elements.Kernel {
	packed, ok := b.typ.(dtype.Packed)
	whole := !ok || packed.Packing().Bits*packed.Packing().Components == 8*b.typ.Size()
	switch {
	case b.swap != nil:
		return func(dst, src ndarray.Array) int {
			b.swap.SwapInto(dst.Data, src.Data)
			ndarray.ClearUnused(dst)
			return -1
		}
	case whole:
		return nil
	default:
		return func(dst, src ndarray.Array) int {
			copy(dst.Data, src.Data)
			ndarray.ClearUnused(dst)
			return -1
		}
	}
}

// StoreKernel implements [codecs.Plain].
func (b *bytesBound) StoreKernel() elements.Kernel {
	if b.swap == nil {
		return nil
	}
	return func(dst, src ndarray.Array) int {
		b.swap.SwapInto(dst.Data, src.Data)
		return -1
	}
}

func (b *bytesBound) Decode(dst ndarray.Array, src []byte) error {
	in, err := b.Stored(src)
	if err != nil {
		return err
	}
	if b.swap != nil {
		ndarray.CopySwapped(dst, in, b.swap)
	} else {
		ndarray.Copy(dst, in)
	}
	ndarray.ClearUnused(dst)
	return nil
}

// grow returns b with room for n more bytes.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return append(make([]byte, 0, len(b)+n), b...)
}
