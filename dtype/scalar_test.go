package dtype

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// scalar returns the value with the given bits in its words.
func scalar(t Type, words ...uint64) Scalar {
	s := make(Scalar, t.Size())
	width := t.Size() / len(words)
	for i, w := range words {
		putBits(s[i*width:(i+1)*width], w)
	}
	return s
}

// The formats of a spelling.
var (
	both   = []Format{V2, V3}
	onlyV2 = []Format{V2}
	onlyV3 = []Format{V3}
)

// spelled is a scalar and its spelling.
type spelled struct {
	typ     Type
	formats []Format
	text    string
	want    Scalar
	again   string // how it is written; "": as it is spelled
}

func (c spelled) check(t *testing.T) {
	t.Helper()
	for _, format := range c.formats {
		got, err := c.typ.ParseScalar(format, json.RawMessage(c.text))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s v%d %s: % x (%v), want % x", c.typ.Name(), format, c.text, got, err, c.want)
			continue
		}
		if again := c.typ.FormatScalar(format, got); string(again) != cmp.Or(c.again, c.text) {
			t.Errorf("%s v%d: %s is written as %s, want %s", c.typ.Name(), format, c.text, again, cmp.Or(c.again, c.text))
		}
	}
}

func TestIntegers(t *testing.T) {
	for _, c := range []spelled{
		{BoolType, both, "true", Scalar{1}, ""},
		{BoolType, both, " false\n", Scalar{0}, "false"},
		{BoolType, onlyV2, "0", Scalar{0}, "false"},
		{BoolType, onlyV2, "1", Scalar{1}, "true"},
		{Int8, both, "-128", Scalar{0x80}, ""},
		{Int8, both, "127", Scalar{0x7f}, ""},
		{Int16, both, "-32768", scalar(Int16, 0x8000), ""},
		{Int32, both, "2147483647", scalar(Int32, 0x7fffffff), ""},
		{Int64, both, "-9223372036854775808", scalar(Int64, 1<<63), ""},
		{Int64, both, "9223372036854775807", scalar(Int64, 1<<63-1), ""},
		{Int64, both, "9007199254740993", scalar(Int64, 1<<53+1), ""},
		{Int64, both, "-0", scalar(Int64, 0), "0"},
		{Uint8, both, "255", Scalar{255}, ""},
		{Uint16, both, "65535", scalar(Uint16, 65535), ""},
		{Uint32, both, "4294967295", scalar(Uint32, 1<<32-1), ""},
		{Uint64, both, "18446744073709551615", scalar(Uint64, math.MaxUint64), ""},
		{Uint64, both, "-0", scalar(Uint64, 0), "0"},
		{Int2, onlyV3, "-2", Scalar{0xfe}, ""},
		{Int4, both, "-8", Scalar{0xf8}, ""},
		{Uint2, onlyV3, "3", Scalar{3}, ""},
		{Uint4, onlyV3, "15", Scalar{15}, ""},
		{BoolType, onlyV2, "0.0", Scalar{0}, "false"},
		{BoolType, onlyV2, "-0", Scalar{0}, "false"},
		{BoolType, onlyV2, "1.0", Scalar{1}, "true"},
		{Int8, onlyV2, "0.0", Scalar{0}, "0"},
		{Int16, onlyV2, "-9999.0", scalar(Int16, 0xd8f1), "-9999"},
		{Int32, onlyV2, "1e3", scalar(Int32, 1000), "1000"},
		{Int32, onlyV2, "1.5E+1", scalar(Int32, 15), "15"},
		{Int32, onlyV2, "120e-1", scalar(Int32, 12), "12"},
		{Int32, onlyV2, "true", scalar(Int32, 1), "1"},
		{Int32, onlyV2, `"-5"`, scalar(Int32, 0xfffffffb), "-5"},
		{Uint16, onlyV2, `"0"`, scalar(Uint16, 0), "0"},
		{Uint8, onlyV2, "false", Scalar{0}, "0"},
		{Uint8, onlyV2, "-0.0", Scalar{0}, "0"},
		{Uint8, onlyV2, "2.55e2", Scalar{255}, "255"},
		{Uint8, onlyV2, "0e99999999999999999999", Scalar{0}, "0"},
		{Int64, onlyV2, "9007199254740993.0", scalar(Int64, 1<<53+1), "9007199254740993"},
		{Int64, onlyV2, "-9223372036854775.808e3", scalar(Int64, 1<<63), "-9223372036854775808"},
		{Uint64, onlyV2, "1844674407370955161.50e1", scalar(Uint64, math.MaxUint64), "18446744073709551615"},
	} {
		c.check(t)
	}
}

