package pcodec

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDamaged cuts streams at every byte and flips each of their bits. The numbers may
// be wrong, because the format has no checksum.
func TestDamaged(t *testing.T) {
	tested := 0
	for i, g := range readGoldens(t) {
		if i%29 != 0 || g.Size > 500 || g.Count > 1000 {
			continue
		}
		tested++
		dst := make([]byte, g.Count*g.number().Size())
		for n := range g.stream {
			if err := DecodeInto(dst, g.stream[:n:n], g.number()); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s, the first %d bytes of %d: %v", g.Name, n, g.Size, err)
			}
		}
		if err := DecodeInto(dst, append(g.stream, 0), g.number()); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s with a byte more: %v", g.Name, err)
		}
		for n := range 8 * g.Size {
			damaged := slices.Clone(g.stream)
			damaged[n/8] ^= 1 << (n % 8)
			if err := DecodeInto(dst, damaged, g.number()); !known(err) {
				t.Errorf("%s, bit %d flipped: %v", g.Name, n, err)
			}
		}
	}
	if tested < 20 {
		t.Errorf("only %d streams", tested)
	}
}

// known reports whether a caller has to expect an error.
func known(err error) bool {
	return err == nil || errors.Is(err, ErrCorrupt) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrUnsupported)
}

// field is a value and its number of bits.
type field struct {
	value uint64
	bits  uint
}

// stream writes a stream of format version 4.1 with a chunk's type and count, and then
// fields. It fills the stream up with zeros to size bytes.
func stream(number Type, count, size int, fields ...field) []byte {
	fields = append([]field{
		{'p', 8}, {'c', 8}, {'o', 8}, {'!', 8}, {3, 8}, {uint64(number), 8}, {0, 8}, {4, 8}, {1, 8},
		{uint64(number), 8}, {uint64(count - 1), 24},
	}, fields...)
	data := make([]byte, size)
	pos := 0
	for _, f := range fields {
		for i := range f.bits {
			data[pos/8] |= byte(f.value>>i&1) << (pos % 8)
			pos++
		}
	}
	return data
}

