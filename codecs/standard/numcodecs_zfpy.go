package standard

import (
	"encoding/json"
	"math"

	"github.com/zmigrate/zmigrate/codecs"
)

// zfpyName is the name of the codec.
const zfpyName = "numcodecs.zfpy"

// numcodecsZfpyDefinition is the codec "numcodecs.zfpy": a zfp stream with the full
// header. Readers decode by the header alone.
func numcodecsZfpyDefinition() codecs.Definition {
	return codecs.Definition{
		Name: zfpyName, Kind: codecs.KindArrayToBytes,
		Summary: "zfp with its header, as numcodecs writes it; zfp is the registered form",
		Lossy:   "what the limit of the mode leaves out; nothing if the limit is negative",
		Fields: []codecs.Field{
			{Name: "mode", Type: "2, 3 or 4", Default: "4", Doc: "4 is fixed accuracy, 3 fixed precision, 2 fixed rate; it decides which of the next fields counts"},
			{Name: "tolerance", Type: "number", Default: "-1", Doc: "the largest absolute error; negative: none, lossless"},
			{Name: "rate", Type: "number", Default: "-1", Doc: "bits for each value; negative: lossless"},
			{Name: "precision", Type: "integer", Default: "-1", Doc: "bit planes of each block; negative: lossless"},
			{Name: "compression_kwargs", Type: "object", Default: "null", Doc: "repeats the field that counts, as in Zarr v2 arrays"},
		},
		Parse: parseNumcodecsZfpy,
	}
}

func parseNumcodecsZfpy(text json.RawMessage) (codecs.Codec, error) {
	type fields struct {
		Mode      int     `json:"mode"`
		Tolerance float64 `json:"tolerance"`
		Rate      float64 `json:"rate"`
		Precision int     `json:"precision"`
	}
	f := struct {
		Mode      int             `json:"mode"`
		Tolerance float64         `json:"tolerance"`
		Rate      float64         `json:"rate"`
		Precision int             `json:"precision"`
		Arguments json.RawMessage `json:"compression_kwargs"`
	}{Mode: 4, Tolerance: -1, Rate: -1, Precision: -1}
	if err := codecs.ReadConfiguration(text, &f); err != nil {
		return nil, err
	}
	if err := zfpyArguments(f.Arguments, map[string]float64{"tolerance": f.Tolerance, "rate": f.Rate, "precision": float64(f.Precision)}); err != nil {
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
		return nil, codecs.Fieldf("mode", "%d: want 2, 3 or 4", f.Mode)
	}
	if math.Signbit(limit) && limit != 0 {
		c = zfpCodec{header: true, mode: "reversible"}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	own, err := json.Marshal(fields{f.Mode, f.Tolerance, f.Rate, f.Precision})
	if err != nil {
		panic(err) // finite numbers always marshal
	}
	c.spec = codecs.Spec{Name: zfpyName, Configuration: own}
	return c, nil
}

// zfpyArguments refuses compression_kwargs that contradict the fields.
func zfpyArguments(text json.RawMessage, fields map[string]float64) error {
	var arguments map[string]float64
	if text == nil {
		return nil
	}
	if err := json.Unmarshal(text, &arguments); err != nil {
		return codecs.Fieldf("compression_kwargs", "%.60s: want an object of numbers", text)
	}
	for name, value := range arguments {
		if said, ok := fields[name]; !ok || said != value {
			return codecs.Fieldf("compression_kwargs", "%.60s: want what the other fields say", text)
		}
	}
	return nil
}

// zfpHeaderFits refuses shapes for which zfp's header has no room. It has 48 bits,
// divided equally among the dimensions.
func zfpHeaderFits(shape []int) error {
	width := 48 / len(shape)
	for _, n := range shape {
		if (n-1)>>width != 0 {
			return codecs.Fieldf("", "a chunk of shape %v: zfp's header has no room for more than 2^%d elements along a dimension", shape, width)
		}
	}
	return nil
}
