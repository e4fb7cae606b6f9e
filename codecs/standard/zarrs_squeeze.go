package standard

import (
	"encoding/json"

	"github.com/zmigrate/zmigrate/codecs"
)

// zarrsSqueezeDefinition is the codec "zarrs.squeeze". It drops dimensions of extent 1.
// If all dimensions have extent 1, it keeps one. The registered codec for this purpose
// is reshape.
func zarrsSqueezeDefinition() codecs.Definition {
	return codecs.Definition{
		Name: "zarrs.squeeze", Kind: codecs.KindArrayToArray,
		Summary: "drops the dimensions of extent 1",
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			return squeezeCodec{}, codecs.ReadConfiguration(text, &struct{}{})
		},
	}
}

type squeezeCodec struct{}

func (squeezeCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	var shape []int
	for _, n := range in.Shape {
		if n != 1 {
			shape = append(shape, n)
		}
	}
	if shape == nil {
		shape = []int{1}
	}
	return bindReshape(codecs.Spec{Name: "zarrs.squeeze"}, in, shape), nil
}