func TestFloats(t *testing.T) {
	for _, c := range []spelled{
		{Float16, both, "1.5", scalar(Float16, 0x3e00), ""},
		{Float32, onlyV2, `"0"`, scalar(Float32, 0), "0.0"},
		{Float16, onlyV2, `"1.5"`, scalar(Float16, 0x3e00), "1.5"},
		{Float16, both, "65504", scalar(Float16, 0x7bff), "65504.0"},
		{Float16, both, "65519.999", scalar(Float16, 0x7bff), "65504.0"},
		{Float16, both, "5.960464477539063e-08", scalar(Float16, 1), ""},
		{Float16, onlyV3, `"0x7e00"`, scalar(Float16, 0x7e00), `"NaN"`},
		{Float16, onlyV3, `"0xfe01"`, scalar(Float16, 0xfe01), ""},
		{Float32, both, `"NaN"`, scalar(Float32, 0x7fc00000), ""},
		{Float32, both, `"Infinity"`, scalar(Float32, 0x7f800000), ""},
		{Float32, both, `"-Infinity"`, scalar(Float32, 0xff800000), ""},
		{Float32, both, "-0.0", scalar(Float32, 1<<31), ""},
		{Float32, both, "-0", scalar(Float32, 1<<31), "-0.0"},
		{Float32, both, "0", scalar(Float32, 0), "0.0"},
		{Float32, both, "0.1", scalar(Float32, 0x3dcccccd), "0.10000000149011612"},
		{Float32, both, "1e-45", scalar(Float32, 1), "1.401298464324817e-45"},
		{Float32, both, "1e-60", scalar(Float32, 0), "0.0"},
		{Float32, both, "3.4028234663852886e+38", scalar(Float32, 0x7f7fffff), ""},
		{Float32, onlyV3, `"0x7fc00001"`, scalar(Float32, 0x7fc00001), ""},
		{Float32, onlyV3, `"0xFFC00000"`, scalar(Float32, 0xffc00000), `"0xffc00000"`},
		{Float32, onlyV3, `"0x7fa00000"`, scalar(Float32, 0x7fa00000), ""}, // signalling
		{Float32, onlyV3, `"0x3f800000"`, scalar(Float32, 0x3f800000), "1.0"},
		{Float64, both, "0.1", scalar(Float64, 0x3fb999999999999a), ""},
		{Float64, both, "5e-324", scalar(Float64, 1), ""},
		{Float64, both, "1e+16", scalar(Float64, math.Float64bits(1e16)), ""},
		{Float64, both, "123456789012345.0", scalar(Float64, math.Float64bits(123456789012345)), ""},
		{Float64, both, "9.969209968386869e+36", scalar(Float64, math.Float64bits(9.969209968386869e+36)), ""},
		{Float64, onlyV3, `"0x7ff8000000000001"`, scalar(Float64, 0x7ff8000000000001), ""},
		{Complex64, both, `[1.0,-2.0]`, scalar(Complex64, 0x3f800000, 0xc0000000), ""},
		{Complex64, both, `["NaN",-0.0]`, scalar(Complex64, 0x7fc00000, 1<<31), ""},
		{Complex128, both, `[ 0 , "-Infinity" ]`, scalar(Complex128, 0, 0xfff0000000000000), `[0.0,"-Infinity"]`},
		{Complex128, onlyV3, `["0xfff8000000000000",1.5]`, scalar(Complex128, 0xfff8000000000000, 0x3ff8000000000000), ""},
		{BFloat16, both, "0.1", scalar(BFloat16, 0x3dcd), "0.10009765625"},
		{BFloat16, both, `"NaN"`, scalar(BFloat16, 0x7fc0), ""},
		{BFloat16, onlyV3, `"0xffc1"`, scalar(BFloat16, 0xffc1), ""},
		{BFloat16, both, `"-Infinity"`, scalar(BFloat16, 0xff80), ""},
		{Float8E4M3, onlyV3, `"NaN"`, Scalar{0x7c}, ""},
		{Float8E4M3, onlyV3, `"0x7d"`, Scalar{0x7d}, ""},
		{Float8E4M3, onlyV3, `"Infinity"`, Scalar{0x78}, ""},
		{Float8E3M4, onlyV3, `"NaN"`, Scalar{0x78}, ""},
		{Float8E5M2, both, `"NaN"`, Scalar{0x7e}, ""},
		{Float8E5M2FNUZ, both, `"NaN"`, Scalar{0x80}, ""},
		{Float8E5M2FNUZ, both, "-0.0", Scalar{0}, "0.0"},
		{Float8E4M3FNUZ, onlyV3, `"0x80"`, Scalar{0x80}, `"NaN"`},
		{Float8E8M0FNU, onlyV3, "1", Scalar{0x7f}, "1.0"},
		{Float8E8M0FNU, onlyV3, `"NaN"`, Scalar{0xff}, ""},
		{Float6E2M3FN, onlyV3, "7.5", Scalar{0x1f}, ""},
		{Float6E3M2FN, onlyV3, "-28.0", Scalar{0x3f}, ""},
		{Float4E2M1FN, onlyV3, `"0x0f"`, Scalar{0x0f}, "-6.0"},
		{ComplexFloat16, onlyV3, `[1.5,"NaN"]`, scalar(ComplexFloat16, 0x3e00, 0x7e00), ""},
		{ComplexFloat8E5M2, onlyV3, `["Infinity",-0.0]`, Scalar{0x7c, 0x80}, ""},
		{Complex64, onlyV2, "0", make(Scalar, 8), "[0.0,0.0]"},
		{ComplexFloat8E5M2, onlyV2, "0.0", make(Scalar, 2), "[0.0,0.0]"},
	} {
		c.check(t)
	}
	if got := Float32.FormatScalar(V2, scalar(Float32, 0x7fc00001)); string(got) != `"NaN"` {
		t.Errorf("a NaN with a payload in v2: %s", got)
	}
}

