package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// packed returns an array with its packed values treated as the options say.
func (s *source) packed(a *array, format dtype.Format) (sources.Array, error) {
	mode := cf.Keep
	if s.cf != nil {
		mode = s.cf(a.path)
		if format == dtype.V2 {
			a.markMissing(mode)
		}
	}
	if mode == cf.Codecs {
		if err := a.readStored(); err != nil {
			return nil, &sources.ArrayError{Source: s.store.URL(), Path: a.path, Err: err}
		}
		if a.info.Packing != nil {
			return a.withObjects(), nil
		}
	}
	if s.keeps(a, mode) {
		if err := a.readArithmetic(); err != nil {
			return nil, &sources.ArrayError{Source: s.store.URL(), Path: a.path, Err: err}
		}
		if a.info.Packing != nil {
			return a.withObjects(), nil
		}
	}
	return sources.Packed(a.withObjects(), mode, nil)
}

// fixedScaleOffset is the numcodecs codec of this name, as a packing: two other codecs
// replace it, and the stored integers stay unchanged.
type fixedScaleOffset struct {
	info          *sources.Info // describes the stored elements
	offset, scale json.RawMessage
	physical      dtype.Type
	fill          dtype.Scalar // the fill value as a physical value
}

// readStored makes an array, whose first codec is fixedscaleoffset, an array of the
// integers that this codec stores.
func (a *array) readStored() error {
	const name = standard.FixedScaleOffsetName
	specs := a.chain.Specs()
	if layout, ok := a.chain.Shards(); ok && layout.Inner().Specs()[0].Name == name {
		a.info.Notes = append(a.info.Notes, name+" stays as it is inside of shards")
	}
	if specs[0].Name != name || a.reorder != nil {
		if slices.ContainsFunc(specs[1:], func(s codecs.Spec) bool { return s.Name == name }) {
			a.info.Notes = append(a.info.Notes, name+" stays as it is after "+specs[0].Name)
		}
		return nil
	}
	p := &fixedScaleOffset{info: a.info, physical: a.info.Type, fill: a.fill}
	var configuration struct {
		Offset json.RawMessage `json:"offset"`
		Scale  json.RawMessage `json:"scale"`
	}
	if err := json.Unmarshal(specs[0].Configuration, &configuration); err != nil {
		return err
	}
	p.offset, p.scale = configuration.Offset, configuration.Scale
	stored := a.chain.Stage(1)
	if stored.Fill == nil {
		return fmt.Errorf("%s cannot encode the fill value %s: choose cf: keep", name, a.info.Type.FormatScalar(dtype.V3, a.fill))
	}
	rest, err := a.source.chains.Bind(specs[1:], stored)
	if err != nil {
		return err
	}
	a.decodedBy(rest, stored.Fill)
	a.info.Type, a.info.Fill, a.info.Codecs, a.info.Packing = stored.Type, stored.Fill, rest.Specs(), p
	return nil
}

// AsCodecs implements [sources.Packing].
func (p *fixedScaleOffset) AsCodecs() (*cf.Outcome, error) {
	physical, ok := p.physical.(dtype.Numeric)
	if stored, whole := p.info.Type.(dtype.Numeric); !ok || physical.Kind() != dtype.Float || !whole || stored.Kind() == dtype.Float {
		return nil, errors.New("numcodecs.fixedscaleoffset becomes scale_offset and cast_value only if it stores floats as integers: choose cf: keep")
	}
	name, err := p.info.Type.V3()
	if err != nil {
		return nil, err
	}
	o := &cf.Outcome{
		Type: p.physical, Fill: p.fill, StoredFill: p.info.Fill, Attributes: p.info.Attributes,
		Codecs: []codecs.Spec{
			{Name: standard.ScaleOffsetName, Configuration: fmt.Appendf(nil, `{"offset":%s,"scale":%s}`, p.offset, p.scale)},
			{Name: standard.CastValueName, Configuration: fmt.Appendf(nil, `{"data_type":%s,"out_of_range":"wrap"}`, name)},
		},
		Notes: []string{
			fmt.Sprintf("%s values; the stored %s stay as they are: numcodecs.fixedscaleoffset becomes scale_offset and cast_value", p.physical.Name(), p.info.Type.Name()),
			"values that are written later: cast_value refuses NaN and infinities, for which numcodecs stores arbitrary integers",
		},
	}
	if p.physical != dtype.Float64 {
		o.Findings = append(o.Findings, cf.Finding{
			Code: "fixedscaleoffset-rounding",
			Message: fmt.Sprintf("scale_offset computes in %s and rounds offset and scale to this type, but numcodecs computes in float64: values that are read may differ in their last digits",
				p.physical.Name()),
			Hint: "cf: keep stores them with numcodecs.fixedscaleoffset as before",
		})
	}
	return o, nil
}
