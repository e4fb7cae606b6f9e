package dtype

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"os"
	"testing"
)

// ml_dtypes converted the patterns, and many float32 numbers.
func TestFloatGolden(t *testing.T) {
	packed, err := os.ReadFile("testdata/float_golden.gz")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	read := func(data any) {
		if err := binary.Read(plain, binary.LittleEndian, data); err != nil {
			t.Fatal(err)
		}
	}
	for _, layout := range floatLayouts {
		var header struct {
			Name  [24]byte
			Count uint32
		}
		read(&header)
		if name := string(bytes.TrimRight(header.Name[:], "\x00")); name != layout.name {
			t.Fatalf("golden has %s, want %s", name, layout.name)
		}
		values := make([]float32, header.Count)
		read(values)
		var count uint32
		read(&count)
		inputs, patterns := make([]float32, count), make([]uint16, count)
		read(inputs)
		read(patterns)
		t.Run(layout.name, func(t *testing.T) {
			compareGolden(t, layout.layout, values, inputs, patterns)
		})
	}
	if n, err := io.Copy(io.Discard, plain); n != 0 || err != nil {
		t.Errorf("%d more bytes in the golden, %v", n, err)
	}
}

func compareGolden(t *testing.T, l *FloatLayout, values, inputs []float32, patterns []uint16) {
	if len(values) != 1<<l.Bits() {
		t.Fatalf("%d values, want %d", len(values), 1<<l.Bits())
	}
	for p, want := range values {
		got := l.Float64(uint16(p))
		if math.IsNaN(got) != (want != want) || !math.IsNaN(got) && math.Float64bits(got) != math.Float64bits(float64(want)) {
			t.Fatalf("%#x is %v, want %v", p, got, want)
		}
	}
	for i, x := range inputs {
		got, fits := l.Round(float64(x), NearestEven)
		value, want := l.Float64(got), l.Float64(patterns[i])
		switch {
		case math.IsNaN(want) || math.IsInf(want, 0):
			// For numbers that do not fit, ml_dtypes gives infinity or NaN.
			if x == x && !math.IsInf(float64(x), 0) && fits {
				t.Errorf("%v fits, and ml_dtypes gives %v", x, want)
			}
			if math.IsNaN(want) && fits && !math.IsNaN(value) || math.IsInf(want, 0) && value != want {
				t.Errorf("%v rounds to %v, want %v", x, value, want)
			}
		case x != x:
			if fits {
				t.Errorf("%v fits into a layout without NaN", x)
			}
		case got != patterns[i]:
			t.Errorf("%v rounds to %#x, want %#x", x, got, patterns[i])
		}
	}
}