func TestTextAndBytes(t *testing.T) {
	for _, c := range []spelled{
		{RawBits(2), onlyV3, "[1,255]", Scalar{1, 255}, ""},
		{RawBits(2), onlyV2, `"Af8="`, Scalar{1, 255}, ""},
		{RawBytes(2), both, `"Af8="`, Scalar{1, 255}, ""},
		{RawBytes(2), both, "[1, 255]", Scalar{1, 255}, `"Af8="`},
		{NullTerminated(3), both, `"YWI="`, Scalar("ab\x00"), ""},
		{NullTerminated(3), both, `""`, Scalar("\x00\x00\x00"), ""},
		{NullTerminated(3), both, `"YWIA"`, Scalar("ab\x00"), `"YWI="`},
		{must(Datetime64("s", 1)), both, `"NaT"`, scalar(Int64, 1<<63), "-9223372036854775808"},
		{must(Datetime64("s", 1)), both, "-1", scalar(Int64, math.MaxUint64), ""},
		{must(Timedelta64("ns", 25)), both, "9223372036854775807", scalar(Int64, 1<<63-1), ""},
		{StringType, both, `""`, Scalar{}, ""},
		{StringType, both, `"héllo \"w\" \\ \u0000\u001f 𝄞"`, Scalar("héllo \"w\" \\ \x00\x1f 𝄞"), ""},
		{StringType, both, `"\ud834\udd1e\/\n"`, Scalar("𝄞/\n"), `"𝄞/\u000a"`},
		{StringType, onlyV2, "0", Scalar("0"), `"0"`},
		{StringType, onlyV2, "-0", Scalar("0"), `"0"`},
		{StringType, onlyV2, "-123456789012345678901", Scalar("-123456789012345678901"), `"-123456789012345678901"`},
		{BytesType, both, `""`, Scalar{}, ""},
		{BytesType, both, `"AP8="`, Scalar{0, 255}, ""},
		{BytesType, both, `[0,255]`, Scalar{0, 255}, `"AP8="`},
		{FixedUTF32(3), both, `"a𝄞"`, scalar(FixedUTF32(3), 'a', '𝄞', 0), ""},
		{FixedUTF32(2), both, `"a\ud800"`, scalar(FixedUTF32(2), 'a', 0xd800), ""},
		{FixedUTF32(3), both, `"\u0000b"`, scalar(FixedUTF32(3), 0, 'b', 0), ""},
		// Older stores of Zarr v2 fill everything with 0, and void with "".
		{RawBits(2), onlyV2, "0", Scalar{0, 0}, `"AAA="`},
		{RawBits(2), onlyV2, `""`, Scalar{0, 0}, `"AAA="`},
		{RawBytes(2), onlyV2, "0.0", Scalar{0, 0}, `"AAA="`},
		{RawBytes(2), onlyV2, `""`, Scalar{0, 0}, `"AAA="`},
		{NullTerminated(2), onlyV2, "0", Scalar{0, 0}, `""`},
		{FixedUTF32(1), onlyV2, "0", make(Scalar, 4), `""`},
		{must(Struct(Field{Name: "x", Type: Int16})), onlyV2, "0", Scalar{0, 0}, `"AAA="`},
		{BytesType, onlyV2, "0", Scalar{}, `""`},
	} {
		c.check(t)
	}
}