// TestRefused decodes streams with one fault each.
func TestRefused(t *testing.T) {
	classic, plain := field{0, 4}, field{0, 4} // a mode, and a delta encoding
	for _, test := range []struct {
		name   string
		number Type
		src    []byte
		want   error
		text   string
	}{
		{"empty", Uint32, nil, ErrCorrupt, "does not begin"},
		{"magic", Uint32, []byte("pcodec"), ErrCorrupt, "does not begin"},
		{"standalone version", Uint32, []byte("pco!\x04\x00\x00\x04\x01\x00"), ErrUnsupported, "standalone version 4"},
		{"format version", Uint32, []byte("pco!\x03\x00\x00\x05\x00\x00"), ErrUnsupported, "format version 5"},
		{"uniform type", Uint32, []byte("pco!\x03\x0c\x00\x04\x01\x00"), ErrUnsupported, "number type 12"},
		{"type", Uint32, []byte("pco!\x03\x00\x00\x04\x01\x0c"), ErrUnsupported, "number type 12"},
		{"types", Uint32, []byte("pco!\x03\x01\x00\x04\x01\x02"), ErrCorrupt, "type uint64 in a stream of uint32"},
		{"other type", Uint64, stream(Uint32, 1, 30), ErrCorrupt, "type uint32, not uint64"},
		{"too many", Uint32, stream(Uint32, 1<<24, 30), ErrTooLarge, "16777216 numbers where 3 are left"},
		{"padding", Uint32, []byte("pco!\x02\xc0\x04\x01\x00"), ErrCorrupt, "padding"},
		{"GCD mode", Uint32, []byte("pco!\x00\x01\x00\x00\x00\x01"), ErrUnsupported, "GCD"},
		{"mode", Uint32, stream(Uint32, 3, 60, field{5, 4}), ErrUnsupported, "mode 5"},
		{"int mult of floats", Float32, stream(Float32, 3, 60, field{1, 4}, field{7, 32}), ErrCorrupt, "multiples of 7 for type float32"},
		{"int mult of 0", Uint32, stream(Uint32, 3, 60, field{1, 4}, field{0, 32}), ErrCorrupt, "multiples of 0"},
		{"float mult of integers", Int16, stream(Int16, 3, 60, field{2, 4}, field{9, 16}), ErrCorrupt, "for type int16"},
		{"float mult of 0", Float32, stream(Float32, 3, 60, field{2, 4}, field{1 << 31, 32}), ErrCorrupt, "bits 0x0"},
		{"float mult of infinity", Float16, stream(Float16, 3, 60, field{2, 4}, field{0xFC00, 16}), ErrCorrupt, "bits 0x7c00"},
		{"float mult of NaN", Float64, stream(Float64, 3, 60, field{2, 4}, field{0xFFF8 << 48, 64}), ErrCorrupt, "bits 0x7ff8"},
		{"float quant of integers", Int64, stream(Int64, 3, 60, field{3, 4}, field{3, 8}), ErrCorrupt, "for type int64"},
		{"float quant of 0 bits", Float32, stream(Float32, 3, 60, field{3, 4}, field{0, 8}), ErrCorrupt, "last 0 bits"},
		{"float quant of 24 bits", Float32, stream(Float32, 3, 60, field{3, 4}, field{24, 8}), ErrCorrupt, "last 24 bits"},
		{"dictionary", Float32, stream(Float32, 3, 60, field{4, 4}, field{1<<25 - 1, 25}), ErrCorrupt, "cut short"},
		{"index", Uint8, stream(Uint8, 3, 60, field{4, 4}, field{2, 25}, field{0, 3}, field{0x0101, 16}, plain,
			field{0, 4}, field{1, 15}, field{2, 32}, field{0, 6}), ErrCorrupt, "index 2 into a dictionary of 2"},
		{"delta encoding", Uint32, stream(Uint32, 3, 60, classic, field{4, 4}), ErrUnsupported, "delta encoding 4"},
		{"order", Uint32, stream(Uint32, 3, 60, classic, field{1, 4}, field{0, 3}), ErrCorrupt, "order 0"},
		{"window", Uint32, stream(Uint32, 3, 60, classic, field{2, 4}, field{24, 5}, field{0, 5}), ErrCorrupt, "window of 2^25"},
		{"window and state", Uint32, stream(Uint32, 3, 60, classic, field{2, 4}, field{3, 5}, field{5, 5}), ErrCorrupt, "window of 2^4 with 2^5"},
		{"lookback of 0", Uint8, stream(Uint8, 3, 60, classic, field{2, 4}, field{3, 5}, field{0, 5},
			field{0, 4}, field{1, 15}, field{0, 38}, field{0, 4}, field{1, 15}, field{0, 12}), ErrCorrupt, "lookback of 0"},
		{"lookback", Uint8, stream(Uint8, 3, 60, classic, field{2, 4}, field{3, 5}, field{0, 5},
			field{0, 4}, field{1, 15}, field{17, 38}, field{0, 4}, field{1, 15}, field{0, 12}), ErrCorrupt, "lookback of 17 in a window of 16"},
		{"convolution of 64 bits", Int64, stream(Int64, 3, 60, classic, field{3, 4}, field{0, 5}, field{1 << 63, 64},
			field{0, 5}, field{1 << 31, 32}), ErrCorrupt, "64-bit"},
		{"convolution's bias", Int8, stream(Int8, 3, 60, classic, field{3, 4}, field{0, 5}, field{1<<63 + 1<<15, 64},
			field{0, 5}, field{1 << 31, 32}), ErrCorrupt, "overflows"},
		{"convolution's weight", Int8, stream(Int8, 3, 60, classic, field{3, 4}, field{0, 5}, field{1 << 63, 64},
			field{0, 5}, field{1<<31 - 128, 32}), ErrCorrupt, "overflows"},
		{"convolution's shift", Int8, stream(Int8, 3, 60, classic, field{3, 4}, field{16, 5}, field{1 << 63, 64},
			field{0, 5}, field{1 << 31, 32}), ErrCorrupt, "overflows"},
		{"table", Uint32, stream(Uint32, 3, 60, classic, plain, field{15, 4}, field{2, 15}), ErrCorrupt, "2^15 states"},
		{"bins", Uint32, stream(Uint32, 3, 60, classic, plain, field{1, 4}, field{3, 15}), ErrCorrupt, "3 bins in a table of 2^1"},
		{"one bin", Uint32, stream(Uint32, 3, 60, classic, plain, field{1, 4}, field{1, 15}), ErrCorrupt, "1 bins in a table of 2^1"},
		{"many bins", Uint32, stream(Uint32, 3, 60, classic, plain, field{14, 4}, field{1 << 14, 15}), ErrCorrupt, "cut short"},
		{"no bins", Uint32, stream(Uint32, 3, 60, classic, plain), ErrCorrupt, "3 latents without a bin"},
		{"weights", Uint8, stream(Uint8, 3, 60, classic, plain, field{2, 4}, field{2, 15}), ErrCorrupt, "weight 2 in a table of 2^2"},
		{"offset width", Uint8, stream(Uint8, 3, 60, classic, plain, field{0, 4}, field{1, 15}, field{0, 8}, field{9, 4}), ErrCorrupt, "offsets of 9 bits"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := DecodeInto(make([]byte, 3*test.number.Size()), test.src, test.number)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("got %v, want %v and %q", err, test.want, test.text)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	src := []byte("pco!\x03\x00\x00\x04\x01\x00")
	if err := DecodeInto(nil, src, Uint32); err != nil {
		t.Error(err)
	}
	if err := DecodeInto(nil, src, 12); !errors.Is(err, ErrUnsupported) {
		t.Errorf("type 12: %v", err)
	}
	if err := DecodeInto(make([]byte, 5), src, Uint32); err == nil || known(err) {
		t.Errorf("5 bytes of uint32: %v", err)
	}
}

func TestInspect(t *testing.T) {
	type told struct {
		Type  Type
		Count uint64
	}
	for _, test := range []struct {
		src  string
		want told
	}{
		{"pco!\x03\x00\x00\x04\x01\x00", told{}},
		{"pco!\x03\x06\x00\x04\x01\x00", told{Type: Float64}},
		{"pco!\x03\x00\xc3\x02\x04\x01\x0b", told{Int8, 11}}, // 6 bits hold 4-1, and 4 bits 11
		{"pco!\x02\xc3\x02\x02\x08", told{Int16, 11}},
		{"pco!\x00\x03", told{Type: Int32}},
	} {
		number, count, err := Inspect([]byte(test.src))
		if err != nil {
			t.Errorf("%q: %v", test.src, err)
		}
		if diff := cmp.Diff(test.want, told{number, count}); diff != "" {
			t.Errorf("%q: %s", test.src, diff)
		}
		if _, _, err := Inspect([]byte(test.src[:len(test.src)-1])); test.src[len(test.src)-1] != 0 && !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q without its last byte: %v", test.src, err)
		}
	}
}

// TestMemory decodes small streams that ask for as much memory as they can.
func TestMemory(t *testing.T) {
	wide := []field{{2, 4}, {23, 5}, {0, 5}} // lookbacks of up to 2^24
	table := []field{{14, 4}, {2, 15}, {0, 14}, {1, 32}, {0, 6}, {1<<14 - 2, 14}, {1, 32}, {0, 6}}
	for _, test := range []struct {
		name   string
		fields []field
	}{
		{"dictionary", []field{{4, 4}, {1<<25 - 1, 25}}},
		{"bins", []field{{0, 4}, {0, 4}, {14, 4}, {1 << 14, 15}}},
		{"window", slices.Concat([]field{{0, 4}}, wide, []field{{0, 4}, {1, 15}, {1, 32}, {0, 6}, {0, 4}, {1, 15}, {0, 38}})},
		{"tables", slices.Concat([]field{{1, 4}, {7, 32}}, wide, table, table, table)},
	} {
		src := stream(Uint32, 300, 500, test.fields...)
		dst := make([]byte, 4*300)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := DecodeInto(dst, src, Uint32)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", test.name, got)
		}
	}
}

