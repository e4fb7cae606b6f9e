package cf

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// listed is the most stored values that cast_value maps to NaN.
const listed = 256

// Unpacked returns the array with unpacked values.
func (p *Packing) Unpacked() *Outcome {
	o := &Outcome{Type: p.Physical, Fill: p.nan(), Findings: p.Findings}
	o.note("unpacked from %s to %s: %s", p.Stored.Name(), p.Physical.Name(), p.formula())
	if v := &p.valid; v.given && !v.empty {
		low, high := decimal(v.lowF), decimal(v.topF)
		if p.isInteger() {
			low, high = p.exact(v.low).String(), p.exact(v.high).String()
		}
		o.note("stored values outside of the valid range, %s to %s, become NaN", low, high)
	}
	o.Attributes = p.without(o, Names()...)
	if !p.isInteger() {
		return o
	}
	if p.Stored.Size() == 8 {
		o.find(Inexact, "choose `cf: keep` to keep the integers",
			"%s values beyond ±2^53 are rounded to float64", p.Stored.Name())
	}
	for _, k := range []uint64{0, p.last()} {
		if math.IsInf(p.physical(p.float(k)), 0) {
			o.find(Inexact, "choose `cf: keep` to keep the integers",
				"the stored value %s becomes infinite: %s has no such values", p.exact(k), p.Physical.Name())
		}
	}
	return o
}

// AsCodecs returns the array that keeps its stored values, and whose codecs decode them
// to physical values. It returns an error if no codecs can do that.
func (p *Packing) AsCodecs() (*Outcome, error) {
	const hint = ": choose `cf: unpack` or `cf: keep`"
	if !p.isInteger() {
		return nil, fmt.Errorf("%s values are scaled, not packed into integers, and no codecs keep them bit for bit%s", p.Stored.Name(), hint)
	}
	if p.valid.empty {
		return nil, errors.New("no stored value is within the valid range" + hint)
	}
	r, err := p.readers()
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, hint)
	}
	o := &Outcome{Type: p.Physical, Findings: p.Findings}
	missing := p.missing(o)
	o.Fill = p.nan()
	if len(missing) > 0 {
		o.StoredFill = missing[0]
	} else {
		o.StoredFill = p.Stored.Default()
		o.Fill = p.physicalScalar(r.value(p.float(p.count(o.StoredFill))))
		o.note("no stored value stands for missing data: the fill value is the physical value of %s, and NaN cannot be written",
			p.Stored.FormatScalar(dtype.V3, o.StoredFill))
	}
	r.tell(o, missing)
	o.Codecs = p.specs(r, missing)
	o.Attributes = p.readerAttributes(o, r)
	return o, nil
}

// missing lists the stored values that codecs decode to NaN. NaN is encoded as the
// first of them.
func (p *Packing) missing(o *Outcome) []dtype.Scalar {
	list := p.sentinels
	if len(list) > 1 {
		o.find(MergedSentinels, "", "%d stored values stand for missing data: all are kept and read as NaN, and NaN that is written later becomes the first, %s",
			len(list), p.Stored.FormatScalar(dtype.V3, list[0]))
	}
	n := p.outside()
	switch {
	case n == 0:
		return list
	case n > listed:
		o.find(OutsideRange, "readers that know valid_range mask these values; `cf: unpack` stores NaN instead",
			"%d stored values are outside of the valid range, too many to list: codecs do not turn them into NaN", n)
		return list
	}
	list = slices.Clip(list)
	for k := range p.valid.low {
		list = distinct(list, p.scalar(k))
	}
	for k := p.valid.high; k < p.last(); k++ {
		list = distinct(list, p.scalar(k+1))
	}
	o.note("%d stored values outside of the valid range are read as NaN", n)
	return list
}

// specs returns scale_offset, unless it would change nothing, and cast_value.
func (p *Packing) specs(r *readers, missing []dtype.Scalar) []codecs.Spec {
	var specs []codecs.Spec
	if r.scale != 1 || r.offset != 0 {
		var c struct {
			Offset json.RawMessage `json:"offset,omitempty"`
			Scale  json.RawMessage `json:"scale,omitempty"`
		}
		if r.offset != 0 {
			c.Offset = p.format(r.offset)
		}
		if r.scale != 1 {
			c.Scale = p.format(r.scale)
		}
		specs = append(specs, codecs.Spec{Name: standard.ScaleOffsetName, Configuration: object(c)})
	}
	type scalarMap struct {
		Encode [][2]json.RawMessage `json:"encode"`
		Decode [][2]json.RawMessage `json:"decode"`
	}
	c := struct {
		Type string     `json:"data_type"`
		Map  *scalarMap `json:"scalar_map,omitempty"`
	}{Type: p.Stored.Name()}
	if len(missing) > 0 {
		nan := json.RawMessage(`"NaN"`)
		c.Map = &scalarMap{Encode: [][2]json.RawMessage{{nan, p.Stored.FormatScalar(dtype.V3, missing[0])}}}
		for _, s := range missing {
			c.Map.Decode = append(c.Map.Decode, [2]json.RawMessage{p.Stored.FormatScalar(dtype.V3, s), nan})
		}
	}
	return append(specs, codecs.Spec{Name: standard.CastValueName, Configuration: object(c)})
}

func object(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the structs contain only what JSON can have
	}
	return text
}

// without returns the attributes except those with the given names, which no longer
// hold.
func (p *Packing) without(o *Outcome, names ...string) zarr.Attributes {
	all := p.attributes
	var removed []string
	for _, name := range names {
		if all.Get(name) != nil {
			removed = append(removed, name)
			all = all.With(name, nil)
		}
	}
	o.note("attributes that no longer hold are removed: %s", strings.Join(removed, ", "))
	return all
}

// readerAttributes returns the attributes that hold for the values that readers of the
// codecs get. The valid range is in physical units.
func (p *Packing) readerAttributes(o *Outcome, r *readers) zarr.Attributes {
	all := p.without(o, scaleFactor, addOffset, fillValue, missingValue, unsigned)
	stored := false
	ends := map[bool]json.RawMessage{} // limits of the valid range; the key tells whether it is the upper one
	for _, l := range p.valid.limits {
		if l.physical {
			continue // such attributes stay as they are
		}
		stored = true
		upper := l.upper != (r.scale < 0)
		if x := r.value(l.value); !math.IsInf(x, 0) && !math.IsNaN(x) {
			ends[upper] = p.format(x)
		}
	}
	if !stored {
		return all
	}
	o.note("the valid range is rewritten in physical units")
	low, high := ends[false], ends[true]
	if all.Get(validRange) != nil && low != nil && high != nil {
		return all.With(validRange, fmt.Appendf(nil, "[%s,%s]", low, high)).With(validMin, nil).With(validMax, nil)
	}
	return all.With(validRange, nil).With(validMin, low).With(validMax, high)
}
