package hdf5type_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

func parseV3(t testing.TB, text string) dtype.Type {
	t.Helper()
	typ, err := dtype.Standard().ParseV3([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestOf maps types to datatypes, writes and reads their messages, and maps the
// datatypes back.
func TestOf(t *testing.T) {
	cases := []struct{ from, back string }{
		{`"bool"`, ``}, {`"int8"`, ``}, {`"int16"`, ``}, {`"int32"`, ``}, {`"int64"`, ``},
		{`"uint8"`, ``}, {`"uint16"`, ``}, {`"uint32"`, ``}, {`"uint64"`, ``},
		{`"int2"`, `"int8"`}, {`"int4"`, `"int8"`}, {`"uint2"`, `"uint8"`}, {`"uint4"`, `"uint8"`},
		{`"float16"`, ``}, {`"float32"`, ``}, {`"float64"`, ``}, {`"bfloat16"`, ``},
		{`"float8_e3m4"`, ``}, {`"float8_e4m3"`, ``}, {`"float8_e5m2"`, ``},
		{`"float6_e2m3fn"`, ``}, {`"float6_e3m2fn"`, ``}, {`"float4_e2m1fn"`, ``},
		{`"complex64"`, ``}, {`"complex128"`, ``}, {`"complex_float16"`, ``}, {`"complex_bfloat16"`, ``},
		{`"complex_float8_e5m2"`, ``}, {`"complex_float6_e2m3fn"`, ``},
		{`"string"`, ``}, {`"bytes"`, ``},
		{`"r24"`, `{"name":"raw_bytes","configuration":{"length_bytes":3}}`},
		{`{"name":"raw_bytes","configuration":{"length_bytes":5}}`, ``},
		{`{"name":"null_terminated_bytes","configuration":{"length_bytes":5}}`, ``},
		{`{"name":"numpy.datetime64","configuration":{"unit":"us","scale_factor":10}}`, ``},
		{`{"name":"numpy.timedelta64","configuration":{"unit":"D","scale_factor":1}}`, ``},
		{`{"name":"struct","configuration":{"fields":[
			{"name":"n","data_type":"int16"}, {"name":"z","data_type":"complex64"}, {"name":"b","data_type":"bool"},
			{"name":"in","data_type":{"name":"struct","configuration":{"fields":[{"name":"t","data_type":
				{"name":"null_terminated_bytes","configuration":{"length_bytes":3}}}]}}}]}}`, ``},
	}
	for _, c := range cases {
		t.Run(c.from, func(t *testing.T) {
			from := parseV3(t, c.from)
			want := from
			if c.back != "" {
				want = parseV3(t, c.back)
			}
			for _, order := range []dtype.Order{dtype.Little, dtype.Big} {
				d, err := hdf5type.Of(from, order)
				if err != nil {
					t.Fatal(err)
				}
				message, err := d.Append(nil)
				if err != nil {
					t.Fatal(err)
				}
				n, err := parsed(t, message).Type()
				if err != nil {
					t.Fatal(err)
				}
				if _, ordered := from.(dtype.Ordered); !ordered {
					order = dtype.NoOrder
				}
				if !dtype.Same(n.Type, want) || n.Order != order {
					t.Errorf("%v in order %v, want %v in order %v", n.Type, n.Order, want, order)
				}
				if d.Size != from.Size() && from.Size() != 0 {
					t.Errorf("%d bytes, want %d", d.Size, from.Size())
				}
			}
		})
	}
}

// TestOfMixed writes a record whose fields have orders of their own.
func TestOfMixed(t *testing.T) {
	record, err := dtype.Struct(
		dtype.Field{Name: "a", Type: dtype.Int32, Order: dtype.Big},
		dtype.Field{Name: "b", Type: dtype.Int32, Order: dtype.Little},
		dtype.Field{Name: "c", Type: dtype.Int8})
	if err != nil {
		t.Fatal(err)
	}
	d, err := hdf5type.Of(record, dtype.Mixed)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := d.Members[0].Type.Order, d.Members[1].Type.Order; a != dtype.Big || b != dtype.Little {
		t.Errorf("orders %v and %v", a, b)
	}
	n, err := d.Type()
	if err != nil || n.Order != dtype.Mixed || !dtype.Same(n.Type, record) {
		t.Errorf("%v in order %v, error %v", n.Type, n.Order, err)
	}
}

func TestOfErrors(t *testing.T) {
	cases := []struct {
		typ   string
		order dtype.Order
		text  string
	}{
		{`"int32"`, dtype.NoOrder, "byte order none: want little or big"},
		{`"float8_e4m3fnuz"`, dtype.Little, "data type float8_e4m3fnuz in HDF5: its bit fields"},
		{`"complex_float8_e8m0fnu"`, dtype.Little, "choose complex_float16 or complex64"},
		{`{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`, dtype.Little, "choose string"},
		{`{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"float8_e8m0fnu"}]}}`, dtype.Little, `field "x": its bit fields`},
	}
	for _, c := range cases {
		if _, err := hdf5type.Of(parseV3(t, c.typ), c.order); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v: want one with %q", c.typ, err, c.text)
		}
	}
	if _, err := hdf5type.Of(parseV3(t, `{"name":"numpy.datetime64","configuration":{"unit":"generic","scale_factor":3}}`), dtype.Little); err == nil || !strings.Contains(err.Error(), "scale_factor of 1") {
		t.Errorf("a unit that NumPy cannot name: error %v", err)
	}
	if _, err := hdf5type.Of(parseV3(t, `"float8_e8m0fnu"`), dtype.Little); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v, want %v", err, errors.ErrUnsupported)
	}
}
