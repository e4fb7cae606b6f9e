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
		{Float16, V3, "65520", "largest float16"},
		{Float16, V3, "-1e400", "largest float16"},
		{Float32, V3, "3.5e38", "largest float32"},
		{Float64, V3, "1e400", "largest float64"},
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

// TestHalfRounding goes through all halves, the points in the middle between
// neighbours, and the floats next to all of these.
func TestHalfRounding(t *testing.T) {
	value := func(h uint16) float64 { // by the definition of binary16
		e, m := int(h>>10), float64(h&0x3ff)
		if e == 0 {
			return m / (1 << 24)
		}
		return (1 + m/1024) * math.Pow(2, float64(e-15))
	}
	check := func(f float64, want uint16) {
		t.Helper()
		if got := halfFromFloat64(f); got != want {
			t.Fatalf("%v becomes %#04x, want %#04x", f, got, want)
		}
		if got := halfFromFloat64(-f); got != want|0x8000 {
			t.Fatalf("%v becomes %#04x, want %#04x", -f, got, want|0x8000)
		}
	}
	for h := range uint16(0x7c00) {
		f := value(h)
		if got := halfToFloat64(h); got != f {
			t.Fatalf("%#04x is %v, want %v", h, got, f)
		}
		if got := halfToFloat64(h | 0x8000); got != -f || !math.Signbit(got) {
			t.Fatalf("%#04x is %v, want %v", h|0x8000, got, -f)
		}
		check(f, h)
		if h > 0 {
			check(math.Nextafter(f, 0), h)
		}
		check(math.Nextafter(f, math.Inf(1)), h)
		next := 65536.0 // what would follow the largest half
		if h+1 < 0x7c00 {
			next = value(h + 1)
		}
		middle := (f + next) / 2
		check(math.Nextafter(middle, 0), h)
		check(middle, h+h&1)
		check(math.Nextafter(middle, math.Inf(1)), h+1)
	}
	check(math.Inf(1), 0x7c00)
	check(math.MaxFloat64, 0x7c00)
	check(math.SmallestNonzeroFloat64, 0)
	if got := halfFromFloat64(math.NaN()) & 0x7fff; got != 0x7e00 {
		t.Errorf("NaN becomes %#04x", got)
	}
	if !math.IsNaN(halfToFloat64(0x7c01)) || !math.IsInf(halfToFloat64(0xfc00), -1) {
		t.Error("NaN or infinity")
	}
}

func FuzzScalarJSON(f *testing.F) {
	for _, text := range []string{"true", "0", "-1", "1.5", "-0.0", "1e400", `"NaN"`, `"0x7fc00001"`, `[1,"-Infinity"]`, `"Af8="`, "[1,2]", "18446744073709551615", "null"} {
		f.Add([]byte(text), uint8(len(text)))
	}
	types := append(basics(), RawBits(2), RawBytes(2))
	f.Fuzz(func(t *testing.T, text []byte, pick uint8) {
		typ := types[int(pick)%len(types)]
		for _, format := range []Format{V2, V3} {
			s, err := typ.ParseScalar(format, text)
			if err != nil {
				continue
			}
			written := typ.FormatScalar(format, s)
			again, err := typ.ParseScalar(format, written)
			if err != nil || len(s) != typ.Size() || !slices.Equal(s, again) {
				t.Fatalf("%s v%d: %q is % x, written as %s, read as % x (%v)", typ.Name(), format, text, s, written, again, err)
			}
		}
	})
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
