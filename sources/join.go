package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Join returns the array that has the parts end to end along dimension dim. All parts must
// have the same data type, and the same extents along the other dimensions; an error names
// the first part that does not.
//
// info describes the result. Join changes these fields: Type, Shape, Slowest, Remote and
// AnyRegion follow from the parts. LongRun becomes at least that of the first part, and ItemBytes at
// least that of each part. The caller sets Memory to that of one part, and Join makes it
// that of all parts that are read at the same time.
func Join(info Info, dim int, parts []Array) (Array, error) {
	if len(parts) == 0 {
		return nil, errors.New("nothing to join")
	}
	first := parts[0].Info()
	if dim < 0 || dim >= len(first.Shape) {
		return nil, fmt.Errorf("array %q of shape %v has no dimension %d to join along", info.Path, first.Shape, dim)
	}
	j := &joined{info: &info, dim: dim, parts: parts}
	end, longest := 0, 0
	for i, p := range parts {
		shape := slices.Clone(p.Info().Shape)
		if len(shape) == len(first.Shape) {
			end, longest = end+shape[dim], max(longest, shape[dim])
			shape[dim] = first.Shape[dim]
		}
		if err := checkPart(&info, i, p.Info(), first, shape); err != nil {
			return nil, err
		}
		info.ItemBytes = max(info.ItemBytes, p.Info().ItemBytes)
		if end < 0 {
			return nil, fmt.Errorf("array %q has too many elements along dimension %d", info.Path, dim)
		}
		j.ends = append(j.ends, end)
	}
	info.Type, info.LongRun, info.AnyRegion = first.Type, max(info.LongRun, first.LongRun), anyRegion(parts)
	info.Shape = slices.Clone(first.Shape)
	info.Shape[dim] = end
	slowest := []int{dim}
	for _, k := range first.StoredOrder() {
		if k != dim {
			slowest = append(slowest, k)
		}
	}
	info.Layout = first.layout()
	if most := &info.Layout.Most[dim]; *most == 0 || *most > longest {
		*most = longest
	}
	j.atOnce = partsAtOnce(&info, first)
	return j.withObjects(), finish(&info, slowest)
}

// Stack returns the array whose element (i, …) is element (…) of part i. All parts must
// have the same data type and the same shape; an error names the first part that does not.
// info describes the result. Type, Shape, Slowest, Remote, AnyRegion and LongRun follow
// from the parts. ItemBytes and Memory change as in Join.
func Stack(info Info, parts []Array) (Array, error) {
	if len(parts) == 0 {
		return nil, errors.New("nothing to stack")
	}
	first := parts[0].Info()
	for i, p := range parts {
		if err := checkPart(&info, i, p.Info(), first, p.Info().Shape); err != nil {
			return nil, err
		}
		info.ItemBytes = max(info.ItemBytes, p.Info().ItemBytes)
	}
	info.Type, info.LongRun, info.AnyRegion = first.Type, first.LongRun, anyRegion(parts)
	info.Shape = append([]int{len(parts)}, first.Shape...)
	slowest := []int{0}
	for _, k := range first.StoredOrder() {
		slowest = append(slowest, k+1)
	}
	of := first.layout()
	for k := range of.Order {
		of.Order[k]++
	}
	info.Layout = &Layout{Most: append([]int{1}, of.Most...), Whole: append([]int{1}, of.Whole...), Steps: append([]int{1}, of.Steps...), Order: append([]int{0}, of.Order...)}
	return &stacked{info: &info, parts: parts, atOnce: partsAtOnce(&info, first)}, finish(&info, slowest)
}

// anyRegion reports whether all parts have AnyRegion.
func anyRegion(parts []Array) bool {
	return !slices.ContainsFunc(parts, func(p Array) bool { return !p.Info().AnyRegion })
}

const (
	// mostParts bounds the parts that one call reads at the same time over a network.
	// partsBytes bounds the memory for these parts, unless a single part needs more.
	mostParts  = 8
	partsBytes = 8 << 20
)

// partsAtOnce returns how many parts are read at the same time, and sets the memory
// for that.
func partsAtOnce(info, first *Info) int {
	info.Remote = first.Remote
	if !info.Remote || info.Type.Size() == 0 { // elements of variable size share a heap
		return 1
	}
	each := cmp.Or(info.Memory, ScratchBytes)
	n := min(max(partsBytes/each, 1), mostParts)
	info.Memory = n * each
	return n
}

// checkPart compares part i with the first part. shape is the shape of part i; along a
// dimension in which parts may differ, it has the extent of the first part.
func checkPart(info *Info, i int, part, first *Info, shape []int) error {
	if !dtype.Same(part.Type, first.Type) {
		return fmt.Errorf("array %q: part %d has data type %s, the first has %s", info.Path, i, part.Type.Name(), first.Type.Name())
	}
	if !slices.Equal(shape, first.Shape) {
		return fmt.Errorf("array %q: part %d has shape %v, which does not fit the first part's %v", info.Path, i, part.Shape, first.Shape)
	}
	return nil
}

// finish checks the size of a composed array and sets its order.
func finish(info *Info, slowest []int) error {
	if _, ok := ndarray.Bytes(info.Type, info.Shape); !ok {
		return fmt.Errorf("array %q of shape %v has too many elements", info.Path, info.Shape)
	}
	info.Slowest = nil
	if !slices.IsSorted(slowest) {
		info.Slowest = slowest
	}
	return nil
}

// stacked is the result of Stack.
type stacked struct {
	info   *Info
	parts  []Array
	atOnce int // how many parts are read at the same time
}

func (s *stacked) Info() *Info { return s.info }

func (s *stacked) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(s.info, dst, start); err != nil {
		return err
	}
	return InParallelUpTo(ctx, s.atOnce, dst.Shape[0], func(ctx context.Context, i int) error {
		slice := dst
		slice.Offset += i * dst.Strides[0]
		slice.Shape, slice.Strides = dst.Shape[1:], dst.Strides[1:]
		return s.parts[start[0]+i].ReadRegion(ctx, slice, start[1:])
	})
}
