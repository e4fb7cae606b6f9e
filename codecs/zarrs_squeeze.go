package codecs

import (
	"encoding/json"
)

// zarrsSqueezeDefinition is the codec "zarrs.squeeze": it drops the dimensions
// of extent 1, but for one where there are no others. The registered way to do
// this is reshape.
func zarrsSqueezeDefinition() Definition {
	return Definition{
		Name: "zarrs.squeeze", Kind: KindArrayToArray,
		Summary: "drops the dimensions of extent 1",
		Parse: func(text json.RawMessage) (Codec, error) {
			return squeezeCodec{}, ReadConfiguration(text, &struct{}{})
		},
	}
}

type squeezeCodec struct{}

func (squeezeCodec) BindArrayToArray(in Chunk) (ArrayToArray, error) {
	var shape []int
	for _, n := range in.Shape {
		if n != 1 {
			shape = append(shape, n)
		}
	}
	if shape == nil {
		shape = []int{1}
	}
	return bindReshape(Spec{Name: "zarrs.squeeze"}, in, shape), nil
}
