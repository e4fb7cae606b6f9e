package hdf5type

import (
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
)

// Of returns the datatype that holds elements of t with their words in the given order.
// It is spelled so that h5py and older versions of HDF5 read it: complex numbers as
// compounds {r, i}, bool as an enumeration, numpy.datetime64 as a tagged opaque. Order
// matters only for types that have one (see [dtype.Ordered]); for records, Mixed and
// NoOrder stand for the order of each field. The error about a type without a
// counterpart in HDF5 says what to choose instead.
func Of(t dtype.Type, order dtype.Order) (*Datatype, error) {
	d, err := of(t, order)
	if err != nil {
		return nil, fmt.Errorf("data type %s in HDF5: %w", t.Name(), err)
	}
	return d, nil
}

func of(t dtype.Type, order dtype.Order) (*Datatype, error) {
	if record, ok := t.(dtype.Record); ok {
		return ofRecord(record, order)
	}
	if _, ok := t.(dtype.Ordered); !ok {
		order = dtype.Little // for single bytes it has no meaning
	} else if order != dtype.Little && order != dtype.Big {
		return nil, fmt.Errorf("byte order %v: want little or big", order)
	}
	switch t := t.(type) {
	case dtype.Numeric:
		return ofNumber(t, order)
	case dtype.Temporal:
		return temporal(t, order)
	case dtype.Object:
		return ofObject(t)
	}
	switch {
	case dtype.Opaque(t):
		return &Datatype{Class: Opaque, Size: t.Size()}, nil
	case t.Name() == "null_terminated_bytes":
		return &Datatype{Class: String, Size: t.Size(), Padding: NullPadded}, nil
	case t.Name() == "fixed_length_utf32":
		return nil, unsupported("it has no UTF-32: choose string, or null_terminated_bytes")
	default:
		return nil, unsupported("it has no such type: choose a number, string or raw_bytes")
	}
}

func ofNumber(t dtype.Numeric, order dtype.Order) (*Datatype, error) {
	switch t.Kind() {
	case dtype.Bool:
		base := fixed(1, 8, true, dtype.Little)
		return &Datatype{
			Class: Enumeration, Size: 1, Base: base,
			Names: []Name{{"FALSE", []byte{0}}, {"TRUE", []byte{1}}},
		}, nil
	case dtype.Int, dtype.Uint:
		bits := 8 * t.Size()
		if p, ok := t.(dtype.Packed); ok {
			bits = p.Packing().Bits
		}
		return fixed(t.Size(), bits, t.Kind() == dtype.Int, order), nil
	}
	for _, f := range floatFormats() {
		part := &Datatype{Class: FloatingPoint, Size: f.Size, Order: order, Precision: f.Precision, Float: f.Fields}
		switch dtype.Type(t) {
		case f.Type:
			return part, nil
		case f.Pair:
			return &Datatype{Class: Compound, Size: 2 * f.Size, Members: []Member{
				{Name: "r", Type: part}, {Name: "i", Offset: f.Size, Type: part},
			}}, nil
		}
	}
	wider := "float16 or float32"
	if t.Kind() == dtype.Complex {
		wider = "complex_float16 or complex64"
	}
	return nil, unsupported("its bit fields do not tell it from other formats: choose %s", wider)
}

func fixed(size, precision int, signed bool, order dtype.Order) *Datatype {
	return &Datatype{Class: FixedPoint, Size: size, Order: order, Precision: precision, Signed: signed}
}

// heapReference is the size of the reference that a file holds in place of an element
// of variable length: its length, and its place in the global heap, with addresses of 8
// bytes.
const heapReference = 16

func ofObject(t dtype.Object) (*Datatype, error) {
	d := &Datatype{Class: VariableLength, Size: heapReference, Base: fixed(1, 8, false, dtype.Little)}
	switch t {
	case dtype.StringType:
		d.Text, d.CharSet = true, UTF8
		return d, nil
	case dtype.BytesType:
		return d, nil
	default:
		return nil, unsupported("choose string or bytes")
	}
}

func ofRecord(t dtype.Record, order dtype.Order) (*Datatype, error) {
	d := &Datatype{Class: Compound, Size: t.Size()}
	for _, f := range t.Fields() {
		own := order
		if own != dtype.Little && own != dtype.Big {
			own = f.Order
		}
		member, err := of(f.Type, own)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		d.Members = append(d.Members, Member{Name: f.Name, Offset: f.Offset, Type: member})
	}
	return d, nil
}
