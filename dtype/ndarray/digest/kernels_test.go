package digest

import (
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/internal/edge"
)

// TestKernel compares the kernel of this machine with the plain loop, for all numbers of
// words up to some steps of the kernel, and for rows that begin anywhere.
func TestKernel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	data := edge.Memory(t, 3*blockBytes+7)
	for i := range data {
		data[i] = byte(random.Uint32()) | 0x80*byte(random.Uint32N(2))
	}
	var words []int
	for n := range 80 {
		words = append(words, n+1)
	}
	for _, n := range append(words, 511, 1000, 1015, 1016, 1017, blockWords-1, blockWords) {
		for count := range 5 {
			at, key := make([]int, count+1), make([]uint64, count+1)
			c := random.IntN(9)
			for i := range at {
				at[i], key[i] = random.IntN(len(data)-4*n-c+1), random.Uint64()|1
			}
			at[0] = len(data) - 4*n - c // ends where the memory ends
			first := random.IntN(blockWords - n + 1)
			keys := wordKeys[first : first+n : first+n+overread]
			if got, want := sumWords(data, at, key, c, keys), sumWordsPlain(data, at, key, c, keys); got != want {
				t.Fatalf("%d rows of %d words: %x, want %x", len(at), n, got, want)
			}
		}
	}
}
