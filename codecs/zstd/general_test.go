package zstd

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/edge"
)

// searched is a content for a search at any position, with tables of a size.
type searched struct {
	name     string
	src      []byte
	tableLog int
	none     bool // there may be no copies
}

// searchedContents returns contents with copies of many kinds.
func searchedContents(random *rand.Rand) []searched {
	noise := func(n int) []byte {
		out := make([]byte, n)
		for i := range out {
			out[i] = byte(random.Uint32())
		}
		return out
	}
	// text has pieces of earlier text, near and far, between new bytes.
	text := func(n, most, letters int) []byte {
		out := []byte("0123456789abcdef")
		for len(out) < n {
			k := 1 + random.IntN(most)
			from := random.IntN(len(out))
			if random.IntN(3) > 0 {
				from = max(0, len(out)-1-random.IntN(300))
			}
			for i := range k {
				out = append(out, out[from+i])
			}
			for range random.IntN(3) {
				out = append(out, byte(random.IntN(letters)))
			}
		}
		return out[:n]
	}
	repeated := noise(150_000)
	distant := slices.Concat(noise(10_000), make([]byte, window))
	copy(distant[window:], distant[:4_000])            // the farthest place in the window
	copy(distant[window+5_001:], distant[5_000:9_000]) // is one byte nearer
	return []searched{
		{"short copies", text(400_000, 9, 256), 12, false},
		{"longer copies", text(400_000, 60, 256), 14, false},
		{"tiny", text(tiny, 9, 40), 14, false},
		{"few letters", text(300_000, 12, 3), 13, false},
		{"constant", bytes.Repeat([]byte{7}, 200_000), 10, false},
		{"noise", noise(200_000), 12, true},
		{"noise twice", slices.Concat(repeated, repeated), 12, true},
		{"few bytes", text(17, 4, 9), 12, false},
		{"period of 3", bytes.Repeat([]byte("abc"), 50_000), 12, false},
		{"more than the window", distant, 17, false},
	}
}

// The kernels for a processor make the same sequences as the search in Go.
func TestGeneral(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for _, c := range searchedContents(random) {
		for _, quick := range []bool{false, true} {
			e := effort{tableLog: c.tableLog, haste: 6, fourUpTo: tiny, entireUpTo: 300_000}
			if quick {
				e.quickUpTo = math.MaxInt
			}
			kernel, plain := newParser(e), newParser(e)
			for frame := range 3 {
				src := edge.Memory(t, len(c.src)-frame)
				copy(src, c.src)
				if frame == 2 { // the last places before the tables are emptied
					kernel.bytes.next = places - 1 - uint32(min(len(src), places-2))
					plain.bytes.next = kernel.bytes.next
				}
				h := history{1, 4, 8}
				kernel.reset(len(src))
				plain.reset(len(src))
				kernel.prepare(&layout{})
				plain.prepare(&layout{})
				found := 0
				for from := 0; from < len(src); {
					to := min(len(src), from+1+random.IntN(maxBlock))
					if quick {
						kernel.quickly(src[:to], from, h)
						plain.quicklyPlain(src[:to], from, h)
					} else {
						kernel.general(src[:to], from, h)
						plain.generalPlain(src[:to], from, h)
					}
					if !slices.Equal(plain.sequences, kernel.sequences) {
						d := cmp.Diff(plain.sequences, kernel.sequences, cmp.AllowUnexported(sequence{}))
						t.Fatalf("%s, quick %t, from %d: sequences (-Go +kernel):\n%.2000s", c.name, quick, from, d)
					}
					if !bytes.Equal(plain.literals, kernel.literals) {
						t.Fatalf("%s, quick %t, from %d: literals differ", c.name, quick, from)
					}
					if kernel.anchor != plain.anchor {
						t.Fatalf("%s, quick %t, from %d: anchor %d, in Go %d", c.name, quick, from, kernel.anchor, plain.anchor)
					}
					if !slices.Equal(plain.bytes.short, kernel.bytes.short) || !slices.Equal(plain.bytes.long, kernel.bytes.long) {
						t.Fatalf("%s, quick %t, from %d: tables differ", c.name, quick, from)
					}
					found += len(plain.sequences)
					if n := len(plain.sequences); n > 1 {
						h[0], h[1] = plain.sequences[n-1].offset, plain.sequences[n-2].offset
					}
					from = to
				}
				if found == 0 && len(src) > 100 && !c.none {
					t.Errorf("%s: no sequences", c.name)
				}
			}
		}
	}
}
