package verify

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
)

// TestPieces reads an object in pieces, in any order, some of them more than once. The
// checksum is that of the whole object.
func TestPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 3000)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	st, err := store.Open(t.Context(), "mem://bucket", store.Options{Memory: &store.Memory{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	for round := range 500 {
		size := random.IntN(len(data) + 1)
		if err := st.Put(t.Context(), "a", data[:size]); err != nil {
			t.Fatal(err)
		}
		p := &pieces{object: object{st, "a", int64(size)}}
		seen := make([]bool, size)
		for range random.IntN(12) {
			from := random.IntN(size + 1)
			b := make([]byte, random.IntN(size-from+1))
			if err := p.ReadAt(t.Context(), b, int64(from)); err != nil || string(b) != string(data[from:from+len(b)]) {
				t.Fatalf("%v, or other bytes", err)
			}
			for i := range b {
				seen[from+i] = true
			}
		}
		sum, err := p.finish(t.Context(), make([]byte, 1+random.IntN(100)))
		if want := crc32.Checksum(data[:size], castagnoli); err != nil || sum.Sum() != want {
			t.Fatalf("round %d: %08x, %v, want %08x; read %v", round, sum.Sum(), err, want, p.read)
		}
	}
	own := crc32.Checksum(data, castagnoli)
	checked := binary.LittleEndian.AppendUint32(slices.Clone(data), own)
	if err := st.Put(t.Context(), "checked", checked); err != nil {
		t.Fatal(err)
	}
	whole := &pieces{object: object{st, "checked", int64(len(checked))}}
	if sum, err := whole.finish(t.Context(), make([]byte, 7)); err != nil || sum.Sum() != own {
		t.Errorf("an object that ends with its own CRC-32C: %08x, %v, want %08x", sum.Sum(), err, own)
	}
	p := &pieces{object: object{st, "absent", 4}}
	if err := p.ReadAt(t.Context(), make([]byte, 4), 0); err == nil {
		t.Error("an absent object was read")
	}
	if _, err := p.finish(t.Context(), make([]byte, 4)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
