package sources

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// counted returns an array of float64 whose elements are their numbers in C order.
func counted(shape ...int) *held {
	n, _ := ndarray.Elements(shape)
	h := &held{info: &Info{Type: dtype.Float64, Shape: shape}}
	for i := range n {
		h.values = append(h.values, float64(i))
	}
	return h
}

// TestWindow reads the middle of each dimension, and nothing beyond it.
func TestWindow(t *testing.T) {
	whole := counted(4, 5)
	for dim, want := range [][]float64{{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, {1, 2, 6, 7, 11, 12, 16, 17}} {
		w := Window(whole, dim, 1, 2)
		dst := ndarray.New(dtype.Float64, w.Info().Shape)
		if err := w.ReadRegion(t.Context(), dst, []int{0, 0}); err != nil {
			t.Fatal(err)
		}
		if got, _ := ndarray.As[float64](dst); !slices.Equal(got, want) {
			t.Errorf("dimension %d: %v, want %v", dim, got, want)
		}
		start := []int{0, 0}
		start[dim] = 1
		if err := w.ReadRegion(t.Context(), dst, start); err == nil {
			t.Errorf("dimension %d: a region beyond the window was read", dim)
		}
	}
	if !slices.Equal(whole.info.Shape, []int{4, 5}) {
		t.Errorf("the whole array has shape %v", whole.info.Shape)
	}
}

// TestSelected reads parts of arrays, with and without chunks, whole and region by region,
// and counts the elements that are read for them.
func TestSelected(t *testing.T) {
	for _, test := range []struct {
		chunks []int
		spans  []Span
		most   int // elements that are read for all of it
	}{
		{nil, []Span{{1, 2, 1}, {0, 7, 1}, {2, 5, 1}}, 70},
		{nil, []Span{{0, 2, 3}, {0, 7, 1}, {0, 10, 1}}, 140},
		{nil, []Span{{1, 2, 2}, {1, 3, 2}, {1, 3, 4}}, 54},
		{[]int{2, 3, 4}, []Span{{1, 2, 2}, {1, 3, 2}, {1, 3, 4}}, 30},
		{[]int{2, 3, 4}, []Span{{0, 2, 3}, {0, 1, 9}, {9, 1, 1}}, 2},
		{[]int{20, 30, 40}, []Span{{0, 5, 1}, {0, 4, 2}, {0, 10, 1}}, 350},
		{[]int{2, 3, 4}, []Span{{0, 0, 1}, {0, 4, 2}, {0, 10, 1}}, 0},
	} {
		t.Run(fmt.Sprint(test.chunks, test.spans), func(t *testing.T) {
			whole := counted(5, 7, 10)
			whole.info.Chunks = test.chunks
			counting := &countedReads{Array: whole}
			part := Selected(counting, test.spans)
			shape := part.Info().Shape
			value := func(index []int) float64 {
				at := 0
				for k, span := range test.spans {
					at = at*whole.info.Shape[k] + span.First + index[k]*span.Step
				}
				return float64(at)
			}
			check := func(region ndarray.Region) {
				dst := ndarray.New(dtype.Float64, region.Shape)
				if err := part.ReadRegion(t.Context(), dst, region.Start); err != nil {
					t.Fatal(err)
				}
				got, _ := ndarray.As[float64](dst)
				for i := range got {
					index, rest := slices.Clone(region.Start), i
					for k, n := range slices.Backward(region.Shape) {
						index[k] += rest % n
						rest /= n
					}
					if got[i] != value(index) {
						t.Fatalf("%v: %v, want %v", index, got[i], value(index))
					}
				}
			}
			check(ndarray.Region{Start: []int{0, 0, 0}, Shape: shape})
			if counting.elements > test.most {
				t.Errorf("%d elements were read, want %d at the most", counting.elements, test.most)
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				region := ndarray.Region{Start: make([]int, 3), Shape: make([]int, 3)}
				for k, n := range shape {
					region.Start[k] = r.IntN(n + 1)
					region.Shape[k] = r.IntN(n - region.Start[k] + 1)
				}
				check(region)
			}
			if err := part.ReadRegion(t.Context(), ndarray.New(dtype.Float64, shape), []int{1, 0, 0}); err == nil {
				t.Error("a region beyond the part was read")
			}
		})
	}
}

// countedReads counts the elements that are read.
type countedReads struct {
	Array
	elements int
}

func (c *countedReads) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	c.elements += dst.Len()
	return c.Array.ReadRegion(ctx, dst, start)
}

// TestSelectedStoredRegions translates the regions that are stored, and leaves those out
// that have no selected element.
func TestSelectedStoredRegions(t *testing.T) {
	whole := &sparseRegions{held: counted(10, 10), regions: []ndarray.Region{
		{Start: []int{0, 0}, Shape: []int{2, 10}}, {Start: []int{4, 2}, Shape: []int{2, 1}}, {Start: []int{3, 3}, Shape: []int{7, 7}},
		{Start: []int{8, 0}, Shape: []int{2, 2}},
	}}
	part := Selected(whole, []Span{{1, 3, 3}, {2, 4, 1}}) // rows 1, 4 and 7, columns 2 to 5
	var got []ndarray.Region
	rest, err := AsSparse(part).StoredRegions(t.Context(), func(r ndarray.Region) { got = append(got, r) })
	if err != nil || string(rest) != "rest" {
		t.Errorf("rest %q, error %v", rest, err)
	}
	if diff := gocmp.Diff([]ndarray.Region{
		{Start: []int{0, 0}, Shape: []int{1, 4}}, {Start: []int{1, 0}, Shape: []int{1, 1}}, {Start: []int{1, 1}, Shape: []int{2, 3}},
	}, got); diff != "" {
		t.Errorf("regions (-want +got):\n%s", diff)
	}
	if rest, err := AsSparse(Selected(counted(3), []Span{{0, 2, 1}})).StoredRegions(t.Context(), nil); rest != nil || err != nil {
		t.Errorf("an array that does not know its regions: %v, %v", rest, err)
	}
}

