package hdf5

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// maxSequences bounds the sequences of a dataset, because their places are kept in memory.
const maxSequences = 1 << 23

// Sequences is a dataset whose elements are sequences of different lengths. Their values
// follow each other in one long row. It is safe for concurrent use.
type Sequences struct {
	// Native describes the values. An array datatype adds its dimensions.
	Native hdf5type.Native
	// Offsets has the place in the row at which each sequence begins, in C order, and behind
	// them the number of all values.
	Offsets []int64
	// Shape is that of the dataset.
	Shape []int

	places *Dataset // elements are references to the heap
	base   int      // bytes of a value in the file
}

// Sequences opens the object as a dataset of sequences, and reads the length of each of
// them.
func (o *Object) Sequences(ctx context.Context) (*Sequences, error) {
	d := &Dataset{file: o.file, address: o.address, places: true}
	if err := o.read(ctx, d, nil); err != nil {
		return nil, err
	}
	n, ok := ndarray.Elements(d.Shape)
	if !ok || n > maxSequences {
		return nil, unsupported("more than %d sequences", maxSequences)
	}
	s := &Sequences{Shape: d.Shape, places: d, base: d.Datatype.Base.Size}
	if d.Datatype.Base.Class == hdf5type.VariableLength && !d.Datatype.Base.Text {
		return nil, unsupported("sequences of sequences")
	}
	var err error
	if s.Native, err = d.Datatype.Base.Type(); err != nil {
		return nil, err
	}
	s.Offsets = make([]int64, 1, n+1)
	const batch = 1 << 16
	for at := 0; at < n; {
		items, err := s.items(ctx, at, min(at+batch, n))
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			c := &cursor{data: item, widths: d.file.widths}
			length, address := int64(c.uint32()), c.address()
			if address == undefined || address == 0 {
				length = 0
			}
			s.Offsets = append(s.Offsets, s.Offsets[len(s.Offsets)-1]+length)
		}
		at += len(items)
	}
	return s, nil
}

// items reads references to the heap, from number first on, up to last or fewer.
func (s *Sequences) items(ctx context.Context, first, last int) ([][]byte, error) {
	shape := s.Shape
	start, extent := make([]int, len(shape)), slices.Repeat([]int{1}, len(shape))
	if k := len(shape) - 1; k >= 0 {
		rest := first
		for i := k; i >= 0; i-- {
			start[i], rest = rest%shape[i], rest/shape[i]
		}
		extent[k] = min(last-first, shape[k]-start[k]) // a part of the innermost row
		if start[k] == 0 && k > 0 && extent[k] == shape[k] {
			extent[k-1] = max(min((last-first)/shape[k], shape[k-1]-start[k-1]), 1)
		}
	}
	dst := ndarray.New(s.places.Native.Type, extent)
	if err := s.places.ReadRegion(ctx, dst, start); err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(dst.Data, s.places.Datatype.Size)), nil
}

// Memory returns the most bytes that ReadValues holds besides its destination.
func (s *Sequences) Memory() int { return s.places.Memory() + 2*keptCollections }

// ReadValues fills dst with values from number start on. dst has one dimension, and behind
// it all of those of an array datatype.
func (s *Sequences) ReadValues(ctx context.Context, dst ndarray.Array, start int) error {
	end := start + dst.Shape[0]
	heap := s.places.file.globalHeap()
	heap.tally = dst.Heap.Tally()
	defer heap.tally.End()
	// The last sequence that begins at start or before it.
	first := sort.Search(len(s.Offsets), func(i int) bool { return s.Offsets[i] > int64(start) }) - 1
	const batch = 1 << 12
	for at := first; at < len(s.Offsets)-1 && s.Offsets[at] < int64(end); {
		items, err := s.items(ctx, at, min(at+batch, len(s.Offsets)-1))
		if err != nil {
			return err
		}
		for i, item := range items {
			begin, stop := int(s.Offsets[at+i]), int(s.Offsets[at+i+1])
			low, high := max(begin, start), min(stop, end)
			if low >= high {
				continue
			}
			values, err := heap.sequence(ctx, item, s.base)
			if err == nil && len(values) != (stop-begin)*s.base {
				err = corrupt("it has %d bytes, want %d values", len(values), stop-begin)
			}
			if err == nil {
				err = s.put(ctx, dst, low-start, high-low, values[(low-begin)*s.base:(high-begin)*s.base])
			}
			if err != nil {
				return fmt.Errorf("sequence %d: %w", at+i, err)
			}
		}
		at += len(items)
	}
	return checkTexts(dst, make([]int, len(dst.Shape)))
}

// put decodes n values into dst from number at on.
func (s *Sequences) put(ctx context.Context, dst ndarray.Array, at, n int, values []byte) error {
	region := ndarray.Region{Start: make([]int, len(dst.Shape)), Shape: slices.Clone(dst.Shape)}
	region.Start[0], region.Shape[0] = at, n
	part := dst.Sub(region)
	if dst.Heap != nil {
		return s.places.file.decode(ctx, part, values, &s.Native)
	}
	decoded := ndarray.New(s.Native.Type, region.Shape)
	if err := s.places.file.decode(ctx, decoded, values, &s.Native); err != nil {
		return err
	}
	ndarray.Copy(part, decoded)
	return nil
}

// placesOf describes elements of variable length by the bytes that refer to the heap.
func placesOf(d *hdf5type.Datatype) (hdf5type.Native, error) {
	if d.Class != hdf5type.VariableLength || d.Text {
		return hdf5type.Native{}, unsupported("%v is no sequence", d.Class)
	}
	return hdf5type.Native{Type: dtype.RawBits(d.Size), Element: d, Moves: []hdf5type.Move{{Length: d.Size, Word: 1}}}, nil
}
