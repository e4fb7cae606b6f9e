package codecs

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/codecs/shuffle"
)

// numcodecsShuffleDefinition is the codec "numcodecs.shuffle": the byte shuffle of
// HDF5. Bytes after the last whole element stay where they are.
func numcodecsShuffleDefinition() Definition {
	return Definition{
		Name: "numcodecs.shuffle", Aliases: []string{"shuffle"}, Kind: KindBytesToBytes,
		Summary: "puts the first bytes of all elements together, then the second ones, and so on",
		Fields: []Field{{
			Name: "elementsize", Type: "integer ≥ 0", Default: "4",
			Doc: "bytes of an element; 0 and 1 leave everything where it is",
		}},
		Parse: func(text json.RawMessage) (Codec, error) {
			c := struct {
				Size int `json:"elementsize"`
			}{Size: 4}
			if err := configuration(text, &c); err != nil {
				return nil, err
			}
			if c.Size < 0 || c.Size > math.MaxInt32 {
				return nil, field("elementsize", "%d: want 0 to %d", c.Size, math.MaxInt32)
			}
			return shuffleCodec{c.Size}, nil
		},
	}
}

type shuffleCodec struct{ size int }

func (c shuffleCodec) BindBytesToBytes(in Size) (BytesToBytes, error) {
	return &shuffleBound{c, in}, nil
}

type shuffleBound struct {
	shuffleCodec
	in Size
}

func (b *shuffleBound) Spec() Spec {
	return Spec{Name: "numcodecs.shuffle", Configuration: fmt.Appendf(nil, `{"elementsize":%d}`, b.size)}
}

func (b *shuffleBound) Size() Size { return b.in }

func (b *shuffleBound) AppendEncode(dst, src []byte) ([]byte, error) {
	return b.move(dst, src, shuffle.EncodeBytes), nil
}

func (b *shuffleBound) AppendDecode(dst, src []byte) ([]byte, error) {
	if err := decodedSize(b.in, len(src)); err != nil {
		return nil, err
	}
	return b.move(dst, src, shuffle.DecodeBytes), nil
}

func (b *shuffleBound) move(dst, src []byte, kernel func(dst, src []byte, size int)) []byte {
	n := len(dst)
	dst = grow(dst, len(src))[:n+len(src)]
	kernel(dst[n:], src, max(b.size, 1))
	return dst
}
