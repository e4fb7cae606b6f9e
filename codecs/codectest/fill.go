package codectest

import (
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// fills are fill values of a type: its default and, where it has them, some
// that codecs get wrong.
func fills(typ dtype.Type) []dtype.Scalar {
	list := []dtype.Scalar{typ.Default()}
	for _, text := range []string{"1", "-1", "-0.0", "1.5", `"NaN"`, `"Infinity"`, "[1, 2]", `["NaN", -0.0]`, "true"} {
		if value, err := typ.ParseScalar(dtype.V3, []byte(text)); err == nil {
			list = append(list, value)
		}
	}
	return list
}

// fillValue: the encoded fill value is what every element of the encoding of an
// array becomes that holds nothing else, or there is none.
func (s *suite) fillValue(t *testing.T) {
	d, err := s.registry.Lookup(s.Spec.Name)
	if err != nil {
		t.Fatal(err)
	}
	codec, err := d.Parse(s.Spec.Configuration)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range s.Types {
		for _, shape := range s.Shapes {
			for _, fill := range fills(typ) {
				bound, err := codec.(codecs.ArrayToArrayCodec).BindArrayToArray(codecs.Chunk{Type: typ, Shape: shape, Fill: fill})
				if err != nil {
					continue // what a codec may refuse is tested elsewhere
				}
				out := bound.Encoded()
				from, to := ndarray.New(typ, shape), ndarray.New(out.Type, out.Shape)
				ndarray.Fill(from, fill)
				if err := bound.Encode(to, from); err != nil {
					if out.Fill != nil && from.Len() > 0 {
						t.Errorf("%s %v: fill value %s has an encoding, an array of it none: %v", typ.Name(), shape, typ.FormatScalar(dtype.V3, fill), err)
					}
					continue
				}
				if out.Fill != nil && to.Len() > 0 && !s.Related && !ndarray.Uniform(to, out.Fill) {
					t.Errorf("%s %v: an array of the fill value %s is not one of its encoding %s", typ.Name(), shape,
						typ.FormatScalar(dtype.V3, fill), out.Type.FormatScalar(dtype.V3, out.Fill))
				}
			}
		}
	}
}
