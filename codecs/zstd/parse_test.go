package zstd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Tables that hold positions of earlier frames, and tables whose entries are about to become too
// large, give the same sequences as new ones.
func TestUsedTables(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	earlier, src := text(random, 50_000, 6), text(random, 60_000, 7)
	for level := 1; level <= MaxLevel; level++ {
		fresh := newParser(efforts[level])
		fresh.reset(len(src))
		fresh.parse(src, 0, history{1, 4, 8})
		for _, next := range []uint32{1, math.MaxUint32 - 120_000, math.MaxUint32 - 70_000, math.MaxUint32 - 10} {
			used := newParser(efforts[level])
			used.bytes.next = next
			for _, content := range [][]byte{earlier, src} {
				used.reset(len(content))
				used.parse(content, 0, history{1, 4, 8})
			}
			if d := cmp.Diff(fresh.sequences, used.sequences, cmp.AllowUnexported(sequence{})); d != "" {
				t.Errorf("level %d, entries from %d on: sequences (-new +used):\n%s", level, next, d)
			}
		}
		if len(fresh.sequences) < 1000 {
			t.Errorf("level %d: %d sequences", level, len(fresh.sequences))
		}
	}
}

// A sample of a block is judged as if each of its bytes were compared.
func TestUnequal(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	for range 10_000 {
		a := random.Uint64()
		b := a ^ random.Uint64()&random.Uint64()&random.Uint64()&random.Uint64()&random.Uint64()
		want := uint64(0)
		for shift := 0; shift < 64; shift += 8 {
			if byte(a>>shift) != byte(b>>shift) {
				want |= 1 << shift
			}
		}
		if got := unequal(a, b); got != want {
			t.Fatalf("%016x and %016x: %016x, want %016x", a, b, got, want)
		}
	}
}

// Counts of literals are sorted like any numbers.
func TestSortCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 26))
	for range 2000 {
		list := make([]uint64, 1+random.IntN(256))
		most, limit := uint32(0), 1+random.IntN(1<<random.IntN(18))
		for i := range list {
			count := uint32(1 + random.IntN(limit))
			list[i], most = uint64(count)<<8|uint64(i), max(most, count)
		}
		want := slices.Clone(list)
		slices.Sort(want)
		if sortCounts(list, most); !slices.Equal(list, want) {
			t.Fatalf("%x, want %x", list, want)
		}
	}
}