// TestZarrs decodes the chunks of an array that zarrs wrote.
func TestZarrs(t *testing.T) {
	folder := filepath.Join(os.Getenv("ZMIGRATE_GOLDEN"), "zarrs")
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
	}
	var expected struct {
		Arrays []struct{ Path, Raw string }
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for _, array := range expected.Arrays {
		if array.Path != "pcodec" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(folder, array.Raw))
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for _, chunk := range []string{"0", "1", "2"} { // chunks of 4 × 10 numbers, in an array of 9 × 10
			src, err := os.ReadFile(filepath.Join(folder, "pcodec/c", chunk, "0"))
			if err != nil {
				t.Fatal(err)
			}
			dst := make([]byte, 4*10*4)
			if err := DecodeInto(dst, src, Float32); err != nil {
				t.Fatal(err)
			}
			got = append(got, dst...)
		}
		if diff := cmp.Diff(want, got[:9*10*4]); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Error("there is no such array")
}

func FuzzDecode(f *testing.F) {
	for i, g := range readGoldens(f) {
		if i%7 == 0 && g.Size < 500 && g.Count < 2000 {
			f.Add(g.stream, uint16(g.Count), uint8(g.number()))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, count uint16, number uint8) {
		dst := make([]byte, int(count)*Type(number).Size())
		if err := DecodeInto(dst, src, Type(number)); !known(err) {
			t.Error(err)
		}
		if _, _, err := Inspect(src); !known(err) {
			t.Error(err)
		}
	})
}