// sparseRegions is an array that lists regions.
type sparseRegions struct {
	*held
	regions []ndarray.Region
}

func (s *sparseRegions) StoredRegions(_ context.Context, f func(ndarray.Region)) (dtype.Scalar, error) {
	for _, r := range s.regions {
		f(r)
	}
	return dtype.Scalar("rest"), nil
}

// TestSelectedInfo describes a part: chunks shrink with the step, and stored objects are
// those of the whole array.
func TestSelectedInfo(t *testing.T) {
	whole := counted(12, 10)
	whole.info.Chunks, whole.info.Shards, whole.info.Codecs = []int{4, 5}, []int{8, 5}, []codecs.Spec{{Name: "bytes"}}
	plain, stepped := Selected(whole, []Span{{4, 8, 1}, {0, 10, 1}}).Info(), Selected(whole, []Span{{0, 4, 3}, {0, 10, 1}}).Info()
	if !slices.Equal(plain.Shape, []int{8, 10}) || !slices.Equal(plain.Chunks, []int{4, 5}) || plain.Shards == nil || plain.Codecs == nil || plain.Obstacle == "" {
		t.Errorf("without a step: %+v", plain)
	}
	if !slices.Equal(stepped.Shape, []int{4, 10}) || !slices.Equal(stepped.Chunks, []int{2, 5}) || stepped.Shards != nil || stepped.Codecs != nil || stepped.Memory < 4*5*8 {
		t.Errorf("with a step: %+v", stepped)
	}
	for _, test := range []struct {
		chunks []int
		spans  []Span
		want   int // bytes of a box
	}{
		{[]int{4, 5}, []Span{{0, 4, 3}, {0, 10, 1}}, 4 * 5 * 8},
		{[]int{4, 5}, []Span{{0, 12, 1}, {0, 5, 2}}, 4 * 5 * 8},
		{[]int{1, 5}, []Span{{0, 4, 3}, {0, 10, 1}}, 1 * 5 * 8},
		{[]int{40, 5}, []Span{{0, 4, 3}, {0, 5, 2}}, 12 * 5 * 8},
		{nil, []Span{{0, 4, 3}, {0, 10, 1}}, 0}, // only selected elements are read
		{nil, []Span{{0, 12, 1}, {0, 5, 2}}, 12 * 10 * 8},
		{nil, []Span{{0, 4, 3}, {0, 5, 2}}, 10 * 8},
	} {
		whole := counted(12, 10)
		whole.info.Chunks, whole.info.Memory = test.chunks, 1000
		if got := Selected(whole, test.spans).Info().Memory; got != 1000+test.want {
			t.Errorf("%v of chunks %v takes %d bytes, want %d", test.spans, test.chunks, got-1000, test.want)
		}
	}
	for shape, want := range map[[2]int]int{{3, 1 << 15}: 1 << 14, {1 << 15, 1 << 10}: 1 << 14, {1 << 15, 3 << 12}: 3 << 12} {
		whole := &onlyInfo{Info{Type: dtype.Float64, Shape: shape[:], Memory: 1000}}
		if got := Selected(whole, []Span{{0, shape[0], 1}, {0, shape[1] / 2, 2}}).Info().Memory; got != 1000+want*8 {
			t.Errorf("shape %v without chunks: a box has %d bytes, want %d elements", shape, got-1000, want)
		}
	}
	if AsStored(Selected(whole, []Span{{0, 12, 1}, {0, 10, 1}})) != nil || !slices.Equal(whole.info.Chunks, []int{4, 5}) {
		t.Error("the part is stored, or the whole has changed")
	}
}

// TestSelectedTexts reads elements of variable size, with and without chunks: no element is
// read that is not selected, because nobody knows the memory that it takes.
func TestSelectedTexts(t *testing.T) {
	for _, chunks := range [][]int{nil, {2, 3, 4}} {
		for _, test := range []struct {
			spans []Span
			reads int
		}{
			{[]Span{{1, 2, 2}, {1, 3, 2}, {1, 3, 4}}, 18},
			{[]Span{{1, 2, 2}, {1, 3, 1}, {1, 3, 1}}, 2},
			{[]Span{{1, 2, 1}, {1, 3, 1}, {1, 3, 4}}, 3},
		} {
			asked := &asked{info: Info{Type: dtype.StringType, Shape: []int{5, 7, 10}, Chunks: chunks, Memory: 1000}}
			part := Selected(asked, test.spans)
			if part.Info().Memory != 1000 {
				t.Errorf("%v: %d bytes", test.spans, part.Info().Memory)
			}
			dst := ndarray.New(dtype.StringType, part.Info().Shape)
			if err := part.ReadRegion(t.Context(), dst, []int{0, 0, 0}); err != nil {
				t.Fatal(err)
			}
			if asked.elements != dst.Len() || asked.reads != test.reads {
				t.Errorf("%v: %d elements in %d reads, want %d in %d", test.spans, asked.elements, asked.reads, dst.Len(), test.reads)
			}
		}
	}
}

// asked is an array that counts what is read of it, and fills nothing.
type asked struct {
	info            Info
	reads, elements int
}

func (a *asked) Info() *Info { return &a.info }

func (a *asked) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	a.reads++
	a.elements += dst.Len()
	return CheckRegion(&a.info, dst, start)
}
