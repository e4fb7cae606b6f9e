package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	r := Standard()
	for _, c := range []struct {
		typ            Type
		size           int
		v3, little, be string
	}{
		{BoolType, 1, `"bool"`, `"|b1"`, `"|b1"`},
		{Int8, 1, `"int8"`, `"|i1"`, `"|i1"`},
		{Int16, 2, `"int16"`, `"<i2"`, `">i2"`},
		{Int32, 4, `"int32"`, `"<i4"`, `">i4"`},
		{Int64, 8, `"int64"`, `"<i8"`, `">i8"`},
		{Uint8, 1, `"uint8"`, `"|u1"`, `"|u1"`},
		{Uint16, 2, `"uint16"`, `"<u2"`, `">u2"`},
		{Uint32, 4, `"uint32"`, `"<u4"`, `">u4"`},
		{Uint64, 8, `"uint64"`, `"<u8"`, `">u8"`},
		{Float16, 2, `"float16"`, `"<f2"`, `">f2"`},
		{Float32, 4, `"float32"`, `"<f4"`, `">f4"`},
		{Float64, 8, `"float64"`, `"<f8"`, `">f8"`},
		{Complex64, 8, `"complex64"`, `"<c8"`, `">c8"`},
		{Complex128, 16, `"complex128"`, `"<c16"`, `">c16"`},
		{must(Datetime64("us", 10)), 8, `{"name":"numpy.datetime64","configuration":{"unit":"us","scale_factor":10}}`, `"<M8[10us]"`, `">M8[10us]"`},
		{must(Timedelta64("generic", 1)), 8, `{"name":"numpy.timedelta64","configuration":{"unit":"generic","scale_factor":1}}`, `"<m8"`, `">m8"`},
		{must(Timedelta64("as", 1)), 8, `{"name":"numpy.timedelta64","configuration":{"unit":"as","scale_factor":1}}`, `"<m8[as]"`, `">m8[as]"`},
		{FixedUTF32(12), 48, `{"name":"fixed_length_utf32","configuration":{"length_bytes":48}}`, `"<U12"`, `">U12"`},
		{NullTerminated(5), 5, `{"name":"null_terminated_bytes","configuration":{"length_bytes":5}}`, `"|S5"`, `"|S5"`},
		{RawBits(3), 3, `"r24"`, `"|V3"`, `"|V3"`},
		{RawBytes(3), 3, `{"name":"raw_bytes","configuration":{"length_bytes":3}}`, `"|V3"`, `"|V3"`},
	} {
		if c.typ.Size() != c.size || len(c.typ.Default()) != c.size {
			t.Errorf("%s: size %d, default % x", c.v3, c.typ.Size(), c.typ.Default())
		}
		if got, err := c.typ.V3(); err != nil || string(got) != c.v3 {
			t.Errorf("V3 = %s (%v), want %s", got, err, c.v3)
		}
		if got, err := r.ParseV3(json.RawMessage(c.v3)); err != nil || !Same(got, c.typ) {
			t.Errorf("%s is read as %v (%v)", c.v3, got, err)
		}
		for order, want := range map[Order]string{Little: c.little, Big: c.be} {
			got, err := c.typ.V2(order)
			if err != nil || string(got) != want {
				t.Errorf("V2 = %s (%v), want %s", got, err, want)
			}
			typ, read, err := r.ParseV2(got, "")
			_, ordered := c.typ.(Ordered)
			if err != nil || typ.Size() != c.size || (read == order) != ordered || !ordered && read != NoOrder {
				t.Errorf("%s is read as %v, %v (%v)", want, typ, read, err)
			}
			if _, raw := c.typ.(*opaque); !raw && !Same(typ, c.typ) {
				t.Errorf("%s is read as %v", want, typ)
			}
		}
		if _, ordered := c.typ.(Ordered); ordered {
			if _, err := c.typ.V2(NoOrder); err == nil {
				t.Errorf("%s has a v2 name without byte order", c.v3)
			}
		}
	}
}