// refused is a text that spells no scalar.
type refused struct {
	typ        Type
	format     Format
	text, want string
}

func (c refused) check(t *testing.T) {
	t.Helper()
	s, err := c.typ.ParseScalar(c.format, json.RawMessage(c.text))
	if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.typ.Name()) {
		t.Errorf("%s v%d %s: % x, %v, want %q", c.typ.Name(), c.format, c.text, s, err, c.want)
	}
}

func TestIntegerRefusals(t *testing.T) {
	for _, c := range []refused{
		{BoolType, V3, "0", "want true or false"},
		{BoolType, V3, "1", "1 is not a bool value"},
		{BoolType, V2, "2", "want true or false"},
		{BoolType, V2, `"true"`, "want true or false"},
		{Int8, V3, "128", "out of range: want -128 to 127"},
		{Int8, V3, "-129", "out of range: want -128 to 127"},
		{Int64, V3, "9223372036854775808", "-9223372036854775808 to 9223372036854775807"},
		{Uint8, V3, "256", "0 to 255"},
		{Uint8, V3, "-1", "0 to 255"},
		{Uint64, V3, "18446744073709551616", "0 to 18446744073709551615"},
		{Int32, V3, "1.0", "without fraction"},
		{Int32, V3, "1e3", "without fraction"},
		{Int32, V3, `"5"`, "without fraction"},
		{Int32, V3, "05", "without fraction"},
		{Int32, V3, "null", "without fraction"},
		{Int32, V3, "", "no value"},
		{Int2, V3, "2", "-2 to 1"},
		{Int4, V3, "-9", "-8 to 7"},
		{Uint4, V3, "16", "0 to 15"},
		{Uint2, V3, "-1", "0 to 3"},
		{BoolType, V3, "1.0", "want true or false"},
		{BoolType, V2, "2.0", "want true or false"},
		{BoolType, V2, "-1", "want true or false"},
		{Int32, V3, "0.0", "without fraction"},
		{Int32, V3, "true", "without fraction"},
		{Int32, V2, "0.5", "want an integer"},
		{Int32, V2, "15e-1", "want an integer"},
		{Int32, V2, "1e-99999999999999999999", "want an integer"},
		{Int32, V2, `"0.5"`, "want an integer"},
		{Int32, V2, `""`, "want an integer"},
		{Int32, V2, `" 5"`, "want an integer"},
		{Int32, V2, `"5`, "want an integer"},
		{BoolType, V2, `"1"`, "want true or false"},
		{Int32, V2, `"true"`, "want an integer"},
		{Int32, V2, "1e10", "out of range"},
		{Int64, V2, "1e99999999999999999999", "out of range"},
		{Uint8, V2, "256.0", "0 to 255"},
		{Uint8, V2, "-1.0", "0 to 255"},
	} {
		c.check(t)
	}
	if _, err := Int8.ParseScalar(V3, []byte("300")); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("%v is not ErrOutOfRange", err)
	}
	if _, err := Float32.ParseScalar(V3, []byte(strings.Repeat("é", 1000))); err == nil || len(err.Error()) > 300 {
		t.Errorf("a long value makes a long message: %v", err)
	}
}

