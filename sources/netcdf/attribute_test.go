package netcdf

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/sources"
)

func f32(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func f64(values ...float64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func TestAttributeJSON(t *testing.T) {
	nan := float32(math.NaN())
	for name, test := range map[string]struct {
		kind   netcdftype.Type
		values []byte
		want   string
	}{
		"text":            {netcdftype.Char, []byte("5 < 6 \"µ\"\n\x00\x00"), `"5 < 6 \"µ\"\n"`},
		"zero bytes":      {netcdftype.Char, []byte("a\nb\x00c\x00"), `"a\nbc"`},
		"Latin-1":         {netcdftype.Char, []byte("\xb0C"), `"°C"`},
		"empty text":      {netcdftype.Char, nil, `""`},
		"no numbers":      {3, nil, `[]`},
		"byte":            {1, []byte{0x80}, `-128`},
		"shorts":          {3, []byte{0xff, 0xfe, 0, 2}, `[-2,2]`},
		"int":             {4, []byte{0x80, 0, 0, 0}, `-2147483648`},
		"float":           {5, f32(0.1), `0.10000000149011612`},
		"floats":          {5, f32(1, float32(math.Inf(1)), nan), `[1.0,"Infinity","NaN"]`},
		"double":          {6, f64(math.Inf(-1)), `"-Infinity"`},
		"payload of NaN":  {6, []byte{0xff, 0xf8, 0, 0, 0, 0, 0, 1}, `"NaN"`},
		"unsigned byte":   {7, []byte{0xff}, `255`},
		"unsigned short":  {8, []byte{0xff, 0xff}, `65535`},
		"unsigned int":    {9, []byte{0xff, 0xff, 0xff, 0xff}, `4294967295`},
		"int64":           {10, []byte{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, `9223372036854775807`},
		"unsigned int64s": {11, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1}, `[18446744073709551615,1]`},
	} {
		t.Run(name, func(t *testing.T) {
			a := &attribute{name: "a", kind: test.kind, values: test.values}
			if diff := cmp.Diff(test.want, string(a.json())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFill(t *testing.T) {
	for name, test := range map[string]struct {
		variable  netcdftype.Type
		attribute attribute
		fill      string // "": there is none
		written   string // the attribute in the target
		note      string // part of a note; "": there is none
	}{
		"short":              {3, attribute{name: "_FillValue", kind: 3, values: []byte{0x80, 0}}, `-32768`, `-32768`, ""},
		"float":              {5, attribute{name: "_FillValue", kind: 5, values: f32(1e20)}, `1.0000000200408773e+20`, `"AAAAgB2vFUQ="`, "base64"},
		"double NaN":         {6, attribute{name: "_FillValue", kind: 6, values: f64(math.NaN())}, `"0x7ff8000000000001"`, `"AQAAAAAA+H8="`, "base64"},
		"char":               {netcdftype.Char, attribute{name: "_FillValue", kind: netcdftype.Char, values: []byte(" ")}, `32`, `32`, "uint8"},
		"double for short":   {3, attribute{name: "_FillValue", kind: 6, values: f64(-999)}, `-999`, `-999`, ""},
		"large for int64":    {10, attribute{name: "_FillValue", kind: 6, values: f64(1 << 60)}, `1152921504606846976`, `1152921504606846976`, ""},
		"double for float":   {5, attribute{name: "_FillValue", kind: 6, values: f64(0.5)}, `0.5`, `"AAAAAAAA4D8="`, "base64"},
		"NaN for float":      {5, attribute{name: "_FillValue", kind: 6, values: f64(math.Float64frombits(0x7ff8000000000000))}, `"NaN"`, `"AAAAAAAA+H8="`, "base64"},
		"int for double":     {6, attribute{name: "_FillValue", kind: 4, values: []byte{0, 0, 0, 7}}, `7.0`, `"AAAAAAAAHEA="`, "base64"},
		"fraction for short": {3, attribute{name: "_FillValue", kind: 5, values: f32(0.5)}, "", `0.5`, "no exact int16 value"},
		"too large for byte": {1, attribute{name: "_FillValue", kind: 3, values: []byte{1, 0}}, "", `256`, "no exact int8 value"},
		"inexact for float":  {5, attribute{name: "_FillValue", kind: 6, values: f64(0.1)}, "", `"mpmZmZmZuT8="`, "no exact float32 value"},
		"2^24+1 for float":   {5, attribute{name: "_FillValue", kind: 4, values: []byte{1, 0, 0, 1}}, "", `"AAAAEAAAcEE="`, "no exact float32 value"},
		"nothing":            {3, attribute{name: "_FillValue", kind: 3, values: nil}, "", `[]`, "not a value of the variable's type"},
		"two":                {3, attribute{name: "_FillValue", kind: 3, values: []byte{0, 1, 0, 2}}, `1`, `1`, "has 2 values"},
		"missing_value":      {3, attribute{name: "missing_value", kind: 3, values: []byte{0, 1}}, "", `1`, "not used as fill value"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &classic{version: 5, vars: []variable{{name: "v", kind: test.variable, attributes: []attribute{test.attribute}}}}
			src, err := openSource(t, Options{}, save(t, "f.nc", c.encode(1)))
			if err != nil {
				t.Fatal(err)
			}
			a, err := src.Array(t.Context(), "v")
			if err != nil {
				t.Fatal(err)
			}
			a = sources.Numbers(a)
			checkFill(t, a.Info(), test.fill, test.note)
			if diff := cmp.Diff(test.written, string(a.Info().Attributes.Get(test.attribute.name))); diff != "" {
				t.Errorf("attribute (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEncoding reports an _Encoding that characters lose when they become numbers.
func TestEncoding(t *testing.T) {
	for name, test := range map[string]struct {
		variable   netcdftype.Type
		attributes []attribute
		finding    string // part of a finding; "": there is none
	}{
		"encoding of characters": {netcdftype.Char, []attribute{{name: "_Encoding", kind: netcdftype.Char, values: []byte("utf-8")}}, `_Encoding ("utf-8") is left out`},
		"encoding of numbers":    {3, []attribute{{name: "_Encoding", kind: netcdftype.Char, values: []byte("utf-8")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := &classic{version: 5, vars: []variable{{name: "v", kind: test.variable, attributes: test.attributes}}}
			src, err := openSource(t, Options{}, save(t, "f.nc", c.encode(1)))
			if err != nil {
				t.Fatal(err)
			}
			a, err := src.Array(t.Context(), "v")
			if err != nil {
				t.Fatal(err)
			}
			info := sources.Numbers(a).Info()
			var told string
			for _, f := range info.Findings {
				told += f.Message
			}
			if (told == "") != (test.finding == "") || !strings.Contains(told, test.finding) {
				t.Errorf("findings %q, want %q", told, test.finding)
			}
			if left := info.Attributes.Get("_Encoding") != nil; left && test.variable == netcdftype.Char {
				t.Error("characters that are numbers have an encoding")
			}
		})
	}
}

func checkFill(t *testing.T, info *sources.Info, fill, note string) {
	t.Helper()
	got := json.RawMessage{}
	if info.Fill != nil {
		got = info.Type.FormatScalar(dtype.V3, info.Fill)
	}
	if string(got) != fill || (info.FillFrom != "") != (fill != "") {
		t.Errorf("fill value %s from %q, want %s", got, info.FillFrom, fill)
	}
	notes := strings.Join(info.Notes, "\n")
	if !strings.Contains(notes, note) || note == "" && notes != "" {
		t.Errorf("notes %q, want one with %q", notes, note)
	}
}
