package jobfile

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// Conversion binds the cast_value codec that converts values of the type own into values of
// the type wanted, by the rules of the field cast in the options. Problems name fields of
// section.
func (j *Job) Conversion(registry *codecs.Registry, section string, o ArrayOptions, own, wanted dtype.Type) (codecs.ArrayToArray, Problems) {
	bound, err := o.Cast.Bind(registry, own, wanted)
	if err != nil {
		if at, ok := errors.AsType[*codecs.FieldError](err); ok && at.Field != "" && at.Field != "data_type" {
			return nil, Problems{j.Problem(section+".cast."+at.Field, at.Err.Error(), "")}
		}
		return nil, Problems{j.Problem(section+".data_type", fmt.Sprintf("values of %s cannot become %s: %v", own.Name(), wanted.Name(), err),
			"leave data_type out to keep the source's")}
	}
	var ps Problems
	if h, ok := bound.(codecs.Hazardous); ok && !o.AllowInexact {
		for _, h := range h.Hazards() {
			if h.Code == codecs.InexactCast {
				ps = append(ps, j.Problem(section+".data_type", h.Message, "allow_inexact: true accepts it"))
			}
		}
	}
	return bound, ps
}

// Bind binds the cast_value codec that converts elements of one type to another.
func (c Cast) Bind(registry *codecs.Registry, own, wanted dtype.Type) (codecs.ArrayToArray, error) {
	name, err := wanted.V3()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(struct {
		DataType   json.RawMessage `json:"data_type"`
		Rounding   string          `json:"rounding,omitempty"`
		OutOfRange string          `json:"out_of_range,omitempty"`
		ScalarMap  json.RawMessage `json:"scalar_map,omitempty"`
	}{name, c.Rounding, c.OutOfRange, c.ScalarMap})
	if err != nil {
		return nil, err
	}
	definition, err := registry.Lookup(standard.CastValueName)
	if err != nil {
		return nil, err
	}
	codec, err := definition.Parse(text)
	if err != nil {
		return nil, err
	}
	return codec.(codecs.ArrayToArrayCodec).BindArrayToArray(codecs.Chunk{Type: own})
}

// SameElements reports whether elements of both types are the same bytes with
// the same meaning, so that one type may stand for the other without a change
// of values.
func SameElements(a, b dtype.Type) bool {
	return dtype.Same(a, b) || dtype.Opaque(a) && dtype.Opaque(b) && a.Size() == b.Size()
}