func TestFloatRefusals(t *testing.T) {
	for _, c := range []refused{
		{Float16, V3, "65520", "no value near"},
		{Float16, V3, "-1e400", "no value near"},
		{Float32, V3, "3.5e38", "no value near"},
		{Float64, V3, "1e400", "no value near"},
		{Float32, V3, `"nan"`, `"NaN"`},
		{Float32, V3, `"+Infinity"`, `"Infinity"`},
		{Float32, V3, `"0x7fc0000"`, "8 hex digits"},
		{Float32, V3, `"0x7fc000000"`, "8 hex digits"},
		{Float32, V3, `"0x+fc00000"`, "8 hex digits"},
		{Float32, V2, `"0x7fc00000"`, "want a number"},
		{Float32, V3, "null", "want a number"},
		{Float32, V3, "true", "want a number"},
		{Float32, V3, "[1]", "want a number"},
		{Float32, V3, "1 2", "want a number"},
		{Complex64, V3, "1.0", "[real, imaginary]"},
		{Complex64, V3, "[1]", "[real, imaginary]"},
		{Complex64, V3, "[1,2,3]", "[real, imaginary]"},
		{Complex64, V3, `[1,"x"]`, "imaginary part"},
		{Complex64, V3, "[null,1]", "real part"},
		{BFloat16, V3, "3.4e38", "no value near"},
		{Float8E4M3, V3, "248", "no value near"},
		{Float8E4M3FNUZ, V3, `"Infinity"`, "no such value"},
		{Float8E8M0FNU, V3, "0", "no value near"},
		{Float8E8M0FNU, V3, "-1", "no value near"},
		{Float8E8M0FNU, V3, `"-Infinity"`, "no such value"},
		{Float4E2M1FN, V3, `"NaN"`, "no such value"},
		{Float4E2M1FN, V3, "8", "no value near"},
		{Float4E2M1FN, V3, `"0x10"`, "for 4 bits"},
		{Float6E2M3FN, V3, `"0x40"`, "for 6 bits"},
		{Complex64, V3, "0", "[real, imaginary]"},
		{Complex64, V2, "1", "[real, imaginary]"},
	} {
		c.check(t)
	}
}

