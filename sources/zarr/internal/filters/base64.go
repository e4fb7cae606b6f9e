package filters

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
)

// base64Definition is the filter "base64": bytes as text, with padding at the end.
func base64Definition() codecs.Definition {
	return codecs.Definition{
		Name: base64Name, Kind: codecs.KindBytesToBytes, Summary: "bytes as text",
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			return base64Codec{}, codecs.ReadConfiguration(text, &struct{}{})
		},
	}
}

type base64Codec struct{}

func (base64Codec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	return base64Bound{in}, nil
}

type base64Bound struct{ in codecs.Size }

func (b base64Bound) Spec() codecs.Spec { return codecs.Spec{Name: base64Name} }

func (b base64Bound) Size() codecs.Size {
	if b.in.Unbounded {
		return codecs.Size{Max: codecs.MaxVariable, Unbounded: true}
	}
	return codecs.Size{Max: base64.StdEncoding.EncodedLen(b.in.Max), Fixed: b.in.Fixed}
}

func (b base64Bound) AppendEncode([]byte, []byte) ([]byte, error) { return nil, errReadOnly }

func (b base64Bound) AppendDecode(dst, src []byte) ([]byte, error) {
	before := len(dst)
	if n := base64.StdEncoding.DecodedLen(len(src)); n-2 > b.in.Max { // up to two bytes are padding
		return dst, fmt.Errorf("%w: base64 of %d bytes, at most %d", codecs.ErrTooLarge, n, b.in.Max)
	}
	dst, err := base64.StdEncoding.AppendDecode(dst, src)
	if err != nil {
		return dst[:before], fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return dst, b.in.Check(len(dst) - before)
}
