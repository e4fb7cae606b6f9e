package sinks

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBitset compares a bitset with a map.
func TestBitset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var b bitset
	want := map[int]bool{}
	for range 2000 {
		n := r.IntN(300)
		in := r.IntN(2) == 0
		b.put(n, in)
		if delete(want, n); in {
			want[n] = true
		}
		if b.has(n) != in {
			t.Fatalf("%d is in the set: %t", n, !in)
		}
	}
	if got, want := slices.Collect(b.all()), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("holds %v, want %v", got, want)
	}
	if b.has(1000) {
		t.Error("holds a number behind all")
	}
}
