package standard

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/shuffle"
)

// ShuffleName is the name of the codec.
const ShuffleName = "numcodecs.shuffle"

// UnevenShuffle is the code of a hazard: the bytes of a chunk may not be whole elements.
const UnevenShuffle = "uneven-shuffle"

// numcodecsShuffleDefinition is the codec "numcodecs.shuffle": the byte shuffle of
// HDF5. The input must consist of whole elements, because numcodecs refuses other
// lengths.
func numcodecsShuffleDefinition() codecs.Definition {
	return codecs.Definition{
		Name: ShuffleName, Aliases: []string{"shuffle"}, Kind: codecs.KindBytesToBytes,
		Summary: "puts the first bytes of all elements together, then the second ones, and so on",
		Fields: []codecs.Field{{
			Name: "elementsize", Type: "integer ≥ 0", Default: "4",
			Doc: "bytes of an element; 0 and 1 leave everything where it is",
		}},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			c := struct {
				Size int `json:"elementsize"`
			}{Size: 4}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Size < 0 || c.Size > math.MaxInt32 {
				return nil, codecs.Fieldf("elementsize", "%d: want 0 to %d", c.Size, math.MaxInt32)
			}
			return shuffleCodec{c.Size}, nil
		},
	}
}

type shuffleCodec struct{ size int }

func (c shuffleCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	b := &shuffleBound{c, in}
	if in.Fixed {
		if err := b.whole(in.Max); err != nil {
			return nil, codecs.Fieldf("elementsize", "%w: set it to the size of an element, or choose another chunk shape", err)
		}
	}
	return b, nil
}

type shuffleBound struct {
	shuffleCodec
	in codecs.Size
}

func (b *shuffleBound) Spec() codecs.Spec {
	return codecs.Spec{Name: ShuffleName, Configuration: fmt.Appendf(nil, `{"elementsize":%d}`, b.size)}
}

func (b *shuffleBound) Size() codecs.Size { return b.in }

// Hazards implements [codecs.Hazardous].
func (b *shuffleBound) Hazards() []codecs.Hazard {
	if b.in.Fixed || b.size < 2 {
		return nil
	}
	return []codecs.Hazard{{
		Code: UnevenShuffle, Field: "elementsize",
		Message: fmt.Sprintf("the codec before this one makes chunks of any number of bytes, and a chunk whose bytes are no multiple of %d ends the run", b.size),
		Hint:    "put " + ShuffleName + " directly behind bytes, before the codec that compresses",
	}}
}

func (b *shuffleBound) AppendEncode(dst, src []byte) ([]byte, error) {
	if err := b.whole(len(src)); err != nil {
		return nil, err
	}
	return b.move(dst, src, shuffle.EncodeBytes), nil
}

func (b *shuffleBound) AppendDecode(dst, src []byte) ([]byte, error) {
	if err := b.in.Check(len(src)); err != nil {
		return nil, err
	}
	if err := b.whole(len(src)); err != nil {
		return nil, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return b.move(dst, src, shuffle.DecodeBytes), nil
}

// whole refuses n bytes that are not a multiple of the element size.
func (b *shuffleBound) whole(n int) error {
	if n%max(b.size, 1) != 0 {
		return fmt.Errorf("%d bytes are no multiple of an elementsize of %d", n, b.size)
	}
	return nil
}

func (b *shuffleBound) move(dst, src []byte, kernel func(dst, src []byte, size int)) []byte {
	n := len(dst)
	dst = grow(dst, len(src))[:n+len(src)]
	kernel(dst[n:], src, max(b.size, 1))
	return dst
}
