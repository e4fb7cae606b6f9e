package hdf5

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// mostBetween is the most bytes of a source that are read at once to take elements with
// gaps between them out.
const mostBetween = 4 << 20

// readVirtual is ReadRegion of a virtual dataset. HDF5 does not say what elements have that
// are in several mappings. Here the last one counts.
func (d *Dataset) readVirtual(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	value, err := d.FillValue(ctx)
	if err != nil {
		return err
	}
	if d.Native.Shape == nil {
		for item := range value.Items() {
			ndarray.Fill(dst, dtype.Scalar(item))
		}
	} else {
		ndarray.Copy(dst, Repeated(value, dst.Shape, start))
	}
	for i := range d.virtual.mappings {
		m := &d.virtual.mappings[i]
		r := &mappingReader{mapping: m, dst: dst, start: start, native: d.Native.Shape}
		first, n, ok := r.meet(len(d.Shape))
		if !ok {
			continue
		}
		if err := r.read(ctx, first, n); err != nil {
			return fmt.Errorf("virtual dataset: its source %s: %w", m.name, err)
		}
	}
	return nil
}

// mappingReader reads a mapping into a region of the virtual dataset.
type mappingReader struct {
	*mapping
	dst    ndarray.Array
	start  []int
	native []int // the dimensions of an array datatype, all behind the others
}

// meet returns which elements of the mapping lie in the region: for each pair of
// dimensions, the number of the first index and the number of indexes.
func (r *mappingReader) meet(rank int) (first, n []int, ok bool) {
	first, n = make([]int, len(r.pairs)), make([]int, len(r.pairs))
	for k := range rank {
		x := r.to.dims[k]
		low, high := x.below(r.start[k]), x.below(r.start[k]+r.dst.Shape[k])
		if low >= high {
			return nil, nil, false
		}
		for i, p := range r.pairs {
			if p[1] == k {
				first[i], n[i] = low, high-low
			}
		}
	}
	return first, n, true
}

// read reads a box of the mapping. If the elements have gaps between them, it reads what is
// between them, too, as long as that is not too much. Otherwise it divides the box.
func (r *mappingReader) read(ctx context.Context, first, n []int) error {
	bytes, longest := ndarray.ItemSize(r.dst.Type), -1
	for _, extent := range r.native {
		bytes *= extent
	}
	gaps := false
	for i, p := range r.pairs {
		begin, run := r.from.dims[p[0]].at(first[i])
		last, _ := r.from.dims[p[0]].at(first[i] + n[i] - 1)
		_, here := r.to.dims[p[1]].at(first[i])
		gaps = gaps || run < n[i] || here < n[i]
		bytes = min(bytes, 1<<40) * min(last-begin+1, 2*mostBetween)
		if n[i] > 1 && (longest < 0 || n[i] > n[longest]) {
			longest = i
		}
	}
	switch {
	case !gaps:
		return r.source.ReadRegion(ctx, r.place(first, n), r.sourceStart(first))
	case r.dst.Heap == nil && (bytes <= mostBetween || longest < 0):
		return r.scatter(ctx, first, n)
	}
	half := slices.Clone(n)
	half[longest] /= 2
	if err := r.read(ctx, first, half); err != nil {
		return err
	}
	first = slices.Clone(first)
	first[longest] += half[longest]
	rest := slices.Clone(n)
	rest[longest] -= half[longest]
	return r.read(ctx, first, rest)
}

// sourceStart returns the index in the source of the first element of a box.
func (r *mappingReader) sourceStart(first []int) []int {
	start := make([]int, len(r.from.dims)+len(r.native))
	for j, x := range r.from.dims {
		start[j], _ = x.at(0)
	}
	for i, p := range r.pairs {
		start[p[0]], _ = r.from.dims[p[0]].at(first[i])
	}
	for k := range r.native {
		start[len(r.from.dims)+k] = r.start[len(r.to.dims)+k]
	}
	return start
}

// place returns the part of dst for a box without gaps, with the dimensions of the source.
func (r *mappingReader) place(first, n []int) ndarray.Array {
	region := ndarray.Region{Start: make([]int, len(r.dst.Shape)), Shape: slices.Clone(r.dst.Shape)}
	for k, x := range r.to.dims {
		index, _ := x.at(0)
		region.Start[k], region.Shape[k] = index-r.start[k], 1
	}
	for i, p := range r.pairs {
		index, _ := r.to.dims[p[1]].at(first[i])
		region.Start[p[1]], region.Shape[p[1]] = index-r.start[p[1]], n[i]
	}
	part := r.dst.Sub(region)
	rank := len(r.from.dims)
	shape, strides := slices.Repeat([]int{1}, rank), make([]int, rank)
	for i, p := range r.pairs {
		shape[p[0]], strides[p[0]] = n[i], part.Strides[p[1]]
	}
	part.Shape = slices.Concat(shape, r.dst.Shape[len(r.to.dims):])
	part.Strides = slices.Concat(strides, r.dst.Strides[len(r.to.dims):])
	return part
}

// scatter reads the part of the source that has all elements of a box, and copies them to
// their places.
func (r *mappingReader) scatter(ctx context.Context, first, n []int) error {
	start := r.sourceStart(first)
	shape := slices.Repeat([]int{1}, len(r.from.dims))
	for i, p := range r.pairs {
		last, _ := r.from.dims[p[0]].at(first[i] + n[i] - 1)
		shape[p[0]] = last - start[p[0]] + 1
	}
	shape = slices.Concat(shape, r.dst.Shape[len(r.to.dims):])
	between, b, err := r.source.file.shared.buffers.Array(r.dst.Type, shape)
	if err != nil {
		return err
	}
	defer b.Release()
	if err := r.source.ReadRegion(ctx, between, start); err != nil {
		return err
	}
	// Go through the pieces without gaps, the last dimension fastest.
	at, piece := slices.Clone(first), make([]int, len(n))
	for {
		region := ndarray.Region{Start: make([]int, len(shape)), Shape: slices.Clone(shape)}
		for i, p := range r.pairs {
			index, run := r.from.dims[p[0]].at(at[i])
			_, here := r.to.dims[p[1]].at(at[i])
			piece[i] = min(run, here, first[i]+n[i]-at[i])
			region.Start[p[0]], region.Shape[p[0]] = index-start[p[0]], piece[i]
		}
		ndarray.Copy(r.place(at, piece), between.Sub(region))
		i := len(n) - 1
		for ; i >= 0; i-- {
			if at[i] += piece[i]; at[i] < first[i]+n[i] {
				break
			}
			at[i] = first[i]
		}
		if i < 0 {
			return nil
		}
	}
}
