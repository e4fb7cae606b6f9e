package zstd

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Kernels for a processor make the same codes, counts, histories and streams as the functions in Go,
// of sequences with lengths and offsets of all sizes, few or many of which repeat earlier offsets.
func TestSequences(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 30))
	kinds := newCodeKinds()
	for _, most := range []int{5, 200, maxBlock} {
		for n := 1; n < 3000; n += 1 + random.IntN(1+n/8) {
			often := []int{2, 40, 4000}[random.IntN(3)] // one of so many offsets is an earlier one
			list := make([]sequence, n)
			recent := []uint32{1, 4, 8}
			for i := range list {
				s := sequence{uint32(random.IntN(1 + random.IntN(most))), uint32(minMatch + random.IntN(1+random.IntN(most))), 0}
				if s.offset = recent[random.IntN(len(recent))]; random.IntN(often) > 0 {
					s.offset = uint32(1 + random.IntN(1<<random.IntN(24)))
				}
				recent = append(recent[max(0, len(recent)-3):], s.offset)
				list[i] = s
			}
			list[random.IntN(n)] = sequence{maxBlock - 1, maxBlock, window}

			got, want := history{1, 4, 8}, history{1, 4, 8}
			coded, wantCoded := make([]coded, n), make([]coded, n)
			var counts, wantCounts [codeKinds]codeCounts
			got.code(coded, list, &counts)
			want.codePlain(wantCoded, list, &wantCounts)
			if got != want || !slices.Equal(coded, wantCoded) {
				t.Fatalf("%d sequences: history %v, want %v; codes (-Go +kernel):\n%s", n, got, want, cmp.Diff(wantCoded, coded, cmp.AllowUnexported(coded[0])))
			}
			if d := cmp.Diff(wantCounts, counts); d != "" {
				t.Fatalf("%d sequences: counts (-Go +kernel):\n%s", n, d)
			}
			for kind := range counts {
				total := uint32(0)
				for _, count := range counts[kind] {
					total += count
				}
				if total != uint32(n) {
					t.Fatalf("%d sequences: %d codes of kind %d", n, total, kind)
				}
			}

			var tables [codeKinds]fseTable
			for kind := range tables {
				var scratch fseTable
				kinds[kind].choose(nil, &tables[kind], false, counts[kind][:kinds[kind].symbols], &scratch)
			}
			initial := func(out []byte) stream {
				s := stream{out: out, at: 5, acc: 0x2d, n: 6, tables: &tables}
				for kind := range s.states {
					codes := coded[n-1].codes >> (8 * kind)
					s.states[kind] = tables[kind].first(uint8(codes))
				}
				return s
			}
			room := (n+1)*mostSequence + 100
			one, other := initial(bytes.Repeat([]byte{0xa5}, room)), initial(make([]byte, room))
			one.put(coded[:n-1])
			other.putPlain(coded[:n-1])
			low := func(s stream) uint64 { return s.acc & (1<<s.n - 1) }
			if one.n != other.n || one.at != other.at || one.states != other.states || low(one) != low(other) || !bytes.Equal(one.out[5:one.at], other.out[5:other.at]) {
				t.Fatalf("%d sequences: the stream of the kernel is another", n)
			}
			if !bytes.Equal(one.out[:5], bytes.Repeat([]byte{0xa5}, 5)) || !bytes.Equal(one.out[one.at+8:], bytes.Repeat([]byte{0xa5}, room-one.at-8)) {
				t.Fatalf("%d sequences: bytes around the stream have changed", n)
			}
		}
	}
}
