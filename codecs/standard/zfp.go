package standard

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/zfp"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// zfpName is the name of the codec.
const zfpName = "zfp"

// zfpDefinition is the registered codec "zfp". A chunk is one zfp stream without a
// header. The shape of zfp's field is the chunk's shape, including dimensions of one
// element. A 0-D chunk is a field of one element.
//
// Lossy modes would silently change NaN, infinities, and integers so large that zfp
// overflows. This codec reports an error that names the first such element.
func zfpDefinition() codecs.Definition {
	return codecs.Definition{
		Name: zfpName, Kind: codecs.KindArrayToBytes,
		Summary: "compresses blocks of 4 numbers along each of 1 to 4 dimensions, without loss or within a bound",
		Lossy:   "in every mode but reversible: what its limit leaves out",
		Fields: []codecs.Field{
			{Name: "mode", Type: `"reversible", "fixed_accuracy", "fixed_precision", "fixed_rate" or "expert"`, Doc: "what is kept; each of the fields below belongs to one mode, which requires it"},
			{Name: "tolerance", Type: "number of at least 0", Default: "null", Doc: "fixed_accuracy: the largest absolute error of floats; rounded down to a power of two"},
			{Name: "precision", Type: "integer of at least 0", Default: "null", Doc: "fixed_precision: bit planes of each block; 0 and more than 64 are all"},
			{Name: "rate", Type: "number above 0", Default: "null", Doc: "fixed_rate: bits for each value; parts of chunks can be read alone"},
			{Name: "minbits", Type: "integer 0…32768", Default: "null", Doc: "expert: size in bits up to which blocks are filled"},
			{Name: "maxbits", Type: "integer of at least 1", Default: "null", Doc: "expert: size in bits at which blocks are cut"},
			{Name: "maxprec", Type: "integer 1…64", Default: "null", Doc: "expert: bit planes of each block"},
			{Name: "minexp", Type: "integer", Default: "null", Doc: "expert: exponent of the lowest bit plane of floats; below -1074: the lossless algorithm"},
			{Name: "verify_bound", Type: "true or false", Default: "false", Doc: "fixed_accuracy: decode each chunk after it was encoded, and fail where an error exceeds the tolerance; for jobs, not written to metadata"},
		},
		Example: json.RawMessage(`{"mode":"reversible"}`),
		Parse:   parseZfp,
	}
}

// zfpModes lists the fields of each mode. All are required.
var zfpModes = map[string][]string{
	"reversible":      nil,
	"fixed_accuracy":  {"tolerance"},
	"fixed_precision": {"precision"},
	"fixed_rate":      {"rate"},
	"expert":          {"minbits", "maxbits", "maxprec", "minexp"},
}

// zfpCodec is a mode of zfp with its fields. The fields of other modes are zero.
type zfpCodec struct {
	spec      codecs.Spec // without verify_bound
	header    bool        // whether zfp's header precedes the stream
	mode      string
	tolerance float64
	rate      float64
	precision int
	expert    zfp.Params
	verify    bool
}

