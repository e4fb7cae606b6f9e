package hdf5type_test

import (
	"errors"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

func TestFormat(t *testing.T) {
	short := &hdf5type.Datatype{Class: hdf5type.FixedPoint, Size: 2, Order: dtype.Big, Precision: 16, Signed: true}
	wide := &hdf5type.Datatype{Class: hdf5type.FixedPoint, Size: 3, Precision: 24}
	text := &hdf5type.Datatype{Class: hdf5type.String, Size: 3}
	sequence := &hdf5type.Datatype{Class: hdf5type.VariableLength, Size: 1, Base: short}
	for _, c := range []struct {
		want    string
		d       *hdf5type.Datatype
		element string
	}{
		{"-2", short, "\xff\xfe"},
		{"0x010203", wide, "\x01\x02\x03"},
		{`"a"`, text, "a\x00b"},
		{`"a b"`, &hdf5type.Datatype{Class: hdf5type.String, Size: 5, Padding: hdf5type.SpacePadded}, "a b  "},
		{`"a\x00b"`, &hdf5type.Datatype{Class: hdf5type.String, Size: 4, Padding: hdf5type.NullPadded}, "a\x00b\x00"},
		{`{258, "xy"}`, &hdf5type.Datatype{Class: hdf5type.Compound, Size: 6, Members: []hdf5type.Member{{Name: "a", Type: short}, {Name: "t", Offset: 3, Type: text}}}, "\x01\x02?xy\x00"},
		{"up", &hdf5type.Datatype{Class: hdf5type.Enumeration, Size: 2, Base: short, Names: []hdf5type.Name{{Name: "up", Value: []byte{0, 1}}}}, "\x00\x01"},
		{"2", &hdf5type.Datatype{Class: hdf5type.Enumeration, Size: 2, Base: short}, "\x00\x02"},
		{"{1, 2}", &hdf5type.Datatype{Class: hdf5type.Array, Size: 4, Base: short, Dims: []int{2}}, "\x00\x01\x00\x02"},
		{"{1}", sequence, "\x01"},
		{"{}", sequence, "\x00"},
		{`"\x00"`, &hdf5type.Datatype{Class: hdf5type.VariableLength, Size: 1, Text: true}, "\x01"},
		{"a reference to an object", &hdf5type.Datatype{Class: hdf5type.Reference, Size: 1}, "\x01"},
		{"0xbeef", &hdf5type.Datatype{Class: hdf5type.Opaque, Size: 2}, "\xbe\xef"},
	} {
		// An element of variable length is the number of elements in its sequence.
		got, err := c.d.Format([]byte(c.element), func(element []byte, size int) ([]byte, error) {
			var numbers []byte
			for i := range element[0] {
				if size == 2 {
					numbers = append(numbers, 0, i+1)
				} else {
					numbers = append(numbers, i)
				}
			}
			return numbers, nil
		})
		if err != nil || got != c.want {
			t.Errorf("%v: %q, %v, want %q", c.d, got, err, c.want)
		}
	}
	want := errors.New("no heap")
	_, err := sequence.Format([]byte{1}, func([]byte, int) ([]byte, error) { return nil, want })
	if !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}
