package hdf5type_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

func native(t testing.TB, name string) hdf5type.Native {
	t.Helper()
	n, err := parsed(t, goldenCase(t, name)).Type()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// word returns a move of words in the given order.
func word(from, to, length, size int, order dtype.Order) hdf5type.Move {
	if order == dtype.Native {
		return hdf5type.Move{From: from, To: to, Length: length, Word: 1}
	}
	return hdf5type.Move{From: from, To: to, Length: length, Word: size, Swap: true}
}

func TestMoves(t *testing.T) {
	nbit := word(1, 0, 2, 2, dtype.Big)
	nbit.Word, nbit.BitOffset, nbit.Precision, nbit.Signed = 2, 3, 10, true
	cases := map[string][]hdf5type.Move{
		"uint8/big":        {{Length: 1, Word: 1}},
		"float64/little":   {word(0, 0, 8, 8, dtype.Little)},
		"float64/big":      {word(0, 0, 8, 8, dtype.Big)},
		"complex128/big":   {word(0, 0, 16, 8, dtype.Big)},
		"array of complex": {word(0, 0, 8, 4, dtype.Big)},
		"compound, eight":  {word(0, 0, 12, 4, dtype.Little)},
		"compound of 300 bytes": {
			word(290, 0, 8, 8, dtype.Little), {From: 3, To: 8, Length: 1, Word: 1},
		},
		"compound, n-bit and text": {
			nbit,
			{From: 4, To: 2, Length: 5, Word: 1, Text: hdf5type.ToFirstZero},
			{From: 9, To: 7, Length: 5, Word: 1, Text: hdf5type.WithoutSpaces},
		},
		"compound, members out of order": {
			word(16, 0, 4, 4, dtype.Little), word(0, 4, 2, 2, dtype.Big), word(8, 6, 8, 8, dtype.Big),
		},
		"vlen string": nil,
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, native(t, name).Moves); diff != "" {
				t.Errorf("moves (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnum(t *testing.T) {
	value := func(order dtype.Order, little ...byte) dtype.Scalar {
		if order == dtype.Big {
			little[0], little[1] = little[1], little[0]
		}
		return little
	}
	n := native(t, "enum")
	want := []hdf5type.EnumValue{
		{Name: "RED", Value: value(dtype.Native, 0xff, 0xff)},
		{Name: "GREEN", Value: value(dtype.Native, 0, 0)},
		{Name: "BLUE", Value: value(dtype.Native, 44, 1)},
	}
	if diff := cmp.Diff(want, n.Enum); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if n := native(t, "bool"); n.Enum != nil {
		t.Errorf("names of a bool: %v", n.Enum)
	}
	// An enumeration {FALSE: 0, TRUE: 2} is no boolean, and neither is one in another
	// order.
	d := parsed(t, goldenCase(t, "bool"))
	d.Names[1].Value = []byte{2}
	if n, err := d.Type(); err != nil || n.Type != dtype.Int8 || len(n.Enum) != 2 {
		t.Errorf("FALSE and TRUE = 2: %v, %v, error %v", n.Type, n.Enum, err)
	}
	d = parsed(t, goldenCase(t, "bool"))
	d.Names[0], d.Names[1] = d.Names[1], d.Names[0]
	if n, err := d.Type(); err != nil || n.Type != dtype.BoolType {
		t.Errorf("TRUE before FALSE: %v, error %v", n.Type, err)
	}
}

func TestNotes(t *testing.T) {
	cases := map[string][]string{
		"int32/big":                        nil,
		"bool":                             nil,
		"string/null-padded":               nil,
		"int of 12 bits from bit 2/little": {"12 bits from bit 2 on are widened to int16"},
		"utf-8/null-padded":                {"null_terminated_bytes does not say that the strings are UTF-8"},
		"opaque, tag of 8":                 {`the tag "8 bytes." of the opaque datatype is not kept`},
		"enum":                             {"the 3 names of the enumeration are not part of int16"},
		"bitfield8/little":                 {"the bits of a bitfield are kept as an integer"},
		"compound, n-bit and text": {
			`member "n": 10 bits from bit 3 on are widened to int16`,
			`member "t": spaces at the end of strings, which HDF5 pads with, become zero bytes`,
		},
		"compound with array": {`member "b": its [2 2] elements are fields of a struct, 0_0 to 1_1`},
	}
	for name, want := range cases {
		if diff := cmp.Diff(want, native(t, name).Notes); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", name, diff)
		}
	}
}

// TestArrayMember turns arrays within compounds into records, up to a number of fields
// that does not depend on how the arrays are nested.
func TestArrayMember(t *testing.T) {
	array := func(base *hdf5type.Datatype, dims ...int) *hdf5type.Datatype {
		size := base.Size
		for _, n := range dims {
			size *= n
		}
		return &hdf5type.Datatype{Class: hdf5type.Array, Size: size, Dims: dims, Base: base}
	}
	compound := func(members ...*hdf5type.Datatype) *hdf5type.Datatype {
		d := &hdf5type.Datatype{Class: hdf5type.Compound}
		for i, m := range members {
			d.Members = append(d.Members, hdf5type.Member{Name: string(rune('a' + i)), Offset: d.Size, Type: m})
			d.Size += m.Size
		}
		return d
	}
	number := int32Little()
	vlen := &hdf5type.Datatype{Class: hdf5type.VariableLength, Size: 16, Text: true, Base: number}
	deep := compound(number)
	for range 12 {
		deep = compound(array(deep, 4))
	}
	for _, c := range []struct {
		name  string
		d     *hdf5type.Datatype
		error string
	}{
		{"most", compound(array(number, 32, 32)), ""},
		{"arrays of arrays", compound(array(array(number, 4), 4, 4)), ""},
		{"arrays of compounds", compound(number, array(compound(number, array(number, 3)), 5)), ""},
		{"too many", compound(array(number, 1025)), "a field of [1025] elements"},
		{"deep", deep, "would have more than 1024 fields"},
		{"strings", compound(array(vlen, 2)), "has no variable length"},
	} {
		n, err := c.d.Type()
		if c.error != "" {
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.error) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.error)
			}
			continue
		}
		if err != nil || n.Type.Size() != c.d.Size || len(n.Moves) != 1 {
			t.Errorf("%s: %v of %d bytes by %v, error %v", c.name, n.Type, c.d.Size, n.Moves, err)
		}
	}
}

