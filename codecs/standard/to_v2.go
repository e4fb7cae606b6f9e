package standard

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// ToV2 is the inverse of [FromV2]: it returns the fields of a Zarr v2 document with which
// readers decode what the chain of specs encodes. It takes a serializer, which is bytes or the
// codec of a type of objects, and any number of bytes → bytes codecs that numcodecs has. The
// last codec is the compressor, unless it is a filter by its nature. An error names the codec
// at fault and wraps errors.ErrUnsupported.
func ToV2(r *codecs.Registry, t dtype.Type, specs []codecs.Spec) (V2, error) {
	v := V2{Type: t, Order: dtype.Little}
	if len(specs) == 0 {
		return v, fmt.Errorf("no codecs: %w", errors.ErrUnsupported)
	}
	object, isObject := t.(dtype.Object)
	switch first := specs[0]; {
	case isObject && first.Name == object.V2Filter():
		v.Filters = append(v.Filters, fmt.Appendf(nil, `{"id":%q}`, first.Name))
	case !isObject && first.Name == BytesName:
		var c struct {
			Endian string `json:"endian"`
		}
		if err := codecs.ReadConfiguration(first.Configuration, &c); err != nil {
			return v, err
		}
		if c.Endian == "big" {
			v.Order = dtype.Big
		}
	default:
		return v, fmt.Errorf("codec %s has no form in Zarr v2: %w", first.Name, errors.ErrUnsupported)
	}
	for i, s := range specs[1:] {
		text, err := toV2(r, s)
		if err != nil {
			return v, err
		}
		if i == len(specs)-2 && s.Name != ShuffleName && s.Name != Fletcher32Name {
			v.Compressor = text
		} else {
			v.Filters = append(v.Filters, text)
		}
	}
	return v, nil
}

// toV2 returns a bytes → bytes codec as a filter or compressor.
func toV2(r *codecs.Registry, s codecs.Spec) (json.RawMessage, error) {
	d, err := r.Lookup(s.Name)
	if err != nil {
		return nil, err
	}
	id := d.V2
	if rest, is := strings.CutPrefix(d.Name, "numcodecs."); id == "" && is {
		id = rest
	}
	if d.Name == BloscName {
		id = BloscName
	}
	if d.Kind != codecs.KindBytesToBytes || id == "" {
		return nil, fmt.Errorf("codec %s has no form in Zarr v2: %w", s.Name, errors.ErrUnsupported)
	}
	fields := map[string]any{}
	if len(s.Configuration) > 0 {
		if err := json.Unmarshal(s.Configuration, &fields); err != nil {
			return nil, err
		}
	}
	switch d.Name {
	case ZstdName: // numcodecs before 0.13 knows no checksum, and decodes with and without one
		delete(fields, "checksum")
	case BloscName: // numcodecs takes the size of an element from the frame, and numbers for words
		delete(fields, "typesize")
		fields["shuffle"] = map[any]int{"noshuffle": 0, "shuffle": 1, "bitshuffle": 2}[fields["shuffle"]]
	}
	fields["id"] = id
	return json.Marshal(fields)
}