func TestTextAndBytesRefusals(t *testing.T) {
	for _, c := range []refused{
		{RawBits(2), V3, `"Af8="`, "array of byte values"},
		{RawBits(2), V3, "[1]", "1 bytes, want 2"},
		{RawBits(2), V3, "[1,256]", "array of byte values"},
		{RawBits(2), V3, "[1,null]", "entry 1 is null"},
		{RawBits(2), V3, "null", "array of byte values"},
		{RawBytes(2), V3, `"Af8"`, "base64"},
		{RawBytes(2), V3, `"Afn/"`, "3 bytes, want 2"},
		{RawBytes(2), V3, `5`, "base64"},
		{RawBytes(1), V3, `"AB=="`, "base64"}, // unused bits are not zero
		{NullTerminated(2), V3, `"YWJj"`, "3 bytes, want 2"},
		{must(Datetime64("s", 1)), V3, "1.5", "NaT"},
		{must(Datetime64("s", 1)), V3, `"nat"`, "NaT"},
		{must(Datetime64("s", 1)), V3, "9223372036854775808", "out of range"},
		{StringType, V3, "0", "want a string"},
		{StringType, V3, `"\ud800"`, "surrogate"},
		{StringType, V3, "\"\xff\"", "UTF-8"},
		{StringType, V3, `"a" "b"`, "want a string"},
		{BytesType, V3, "0", "base64"},
		{FixedUTF32(2), V3, `"abc"`, "3 code points, at most 2"},
		{FixedUTF32(2), V3, "null", "want a string"},
		{RawBytes(2), V3, "0", "base64"},
		{RawBytes(2), V3, `""`, "0 bytes, want 2"},
		{RawBytes(2), V2, "1", "base64"},
		{NullTerminated(3), V2, `"abc"`, `want base64, in which these bytes are "YWJj"`},
		{NullTerminated(3), V2, "-0.0", "base64"},
		{FixedUTF32(2), V3, "0", "want a string"},
	} {
		c.check(t)
	}
}

func TestHalfScalars(t *testing.T) {
	for bits := range uint64(1 << 16) {
		s := scalar(Float16, bits)
		text := Float16.FormatScalar(V3, s)
		again, err := Float16.ParseScalar(V3, text)
		if err != nil || !slices.Equal(s, again) {
			t.Fatalf("%#04x is written as %s, read as % x (%v)", bits, text, again, err)
		}
	}
}

// Decimals near the middle between two float16 values are rounded once, not through
// float64.
func TestHalfRoundsOnce(t *testing.T) {
	zeros := strings.Repeat("0", 1_000_000)
	for text, want := range map[string]string{
		"2049." + zeros:                           "2048.0",
		"2049." + zeros + "1":                     "2050.0",
		"-2049." + zeros + "1":                    "-2050.0",
		"2049" + zeros + "1e-1000001":             "2050.0",
		"2050.9" + strings.Repeat("9", 1_000_000): "2050.0",
		"2049":                      "2048.0",
		"2049.00000000000000000001": "2050.0",
		"2050.99999999999999999999": "2050.0",
		"2051":                      "2052.0",
		"-2049.0000000000000000001": "-2050.0",
		"2.98023223876953125e-8":    "0.0",
		"2.98023223876953126e-8":    "5.960464477539063e-08",
	} {
		s, err := Float16.ParseScalar(V3, json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Float16.FormatScalar(V3, s)); got != want {
			t.Errorf("%s becomes %s, want %s", clip([]byte(text)), got, want)
		}
	}
	million, err := Float64.ParseScalar(V3, json.RawMessage("1"+zeros+"1e-1000001"))
	if got := string(Float64.FormatScalar(V3, million)); err != nil || got != "1.0" {
		t.Errorf("1 in a million digits becomes %s (%v)", got, err)
	}
	if _, err := Float16.ParseScalar(V3, json.RawMessage("65520")); err == nil {
		t.Error("65520 rounds to infinity and was accepted")
	}
}