// Some types have several spellings, and all are read.
func TestOtherSpellings(t *testing.T) {
	r := Standard()
	for text, want := range map[string]Type{
		`"variable_length_bytes"`:                    BytesType,
		`{"name":"int8","configuration":null}`:       Int8,
		`{"name":"r8","configuration":null}`:         RawBits(1),
		`{"name":"float32","must_understand":false}`: Float32,

		`{"name":"numpy.datetime64","configuration":{"unit":"\u03bcs","scale_factor":1}}`:                    must(Datetime64("us", 1)),
		`{"name":"struct","configuration":{"fields":[{"name":"x","data_type":{"name":"complex_float32"}}]}}`: must(Struct(Field{Name: "x", Type: Complex64})),
		`{"name":"structured","configuration":{"fields":[["x","int8"],{"name":"y","data_type":"r8"}]}}`:      must(Struct(Field{Name: "x", Type: Int8}, Field{Name: "y", Type: RawBits(1)})),
		`{"name":"int8"}`:                           Int8,
		`{"name":"int8","configuration":{ }}`:       Int8,
		`{"name":"float32","must_understand":true}`: Float32,
		`"complex_float32"`:                         Complex64,
		`"complex_float64"`:                         Complex128,
		` {"name" : "r8"} `:                         RawBits(1),
		fmt.Sprintf(`"r%d"`, MaxSize*8):             RawBits(MaxSize),
	} {
		if got, err := r.ParseV3(json.RawMessage(text)); err != nil || !Same(got, want) {
			t.Errorf("%s is read as %v (%v)", text, got, err)
		}
	}
	if Same(RawBits(2), RawBytes(2)) || Same(RawBits(2), RawBits(3)) || Same(Int8, Uint8) {
		t.Error("different types are the same")
	}
}

// refusesV3 checks that each text is refused as a Zarr v3 type, with the given words in
// the error.
func refusesV3(t *testing.T, cases map[string]string) {
	t.Helper()
	r := Standard()
	for text, want := range cases {
		if got, err := r.ParseV3(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
	}
}

func TestNameRefusals(t *testing.T) {
	refusesV3(t, map[string]string{
		`"float31"`:               `did you mean "float32"`,
		`"Float64"`:               `did you mean "float64"`,
		`"r*"`:                    "unknown data type",
		`"r7"`:                    "multiple of 8",
		`"r0"`:                    "multiple of 8",
		`"r08"`:                   "multiple of 8",
		`"r99999999999999999999"`: "multiple of 8",
		`""`:                      "unknown data type",
		`null`:                    "want a name",
		`5`:                       "want a name",
		``:                        "want a name",
		`{}`:                      "want a name",
		`"float8_e4m3fn"`:         "no infinities", `"<f4"`: `"float32"`, `"f8"`: `"float64"`, `"double"`: `"float64"`, `"<M8[ns]"`: "numpy.datetime64",
		`"complex_float322"`: `canonical name "complex64"`, `"str"`: `"string"`, `"datetime64"`: `"numpy.datetime64"`, `"bflot16"`: `"bfloat16"`,
		`"S5"`: "null_terminated_bytes", `"decimal128"`: "no decimals",
		`"raw_bytes"`: "length_bytes",
	})
	if _, err := Standard().ParseV3([]byte(`"nope"`)); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v is not ErrUnknown", err)
	}
}

func TestConfigurationRefusals(t *testing.T) {
	refusesV3(t, map[string]string{
		`{"name":"int8","x":1}`:                                                            "want a name",
		`{"name":"int8","configuration":{"a":1}}`:                                          "takes no configuration",
		`{"name":"int8","configuration":5}`:                                                "takes no configuration",
		`{"name":"struct","configuration":{"fields":[]}}`:                                  "no fields",
		`{"name":"struct","configuration":{"fields":[{"name":"","data_type":"int8"}]}}`:    "no name",
		`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"string"}]}}`: "no fixed size",
		`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int9"}]}}`:   `"a": unknown data type`,
		`{"name":"struct","configuration":{"fields":[["a","int8"]]}}`:                      "want an object with name and data_type",
		`{"name":"struct","configuration":{"fields":[{"name":"a"}]}}`:                      "want a name and a data_type",
		`{"name":"struct","configuration":{"fields":[{"name":"a","name":"b"}]}}`:           "twice",
		`{"name":"struct"}`: "needs fields",
		`{"name":"numpy.datetime64","configuration":{"unit":"s"}}`:                            "needs unit and scale_factor",
		`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":0}}`:           "scale_factor 0",
		`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":2147483648}}`:  "scale_factor 2147483648",
		`{"name":"numpy.datetime64","configuration":{"unit":"x","scale_factor":1}}`:           `unit "x"`,
		`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1,"more":1}}`:  `"more"`,
		`{"name":"fixed_length_utf32","configuration":{"length_bytes":6}}`:                    "multiple of 4",
		`{"name":"fixed_length_utf32","configuration":{"length_bytes":"8"}}`:                  "length_bytes",
		`{"name":"string","configuration":{"a":1}}`:                                           "takes no configuration",
		`{"name":"raw_bytes","configuration":{}}`:                                             "length_bytes",
		`{"name":"raw_bytes","configuration":{"length_bytes":0}}`:                             "length_bytes 0",
		`{"name":"raw_bytes","configuration":{"length_bytes":1e3}}`:                           "length_bytes 1e3",
		`{"name":"raw_bytes","configuration":{"length_bytes":99999999}}`:                      "length_bytes 99999999",
		`{"name":"raw_bytes","configuration":{"length_bytes":2,"more":1}}`:                    `"more"`,
		`{"name":"int8","must_understand":1}`:                                                 "must_understand 1: want true or false",
		`{"name":"int8"}}`:                                                                    "nothing behind it",
		`{"name":"int8"}]`:                                                                    "nothing behind it",
		`{"name":"struct","configuration":{"fields":[{"name":"\ud800","data_type":"int8"}]}}`: "surrogate",
		`{"name":"struct","configuration":{"fields":[{"name":5,"data_type":"int8"}]}}`:        "name 5: want a string",
		`{"name":"structured","configuration":{"fields":[["\udc00x","int8"]]}}`:               "surrogate",
	})
}

