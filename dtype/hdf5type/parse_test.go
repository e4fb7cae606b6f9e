package hdf5type_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

// goldenCase returns the message of a golden case.
func goldenCase(t testing.TB, name string) []byte {
	t.Helper()
	cases := goldens(t)
	i := slices.IndexFunc(cases, func(g golden) bool { return g.Name == name })
	if i < 0 {
		t.Fatalf("there is no case %q", name)
	}
	return cases[i].message(t)
}

func parsed(t testing.TB, message []byte) *hdf5type.Datatype {
	t.Helper()
	d, _, err := hdf5type.Parse(message)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func int32Little() *hdf5type.Datatype {
	return &hdf5type.Datatype{Class: hdf5type.FixedPoint, Version: 1, Size: 4, Order: dtype.Little, Precision: 32, Signed: true}
}

func TestParse(t *testing.T) {
	int16Big := &hdf5type.Datatype{Class: hdf5type.FixedPoint, Version: 1, Size: 2, Order: dtype.Big, Precision: 16, Signed: true}
	uint8 := &hdf5type.Datatype{Class: hdf5type.FixedPoint, Version: 1, Size: 1, Order: dtype.Little, Precision: 8}
	float32Little := &hdf5type.Datatype{
		Class: hdf5type.FloatingPoint, Version: 1, Size: 4, Order: dtype.Little, Precision: 32,
		Float: hdf5type.FloatFields{
			Sign: 31, ExponentLocation: 23, ExponentSize: 8, MantissaSize: 23, Bias: 127, Norm: hdf5type.NormImplied,
		},
	}
	vax := *float32Little
	vax.Version, vax.Order, vax.Float.Bias = 3, dtype.Mixed, 129
	cases := map[string]*hdf5type.Datatype{
		"int of 12 bits from bit 2/big": {
			Class: hdf5type.FixedPoint, Version: 1, Size: 2, Order: dtype.Big, BitOffset: 2, Precision: 12, Signed: true,
		},
		"bitfield16/big": {Class: hdf5type.Bitfield, Version: 1, Size: 2, Order: dtype.Big, Precision: 16},
		"float32/little": float32Little,
		"vax32":          &vax,
		"time/big":       {Class: hdf5type.Time, Version: 1, Size: 4, Order: dtype.Big, Precision: 32},
		"utf-8/space-padded": {
			Class: hdf5type.String, Version: 1, Size: 7, Padding: hdf5type.SpacePadded, CharSet: hdf5type.UTF8,
		},
		"opaque, tag of 8": {Class: hdf5type.Opaque, Version: 1, Size: 2, Tag: "8 bytes."},
		"compound, eight": {Class: hdf5type.Compound, Version: 1, Size: 12, Members: []hdf5type.Member{
			{Name: "eight___", Type: int32Little()},
			{Name: "seven__", Offset: 4, Type: int32Little()},
			{Name: "nine_____", Offset: 8, Type: int32Little()},
		}},
		"new reference":    {Class: hdf5type.Reference, Version: 4, Size: 64, Reference: hdf5type.ObjectReference, ReferenceVersion: 1},
		"region reference": {Class: hdf5type.Reference, Version: 1, Size: 12, Reference: hdf5type.RegionAddress},
		"enum, latest": {Class: hdf5type.Enumeration, Version: 5, Size: 2, Base: int16Big, Names: []hdf5type.Name{
			{Name: "RED", Value: []byte{0xff, 0xff}}, {Name: "GREEN", Value: []byte{0, 0}}, {Name: "BLUE", Value: []byte{1, 44}},
		}},
		"vlen string": {
			Class: hdf5type.VariableLength, Version: 1, Size: 8, Text: true, CharSet: hdf5type.UTF8, Base: uint8,
		},
		"vlen of int32":           {Class: hdf5type.VariableLength, Version: 1, Size: 16, Base: int32Little()},
		"array":                   {Class: hdf5type.Array, Version: 2, Size: 12, Dims: []int{2, 3}, Base: int16Big},
		"native complex64/little": {Class: hdf5type.Complex, Version: 5, Size: 8, Base: float32Little},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, parsed(t, goldenCase(t, name))); diff != "" {
				t.Errorf("model (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseLegacyDimensions reads a member that has dimensions, as libraries before
// HDF5 1.4 wrote it.
func TestParseLegacyDimensions(t *testing.T) {
	message := slices.Concat(
		[]byte{0x16, 1, 0, 0, 24, 0, 0, 0}, []byte("x\x00\x00\x00\x00\x00\x00\x00"), make([]byte, 4),
		[]byte{2, 0, 0, 0}, make([]byte, 8), []byte{3, 0, 0, 0, 2, 0, 0, 0}, make([]byte, 8),
		goldenCase(t, "int32/little"))
	d := parsed(t, message)
	want := &hdf5type.Datatype{Class: hdf5type.Compound, Version: 2, Size: 24, Members: []hdf5type.Member{
		{Name: "x", Type: &hdf5type.Datatype{Class: hdf5type.Array, Version: 2, Size: 24, Dims: []int{3, 2}, Base: int32Little()}},
	}}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("model (-want +got):\n%s", diff)
	}
	if !checkSound(t, message) {
		t.Error("not read")
	}
	message[20] = 5
	if _, _, err := hdf5type.Parse(message); !errors.Is(err, hdf5type.ErrCorrupt) || !strings.Contains(err.Error(), `member "x" has 5 dimensions`) {
		t.Errorf("error %v", err)
	}
}

// TestParseArrayVersion1 reads arrays in messages of version 1 that have the form of
// version 2. Old PyTables and libraries before HDF5 1.4 wrote such messages.
func TestParseArrayVersion1(t *testing.T) {
	for _, name := range []string{"array", "array of arrays", "array of vlen strings", "compound with array", "array of compounds", "array of complex"} {
		message := goldenCase(t, name)
		old := bytes.ReplaceAll(message, []byte{0x2a, 0, 0, 0}, []byte{0x1a, 0, 0, 0})
		if bytes.Equal(message, old) {
			t.Fatalf("%s: no array", name)
		}
		got, want := parsed(t, old), parsed(t, message)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-version 2 +version 1):\n%s", name, diff)
		}
		if !checkSound(t, old) {
			t.Errorf("%s: not read", name)
		}
	}
}

func TestParseErrors(t *testing.T) {
	float32Message := goldenCase(t, "float32/little")
	with := func(message []byte, at int, b ...byte) []byte {
		out := slices.Clone(message)
		copy(out[at:], b)
		return out
	}
	array := goldenCase(t, "array, latest")
	compound := goldenCase(t, "compound of orders, latest")
	enum := goldenCase(t, "enum, latest")
	complex64 := goldenCase(t, "native complex64/little")
	nested := bytes.Repeat([]byte{0x39, 0, 0, 0, 16, 0, 0, 0}, 40)
	cases := []struct {
		name    string
		message []byte
		cause   error
		text    string
	}{
		{"empty", nil, hdf5type.ErrCorrupt, "byte 0: the message ends where 8 bytes are missing"},
		{"version 0", with(float32Message, 0, 0x01), hdf5type.ErrCorrupt, "version 0"},
		{"version 6", with(float32Message, 0, 0x61), errors.ErrUnsupported, "version 6, known are 1 to 5"},
		{"class 12", with(float32Message, 0, 0x1c), errors.ErrUnsupported, "class 12"},
		{"no size", with(float32Message, 4, 0), hdf5type.ErrCorrupt, "floating-point elements of no bytes"},
		{"precision 0", with(float32Message, 10, 0), hdf5type.ErrCorrupt, "0 bits from bit 0"},
		{"precision too large", with(float32Message, 10, 33), hdf5type.ErrCorrupt, "33 bits from bit 0 on in an element of 4 bytes"},
		{"offset too large", with(float32Message, 8, 255, 255), hdf5type.ErrCorrupt, "32 bits from bit 65535"},
		{"sign outside", with(float32Message, 2, 32), hdf5type.ErrCorrupt, "sign bit 32"},
		{"no mantissa", with(float32Message, 15, 0), hdf5type.ErrCorrupt, "without exponent or mantissa"},
		{"normalisation", with(float32Message, 1, 0x30), hdf5type.ErrCorrupt, "mantissa normalisation 3"},
		{"half of VAX", with(goldenCase(t, "vax32"), 1, 0x60), hdf5type.ErrCorrupt, "neither VAX's"},
		{"padding", with(goldenCase(t, "char"), 1, 3), hdf5type.ErrCorrupt, "padding 3"},
		{"character set", with(goldenCase(t, "vlen string"), 2, 2), hdf5type.ErrCorrupt, "character set 2"},
		{"kind of vlen", with(goldenCase(t, "vlen string"), 1, 2), hdf5type.ErrCorrupt, "variable-length data of kind 2"},
		{"tag length", with(goldenCase(t, "opaque, tagged"), 1, 23), hdf5type.ErrCorrupt, "a tag of 23 bytes"},
		{"reference", with(goldenCase(t, "object reference"), 1, 2), hdf5type.ErrCorrupt, "reference of kind 2"},
		{"array without dimensions", with(array, 8, 0), hdf5type.ErrCorrupt, "0 dimensions"},
		{"array of 33 dimensions", with(array, 8, 33), hdf5type.ErrCorrupt, "33 dimensions"},
		{"array with a dimension of 0", with(array, 9, 0), hdf5type.ErrCorrupt, "dimensions [0 3]"},
		{"array with huge dimensions", with(array, 9, 255, 255, 255, 255, 255, 255, 255, 255), hdf5type.ErrCorrupt, "dimensions [4294967295 4294967295]"},
		{"no members", with(compound, 1, 0), hdf5type.ErrCorrupt, "a compound without members"},
		{"too many members", with(compound, 1, 255, 255), hdf5type.ErrCorrupt, "65535 members in the last"},
		{"members overlap", with(compound, 10, 1), hdf5type.ErrCorrupt, `member "a" of bytes 1 to 3 reaches over byte 2`},
		{"member outside", with(compound, 4, 18), hdf5type.ErrCorrupt, `member "d" of bytes 11 to 19 reaches over byte 18`},
		{"too many names", with(enum, 1, 255, 255), hdf5type.ErrCorrupt, "65535 names with values"},
		{"enumeration of another size", with(enum, 4, 4), hdf5type.ErrCorrupt, "an enumeration of 4 bytes over 2 bytes"},
		{"polar", with(complex64, 1, 3), errors.ErrUnsupported, "complex numbers of form 0x3"},
		{"complex of another size", with(complex64, 4, 16), hdf5type.ErrCorrupt, "16 bytes over 4"},
		{"complex in version 4", with(complex64, 0, 0x4b), hdf5type.ErrCorrupt, "complex in version 4"},
		{"too deep", nested, hdf5type.ErrCorrupt, "more than 32 datatypes within each other"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d, used, err := hdf5type.Parse(c.message)
			if !errors.Is(err, c.cause) || !strings.Contains(err.Error(), c.text) || d != nil || used != 0 {
				t.Errorf("%v, %d bytes, error %v: want one with %q", d, used, err, c.text)
			}
		})
	}
}

