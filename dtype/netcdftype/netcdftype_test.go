package netcdftype_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
)

func TestTypes(t *testing.T) {
	cases := []struct {
		number netcdftype.Type // as in a file
		is     netcdftype.Type
		cdl    string
		data   dtype.Type
		size   int
		in     string // numbers of the formats that have the type
	}{
		{1, netcdftype.Byte, "byte", dtype.Int8, 1, "12345"},
		{2, netcdftype.Char, "char", dtype.Uint8, 1, "12345"},
		{3, netcdftype.Short, "short", dtype.Int16, 2, "12345"},
		{4, netcdftype.Int, "int", dtype.Int32, 4, "12345"},
		{5, netcdftype.Float, "float", dtype.Float32, 4, "12345"},
		{6, netcdftype.Double, "double", dtype.Float64, 8, "12345"},
		{7, netcdftype.UByte, "ubyte", dtype.Uint8, 1, "35"},
		{8, netcdftype.UShort, "ushort", dtype.Uint16, 2, "35"},
		{9, netcdftype.UInt, "uint", dtype.Uint32, 4, "35"},
		{10, netcdftype.Int64, "int64", dtype.Int64, 8, "35"},
		{11, netcdftype.UInt64, "uint64", dtype.Uint64, 8, "35"},
		{12, netcdftype.String, "string", dtype.StringType, 0, "3"},
	}
	for _, c := range cases {
		t.Run(c.cdl, func(t *testing.T) {
			nc := c.number
			if nc != c.is || nc.String() != c.cdl || nc.Size() != c.size {
				t.Errorf("number %d is %v of %d bytes, want %s of %d", nc, nc, nc.Size(), c.cdl, c.size)
			}
			data, err := netcdftype.Of(nc)
			if err != nil || data != c.data || data.Size() != c.size {
				t.Errorf("%v, error %v, want %v", data, err, c.data)
			}
			for f := range netcdftype.Format(8) {
				if want := strings.Contains(c.in, string('0'+rune(f))); nc.In(f) != want {
					t.Errorf("in format %d: %v, want %v", f, nc.In(f), want)
				}
			}
			back, err := netcdftype.To(c.data)
			if want := c.is; err != nil || back != want && want != netcdftype.Char {
				t.Errorf("back: %v, error %v", back, err)
			}
		})
	}
	if back, err := netcdftype.To(dtype.Uint8); err != nil || back != netcdftype.UByte {
		t.Errorf("uint8: %v, error %v, want ubyte", back, err)
	}
}

func TestUnknown(t *testing.T) {
	for _, nc := range []netcdftype.Type{0, 13, 16, 17, 1<<32 - 1} {
		data, err := netcdftype.Of(nc)
		defined := nc == 13 || nc == 16
		if data != nil || err == nil || errors.Is(err, errors.ErrUnsupported) != defined {
			t.Errorf("number %d: %v, error %v", nc, data, err)
		}
		if nc.Size() != 0 || !strings.HasPrefix(nc.String(), "type number ") {
			t.Errorf("number %d: %v of %d bytes", nc, nc, nc.Size())
		}
		for f := netcdftype.CDF1; f <= netcdftype.CDF5; f++ {
			if nc.In(f) {
				t.Errorf("number %d in format %d", nc, f)
			}
		}
	}
}

func TestToErrors(t *testing.T) {
	cases := map[string]string{
		`"bool"`:            "choose int8",
		`"int4"`:            "choose int8",
		`"uint2"`:           "choose uint8",
		`"float16"`:         "data type float16 has no NetCDF type: choose float32",
		`"float8_e4m3"`:     "choose float32",
		`"complex_float16"`: "choose float32 with one more dimension of length 2",
		`"complex64"`:       "choose float32 with one more dimension of length 2",
		`"complex128"`:      "choose float64 with one more dimension of length 2",
		`"bytes"`:           "choose uint8 with one more dimension, padded",
		`"r24"`:             "choose uint8 with one more dimension of length 3",
		`{"name":"null_terminated_bytes","configuration":{"length_bytes":5}}`:            "choose string, or uint8 with one more dimension of length 5",
		`{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`:               "choose string",
		`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`:      "seconds since",
		`{"name":"numpy.timedelta64","configuration":{"unit":"s","scale_factor":1}}`:     `units, such as "seconds": `,
		`{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"int8"}]}}`: "a variable of each field",
	}
	for text, want := range cases {
		typ, err := dtype.Standard().ParseV3([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if nc, err := netcdftype.To(typ); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, error %v: want one with %q", text, nc, err, want)
		}
	}
	// Every type of the registry has an external type or a hint.
	for _, f := range dtype.Standard().Families() {
		if nc, err := netcdftype.To(f.Example); err != nil && (!strings.Contains(err.Error(), "choose") && !strings.Contains(err.Error(), "make") || nc != 0) {
			t.Errorf("%s: %v, error %v", f.Name, nc, err)
		}
	}
}
