package zstd

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A pair of streams is the same as both streams one by one, for all lengths and codes, and nothing
// behind the room of the first one changes.
func TestEncodePair(t *testing.T) {
	random := rand.New(rand.NewPCG(27, 28))
	for _, values := range []int{2, 3, 17, 256} {
		for n := range 700 {
			src := make([]byte, 2*n+1200)
			for i := range src {
				// Low values are frequent, so codes are of all lengths.
				src[i] = byte(random.IntN(1 + random.IntN(1+random.IntN(values))))
			}
			src[0], src[1] = 0, 1
			var counts [256]uint32
			count(&counts, src)
			var table huffmanTable
			table.build(&counts, &huffmanLeaves{})
			a := src[:n+random.IntN(4)]
			b := src[len(a):][:max(0, len(a)-random.IntN(4))]
			room := len(a)*maxCodeBits/8 + 16
			var got, want [2][]byte
			for i := range got {
				got[i], want[i] = bytes.Repeat([]byte{0xa5}, room+8), make([]byte, room)
			}
			sizeA, sizeB := table.encodePair(got[0][:room], got[1][:room], a, b)
			wantA, wantB := table.encode(want[0], a), table.encode(want[1], b)
			if sizeA != wantA || sizeB != wantB || !bytes.Equal(got[0][:sizeA], want[0][:wantA]) || !bytes.Equal(got[1][:sizeB], want[1][:wantB]) {
				t.Fatalf("%d and %d symbols of %d: %d and %d bytes, want %d and %d, or other ones", len(a), len(b), values, sizeA, sizeB, wantA, wantB)
			}
			for i := range got {
				if !bytes.Equal(got[i][room:], bytes.Repeat([]byte{0xa5}, 8)) {
					t.Fatalf("%d and %d symbols of %d: bytes behind the room of stream %d have changed", len(a), len(b), values, i)
				}
			}
		}
	}
}
