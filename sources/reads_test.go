package sources

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// countedRanges counts the reads of a file of zeros.
type countedRanges struct{ gap, reads, bytes int }

func (c *countedRanges) ReadRange(_ context.Context, _ string, p []byte, _ int64) error {
	c.reads++
	c.bytes += len(p)
	return nil
}

func (c *countedRanges) GapBytes() int { return c.gap }

// TestReads compares the reads that are expected of whole arrays, of parts of them, and of several files
// with those that are made.
func TestReads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		files := &countedRanges{gap: []int{1 << 10, 8 << 10, 256 << 10}[r.IntN(3)]}
		shape := make([]int, 1+r.IntN(3))
		for k := range shape {
			shape[k] = 1 + r.IntN([]int{300000, 700, 90}[len(shape)-1])
		}
		info := &Info{Path: "a", Type: dtype.Float32, Shape: shape}
		strides := ndarray.CStrides(4, shape)
		if r.IntN(2) == 0 && len(shape) > 1 {
			reversed := slices.Clone(shape)
			slices.Reverse(reversed)
			strides = ndarray.CStrides(4, reversed)
			slices.Reverse(strides)
			for k := range slices.Backward(shape) {
				info.Slowest = append(info.Slowest, k)
			}
		}
		a, err := NewStrided(info, Place{Files: files, Size: 1 << 40, Order: dtype.Order(1), Strides: strides, Scratch: &ndarray.Pool{}})
		if err != nil {
			t.Fatal(err)
		}
		parts := []Array{a, a, a}
		switch n := r.IntN(4); {
		case n == 0:
			a, err = Stack(Info{Path: "a"}, parts)
		case n == 1 && info.Slowest == nil:
			a, err = Join(Info{Path: "a"}, 0, parts)
		}
		if err != nil {
			t.Fatal(err)
		}
		var spans []Span
		for range r.IntN(3) {
			spans = nil
			for _, n := range a.Info().Shape {
				s := Span{First: r.IntN(1 + n/4), Step: []int{1, 1, 2, 5}[r.IntN(4)]}
				s.Count = 1 + r.IntN((n-s.First-1)/s.Step+1)
				spans = append(spans, s)
			}
			a = Selected(a, spans)
		}
		whole := a.Info().Shape
		if n, _ := ndarray.Elements(whole); n > 8<<20 {
			continue
		}
		files.reads = 0
		if err := a.ReadRegion(t.Context(), ndarray.New(dtype.Float32, whole), make([]int, len(whole))); err != nil {
			t.Fatal(err)
		}
		if got, want := a.Info().Reads(whole), int64(files.reads); want > 2*got+3 || got > 2*want+3 {
			t.Errorf("shape %v, order %v, gap %d, part %v of shape %v: %d reads, and %d are expected", shape, info.Slowest, files.gap, spans, whole, want, got)
		}
	}
}

// TestStepAlongFastest reads every second index of the dimension that varies fastest in the file. What is
// between these indices is read, too, but nothing is read twice.
func TestStepAlongFastest(t *testing.T) {
	for dim, slowest := range [][]int{{1, 0}, nil} {
		files := &countedRanges{gap: 8 << 10}
		info := &Info{Path: "a", Type: dtype.Float32, Shape: []int{64, 64}, Slowest: slowest}
		strides := []int{4, 4}
		strides[1-dim] *= 64
		a, err := NewStrided(info, Place{Files: files, Size: 4 * 64 * 64, Order: dtype.Order(1), Strides: strides, Scratch: &ndarray.Pool{}})
		if err != nil {
			t.Fatal(err)
		}
		spans := []Span{{0, 64, 1}, {0, 64, 1}}
		spans[dim] = Span{0, 32, 2}
		a = Selected(a, spans)
		shape := a.Info().Shape
		if err := a.ReadRegion(t.Context(), ndarray.New(dtype.Float32, shape), []int{0, 0}); err != nil {
			t.Fatal(err)
		}
		if files.reads != 1 || files.bytes > 4*64*64 || a.Info().Reads(shape) != 1 {
			t.Errorf("dimension %d: %d reads of %d bytes, of a file of %d bytes", dim, files.reads, files.bytes, 4*64*64)
		}
	}
}
