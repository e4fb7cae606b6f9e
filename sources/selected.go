package sources

import (
	"cmp"
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Span is Count indices of a dimension: First, First + Step and so on.
type Span struct{ First, Count, Step int }

// selected is a part of an array.
type selected struct {
	array Array
	info  Info
	spans []Span // of each dimension
	// If a dimension has a step, the array is read in boxes. extent is their shape, and
	// origin is where the first box begins.
	extent, origin []int
}

// Selected returns the part of an array that has the indices of spans, one span for each
// dimension. All indices lie within the array. ReadRegion reads only chunks with selected
// elements. The result is not [Stored].
func Selected(array Array, spans []Span) Array {
	s := &selected{array: array, info: *array.Info(), spans: spans}
	i := &s.info
	i.Shape = make([]int, len(spans))
	i.Chunks, i.Shards = slices.Clone(i.Chunks), slices.Clone(i.Shards)
	i.Obstacle = "a part of the source's array is taken"
	for k, span := range spans {
		i.Shape[k] = span.Count
		if span.Step == 1 {
			continue
		}
		if i.Chunks != nil {
			i.Chunks[k] = (i.Chunks[k] + span.Step - 1) / span.Step
		}
		i.Shards, i.Codecs, i.AnyRegion = nil, nil, false
	}
	if s.strided() {
		i.Memory = cmp.Or(i.Memory, ScratchBytes) + s.cut()
	}
	i.Layout = s.layout()
	return s
}

// layout returns the Layout of a part of an array without chunks.
func (s *selected) layout() *Layout {
	if s.info.Chunks != nil {
		return nil
	}
	p := s.array.Info().layout()
	for k, span := range s.spans {
		p.Most[k] = (p.Most[k] + span.Step - 1) / span.Step
		if s.extent != nil {
			if n := (s.extent[k] + span.Step - 1) / span.Step; p.Most[k] == 0 || n < p.Most[k] {
				p.Most[k] = n
			}
		}
		p.Steps[k] *= span.Step
	}
	return p
}

// Window returns the part of an array that has the n indices from first on along dimension
// dim, and all indices of the other dimensions; see [Selected].
func Window(array Array, dim, first, n int) Array {
	spans := make([]Span, len(array.Info().Shape))
	for k, extent := range array.Info().Shape {
		spans[k] = Span{Count: extent, Step: 1}
	}
	spans[dim] = Span{First: first, Count: n, Step: 1}
	return Selected(array, spans)
}

// strided reports whether a dimension has a step, so that elements between those that are
// selected are read, too.
func (s *selected) strided() bool {
	return slices.ContainsFunc(s.spans, func(span Span) bool { return span.Step > 1 })
}

// cut sets extent and origin. With chunks, a box is a chunk. Without chunks, and for
// elements of variable size, a box has one index of each dimension with a step. The dimension that
// varies fastest is an exception if elements have a fixed size: the elements between the
// selected ones are read, too. cut returns the most bytes that a box takes, or 0 if only
// selected elements are read.
func (s *selected) cut() int {
	info := s.array.Info()
	order := info.StoredOrder()
	fastest := order[len(order)-1]
	s.extent, s.origin = make([]int, len(s.spans)), make([]int, len(s.spans))
	variable := info.Type.Size() == 0
	direct := variable || info.Chunks == nil && s.spans[fastest].Step == 1
	room := stridedRun
	for _, k := range slices.Backward(order) {
		span := s.spans[k]
		switch {
		case info.Chunks != nil && !variable:
			s.extent[k] = max(min(info.Chunks[k], info.Shape[k]), 1)
		case span.Step > 1 && (k != fastest || variable):
			s.extent[k] = 1
		case direct:
			s.extent[k], s.origin[k] = max(span.Count, 1), span.First
		default:
			s.extent[k], s.origin[k] = max(min(room, info.Shape[k]), 1), span.First
			room = max(room/s.extent[k], 1)
		}
	}
	if direct {
		return 0
	}
	n, _ := ndarray.Bytes(info.Type, s.extent)
	return n
}

// stridedRun is the number of elements of a box of an array without chunks, if a box also
// has elements that are not selected.
const stridedRun = 1 << 14

func (s *selected) Info() *Info { return &s.info }

// ReadRegion implements [Array].
func (s *selected) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(&s.info, dst, start); err != nil {
		return err
	}
	if !s.strided() {
		from := make([]int, len(start))
		for k, span := range s.spans {
			from[k] = span.First + start[k]
		}
		return s.array.ReadRegion(ctx, dst, from)
	}
	if slices.Contains(dst.Shape, 0) {
		return nil
	}
	return s.readPieces(ctx, dst, start, 0, ndarray.Region{Start: make([]int, len(start)), Shape: slices.Clone(dst.Shape)})
}

// readPieces fills a region of dst. It cuts the region where boxes end, along dimension k
// and the dimensions after it, and reads each piece.
func (s *selected) readPieces(ctx context.Context, dst ndarray.Array, start []int, k int, region ndarray.Region) error {
	if k == len(start) {
		return s.readPiece(ctx, dst, start, region)
	}
	extent, origin, span := s.extent[k], s.origin[k], s.spans[k]
	end := region.Start[k] + region.Shape[k]
	for at := region.Start[k]; at < end; {
		index := span.First + (start[k]+at)*span.Step
		boxEnd := origin + ((index-origin)/extent+1)*extent
		n := min((boxEnd-index+span.Step-1)/span.Step, end-at)
		piece := ndarray.Region{Start: slices.Clone(region.Start), Shape: slices.Clone(region.Shape)}
		piece.Start[k], piece.Shape[k] = at, n
		if err := s.readPieces(ctx, dst, start, k+1, piece); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// readPiece fills a region of dst from one box of the array.
func (s *selected) readPiece(ctx context.Context, dst ndarray.Array, start []int, region ndarray.Region) error {
	from, shape := make([]int, len(start)), make([]int, len(start))
	direct := true // nothing lies between the elements
	for k, span := range s.spans {
		from[k] = span.First + (start[k]+region.Start[k])*span.Step
		shape[k] = (region.Shape[k]-1)*span.Step + 1
		direct = direct && shape[k] == region.Shape[k]
	}
	part := dst.Sub(region)
	if direct {
		return s.array.ReadRegion(ctx, part, from)
	}
	box := ndarray.New(s.info.Type, shape)
	if err := s.array.ReadRegion(ctx, box, from); err != nil {
		return err
	}
	box.Shape, box.Strides = region.Shape, slices.Clone(box.Strides)
	for k, span := range s.spans {
		box.Strides[k] *= span.Step
	}
	ndarray.Copy(part, box)
	return nil
}

// StoredRegions implements [Sparse].
func (s *selected) StoredRegions(ctx context.Context, f func(ndarray.Region)) (dtype.Scalar, error) {
	inner := AsSparse(s.array)
	if inner == nil {
		return nil, nil
	}
	return inner.StoredRegions(ctx, func(r ndarray.Region) {
		own := ndarray.Region{Start: make([]int, len(s.spans)), Shape: make([]int, len(s.spans))}
		for k, span := range s.spans {
			first := max(r.Start[k]-span.First+span.Step-1, 0) / span.Step
			end := min(max(r.Start[k]+r.Shape[k]-span.First+span.Step-1, 0)/span.Step, span.Count)
			if first >= end {
				return
			}
			own.Start[k], own.Shape[k] = first, end-first
		}
		f(own)
	})
}
