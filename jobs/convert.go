package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// conversion binds the cast_value codec that turns values of the source's type
// into those of the type that the job asks for, by the rules of the options'
// field cast. Problems are about the fields of section.
func (j *Job) conversion(env Environment, section string, o ArrayOptions, own, wanted dtype.Type) (codecs.ArrayToArray, Problems) {
	bound, err := bindCast(env.Codecs, o.Cast, own, wanted)
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

func bindCast(registry *codecs.Registry, c Cast, own, wanted dtype.Type) (codecs.ArrayToArray, error) {
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
	definition, err := registry.Lookup("cast_value")
	if err != nil {
		return nil, err
	}
	codec, err := definition.Parse(text)
	if err != nil {
		return nil, err
	}
	return codec.(codecs.ArrayToArrayCodec).BindArrayToArray(codecs.Chunk{Type: own})
}

// otherSign reports whether the attribute _Unsigned gives integers of a type
// another sign. The job may remove it.
func (b *builder) otherSign(t dtype.Type) bool {
	for _, a := range b.options.Attributes {
		if a.Name == "_Unsigned" && string(a.Value) == "null" {
			return false
		}
	}
	n, ok := t.(dtype.Numeric)
	said := string(b.info.Attributes.Get("_Unsigned"))
	return ok && (n.Kind() == dtype.Int && said == `"true"` || n.Kind() == dtype.Uint && said == `"false"`)
}

// convertedFill converts the fill value of the source to t. It stands for
// missing data, so it is an error when it becomes the value of other data: when
// it is clamped, wrapped or, as an integer, rounded. The job's scalar_map may
// say what becomes of it.
func (b *builder) convertedFill(t dtype.Type) (dtype.Scalar, error) {
	fill, err := convertScalar(b.convert, t, b.info.Type, b.info.Fill)
	if err != nil {
		return nil, err
	}
	name := t.FormatScalar(dtype.V3, fill)
	plain := b.options.Cast
	plain.ScalarMap = nil
	if bound, err := bindCast(b.env.Codecs, plain, b.info.Type, t); err != nil {
		return fill, nil // there is no conversion but by the map
	} else if same, err := convertScalar(bound, t, b.info.Type, b.info.Fill); err != nil || !bytes.Equal(same, fill) {
		return fill, nil // the map says so
	}
	strict, err := bindCast(b.env.Codecs, Cast{}, b.info.Type, t)
	if err == nil {
		_, err = convertScalar(strict, t, b.info.Type, b.info.Fill)
	}
	if err != nil {
		return nil, fmt.Errorf("it becomes %s, like other values: %w", name, err)
	}
	if n, ok := t.(dtype.Numeric); !ok || n.Kind() == dtype.Float {
		return fill, nil // rounded as the missing data are
	}
	back, err := bindCast(b.env.Codecs, Cast{}, t, b.info.Type)
	if err != nil {
		return nil, err
	}
	if again, err := convertScalar(back, b.info.Type, t, fill); err != nil || !bytes.Equal(again, b.info.Fill) {
		return nil, fmt.Errorf("it becomes %s, like other values", name)
	}
	return fill, nil
}

// convertScalar converts one value.
func convertScalar(convert interface {
	Encode(dst, src ndarray.Array) error
}, to, from dtype.Type, value dtype.Scalar) (dtype.Scalar, error) {
	src, dst := ndarray.New(from, nil), ndarray.New(to, nil)
	copy(src.Data, value)
	if err := convert.Encode(dst, src); err != nil {
		return nil, err
	}
	return dst.Data, nil
}
