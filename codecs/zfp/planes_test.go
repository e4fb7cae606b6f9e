package zfp

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// TestPlanesOfAnyBits compares the readers of planes, which take several bits or planes
// at a time, with a reader of one plane after the other. The bits and the ends of
// blocks are arbitrary.
func TestPlanesOfAnyBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	stream := make([]byte, 8*64+2*slack)
	for round := range 60_000 {
		for i := 0; i < 8*64; i += 8 {
			bits := rng.Uint64()
			if round%3 == 0 {
				bits &= rng.Uint64() & rng.Uint64() // few ones, long runs
			}
			binary.LittleEndian.PutUint64(stream[i:], bits)
		}
		intprec := 32 << (round & 1)
		bottom := rng.IntN(intprec)
		start := rng.IntN(8)
		end := math.MaxInt
		if round%4 != 0 {
			end = start + 1 + rng.IntN(120)
		}
		block := rng.IntN(4)
		for dims := 1; dims <= 3; dims++ {
			size := 1 << (2 * dims)
			slow := bitReader{buf: stream, pos: start}
			var want planes
			low, length := slow.getLastPlanes(&want, 0, intprec, bottom, 0, size, end)

			fast := bitReader{buf: stream, pos: start}
			var p, got planes
			var gotLow, gotLength int
			switch dims {
			case 1:
				var s nibbleString
				count, any := fast.getNibbles(&s, intprec-bottom, end)
				gotLow, gotLength = intprec-count, length
				if any != (length > 0) {
					gotLength = -1
				}
				for i := range intprec {
					got[intprec-1-i] = uint64(s[i/2] >> (4 * (i & 1)) & 15)
				}
			case 2:
				levels := append([]cpu.Level{cpu.Plain}, kernelLevels()...)
				if l := levels[round>>1%len(levels)]; !hasCoders(l) {
					gotLow, gotLength = fast.getPlanes16(&p, 16*block, intprec, bottom, end)
				} else {
					gotLow, gotLength = fast.readPlanes16(l, &p, 16*block, intprec, bottom, end)
				}
				for k := range got {
					got[k] = p[k] >> (16 * block) & 0xffff
				}
			default:
				gotLow, gotLength = fast.getPlanes(&got, intprec, bottom, end)
			}
			if got != want || gotLow != low || gotLength != length || fast.pos != slow.pos {
				t.Fatalf("%d dimensions, planes %d to %d, bits %d to %d: lowest plane %d, length %d, end %d and\n%x\nwant %d, %d, %d and\n%x",
					dims, intprec-1, bottom, start, end, gotLow, gotLength, fast.pos, got, low, length, slow.pos, want)
			}
		}
	}
}
