package zstd

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/edge"
)

// The kernel for a processor makes the same sequences as the search in Go.
func TestDense(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 20))
	for _, l := range []layout{{size: 2, step: 2, phase: 0, width: 5}, {size: 2, step: 2, phase: 1, width: 5}, {size: 2, step: 2, phase: 0, width: 6}, {size: 4, step: 4, phase: 2, width: 6}, {size: 4, step: 4, phase: 3, width: 6}, {size: 8, step: 4, phase: 1, width: 5}, {size: 8, step: 4, phase: 3, width: 5}} {
		for _, values := range []int{1, 3, 40, 3000, 1 << 24} {
			n := 30_000
			if values == 3000 {
				n = 400_000 // some kernels do more in content that is longer than a near cache
			}
			src := edge.Memory(t, n+random.IntN(8))
			for at := 0; at+l.size <= len(src); at += l.size {
				v := uint64(random.IntN(values)) * 0x01000193
				if random.IntN(2) == 0 && at > 1000 {
					v = load64(src, at-8*(1+random.IntN(100)))
				}
				for i := range l.size {
					src[at+i] = byte(v >> (8 * i))
				}
			}
			const log = 10
			r := run{layout: l, down: 64 - log, mask: 1<<(8*l.width) - 1}
			kernel, plain := newParser(effort{numberLog: log}), newParser(effort{numberLog: log})
			for _, p := range []*parser{kernel, plain} {
				p.reset(len(src))
				p.elements.readyNumbers(len(src), log)
				p.begin(0)
			}
			limit, found := len(src)-16, 0
			for r.at = l.align(16 + l.step); r.at <= limit; r.at = max(r.at+r.count*l.step, l.align(plain.anchor)) {
				r.count = min(1+random.IntN(runMost), (limit-r.at)/l.step+1)
				r.most = min(r.at-8, 20_000) // as if this were the window
				long, longPlain := kernel.takeDense(kernel.elements.short, src, &r), plain.takeDensePlain(plain.elements.short, src, &r)
				if long != longPlain || kernel.anchor != plain.anchor {
					t.Fatalf("%v at %d: %d long copies up to %d, in Go %d up to %d", l, r.at, long, kernel.anchor, longPlain, plain.anchor)
				}
				if !slices.Equal(plain.sequences, kernel.sequences) {
					d := cmp.Diff(plain.sequences, kernel.sequences, cmp.AllowUnexported(sequence{}))
					t.Fatalf("%v at %d: sequences (-Go +kernel):\n%s", l, r.at, d)
				}
				if !slices.Equal(plain.literals, kernel.literals) {
					t.Fatalf("%v at %d: literals (-Go +kernel):\n%s", l, r.at, cmp.Diff(plain.literals, kernel.literals))
				}
				if !slices.Equal(plain.elements.short, kernel.elements.short) {
					t.Fatalf("%v at %d: tables differ", l, r.at)
				}
				found += len(plain.sequences)
				kernel.begin(kernel.anchor)
				plain.begin(plain.anchor)
			}
			if found == 0 && (l.size > 2 || values < 1<<24) {
				t.Errorf("%v, %d values: no sequences", l, values)
			}
		}
	}
}
