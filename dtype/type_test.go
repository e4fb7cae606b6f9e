package dtype

import (
	"bytes"
	"slices"
	"testing"
	"unicode/utf8"
)

func TestPacking(t *testing.T) {
	for typ, want := range map[Type]Packing{
		BoolType:             {1, 1, false},
		Int2:                 {1, 2, true},
		Uint4:                {1, 4, false},
		Int8:                 {1, 8, true},
		Uint64:               {1, 64, false},
		Float4E2M1FN:         {1, 4, false},
		Float6E3M2FN:         {1, 6, false},
		BFloat16:             {1, 16, false},
		Float64:              {1, 64, false},
		Complex64:            {2, 32, false},
		ComplexFloat6E2M3FN:  {2, 6, false},
		ComplexFloat8E8M0FNU: {2, 8, false},
	} {
		if got := typ.(Packed).Packing(); got != want {
			t.Errorf("%s: %+v, want %+v", typ.Name(), got, want)
		}
	}
	for _, typ := range []Type{StringType, RawBits(2), FixedUTF32(1), must(Datetime64("s", 1)), must(Struct(Field{Name: "x", Type: Int4}))} {
		if p, ok := typ.(Packed); ok {
			t.Errorf("%s: %+v", typ.Name(), p.Packing())
		}
	}
}

func TestOpaque(t *testing.T) {
	for _, f := range Standard().Families() {
		want := f.Name == "r*" || f.Name == "raw_bytes"
		if got := Opaque(f.Example); got != want {
			t.Errorf("%s: %v", f.Name, got)
		}
	}
}

// Swapping reverses each word, in place and elsewhere. Swapping twice changes nothing.
func TestSwapInto(t *testing.T) {
	words := map[Type]int{
		Int16: 2, Uint32: 4, Float64: 8, BFloat16: 2, Complex64: 4, Complex128: 8, ComplexFloat16: 2, ComplexBFloat16: 2,
		FixedUTF32(3): 4, must(Datetime64("ns", 1)): 8, must(Timedelta64("D", 7)): 8,
	}
	for _, f := range Standard().Families() {
		if _, record := f.Example.(Record); record || words[f.Example] > 0 {
			continue
		}
		if o, ok := f.Example.(Ordered); ok {
			words[o] = o.Size()
			if p, ok := o.(Packed); ok {
				words[o] /= p.Packing().Components
			}
			if f.Name == "fixed_length_utf32" {
				words[o] = 4
			}
		}
	}
	for typ, word := range words {
		src := make([]byte, 5*typ.Size())
		for i := range src {
			src[i] = byte(i + 1)
		}
		want := slices.Clone(src)
		for w := range slices.Chunk(want, word) {
			slices.Reverse(w)
		}
		dst, before := make([]byte, len(src)), slices.Clone(src)
		typ.(Ordered).SwapInto(dst, src)
		if !bytes.Equal(dst, want) || !bytes.Equal(src, before) {
			t.Errorf("%s: % x, want % x", typ.Name(), dst, want)
		}
		if typ.(Ordered).SwapInto(dst, dst); !bytes.Equal(dst, before) {
			t.Errorf("%s: twice in place: % x, want % x", typ.Name(), dst, before)
		}
	}
}

// Text from outside is made valid UTF-8 in a message.
func TestClip(t *testing.T) {
	for _, text := range []string{"", "ab", "a\xffb", string(bytes.Repeat([]byte("é"), 40)), "x" + string(bytes.Repeat([]byte("é"), 40)), string(bytes.Repeat([]byte{0xff}, 90))} {
		if got := clip([]byte(text)); !utf8.ValidString(got) || len(got) > 70 {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := clip([]byte("a\xffb")); got != "a\uFFFDb" {
		t.Errorf("%q", got)
	}
}
