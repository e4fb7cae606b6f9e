package dtype

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// scalar is a value in memory, made from the bits of its words.
func scalar(t Type, words ...uint64) Scalar {
	s := make(Scalar, t.Size())
	width := t.Size() / len(words)
	for i, w := range words {
		putBits(s[i*width:(i+1)*width], w)
	}
	return s
}

func TestScalars(t *testing.T) {
	both := []Format{V2, V3}
	v3 := []Format{V3}
	for _, c := range []struct {
		typ     Type
		formats []Format
		text    string
		want    Scalar
		again   string // as it is written; "": the same
	}{
		{BoolType, both, "true", Scalar{1}, ""},
		{BoolType, both, " false\n", Scalar{0}, "false"},
		{BoolType, []Format{V2}, "0", Scalar{0}, "false"},
		{BoolType, []Format{V2}, "1", Scalar{1}, "true"},
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
		{Float16, both, "1.5", scalar(Float16, 0x3e00), ""},
		{Float16, both, "65504", scalar(Float16, 0x7bff), "65504.0"},
		{Float16, both, "65519.999", scalar(Float16, 0x7bff), "65504.0"},
		{Float16, both, "5.960464477539063e-08", scalar(Float16, 1), ""},
		{Float16, v3, `"0x7e00"`, scalar(Float16, 0x7e00), `"NaN"`},
		{Float16, v3, `"0xfe01"`, scalar(Float16, 0xfe01), ""},
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
		{Float32, v3, `"0x7fc00001"`, scalar(Float32, 0x7fc00001), ""},
		{Float32, v3, `"0xFFC00000"`, scalar(Float32, 0xffc00000), `"0xffc00000"`},
		{Float32, v3, `"0x7fa00000"`, scalar(Float32, 0x7fa00000), ""}, // signalling
		{Float32, v3, `"0x3f800000"`, scalar(Float32, 0x3f800000), "1.0"},
		{Float64, both, "0.1", scalar(Float64, 0x3fb999999999999a), ""},
		{Float64, both, "5e-324", scalar(Float64, 1), ""},
		{Float64, both, "1e+16", scalar(Float64, math.Float64bits(1e16)), ""},
		{Float64, both, "123456789012345.0", scalar(Float64, math.Float64bits(123456789012345)), ""},
		{Float64, both, "9.969209968386869e+36", scalar(Float64, math.Float64bits(9.969209968386869e+36)), ""},
		{Float64, v3, `"0x7ff8000000000001"`, scalar(Float64, 0x7ff8000000000001), ""},
		{Complex64, both, `[1.0,-2.0]`, scalar(Complex64, 0x3f800000, 0xc0000000), ""},
		{Complex64, both, `["NaN",-0.0]`, scalar(Complex64, 0x7fc00000, 1<<31), ""},
		{Complex128, both, `[ 0 , "-Infinity" ]`, scalar(Complex128, 0, 0xfff0000000000000), `[0.0,"-Infinity"]`},
		{Complex128, v3, `["0xfff8000000000000",1.5]`, scalar(Complex128, 0xfff8000000000000, 0x3ff8000000000000), ""},
		{RawBits(2), v3, "[1,255]", Scalar{1, 255}, ""},
		{RawBits(2), []Format{V2}, `"Af8="`, Scalar{1, 255}, ""},
		{RawBytes(2), both, `"Af8="`, Scalar{1, 255}, ""},
		{RawBytes(2), both, "[1, 255]", Scalar{1, 255}, `"Af8="`},
		{NullTerminated(3), both, `"YWI="`, Scalar("ab\x00"), ""},
		{NullTerminated(3), both, `""`, Scalar("\x00\x00\x00"), ""},
		{NullTerminated(3), both, `"YWIA"`, Scalar("ab\x00"), `"YWI="`},
		{Int2, v3, "-2", Scalar{0xfe}, ""},
		{Int4, both, "-8", Scalar{0xf8}, ""},
		{Uint2, v3, "3", Scalar{3}, ""},
		{Uint4, v3, "15", Scalar{15}, ""},
		{BFloat16, both, "0.1", scalar(BFloat16, 0x3dcd), "0.10009765625"},
		{BFloat16, both, `"NaN"`, scalar(BFloat16, 0x7fc0), ""},
		{BFloat16, v3, `"0xffc1"`, scalar(BFloat16, 0xffc1), ""},
		{BFloat16, both, `"-Infinity"`, scalar(BFloat16, 0xff80), ""},
		{Float8E4M3, v3, `"NaN"`, Scalar{0x7c}, ""},
		{Float8E4M3, v3, `"0x7d"`, Scalar{0x7d}, ""},
		{Float8E4M3, v3, `"Infinity"`, Scalar{0x78}, ""},
		{Float8E3M4, v3, `"NaN"`, Scalar{0x78}, ""},
		{Float8E5M2, both, `"NaN"`, Scalar{0x7e}, ""},
		{Float8E5M2FNUZ, both, `"NaN"`, Scalar{0x80}, ""},
		{Float8E5M2FNUZ, both, "-0.0", Scalar{0}, "0.0"},
		{Float8E4M3FNUZ, v3, `"0x80"`, Scalar{0x80}, `"NaN"`},
		{Float8E8M0FNU, v3, "1", Scalar{0x7f}, "1.0"},
		{Float8E8M0FNU, v3, `"NaN"`, Scalar{0xff}, ""},
		{Float6E2M3FN, v3, "7.5", Scalar{0x1f}, ""},
		{Float6E3M2FN, v3, "-28.0", Scalar{0x3f}, ""},
		{Float4E2M1FN, v3, `"0x0f"`, Scalar{0x0f}, "-6.0"},
		{ComplexFloat16, v3, `[1.5,"NaN"]`, scalar(ComplexFloat16, 0x3e00, 0x7e00), ""},
		{ComplexFloat8E5M2, v3, `["Infinity",-0.0]`, Scalar{0x7c, 0x80}, ""},
		{must(Datetime64("s", 1)), both, `"NaT"`, scalar(Int64, 1<<63), "-9223372036854775808"},
		{must(Datetime64("s", 1)), both, "-1", scalar(Int64, math.MaxUint64), ""},
		{must(Timedelta64("ns", 25)), both, "9223372036854775807", scalar(Int64, 1<<63-1), ""},
		{StringType, both, `""`, Scalar{}, ""},
		{StringType, both, `"héllo \"w\" \\ \u0000\u001f 𝄞"`, Scalar("héllo \"w\" \\ \x00\x1f 𝄞"), ""},
		{StringType, both, `"\ud834\udd1e\/\n"`, Scalar("𝄞/\n"), `"𝄞/\u000a"`},
		{StringType, []Format{V2}, "0", Scalar{}, `""`},
		{BytesType, both, `""`, Scalar{}, ""},
		{BytesType, both, `"AP8="`, Scalar{0, 255}, ""},
		{BytesType, both, `[0,255]`, Scalar{0, 255}, `"AP8="`},
		{FixedUTF32(3), both, `"a𝄞"`, scalar(FixedUTF32(3), 'a', '𝄞', 0), ""},
		{FixedUTF32(2), both, `"a\ud800"`, scalar(FixedUTF32(2), 'a', 0xd800), ""},
		{FixedUTF32(3), both, `"\u0000b"`, scalar(FixedUTF32(3), 0, 'b', 0), ""},
	} {
		for _, format := range c.formats {
			got, err := c.typ.ParseScalar(format, json.RawMessage(c.text))
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s v%d %s: % x (%v), want % x", c.typ.Name(), format, c.text, got, err, c.want)
				continue
			}
			want := c.again
			if want == "" {
				want = c.text
			}
			if again := c.typ.FormatScalar(format, got); string(again) != want {
				t.Errorf("%s v%d: written as %s, want %s", c.typ.Name(), format, again, want)
			}
		}
	}
	if got := Float32.FormatScalar(V2, scalar(Float32, 0x7fc00001)); string(got) != `"NaN"` {
		t.Errorf("a NaN with a payload in v2: %s", got)
	}
}