// TestParseMemory reads short messages whose counts claim much more than the message
// holds.
func TestParseMemory(t *testing.T) {
	header := func(word uint32) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, word), 255, 255, 255, 255)
	}
	messages := [][]byte{
		header(0xffff<<8 | 0x36),                        // a compound of 65535 members
		append(header(0xffff<<8|0x38), header(0x10)...), // an enumeration of 65535 names, 4 GiB each
		append(header(0x3a), 32),                        // an array of 32 dimensions
	}
	for _, message := range messages {
		message = append(message, bytes.Repeat([]byte{0, 0, 8}, 100)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		const times = 100
		for range times {
			if _, _, err := hdf5type.Parse(message); !errors.Is(err, hdf5type.ErrCorrupt) {
				t.Errorf("%x: error %v", message, err)
			}
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 8<<10 {
			t.Errorf("%x: %d bytes allocated for a message of %d", message, each, len(message))
		}
	}
}

func TestAppendErrors(t *testing.T) {
	text := &hdf5type.Datatype{Class: hdf5type.String, Size: 4}
	cases := []struct {
		name string
		d    hdf5type.Datatype
		text string
	}{
		{"class", hdf5type.Datatype{Class: 12, Size: 1}, "class 12"},
		{"size", hdf5type.Datatype{Class: hdf5type.Opaque}, "opaque elements of 0 bytes"},
		{"large size", hdf5type.Datatype{Class: hdf5type.Opaque, Size: 1 << 32}, "opaque elements of 4294967296 bytes"},
		{"version", hdf5type.Datatype{Class: hdf5type.Array, Version: 1, Size: 8, Dims: []int{2}, Base: text}, "version 1 cannot say this array: want 2 to 5"},
		{"order", hdf5type.Datatype{Class: hdf5type.FixedPoint, Size: 4, Precision: 32}, "byte order none"},
		{"VAX integer", hdf5type.Datatype{Class: hdf5type.FixedPoint, Size: 4, Precision: 32, Order: dtype.Mixed}, "byte order mixed"},
		{"precision", hdf5type.Datatype{Class: hdf5type.FixedPoint, Size: 9000, Precision: 1 << 16, Order: dtype.Big}, "precision 65536: want 0 to 65535"},
		{"no bits", hdf5type.Datatype{Class: hdf5type.FixedPoint, Size: 4, Order: dtype.Big}, "0 bits from bit 0"},
		{"tag", hdf5type.Datatype{Class: hdf5type.Opaque, Size: 1, Tag: strings.Repeat("x", 249)}, "length of a tag 249: want 0 to 248"},
		{"zero byte in tag", hdf5type.Datatype{Class: hdf5type.Opaque, Size: 1, Tag: "a\x00b"}, "has a zero byte"},
		{"dimension", hdf5type.Datatype{Class: hdf5type.Array, Size: 8, Dims: []int{-2}, Base: text}, "dimensions [-2]"},
		{"array size", hdf5type.Datatype{Class: hdf5type.Array, Size: 9, Dims: []int{2}, Base: text}, "an array of 9 bytes"},
		{"no base", hdf5type.Datatype{Class: hdf5type.Array, Size: 8, Dims: []int{2}}, "a datatype within it is missing"},
		{"name", hdf5type.Datatype{Class: hdf5type.Compound, Size: 4, Members: []hdf5type.Member{{Name: "a\x00", Type: text}}}, `name "a\x00" has a zero byte`},
		{"offset", hdf5type.Datatype{Class: hdf5type.Compound, Size: 4, Members: []hdf5type.Member{{Name: "a", Offset: 4, Type: text}}}, `member "a" at byte 4 of 4`},
		{"member", hdf5type.Datatype{Class: hdf5type.Compound, Size: 4, Members: []hdf5type.Member{{Name: "a", Type: &hdf5type.Datatype{}}}}, `member "a": fixed-point elements of 0 bytes`},
		{"value", hdf5type.Datatype{Class: hdf5type.Enumeration, Size: 4, Base: int32Little(), Names: []hdf5type.Name{{Name: "a", Value: []byte{1}}}}, `the value of name "a" has 1 bytes, want 4`},
		{"enumeration of text", hdf5type.Datatype{Class: hdf5type.Enumeration, Size: 4, Base: text}, "over 4 bytes of class string"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, err := c.d.Append([]byte("as it was"))
			if err == nil || !strings.Contains(err.Error(), c.text) || string(out) != "as it was" {
				t.Errorf("%q, error %v: want one with %q", out, err, c.text)
			}
		})
	}
	loop := &hdf5type.Datatype{Class: hdf5type.VariableLength, Size: 16}
	loop.Base = loop
	if _, err := loop.Append(nil); err == nil || !strings.Contains(err.Error(), "more than 32 datatypes") {
		t.Errorf("a datatype within itself: error %v", err)
	}
}
