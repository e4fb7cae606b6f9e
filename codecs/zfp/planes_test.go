package zfp

import (
	"bytes"
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
	levels := append([]cpu.Level{cpu.Plain}, kernelLevels()...)
	rng := rand.New(rand.NewPCG(7, 8))
	stream := make([]byte, 8*64+2*slack)
	for round := range 60_000 {
		kind := rng.IntN(6)
		for i := 0; i < 8*64; i += 8 {
			bits := rng.Uint64()
			switch kind {
			case 0, 3:
				bits &= rng.Uint64() & rng.Uint64() // few ones, long runs
			case 4:
				bits |= rng.Uint64() | rng.Uint64() | rng.Uint64() // few zeros, long tails
			case 5:
				bits = ^(1 << (bits & 63)) // hardly any zeros
			}
			binary.LittleEndian.PutUint64(stream[i:], bits)
		}
		intprec := 32 << (round & 1)
		bottom := rng.IntN(intprec)
		start := rng.IntN(8)
		end := math.MaxInt
		if round%4 != 0 {
			end = start + 1 + rng.IntN(240)
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
				if l := levels[round>>1%len(levels)]; !hasCoders(l, 2) {
					gotLow, gotLength = fast.getPlanes16(&p, 16*block, intprec, bottom, end)
				} else {
					gotLow, gotLength = fast.readPlanes16(l, &p, 16*block, intprec, bottom, end)
				}
				for k := range got {
					got[k] = p[k] >> (16 * block) & 0xffff
				}
			default:
				if l := levels[round>>1%len(levels)]; !hasCoders(l, 3) {
					gotLow, gotLength = fast.getPlanes(&got, intprec, bottom, end)
				} else {
					gotLow, gotLength = fast.readPlanes(&got, intprec, bottom, end)
				}
			}
			if got != want || gotLow != low || gotLength != length || fast.pos != slow.pos {
				t.Fatalf("%d dimensions, planes %d to %d, bits %d to %d: lowest plane %d, length %d, end %d and\n%x\nwant %d, %d, %d and\n%x",
					dims, intprec-1, bottom, start, end, gotLow, gotLength, fast.pos, got, low, length, slow.pos, want)
			}
		}
	}
}

// TestWriteAnyPlanes compares the kernel that codes planes of three dimensions with the
// function in Go. Planes, the beginning of the block and its end are arbitrary.
func TestWriteAnyPlanes(t *testing.T) {
	if !hasCoders(cpu.Used(), 3) {
		t.Skip("this processor has no kernel that codes planes of three dimensions")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 60_000 {
		var p planes
		for k := range p {
			p[k] = rng.Uint64() >> rng.IntN(64) // the tails begin anywhere
			for range round % 6 {
				p[k] &= rng.Uint64() | 1<<63&p[k] // few ones, but that of the last coefficient
			}
			if rng.IntN(4) == 0 {
				p[k] = 0
			}
		}
		top := 1 + rng.IntN(64)
		bottom := rng.IntN(top)
		start := rng.IntN(64)
		end := math.MaxInt
		if round%2 == 0 {
			end = start + rng.IntN(400)
		}
		var want, got bitWriter
		for _, w := range []*bitWriter{&want, &got} {
			w.reserve(64 * 128)
			w.put64(0x5555555555555555&(1<<start-1), start)
		}
		want.putPlanes(&p, top, bottom, end)
		writePlanes64(&got, &p, top, bottom, end)
		n := want.pos >> 3
		if got.pos != want.pos || got.acc != want.acc || got.buf[n] != want.buf[n] || !bytes.Equal(got.buf[:n], want.buf[:n]) {
			t.Fatalf("planes %d to %d, from bit %d, end %d:\n%x\n%d bits, %x\nwant %d bits, %x", top-1, bottom, start, end, p[bottom:top], got.pos, got.buf[:n+1], want.pos, want.buf[:n+1])
		}
	}
}