// TestElement checks that Element is the innermost datatype of arrays.
func TestElement(t *testing.T) {
	n := native(t, "array of arrays")
	if n.Element.Class != hdf5type.FloatingPoint || n.Element.Size != 4 {
		t.Errorf("elements of class %v, %d bytes", n.Element.Class, n.Element.Size)
	}
}

// TestNarrowFloats reads messages of libhdf5 2.2 for predefined floats of less than a
// byte.
func TestNarrowFloats(t *testing.T) {
	cases := map[string]dtype.Type{
		"1120050001000000000006000302000301000000": dtype.Float6E2M3FN,
		"1120050001000000000006000203000203000000": dtype.Float6E3M2FN,
		"1120030001000000000004000102000101000000": dtype.Float4E2M1FN,
	}
	for message, want := range cases {
		d := parsed(t, fromHex(t, message))
		n, err := d.Type()
		if err != nil || n.Type != want {
			t.Errorf("%v, error %v, want %v", n.Type, err, want)
			continue
		}
		got := make([]byte, 2)
		n.Decode(got, []byte{0xff, 0x81})
		bits := 1<<d.Precision - 1
		if diff := cmp.Diff([]byte{byte(bits), byte(0x81 & bits)}, got); diff != "" {
			t.Errorf("%v: elements (-want +got):\n%s", want, diff)
		}
	}
}

func TestTypeErrors(t *testing.T) {
	compound := func(members ...hdf5type.Member) *hdf5type.Datatype {
		return &hdf5type.Datatype{Class: hdf5type.Compound, Size: 100, Members: members}
	}
	float := parsed(t, goldenCase(t, "float32/little"))
	float.Float.Bias = 126
	cases := []struct {
		name string
		d    *hdf5type.Datatype
		text string
	}{
		{"names twice", compound(hdf5type.Member{Name: "a", Type: int32Little()}, hdf5type.Member{Name: "a", Offset: 4, Type: int32Little()}), `"a" is there twice`},
		{"no name", compound(hdf5type.Member{Type: int32Little()}), "field 0 has no name"},
		{"name of other bytes", compound(hdf5type.Member{Name: "\xe9", Type: int32Little()}), "not UTF-8"},
		{"pair of odd floats", compound(hdf5type.Member{Name: "r", Type: float}, hdf5type.Member{Name: "i", Offset: 4, Type: float}), "bias 126"},
		{"long text", &hdf5type.Datatype{Class: hdf5type.String, Size: 1<<20 + 1}, "at most 1048576"},
		{"long opaque", &hdf5type.Datatype{Class: hdf5type.Opaque, Size: 1<<20 + 1}, "at most 1048576"},
	}
	for _, c := range cases {
		if n, err := c.d.Type(); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, error %v: want one with %q", c.name, n.Type, err, c.text)
		}
	}
	// The longest possible types can be read back.
	for _, class := range []hdf5type.Class{hdf5type.String, hdf5type.Opaque} {
		n, err := (&hdf5type.Datatype{Class: class, Size: 1 << 20}).Type()
		if err != nil {
			t.Fatal(err)
		}
		text, err := n.Type.V3()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dtype.Standard().ParseV3(text); err != nil {
			t.Error(err)
		}
	}
}

func TestComplexPair(t *testing.T) {
	big, little := parsed(t, goldenCase(t, "float32/big")), parsed(t, goldenCase(t, "float32/little"))
	d := &hdf5type.Datatype{Class: hdf5type.Compound, Size: 16, Members: []hdf5type.Member{
		{Name: "r", Offset: 9, Type: big}, {Name: "i", Offset: 1, Type: big},
	}}
	n, err := d.Type()
	if err != nil || n.Type != dtype.Complex64 || n.Order != dtype.Big {
		t.Fatalf("%v in order %v, error %v", n.Type, n.Order, err)
	}
	want := []hdf5type.Move{word(9, 0, 4, 4, dtype.Big), word(1, 4, 4, 4, dtype.Big)}
	if diff := cmp.Diff(want, n.Moves); diff != "" {
		t.Errorf("moves (-want +got):\n%s", diff)
	}
	d.Members[1].Type = little
	if n, err := d.Type(); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "both in one order") {
		t.Errorf("of two byte orders: %v, error %v", n.Type, err)
	}
	d.Members[1].Type = parsed(t, goldenCase(t, "float16/little"))
	if n, err = d.Type(); err != nil || n.Type.Name() != "struct" {
		t.Errorf("of two float types: %v, error %v", n.Type, err)
	}
}
