package parquet

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// leastDelta is less than all deltas of these tests.
const leastDelta = -5

// deltaStream encodes values as DELTA_BINARY_PACKED, in blocks of 64 values with two
// miniblocks. Miniblock k has numbers of widths(k) bits.
func deltaStream(values []int64, widths func(k int) int) []byte {
	out := binary.AppendUvarint(nil, 64)
	out = binary.AppendUvarint(out, 2)
	out = binary.AppendUvarint(out, uint64(len(values)))
	out = binary.AppendVarint(out, values[0])
	for i := 1; i < len(values); i += 64 {
		out = binary.AppendVarint(out, leastDelta)
		first := (i - 1) / 32
		out = append(out, byte(widths(first)), byte(widths(first+1)))
		for k := range 2 {
			width := widths(first + k)
			packed := make([]byte, 4*width)
			for j := range min(32, max(0, len(values)-i-32*k)) {
				at := i + 32*k + j
				v := uint64(values[at] - values[at-1] - leastDelta)
				for b := range width {
					packed[(j*width+b)/8] |= byte(v>>b&1) << ((j*width + b) % 8)
				}
			}
			out = append(out, packed...)
		}
	}
	return out
}

// TestDeltas reads numbers of all widths in pieces of all lengths.
func TestDeltas(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{4, 8} {
		for width := range 65 {
			widths := func(k int) int { return max(0, width-k%2) }
			values := []int64{-7}
			for i := 1; i < 1000; i++ {
				delta := random.Uint64() & (1<<widths((i-1)/32) - 1)
				values = append(values, values[i-1]+leastDelta+int64(delta))
			}
			stream := deltaStream(values, widths)
			for _, piece := range []int{1, 7, 32, 33, 64, 500, 1000} {
				d, err := newDeltas(stream)
				if err != nil {
					t.Fatal(err)
				}
				numbers := &deltaNumbers{d, size}
				for at := 0; at < len(values); at += piece {
					n := min(piece, len(values)-at)
					got := make([]byte, n*size)
					if err := numbers.fixed(got, n); err != nil {
						t.Fatal(err)
					}
					var want []byte
					for _, v := range values[at:][:n] {
						if size == 4 {
							want = binary.LittleEndian.AppendUint32(want, uint32(v))
						} else {
							want = binary.LittleEndian.AppendUint64(want, uint64(v))
						}
					}
					if string(got) != string(want) {
						t.Fatalf("%d bits, %d bytes, pieces of %d: other values from %d on", width, size, piece, at)
					}
				}
				if err := numbers.fixed(make([]byte, size), 1); err == nil {
					t.Fatal("a value behind the last one")
				}
			}
		}
	}
}