// Single bytes need no mark in front of their type. Other types without a byte order are unknown.
func TestV2NameWithoutMark(t *testing.T) {
	r := Standard()
	for text, want := range map[string]Type{`"b1"`: BoolType, `"i1"`: Int8, `"u1"`: Uint8, `"S3"`: NullTerminated(3), `"V3"`: RawBytes(3)} {
		if got, order, err := r.ParseV2(json.RawMessage(text), ""); err != nil || !Same(got, want) || order != NoOrder {
			t.Errorf("%s: %v, %v, %v", text, got, order, err)
		}
	}
	for _, text := range []string{`"i4"`, `"f8"`, `"U3"`, `"M8[s]"`, `[["a","i2"]]`} {
		if got, _, err := r.ParseV2(json.RawMessage(text), ""); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestV2NameRefusals(t *testing.T) {
	r := Standard()
	for text, want := range map[string]string{
		`"|f4"`: "want < (little-endian)", `"f4"`: "want < (little-endian)", `"=f4"`: "say < (little-endian) or > (big-endian)", `"<f5"`: "unknown", `"|O"`: "vlen-utf8",
		`"|V0"`: "length", `"|Vx"`: "length", `"|S+1"`: "length", `"<U300000"`: "length", `"<"`: "NumPy", `null`: "NumPy",
		`"<M8[x]"`: "unit", `"<M8[0s]"`: "scale_factor 0", `"<M8[99999999999s]"`: "scale_factor 99999999999", `"|M8[s]"`: "want < (little-endian)",
		`"<M8[s"`: "unknown", `">bfloat16"`: "unknown", `"float8_e4m3fn"`: "infinities", `"<f16"`: "float64", `"<c32"`: "complex128", `"|a5"`: "|S5",
		`[]`: "no fields", `[["a"]]`: "want [name, type]", `[["a","<f4"],["a","<f4"]]`: "twice", `[["a","<f4",[0]]]`: "extents",
		`[["a","<f4",[1000000]]]`: "extents", `[["a","|V1048576"],["b","|u1"]]`: "more than 1048576 bytes", `[[["t","a"],"<f4"]]`: "name",
		`"|b2"`: `a bool is "|b1", an integer of 2 bytes "<i2"`, `"<M8[2]"`: `"<M8[10us]": [2]`, `"<m8[s]]"`: `"<m8[s]"`,
		`[["a","|O"]]`: `field 0: "a": fields have a fixed size`, `[["\ud800","<f4"]]`: "surrogate", `[["x",[["y","|O"]]]]`: "fixed size",
	} {
		if got, _, err := r.ParseV2(json.RawMessage(text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
	}
}

// The hint for an unknown name is a type that may have been meant.
func TestHints(t *testing.T) {
	for name, want := range map[string]string{
		"U4": `{"name":"fixed_length_utf32","configuration":{"length_bytes":16}}`, "<U4": "fixed_length_utf32", "u4": `"uint32"`, "S4": "null_terminated_bytes",
		"M8[s]": "numpy.datetime64", "m8[s]": "numpy.timedelta64", "timedelta64[D]": "numpy.timedelta64",
		"datetime64[ns]":        `{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`,
		"complex_float8_e4m3fn": `not registered: its parts have no infinities`,
		"float31":               `did you mean "float32"?`, "strng": `did you mean "string"?`, "bfloat": `did you mean "bfloat16"?`, "in8": `did you mean "int8"?`,
		"int24": "", "int128": "", "uint1": "", "float80": "", "float6": "", "bits": "", "zzz": "", "float8_e4m2": "",
	} {
		text := strconv.Quote(name)
		_, err := Standard().ParseV3(json.RawMessage(text))
		_, hint, _ := strings.Cut(err.Error(), text)
		if !strings.Contains(hint, want) || want == "" && strings.Contains(hint, "did you mean") {
			t.Errorf("%s: hint %q, want %q", name, hint, want)
		}
	}
	if _, err := (&Registry{}).ParseV3([]byte(`"double"`)); err == nil || strings.Contains(err.Error(), "float64") {
		t.Errorf("an empty registry suggests a type: %v", err)
	}
}

// must returns t and panics on an error.
func must[T Type](t T, err error) Type {
	if err != nil {
		panic(err)
	}
	return t
}

// Objects are distinguished by their filter.
func TestObjects(t *testing.T) {
	r := Standard()
	for filter, want := range map[string]Type{"vlen-utf8": StringType, "vlen-bytes": BytesType} {
		got, order, err := r.ParseV2([]byte(`"|O"`), filter)
		if err != nil || got != want || order != NoOrder {
			t.Errorf("%s: %v, %v (%v)", filter, got, order, err)
		}
		if text, err := want.V2(Little); err != nil || string(text) != `"|O"` || want.(Object).V2Filter() != filter || want.Size() != 0 {
			t.Errorf("%s: written as %s (%v)", filter, text, err)
		}
	}
	for _, filter := range []string{"pickle", "json2", "msgpack2", "vlen-array", ""} {
		if _, _, err := r.ParseV2([]byte(`"|O"`), filter); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "vlen-utf8 (string)") {
			t.Errorf("%q: %v", filter, err)
		}
	}
}

// The error about a type without a name in one of the formats says what to use in that
// format.
func TestUnsayable(t *testing.T) {
	sub, _, err := Standard().ParseV2([]byte(`[["a","<f4"],["z",">i2",[2,3]]]`), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sub.V3(); err == nil || !strings.Contains(err.Error(), "raw_bytes with length_bytes 12") || !strings.Contains(err.Error(), `field "z"`) {
		t.Errorf("a field of several elements in v3: %v", err)
	}
	for _, typ := range []Type{Int2, Float8E4M3, ComplexFloat16, must(Struct(Field{Name: "x", Type: Uint4}))} {
		if text, err := typ.V2(Little); err == nil || !strings.Contains(err.Error(), "choose a wider core type") {
			t.Errorf("%s in v2: %s, %v", typ.Name(), text, err)
		}
	}
	if text, err := must(Datetime64("generic", 2)).V2(Little); err == nil {
		t.Errorf("multiples of the generic unit in v2: %s", text)
	}
	if text, err := BFloat16.V2(Big); err == nil {
		t.Errorf("a big-endian bfloat16 in v2: %s", text)
	}
	for _, name := range []string{"int4", "bfloat16", "float8_e5m2"} {
		typ, order, err := Standard().ParseV2([]byte(`"`+name+`"`), "")
		if err != nil || typ.Name() != name || (order == Little) != (name == "bfloat16") {
			t.Errorf("%s in v2: %v, %v (%v)", name, typ, order, err)
		}
	}
}

// Types may be nested, but not so deeply that reading their JSON would exhaust the
// stack.
func TestDepth(t *testing.T) {
	v3 := strings.Repeat(`{"name":"struct","configuration":{"fields":[{"name":"x","data_type":`, 20) + `"int8"` + strings.Repeat(`}]}}`, 20)
	v2 := strings.Repeat(`[["x",`, 20) + `"|i1"` + strings.Repeat(`]]`, 20)
	r := Standard()
	if typ, err := r.ParseV3([]byte(v3)); err != nil || typ.Size() != 1 {
		t.Errorf("20 structs in each other: %v", err)
	}
	if typ, _, err := r.ParseV2([]byte(v2), ""); err != nil || typ.Size() != 1 {
		t.Errorf("20 records in each other: %v", err)
	}
	if _, err := r.ParseV3([]byte(strings.Repeat(v3[:len(v3)/2], 50))); err == nil || !strings.Contains(err.Error(), "too deeply") {
		t.Errorf("deep v3: %v", err)
	}
	if _, _, err := r.ParseV2([]byte(strings.Repeat("[", 1000)), ""); err == nil || !strings.Contains(err.Error(), "too deeply") {
		t.Errorf("deep v2: %v", err)
	}
}
