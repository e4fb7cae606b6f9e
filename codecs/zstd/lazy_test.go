package zstd

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/internal/edge"
)

// The kernels for a processor find and enter the same as the functions in Go.
func TestProbe(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	for _, tries := range []int{1, 4, 8} {
		for _, size := range []int{30, tiny, small, small + 200_000} {
			for _, letters := range []int{2, 20, 256} {
				src := make([]byte, size)
				for at := 0; at < size; {
					if n := random.IntN(40); at > n && n > 0 && random.IntN(2) == 0 {
						at += copy(src[at:], src[at-n:][:1+random.IntN(n)])
						continue
					}
					if at > 1000 && random.IntN(2) == 0 {
						at += copy(src[at:], src[random.IntN(at-100):][:random.IntN(12)])
					}
					if at < size {
						src[at] = byte(random.IntN(letters))
						at++
					}
				}
				e := effort{tableLog: 12, tries: tries, fourUpTo: small}
				kernel, plain := newParser(e), newParser(e)
				found, scanned := 0, 0
				for frame := range 2 {
					content := edge.Memory(t, size-frame)
					copy(content, src)
					for _, p := range []*parser{kernel, plain} {
						p.reset(len(content))
						p.bytes.ready(len(content), len(content), &p.effort, &layout{})
						p.probe = p.newProbe(content, 0)
						if frame == 1 {
							p.probe.haste = waverHaste
						}
					}
					plain.probe.plain = true
					last := 1
					for at, limit := 1, len(content)-margin-1; at < limit; {
						if random.IntN(3) == 0 {
							to := min(limit, at+random.IntN(20))
							kernel.probe.enter(at, to)
							plain.probe.enter(at, to)
							at = to
							continue
						}
						if random.IntN(3) == 0 {
							anchor := at - random.IntN(min(at, 1000)+1)
							to, offset, n := kernel.probe.scan(at, last, anchor, limit)
							wantTo, wantOffset, want := plain.probe.scan(at, last, anchor, limit)
							if to != wantTo || offset != wantOffset || n != want {
								t.Fatalf("%d tries, %d bytes, %d letters, from %d: at %d %d bytes at %d, in Go at %d %d at %d", tries, size, letters, at, to, n, offset, wantTo, want, wantOffset)
							}
							scanned += to - at
							at = to + 1
							continue
						}
						least := random.IntN(30)
						offset, n := kernel.probe.look(at, last, least)
						wantOffset, want := plain.probe.look(at, last, least)
						if offset != wantOffset || n != want {
							t.Fatalf("%d tries, %d bytes, %d letters, at %d: %d bytes at %d, in Go %d at %d", tries, size, letters, at, n, offset, want, wantOffset)
						}
						if n > 0 {
							last = offset
							found++
						}
						at++
					}
					if !slices.Equal(kernel.bytes.short, plain.bytes.short) {
						t.Fatalf("%d tries, %d bytes, %d letters: buckets differ", tries, size, letters)
					}
				}
				if (found == 0 || scanned == 0 && letters > 2) && size > 30 { // of two letters, copies begin nearly everywhere
					t.Errorf("%d tries, %d bytes, %d letters: %d copies, %d bytes scanned", tries, size, letters, found, scanned)
				}
			}
		}
	}
}
