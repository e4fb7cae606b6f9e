package sources

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Lists of varying length are a group of two arrays, or of one array of offsets and a group of
// values.
const (
	// ListValues is the name of the array with the values of all lists, one list after the
	// other.
	ListValues = "values"
	// ListOffsets is the name of the array that tells where each list begins among the values.
	// It has one element more than there are lists: the first is 0, the last is the number of
	// values.
	ListOffsets = "offsets"
	// SequenceShape is the attribute of the group with the shape of the array of lists.
	SequenceShape = "sequence_shape"
)

// JoinLists returns the array with the lists of several parts, one part after the other. info
// describes the result as for [Join]. Offsets of a part are increased by the number of values
// in the parts before it.
func JoinLists(info Info, parts []Array) (Array, error) {
	if info.Lists == nil {
		return nil, fmt.Errorf("array %q is not of lists", info.Path)
	}
	all := *info.Lists
	all.Count, all.Shape = 0, slices.Clone(all.Shape)
	if len(all.Shape) == 0 {
		return nil, fmt.Errorf("array %q is of one list", info.Path)
	}
	all.Shape[0] = 0
	parts = slices.Clone(parts)
	for i, p := range parts {
		l := p.Info().Lists
		if l == nil || l.Offsets != all.Offsets || len(l.Shape) != len(all.Shape) {
			return nil, fmt.Errorf("array %q is not of the same lists in part %d", info.Path, i)
		}
		if !slices.Equal(l.Shape[1:], all.Shape[1:]) {
			return nil, fmt.Errorf("array %q: the lists of part %d have the shape %v, those of the first have %v: only the first extent may differ", info.Path, i, l.Shape, info.Lists.Shape)
		}
		all.Shape[0] += l.Shape[0]
		if all.Offsets && i > 0 {
			described := *p.Info()
			described.Shape = []int{max(0, described.Shape[0]-1)}
			described.Chunks = nil
			parts[i] = &laterOffsets{array: p, info: &described, before: int64(all.Count)}
		}
		if all.Count += l.Count; all.Count < 0 {
			return nil, fmt.Errorf("array %q: too many values in all lists", info.Path)
		}
	}
	info.Lists = &all
	return Join(info, 0, parts)
}

// laterOffsets has the offsets of lists whose values follow other values. It has no first
// offset, because the last offset of the lists before is the same.
type laterOffsets struct {
	array  Array
	info   *Info
	before int64 // number of the other values
}

// Info implements [Array].
func (o *laterOffsets) Info() *Info { return o.info }

// ReadRegion implements [Array].
func (o *laterOffsets) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(o.info, dst, start); err != nil {
		return err
	}
	if dst.Shape[0] == 0 {
		return nil
	}
	if err := o.array.ReadRegion(ctx, dst, []int{start[0] + 1}); err != nil {
		return err
	}
	for i := range dst.Shape[0] {
		p := dst.Data[dst.Offset+i*dst.Strides[0]:]
		binary.NativeEndian.PutUint64(p, binary.NativeEndian.Uint64(p)+uint64(o.before))
	}
	return nil
}

// JoinShapes returns the attribute [SequenceShape] of lists of several parts that follow each
// other, from the attributes of the parts. It returns the first if they cannot.
func JoinShapes(parts []json.RawMessage) json.RawMessage {
	var all []int
	for _, text := range parts {
		var shape []int
		if err := json.Unmarshal(text, &shape); err != nil || len(shape) == 0 || all != nil && len(all) != len(shape) {
			return parts[0]
		}
		if all == nil {
			all = shape
		} else {
			all[0] += shape[0]
		}
	}
	return ShapeText(all)
}

// ShapeText returns the attribute [SequenceShape].
func ShapeText(shape []int) json.RawMessage {
	text, err := json.Marshal(append([]int{}, shape...))
	if err != nil {
		panic(err) // integers can be encoded
	}
	return text
}
