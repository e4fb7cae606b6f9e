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

// MaxSequences bounds the sequences of a dataset, because their places are kept in memory.
const MaxSequences = 1 << 23

// Sequences is a dataset whose elements are sequences of different lengths, or a member of its
// elements. Their values follow each other in one long row. It is safe for concurrent use.
type Sequences struct {
	// Native describes the values. An array datatype adds its dimensions. It is empty if the
	// values are sequences themselves, see [Sequences.Inner].
	Native hdf5type.Native
	// Offsets has the place in the row at which each sequence begins, in C order, and behind
	// them the number of all values.
	Offsets []int64
	// Shape is that of the dataset, or [0] for a null dataspace. That of inner sequences is
	// their number.
	Shape []int

	datatype *hdf5type.Datatype // of a sequence
	places   *Dataset           // elements are references to the heap
	outer    *Sequences         // not nil: the sequences are its values
}

// Sequences opens the object as a dataset of sequences, and reads the length of each of
// them. member is that of [Object.Field], or nil if the elements themselves are sequences.
func (o *Object) Sequences(ctx context.Context, member []string) (*Sequences, error) {
	d := &Dataset{file: o.file, address: o.address, places: true, member: member}
	if err := o.read(ctx, d, nil); err != nil {
		return nil, err
	}
	shape := d.Shape
	if d.Null {
		shape = []int{0}
	}
	n, ok := ndarray.Elements(shape)
	if !ok || n > MaxSequences {
		return nil, TooManySequences()
	}
	s := &Sequences{Shape: shape, places: d, datatype: d.Native.Element}
	return s, s.open(ctx, n)
}

// Inner opens the values, which are sequences themselves, and reads the length of each of
// them.
func (s *Sequences) Inner(ctx context.Context) (*Sequences, error) {
	n := s.Offsets[len(s.Offsets)-1]
	if !InnerSequences(s.datatype) {
		return nil, unsupported("the values are no sequences")
	}
	if n > MaxSequences {
		return nil, TooManySequences()
	}
	inner := &Sequences{Shape: []int{int(n)}, places: s.places, datatype: s.datatype.Base, outer: s}
	return inner, inner.open(ctx, int(n))
}

// TooManySequences returns the error about a dataset of more sequences than [MaxSequences].
func TooManySequences() error { return unsupported("more than %d sequences", MaxSequences) }

// InnerSequences reports whether the values of sequences are sequences that no array holds.
func InnerSequences(d *hdf5type.Datatype) bool {
	base := d.Base
	if base == nil || base.Class != hdf5type.VariableLength || base.Text {
		return false
	}
	_, err := base.Type()
	return err != nil
}

// open reads the lengths of n sequences.
func (s *Sequences) open(ctx context.Context, n int) (err error) {
	if !InnerSequences(s.datatype) {
		if s.Native, err = s.datatype.Base.Type(); err != nil {
			return err
		}
	}
	const batch = 1 << 16
	s.Offsets = make([]int64, 1, min(n, batch)+1)
	for at := 0; at < n; {
		items, err := s.items(ctx, at, min(at+batch, n))
		if err != nil {
			return err
		}
		for _, item := range items {
			c := &cursor{data: item, widths: s.places.file.widths}
			length, address := int64(c.uint32()), c.address()
			if address == undefined || address == 0 {
				length = 0
			}
			s.Offsets = append(s.Offsets, s.Offsets[len(s.Offsets)-1]+length)
		}
		at += len(items)
	}
	return nil
}

// items reads references to the heap, from number first on, up to last or fewer.
func (s *Sequences) items(ctx context.Context, first, last int) ([][]byte, error) {
	if s.outer != nil {
		size := s.datatype.Size
		all := make([]byte, 0, (last-first)*size)
		heap := s.places.file.globalHeap()
		err := s.outer.each(ctx, heap, first, last, func(_ int, values []byte) error {
			all = append(all, values...)
			return nil
		})
		return slices.Collect(slices.Chunk(all, size)), err
	}
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
	return slices.Collect(slices.Chunk(dst.Data, s.datatype.Size)), nil
}

// itemsBatch is how many references to the heap are read at once to read values.
const itemsBatch = 1 << 12

// Memory returns the most bytes that ReadValues holds besides its destination.
func (s *Sequences) Memory() int {
	if s.outer != nil {
		return s.outer.Memory() + 2*keptCollections + 2*itemsBatch*s.datatype.Size
	}
	return s.places.Memory() + 2*keptCollections
}

// ReadValues fills dst with values from number start on. dst has one dimension, and behind
// it all of those of an array datatype.
func (s *Sequences) ReadValues(ctx context.Context, dst ndarray.Array, start int) error {
	heap := s.places.file.globalHeap()
	heap.tally = dst.Heap.Tally()
	defer heap.tally.End()
	err := s.each(ctx, heap, start, start+dst.Shape[0], func(at int, values []byte) error {
		return s.put(ctx, dst, at-start, len(values)/s.datatype.Base.Size, values)
	})
	if err != nil {
		return err
	}
	return checkTexts(dst, make([]int, len(dst.Shape)))
}

// each calls f for the values from number start up to, but not including, end, as they are in
// the file. f gets some of them at a time, with the number of the first; each of them has the
// size of the datatype's base.
func (s *Sequences) each(ctx context.Context, heap *globalHeap, start, end int, f func(at int, values []byte) error) error {
	size := s.datatype.Base.Size
	// The last sequence that begins at start or before it.
	first := sort.Search(len(s.Offsets), func(i int) bool { return s.Offsets[i] > int64(start) }) - 1
	for at := first; at < len(s.Offsets)-1 && s.Offsets[at] < int64(end); {
		items, err := s.items(ctx, at, min(at+itemsBatch, len(s.Offsets)-1))
		if err != nil {
			return err
		}
		for i, item := range items {
			begin, stop := int(s.Offsets[at+i]), int(s.Offsets[at+i+1])
			low, high := max(begin, start), min(stop, end)
			if low >= high {
				continue
			}
			values, err := heap.sequence(ctx, item, size)
			if err == nil && len(values) != (stop-begin)*size {
				err = corrupt("it has %d bytes, want %d values", len(values), stop-begin)
			}
			if err == nil {
				err = f(low, values[(low-begin)*size:(high-begin)*size])
			}
			if err != nil {
				return fmt.Errorf("sequence %d: %w", at+i, err)
			}
		}
		at += len(items)
	}
	return nil
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
