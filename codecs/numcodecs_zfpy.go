package codecs

import (
	"encoding/json"
	"math"
)

// numcodecsZfpyDefinition is the codec "numcodecs.zfpy": a stream of zfp with
// its full header, which alone tells readers how to decode it.
func numcodecsZfpyDefinition() Definition {
	return Definition{
		Name: "numcodecs.zfpy", Kind: KindArrayToBytes,
		Summary: "zfp with its header, as numcodecs writes it; zfp is the registered form",
		Lossy:   "what the limit of the mode leaves out; nothing where that is negative",
		Fields: []Field{
			{Name: "mode", Type: "2, 3 or 4", Default: "4", Doc: "4 is fixed accuracy, 3 fixed precision, 2 fixed rate: the one of the next fields that counts"},
			{Name: "tolerance", Type: "number", Default: "-1", Doc: "the largest absolute error; negative: none, lossless"},
			{Name: "rate", Type: "number", Default: "-1", Doc: "bits for each value; negative: lossless"},
			{Name: "precision", Type: "integer", Default: "-1", Doc: "bit planes of each block; negative: lossless"},
			{Name: "compression_kwargs", Type: "object", Default: "null", Doc: "the one that counts once more, as Zarr v2 arrays have it; not read"},
		},
		Parse: parseNumcodecsZfpy,
	}
}

func parseNumcodecsZfpy(text json.RawMessage) (Codec, error) {
	type fields struct {
		Mode      int             `json:"mode"`
		Tolerance float64         `json:"tolerance"`
		Rate      float64         `json:"rate"`
		Precision int             `json:"precision"`
		Arguments json.RawMessage `json:"compression_kwargs,omitempty"`
	}
	f := fields{Mode: 4, Tolerance: -1, Rate: -1, Precision: -1}
	if err := configuration(text, &f); err != nil {
		return nil, err
	}
	c := zfpCodec{header: true}
	limit := f.Tolerance
	switch f.Mode {
	case 2:
		c.mode, c.rate, limit = "fixed_rate", f.Rate, f.Rate
	case 3:
		c.mode, c.precision, limit = "fixed_precision", f.Precision, float64(f.Precision)
	case 4:
		c.mode, c.tolerance = "fixed_accuracy", f.Tolerance
	default:
		return nil, field("mode", "%d: want 2, 3 or 4", f.Mode)
	}
	if math.Signbit(limit) && limit != 0 {
		c = zfpCodec{header: true, mode: "reversible"}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	f.Arguments = nil
	own, err := json.Marshal(f)
	if err != nil {
		panic(err) // finite numbers
	}
	c.spec = Spec{Name: "numcodecs.zfpy", Configuration: own}
	return c, nil
}

// zfpHeaderFits refuses shapes that zfp's header has no room for: 48 bits for
// all dimensions alike.
func zfpHeaderFits(shape []int) error {
	width := 48 / len(shape)
	for _, n := range shape {
		if (n-1)>>width != 0 {
			return field("", "a chunk of shape %v: zfp's header has no room for more than 2^%d elements along a dimension", shape, width)
		}
	}
	return nil
}
