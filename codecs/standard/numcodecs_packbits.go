package standard

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// numcodecsPackbitsDefinition is the codec "numcodecs.packbits". It turns an array of
// bool, in C order, into an array of uint8 with one dimension. The first element is the
// number of unused bits in the last element. Each other element holds eight bools, the
// first one in the most significant bit.
func numcodecsPackbitsDefinition() codecs.Definition {
	return codecs.Definition{
		Name: "numcodecs.packbits", Kind: codecs.KindArrayToArray,
		Summary: "packs eight bools into a uint8",
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			return numcodecsPackbits{}, codecs.ReadConfiguration(text, &struct{}{})
		},
	}
}

type numcodecsPackbits struct{}

func (numcodecsPackbits) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	if numberOf(in.Type) != boolNumber {
		return nil, codecs.Fieldf("", "data type %s: want bool", in.Type.Name())
	}
	n, ok := ndarray.Elements(in.Shape)
	if !ok {
		return nil, codecs.Fieldf("", "a chunk of shape %v is too large", in.Shape)
	}
	packed := n/8 + (n%8+7)/8
	// A byte of fill values has one value only if all eight bools are the fill value.
	return &numcodecsPackbitsBound{
		out:    codecs.Chunk{Type: dtype.Uint8, Shape: []int{1 + packed}, Fill: dtype.Uint8.Default()},
		unused: byte(8*packed - n),
	}, nil
}

type numcodecsPackbitsBound struct {
	out    codecs.Chunk
	unused byte // unused bits of the last byte
}

func (b *numcodecsPackbitsBound) Spec() codecs.Spec {
	return codecs.Spec{Name: "numcodecs.packbits", Configuration: []byte("{}")} // zarr-python demands a configuration
}
func (b *numcodecsPackbitsBound) Encoded() codecs.Chunk { return b.out }

func (b *numcodecsPackbitsBound) Encode(dst, src ndarray.Array) error {
	bools := elements.Readable(src, make([]byte, scratchSize(src)))
	packed, inPlace := elements.Flat(dst)
	if !inPlace {
		packed = elements.Line(dtype.Uint8, make([]byte, dst.Len()))
	}
	packed.Data[0] = b.unused
	at := 1
	for bits := range slices.Chunk(bools.Data, 8) {
		var v byte
		for i, bit := range bits {
			if bit != 0 {
				v |= 0x80 >> i
			}
		}
		packed.Data[at] = v
		at++
	}
	if !inPlace {
		elements.CopyLine(dst, packed)
	}
	return nil
}

func (b *numcodecsPackbitsBound) Decode(dst, src ndarray.Array) error {
	packed := elements.Readable(src, make([]byte, scratchSize(src))).Data
	if packed[0] != b.unused {
		return fmt.Errorf("%w: %d bits of padding, the chunk has %d", codecs.ErrCorrupt, packed[0], b.unused)
	}
	packed = packed[1:]
	bools, inPlace := elements.Flat(dst)
	if !inPlace {
		bools = elements.Line(dst.Type, make([]byte, dst.Len()))
	}
	for i := range bools.Data {
		bools.Data[i] = packed[i/8] << (i % 8) >> 7
	}
	if !inPlace {
		elements.CopyLine(dst, bools)
	}
	return nil
}

// scratchSize returns the memory that readable needs for a whole array.
func scratchSize(a ndarray.Array) int {
	if _, ok := elements.Flat(a); ok {
		return 0
	}
	return a.Len() * a.Type.Size()
}
