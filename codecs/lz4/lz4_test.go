package lz4_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	peer "github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs/lz4"
)

// contents returns contents of all kinds: runs, near and far repetitions, noise.
func contents() [][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	var mixed []byte
	for len(mixed) < 400_000 {
		if len(mixed) > 10 && random.IntN(3) > 0 {
			from := max(0, len(mixed)-1-random.IntN(100_000))
			mixed = append(mixed, mixed[from:min(from+random.IntN(800), len(mixed))]...)
			continue
		}
		at := random.IntN(len(noise) - 700)
		mixed = append(mixed, noise[at:][:random.IntN(700)]...)
	}
	far := append(bytes.Clone(noise[:65_535]), noise[:1000]...)
	farther := append(bytes.Clone(noise[:65_536]), noise[:1000]...)
	all := [][]byte{nil, noise, mixed, far, farther, make([]byte, 1_000_000), bytes.Repeat([]byte("abc"), 5000)}
	for n := range 40 {
		all = append(all, make([]byte, n), noise[:n], bytes.Repeat([]byte("ab"), n))
	}
	return all
}

func decode(t *testing.T, block []byte, size int) []byte {
	t.Helper()
	back := make([]byte, size)
	n, err := peer.UncompressBlock(block, back)
	if err != nil || n != size {
		t.Fatalf("%d bytes decoded, want %d, error %v", n, size, err)
	}
	return back
}

func TestEncode(t *testing.T) {
	var e lz4.Encoder
	for i, src := range contents() {
		for _, acceleration := range []int{0, 1, 5, 100} {
			dst := make([]byte, lz4.MaxEncodedSize(len(src)))
			n := e.Encode(dst, src, acceleration)
			if n == 0 {
				t.Fatalf("content %d, acceleration %d: it does not fit", i, acceleration)
			}
			if !bytes.Equal(decode(t, dst[:n], len(src)), src) {
				t.Errorf("content %d, acceleration %d: it does not come back", i, acceleration)
			}
			exact := make([]byte, n)
			if m := e.Encode(exact, src, acceleration); m != n || !bytes.Equal(exact, dst[:n]) {
				t.Errorf("content %d, acceleration %d: with no room to spare %d other bytes, want %d", i, acceleration, m, n)
			}
			for _, less := range []int{1, (n + 2) / 3, (n + 1) / 2, n} {
				if m := e.Encode(make([]byte, n-less), src, acceleration); m != 0 {
					t.Errorf("content %d, acceleration %d: %d bytes fit into %d", i, acceleration, m, n-less)
				}
			}
		}
	}
}

// TestRatio compares the size of blocks with that of the peer.
func TestRatio(t *testing.T) {
	var e lz4.Encoder
	var c peer.Compressor
	for i, src := range contents()[2:7] {
		dst := make([]byte, lz4.MaxEncodedSize(len(src)))
		ours := e.Encode(dst, src, 1)
		theirs, err := c.CompressBlock(src, dst)
		if err != nil {
			t.Fatal(err)
		}
		if float64(ours) > 1.06*float64(theirs) {
			t.Errorf("content %d: %d bytes, the peer needs %d", i+2, ours, theirs)
		}
	}
}

func FuzzEncode(f *testing.F) {
	for _, src := range contents()[7:50] {
		f.Add(src, uint8(1), uint16(100))
	}
	f.Fuzz(func(t *testing.T, src []byte, acceleration uint8, room uint16) {
		var e lz4.Encoder
		dst := make([]byte, min(int(room), lz4.MaxEncodedSize(len(src))))
		n := e.Encode(dst, src, int(acceleration))
		if n == 0 {
			if len(dst) == lz4.MaxEncodedSize(len(src)) {
				t.Error("it does not fit")
			}
			return
		}
		if !bytes.Equal(decode(t, dst[:n], len(src)), src) {
			t.Error("it does not come back")
		}
	})
}
