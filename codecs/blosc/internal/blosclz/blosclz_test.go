package blosclz_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/blosc/internal/blosclz"
)

// TestDecode reads streams that were put together by hand.
func TestDecode(t *testing.T) {
	literals := func(first byte, n int) []byte { // all instructions for n literals 0, 1, 2 …
		var out []byte
		for i := range n {
			if i%32 == 0 {
				out = append(out, byte(min(n-i, 32)-1))
			}
			out = append(out, byte(i))
		}
		out[0] |= first
		return out
	}
	count := func(n int) []byte {
		out := make([]byte, n)
		for i := range out {
			out[i] = byte(i)
		}
		return out
	}
	far := literals(0, 9000)
	for _, test := range []struct {
		name string
		src  []byte
		want []byte
	}{
		{"literals", []byte{2, 'a', 'b', 'c'}, []byte("abc")},
		{"marker", []byte{32 | 2, 'a', 'b', 'c'}, []byte("abc")},
		{"run", []byte{0, 'a', 1 << 5, 0, 0, 'b'}, []byte("aaaab")},
		{"overlap", []byte{1, 'a', 'b', 3 << 5, 1, 0, 'c'}, []byte("abababac")[:8]},
		{"long", []byte{0, 'a', 7 << 5, 255, 3, 0, 0, 'b'}, append(bytes.Repeat([]byte("a"), 1+9+258), 'b')},
		{"near", append(literals(0, 8191), 1<<5|31, 254, 0, 'x'), append(count(8191), 0, 1, 2, 'x')},
		{"far", append(bytes.Clone(far), 1<<5|31, 255, 0, 5, 0, 'x'), append(count(9000), byte(803%256), byte(804%256), byte(805%256), 'x')},
	} {
		got := make([]byte, len(test.want))
		if err := blosclz.Decode(got, test.src); err != nil || !bytes.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q, error %v", test.name, got, test.want, err)
		}
		for n := range test.src {
			if err := blosclz.Decode(got, test.src[:n]); !errors.Is(err, blosclz.ErrCorrupt) {
				t.Errorf("%s cut to %d bytes: error %v", test.name, n, err)
			}
		}
		if err := blosclz.Decode(got[:len(got)-1], test.src); !errors.Is(err, blosclz.ErrCorrupt) {
			t.Errorf("%s into a byte less: error %v", test.name, err)
		}
	}
	if err := blosclz.Decode(make([]byte, 5), []byte{0, 'a', 1 << 5, 1, 0, 'b'}); !errors.Is(err, blosclz.ErrCorrupt) {
		t.Errorf("repetition from before the start: error %v", err)
	}
}

// TestEncode has repetitions of all lengths and distances.
func TestEncode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for level := 1; level <= 9; level++ {
		e := blosclz.NewEncoder(level)
		src := make([]byte, 0, 400_000)
		for len(src) < 300_000 {
			if len(src) > 10 && random.IntN(3) > 0 {
				from := random.IntN(len(src))
				src = append(src, src[from:min(from+random.IntN(600), len(src))]...)
				continue
			}
			for range random.IntN(90) {
				src = append(src, byte(random.Uint32()))
			}
		}
		dst := make([]byte, len(src))
		n := e.Encode(dst, src)
		if n == 0 {
			t.Fatalf("level %d: it does not shrink", level)
		}
		back := make([]byte, len(src))
		if err := blosclz.Decode(back, dst[:n]); err != nil || !bytes.Equal(back, src) {
			t.Errorf("level %d: does not come back: %v", level, err)
		}
		exact := make([]byte, n)
		if m := e.Encode(exact, src); m != 0 && (m != n || !bytes.Equal(exact, dst[:n])) {
			t.Errorf("level %d: with little room %d other bytes", level, m)
		}
		if m := e.Encode(make([]byte, n-1), src); m != 0 {
			t.Errorf("level %d: %d bytes fit into %d", level, m, n-1)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 'a', 7 << 5, 255, 3, 0, 0, 'b'}, uint16(269))
	f.Add([]byte{32 | 2, 'a', 'b', 'c'}, uint16(3))
	f.Fuzz(func(t *testing.T, src []byte, size uint16) {
		dst := make([]byte, size)
		if err := blosclz.Decode(dst, src); err != nil && !errors.Is(err, blosclz.ErrCorrupt) {
			t.Errorf("error %v", err)
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(bytes.Repeat([]byte("abcdefg"), 50), uint8(5))
	f.Add([]byte("0123456789abcdef"), uint8(9))
	f.Fuzz(func(t *testing.T, src []byte, level uint8) {
		dst := make([]byte, len(src))
		n := blosclz.NewEncoder(int(level)%9+1).Encode(dst, src)
		if n == 0 {
			return
		}
		back := make([]byte, len(src))
		if err := blosclz.Decode(back, dst[:n]); err != nil || !bytes.Equal(back, src) {
			t.Errorf("does not come back: %v", err)
		}
	})
}
