package arrow

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestExpand puts values between nulls of every density.
func TestExpand(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		present := make([]uint64, 4)
		want, values := make([]uint16, n), []uint16{}
		for i := range want {
			if want[i] = 7; rng.IntN(200) < n {
				present[i/64] |= 1 << (i % 64)
				want[i] = uint16(1000 + i)
				values = append(values, want[i])
			}
		}
		got := make([]uint16, n)
		expand(got, append(values, 0), present, 7)
		if !slices.Equal(got, want) {
			t.Errorf("%d elements of which %d are there: %d, want %d", n, len(values), got, want)
		}
	}
}
