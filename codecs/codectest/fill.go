package codectest

import (
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// fills returns fill values of a type: its default and, if the type has them, values
// that codecs often get wrong.
func fills(typ dtype.Type) []dtype.Scalar {
	list := []dtype.Scalar{typ.Default()}
	for _, text := range []string{"1", "-1", "-0.0", "1.5", `"NaN"`, `"Infinity"`, "[1, 2]", `["NaN", -0.0]`, "true"} {
		if value, err := typ.ParseScalar(dtype.V3, []byte(text)); err == nil {
			list = append(list, value)
		}
	}
	return list
}

// fillValue checks the fill value of the encoded array. It is nil, or an array that
// holds only the fill value is encoded as an array that holds only that.
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
					continue // other tests cover refusals
				}
				out := bound.Encoded()
				from, to := ndarray.New(typ, shape), ndarray.New(out.Type, out.Shape)
				ndarray.Fill(from, fill)
				if err := bound.Encode(to, from); err != nil {
					if out.Fill != nil && from.Len() > 0 {
						t.Errorf("%s %v: the fill value %s has an encoding, but an array of it has none: %v", typ.Name(), shape, typ.FormatScalar(dtype.V3, fill), err)
					}
					continue
				}
				if out.Fill != nil && to.Len() > 0 && !s.Related && !ndarray.Uniform(to, out.Fill) {
					t.Errorf("%s %v: an array of the fill value %s is not encoded as an array of %s", typ.Name(), shape,
						typ.FormatScalar(dtype.V3, fill), out.Type.FormatScalar(dtype.V3, out.Fill))
				}
			}
		}
	}
}
