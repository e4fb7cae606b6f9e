package pcodec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEncode encodes and decodes the numbers of all goldens.
func TestEncode(t *testing.T) {
	for i, g := range readGoldens(t) {
		size, level := g.number().Size(), i%(MaxLevel+1)
		want := make([]byte, g.Count*size)
		if err := DecodeInto(want, g.stream, g.number()); err != nil {
			t.Fatal(err)
		}
		src := bytes.Clone(want)
		encoded, err := AppendEncode([]byte("before"), src, g.number(), level)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(src, want) {
			t.Errorf("%s: the numbers were changed", g.Name)
		}
		encoded, found := bytes.CutPrefix(encoded, []byte("before"))
		if !found {
			t.Errorf("%s: what was there before is gone", g.Name)
		}
		got := make([]byte, len(want))
		if err := DecodeInto(got, encoded, g.number()); err != nil {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: other numbers", g.Name)
		}
		number, count, err := Inspect(encoded)
		if err != nil || count != uint64(g.Count) || g.Count > 0 && number != g.number() {
			t.Errorf("%s: it tells of %d numbers of type %v: %v", g.Name, count, number, err)
		}
	}
}

// series returns n numbers of the given kind, drawn from a seed.
func series(kind string, n int) (numbers []byte, number Type) {
	draw := rand.New(rand.NewPCG(1, 2))
	walk := int32(0)
	for i := range n {
		switch kind {
		case "constant":
			number, numbers = Int16, binary.NativeEndian.AppendUint16(numbers, 7)
		case "line":
			number, numbers = Uint64, binary.NativeEndian.AppendUint64(numbers, 1e15+3*uint64(i))
		case "wave":
			x := 20 + 10*math.Sin(float64(i)/5000)
			number, numbers = Float64, binary.NativeEndian.AppendUint64(numbers, math.Float64bits(x))
		case "walk":
			walk += draw.Int32N(200) - 100
			number, numbers = Int32, binary.NativeEndian.AppendUint32(numbers, uint32(walk))
		case "noise":
			number, numbers = Float64, binary.NativeEndian.AppendUint64(numbers, math.Float64bits(draw.NormFloat64()))
		case "image":
			number, numbers = Uint16, binary.NativeEndian.AppendUint16(numbers, uint16(1000+50*draw.NormFloat64()))
		case "labels":
			x := [...]uint8{1, 1, 1, 1, 1, 1, 30, 250}[draw.IntN(8)]
			number, numbers = Uint8, append(numbers, x)
		case "random":
			number, numbers = Uint32, binary.NativeEndian.AppendUint32(numbers, draw.Uint32())
		}
	}
	return numbers, number
}

var kinds = []string{"constant", "line", "wave", "walk", "noise", "image", "labels", "random"}

// TestRatio compresses series whose entropy, or whose size as encoded by the reference
// implementation, is known.
func TestRatio(t *testing.T) {
	const n = 100000
	for _, test := range []struct {
		kind string
		most float64 // bits per number
	}{
		{"constant", 0.01},
		{"line", 0.01},
		{"wave", 9},
		{"walk", math.Log2(200) + 0.02},
		{"noise", 55.7},
		{"image", math.Log2(50*math.Sqrt(2*math.Pi*math.E)) + 0.05},
		{"labels", 0.75*math.Log2(8/6.0) + 0.25*3 + 0.01},
		{"random", 32.01},
	} {
		src, number := series(test.kind, n)
		encoded, err := AppendEncode(nil, src, number, 8)
		if err != nil {
			t.Fatal(err)
		}
		if got := 8 * float64(len(encoded)) / n; got > test.most {
			t.Errorf("%s: %.3f bits for a number, more than %.3f", test.kind, got, test.most)
		}
	}
}

func TestEncodeArguments(t *testing.T) {
	if _, err := AppendEncode(nil, nil, 0, 8); !errors.Is(err, ErrUnsupported) {
		t.Errorf("no type: %v", err)
	}
	for _, test := range []struct {
		src   []byte
		level int
		text  string
	}{
		{nil, -1, "level -1"},
		{nil, MaxLevel + 1, "level 13"},
		{make([]byte, 7), 8, "7 bytes"},
	} {
		if _, err := AppendEncode(nil, test.src, Int16, test.level); err == nil || !strings.Contains(err.Error(), test.text) {
			t.Errorf("got %v, want %q", err, test.text)
		}
	}
}

func FuzzEncode(f *testing.F) {
	for _, kind := range kinds {
		src, number := series(kind, 300)
		f.Add(src, uint8(number), uint8(8))
	}
	f.Fuzz(func(t *testing.T, src []byte, number, level uint8) {
		n := 1 + number%11
		src = src[:len(src)-len(src)%Type(n).Size()]
		encoded, err := AppendEncode(nil, src, Type(n), int(level%(MaxLevel+1)))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(src))
		if err := DecodeInto(got, encoded, Type(n)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, src) {
			t.Error("other numbers")
		}
	})
}

func ExampleAppendEncode() {
	var numbers []byte
	for i := range 1000 {
		numbers = binary.NativeEndian.AppendUint32(numbers, uint32(5*i))
	}
	encoded, err := AppendEncode(nil, numbers, Uint32, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	decoded := make([]byte, len(numbers))
	err = DecodeInto(decoded, encoded, Uint32)
	fmt.Println(len(numbers), len(encoded), bytes.Equal(decoded, numbers), err)
	// Output: 4000 25 true <nil>
}

func BenchmarkDecode(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind, func(b *testing.B) {
			dst, number := series(kind, 1<<18)
			src, err := AppendEncode(nil, dst, number, 8)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(dst)))
			for b.Loop() {
				if err := DecodeInto(dst, src, number); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind, func(b *testing.B) {
			src, number := series(kind, 1<<18)
			var dst []byte
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				var err error
				if dst, err = AppendEncode(dst[:0], src, number, 8); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
