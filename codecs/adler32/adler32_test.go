package adler32

import (
	"bytes"
	standard "hash/adler32"
	"math/rand/v2"
	"testing"
)

// check compares the checksum of data, in one piece and in two, with that of the standard library.
func check(t *testing.T, data []byte, cut int) {
	t.Helper()
	want := standard.Checksum(data)
	if got := Sum(data); got != want {
		t.Fatalf("%d bytes: %08x, want %08x", len(data), got, want)
	}
	h := New()
	_, _ = h.Write(data[:cut])
	_, _ = h.Write(data[cut:])
	if got := h.Sum32(); got != want {
		t.Fatalf("%d bytes in two pieces, cut at %d: %08x, want %08x", len(data), cut, got, want)
	}
}

func TestSum(t *testing.T) {
	r := rand.NewChaCha8([32]byte{1})
	noise, highest := make([]byte, 2*most+100), bytes.Repeat([]byte{255}, 2*most+100)
	_, _ = r.Read(noise)
	for _, data := range [][]byte{noise, highest} {
		for n := range 300 {
			check(t, data[n%7:n%7+n], n/3)
		}
		for _, n := range []int{5551, 5552, 5553, 65535, 65536, most - 1, most, most + 1, len(data)} {
			check(t, data[:n], n/2)
		}
	}
}

func TestHash(t *testing.T) {
	h := New()
	_, _ = h.Write([]byte("Wikipedia"))
	if got := h.Sum([]byte{7}); !bytes.Equal(got, []byte{7, 0x11, 0xe6, 0x03, 0x98}) {
		t.Errorf("%x", got)
	}
	if h.Reset(); h.Sum32() != 1 || h.Size() != 4 {
		t.Errorf("after Reset: %d, of %d bytes", h.Sum32(), h.Size())
	}
}

func FuzzSum(f *testing.F) {
	f.Add(bytes.Repeat([]byte{255, 0, 1}, 100), 7)
	f.Add([]byte{}, 0)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		check(t, data, min(max(cut, 0), len(data)))
	})
}

func BenchmarkSum(b *testing.B) {
	data := make([]byte, 256<<10)
	_, _ = rand.NewChaCha8([32]byte{}).Read(data)
	for _, w := range []struct {
		name string
		sum  func([]byte) uint32
	}{
		{"kernel", Sum},
		{"standard library", standard.Checksum},
	} {
		b.Run(w.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				w.sum(data)
			}
		})
	}
}