func TestScalarRefusals(t *testing.T) {
	for _, c := range []struct {
		typ        Type
		format     Format
		text, want string
	}{
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
		{RawBits(2), V3, `"Af8="`, "array of byte values"},
		{RawBits(2), V3, "[1]", "1 bytes, want 2"},
		{RawBits(2), V3, "[1,256]", "array of byte values"},
		{RawBits(2), V3, "[1,null]", "entry 1 is null"},
		{RawBits(2), V3, "null", "array of byte values"},
		{RawBytes(2), V3, `"Af8"`, "base64"},
		{RawBytes(2), V3, `"Afn/"`, "3 bytes, want 2"},
		{RawBytes(2), V3, `5`, "base64"},
		{RawBytes(1), V3, `"AB=="`, "base64"}, // bits that mean nothing
		{NullTerminated(2), V3, `"YWJj"`, "3 bytes, want 2"},
		{Int2, V3, "2", "-2 to 1"},
		{Int4, V3, "-9", "-8 to 7"},
		{Uint4, V3, "16", "0 to 15"},
		{Uint2, V3, "-1", "0 to 3"},
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
	} {
		s, err := c.typ.ParseScalar(c.format, json.RawMessage(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.typ.Name()) {
			t.Errorf("%s %s: % x, %v, want %q", c.typ.Name(), c.text, s, err, c.want)
		}
	}
	if _, err := Int8.ParseScalar(V3, []byte("300")); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("%v is not ErrOutOfRange", err)
	}
	if _, err := Float32.ParseScalar(V3, []byte(strings.Repeat("é", 1000))); err == nil || len(err.Error()) > 300 {
		t.Errorf("a long value makes a long message: %v", err)
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

// Decimals near the middle between two float16 values are rounded once, not by
// way of float64.
func TestHalfRoundsOnce(t *testing.T) {
	for text, want := range map[string]string{
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
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
	if _, err := Float16.ParseScalar(V3, json.RawMessage("65520")); err == nil {
		t.Error("65520 rounds to infinity and was accepted")
	}
}