func parseZfp(text json.RawMessage) (codecs.Codec, error) {
	var f struct {
		Mode      *string  `json:"mode"`
		Tolerance *float64 `json:"tolerance"`
		Precision *int     `json:"precision"`
		Rate      *float64 `json:"rate"`
		MinBits   *int     `json:"minbits"`
		MaxBits   *int     `json:"maxbits"`
		MaxPrec   *int     `json:"maxprec"`
		MinExp    *int     `json:"minexp"`
		Verify    bool     `json:"verify_bound"`
	}
	if err := codecs.ReadConfiguration(text, &f); err != nil {
		return nil, err
	}
	modes := `"` + strings.Join(slices.Sorted(maps.Keys(zfpModes)), `", "`) + `"`
	if f.Mode == nil {
		return nil, codecs.Fieldf("mode", "missing: want one of %s", modes)
	}
	own, ok := zfpModes[*f.Mode]
	if !ok {
		return nil, codecs.Fieldf("mode", "%.60q: want one of %s", *f.Mode, modes)
	}
	given := map[string]bool{
		"tolerance": f.Tolerance != nil, "precision": f.Precision != nil, "rate": f.Rate != nil,
		"minbits": f.MinBits != nil, "maxbits": f.MaxBits != nil, "maxprec": f.MaxPrec != nil, "minexp": f.MinExp != nil,
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch belongs := slices.Contains(own, name); {
		case belongs && !given[name]:
			return nil, codecs.Fieldf(name, "missing: mode %s needs it", *f.Mode)
		case !belongs && given[name]:
			return nil, codecs.Fieldf(name, "mode %s has no such field", *f.Mode)
		}
	}
	c := zfpCodec{
		mode: *f.Mode, tolerance: orZero(f.Tolerance), rate: orZero(f.Rate), precision: orZero(f.Precision),
		expert: zfp.Params{MinBits: orZero(f.MinBits), MaxBits: orZero(f.MaxBits), MaxPrec: orZero(f.MaxPrec), MinExp: orZero(f.MinExp)},
		verify: f.Verify,
	}
	if c.verify && c.mode != "fixed_accuracy" {
		return nil, codecs.Fieldf("verify_bound", "mode %s has no error bound: use fixed_accuracy", c.mode)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	c.spec = codecs.Spec{Name: zfpName, Configuration: c.text()}
	return c, nil
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// check refuses numbers that are wrong for every array.
func (c zfpCodec) check() error {
	p := c.expert
	if c.mode == "expert" {
		switch {
		case p.MaxBits < 1 || p.MaxBits > 1<<32-1:
			return codecs.Fieldf("maxbits", "%d: want 1 to %d", p.MaxBits, 1<<32-1)
		case p.MinBits < 0 || p.MinBits > 1<<15:
			return codecs.Fieldf("minbits", "%d: want 0 to %d", p.MinBits, 1<<15)
		case p.MinBits > p.MaxBits:
			return codecs.Fieldf("minbits", "%d: want at most maxbits, %d", p.MinBits, p.MaxBits)
		case p.MaxPrec < 1 || p.MaxPrec > zfp.NoMaxPrec:
			return codecs.Fieldf("maxprec", "%d: want 1 to %d", p.MaxPrec, zfp.NoMaxPrec)
		}
	}
	// Doubles in four dimensions accept all that other types accept, except very few
	// bits: the least number of bits for a block depends on the dimensions.
	if _, err := c.params(zfp.Float64, 1); err != nil && c.mode != "expert" {
		return err
	}
	return nil
}

// params returns zfp's parameters for a field. The error is a FieldError.
func (c zfpCodec) params(t zfp.Type, dims int) (p zfp.Params, err error) {
	name := "minbits"
	switch c.mode {
	case "reversible":
		return zfp.Reversible(), nil
	case "fixed_accuracy":
		name = "tolerance"
		p, err = zfp.FixedAccuracy(c.tolerance)
	case "fixed_precision":
		name = "precision"
		p, err = zfp.FixedPrecision(c.precision)
	case "fixed_rate":
		name = "rate"
		p, err = zfp.FixedRate(c.rate, t, dims)
	default:
		p, err = c.expert, c.expert.Validate(t)
	}
	if err != nil {
		return p, codecs.Fieldf(name, "%w", err)
	}
	return p, nil
}

// text returns the configuration with the fields of the mode.
func (c zfpCodec) text() json.RawMessage {
	fields := map[string]any{
		"tolerance": c.tolerance, "rate": c.rate, "precision": c.precision,
		"minbits": c.expert.MinBits, "maxbits": c.expert.MaxBits, "maxprec": c.expert.MaxPrec, "minexp": c.expert.MinExp,
	}
	out := fmt.Appendf(nil, `{"mode":%q`, c.mode)
	for _, name := range zfpModes[c.mode] {
		number, err := json.Marshal(fields[name])
		if err != nil {
			panic(err) // finite numbers always marshal
		}
		out = fmt.Appendf(out, `,%q:%s`, name, number)
	}
	return append(out, '}')
}

// BindArrayToBytes implements [codecs.ArrayToBytesCodec].
func (c zfpCodec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	form, ok := zfpFormOf(in.Type)
	if c.header && form.promote != nil {
		ok = false // zfpy does not promote types
	}
	if !ok {
		return nil, codecs.Fieldf("", "data type %s: want %s", in.Type.Name(), c.types())
	}
	shape := in.Shape
	switch {
	case len(shape) == 0:
		shape = []int{1}
	case len(shape) > 4:
		return nil, codecs.Fieldf("", "the chunk has %d dimensions, zfp at most 4: put reshape in front, to join some of them", len(shape))
	case slices.Contains(shape, 0):
		return nil, codecs.Fieldf("", "a chunk of shape %v has no elements", in.Shape)
	}
	params, err := c.params(form.number, len(shape))
	if err != nil {
		return nil, err
	}
	if c.verify && !form.float() {
		return nil, codecs.Fieldf("verify_bound", "data type %s: zfp bounds the error of floats alone", in.Type.Name())
	}
	most, err := zfp.MaxSize(shape, form.number, params)
	elements, ok := ndarray.Bytes(in.Type, in.Shape)
	if err != nil || !ok || elements > codecs.MaxChunk || most > codecs.MaxChunk {
		return nil, codecs.Fieldf("", "a chunk of shape %v is too large", in.Shape)
	}
	_, fixed := params.BlockBits(form.number)
	size := codecs.Size{Max: most, Fixed: fixed}
	if c.header {
		if err := zfpHeaderFits(shape); err != nil {
			return nil, err
		}
		size = codecs.Size{Max: most + 24} // 96 or 148 bits, in whole words
	}
	plain := zfpBound{c, in, shape, form, params, size}
	switch form.number {
	case zfp.Int32:
		return bindZfp[int32](plain), nil
	case zfp.Int64:
		return bindZfp[int64](plain), nil
	case zfp.Float32:
		return bindZfp[float32](plain), nil
	default:
		return bindZfp[float64](plain), nil
	}
}

// types returns the names of the data types that the codec accepts.
func (c zfpCodec) types() string {
	if c.header {
		return "int32, int64, float32, float64 or times"
	}
	return "integers, float16, bfloat16, float32, float64 or times"
}

// zfpError returns the codec's error for an error of package zfp about a stream.
func zfpError(err error) error {
	if errors.Is(err, zfp.ErrCorrupt) {
		return fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return err
}
