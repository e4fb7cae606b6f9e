package hdf5type_test

import (
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

func TestString(t *testing.T) {
	short := &hdf5type.Datatype{Class: hdf5type.FixedPoint, Size: 2, Order: dtype.Big, Precision: 16, Signed: true}
	float := &hdf5type.Datatype{Class: hdf5type.FloatingPoint, Size: 4, Order: dtype.Little, Precision: 32}
	text := &hdf5type.Datatype{Class: hdf5type.String, Size: 3, Padding: hdf5type.SpacePadded, CharSet: hdf5type.UTF8}
	for want, d := range map[string]*hdf5type.Datatype{
		"int16 big-endian": short,
		"uint8":            {Class: hdf5type.FixedPoint, Size: 1, Order: dtype.Big, Precision: 8},
		"uint32 little-endian (13 bits from bit 3)": {Class: hdf5type.FixedPoint, Size: 4, Order: dtype.Little, Precision: 13, BitOffset: 3},
		"float32 little-endian":                     float,
		"float64 VAX-endian":                        {Class: hdf5type.FloatingPoint, Size: 8, Order: dtype.Mixed, Precision: 64},
		"bitfield of 8 bits":                        {Class: hdf5type.Bitfield, Size: 1, Precision: 8},
		"text of 3 bytes, space-padded, UTF-8":      text,
		"opaque of 4 bytes, four":                   {Class: hdf5type.Opaque, Size: 4, Tag: "four"},
		"opaque of 4 bytes":                         {Class: hdf5type.Opaque, Size: 4},
		"compound of 6 bytes {a: int16 big-endian at byte 0; t: text of 3 bytes, space-padded, UTF-8 at byte 3}": {
			Class: hdf5type.Compound, Size: 6, Members: []hdf5type.Member{{Name: "a", Type: short}, {Name: "t", Offset: 3, Type: text}},
		},
		"enum of int16 big-endian {down = -2, up = 258}": {
			Class: hdf5type.Enumeration, Size: 2, Base: short, Names: []hdf5type.Name{{Name: "down", Value: []byte{0xff, 0xfe}}, {Name: "up", Value: []byte{1, 2}}},
		},
		"enum of uint8 {high = 255}": {
			Class: hdf5type.Enumeration, Size: 1, Base: &hdf5type.Datatype{Class: hdf5type.FixedPoint, Size: 1, Precision: 8}, Names: []hdf5type.Name{{Name: "high", Value: []byte{255}}},
		},
		"text of any length, null-terminated, ASCII": {Class: hdf5type.VariableLength, Size: 16, Text: true},
		"sequence of float32 little-endian":          {Class: hdf5type.VariableLength, Size: 16, Base: float},
		"array [2 3] of float32 little-endian":       {Class: hdf5type.Array, Size: 24, Base: float, Dims: []int{2, 3}},
		"complex of float32 little-endian":           {Class: hdf5type.Complex, Size: 8, Base: float},
		"reference to an object":                     {Class: hdf5type.Reference, Size: 8},
		"encoded reference to a region":              {Class: hdf5type.Reference, Size: 8, Reference: hdf5type.RegionReference},
		"time of 4 bytes":                            {Class: hdf5type.Time, Size: 4, Precision: 32},
	} {
		if got := d.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
