package zstd

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/edge"
)

// Kernels for a processor list, enter and keep the same as the functions in Go.
func TestLookUps(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for _, l := range []layout{{size: 2, step: 2, phase: 1, width: 5}, {size: 2, step: 2, phase: 0, width: 5}, {size: 2, step: 2, phase: 0, width: 4}, {size: 2, step: 2, phase: 0, width: 6}, {size: 4, step: 4, phase: 0, width: 4}, {size: 4, step: 4, phase: 2, width: 6}, {size: 4, step: 4, phase: 3, width: 6}, {size: 8, step: 4, phase: 1, width: 5}, {size: 8, step: 4, phase: 3, width: 5}} {
		for _, values := range []int{1, 3, 40, 3000, 1 << 24} {
			src := edge.Memory(t, 40_000)
			for at := 0; at < len(src); at += l.size {
				v := uint64(random.IntN(values)) * 0x01000193
				for i := range l.size {
					src[at+i] = byte(v >> (8 * i))
				}
			}
			const log = 10
			r := run{layout: l, down: 64 - log, mask: 1<<(8*l.width) - 1}
			tables := [4][]uint32{}
			for i := range tables {
				tables[i] = make([]uint32, 1<<log)
			}
			r.at = l.align(16)
			for r.at+16 <= len(src) {
				r.count = min(1+random.IntN(runMost), (len(src)-16-r.at)/l.step+1)
				r.most = min(r.at, 30_000) // as if this were the window
				var hits, plain [runMost]hit
				k, kPlain := lookUp(&hits, tables[0], src, &r), lookUpPlain(&plain, tables[1], src, &r)
				if d := cmp.Diff(plain[:kPlain], hits[:k]); d != "" {
					t.Fatalf("%v at %d: hits (-Go +kernel):\n%s", l, r.at, d)
				}
				if random.IntN(4) > 0 {
					lookUpLong(hits[:k], tables[2], src, &r)
					lookUpLongPlain(plain[:k], tables[3], src, &r)
					if d := cmp.Diff(plain[:k], hits[:k]); d != "" {
						t.Fatalf("%v at %d: hits with long ones (-Go +kernel):\n%s", l, r.at, d)
					}
				}
				kept, keptPlain := verify(hits[:k], src, &r), verifyPlain(plain[:k], src, &r)
				if d := cmp.Diff(plain[:keptPlain], hits[:kept]); d != "" {
					t.Fatalf("%v at %d: verified hits (-Go +kernel):\n%s", l, r.at, d)
				}
				if !slices.Equal(tables[0], tables[1]) || !slices.Equal(tables[2], tables[3]) {
					t.Fatalf("%v at %d: tables differ", l, r.at)
				}
				r.at += r.count * l.step
			}
		}
	}
}
