package arrow

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// next implements [rows].
func (r *parquetRows) next(ctx context.Context, n int, out ndarray.Array, null *nulls) error {
	n *= r.below[0]
	for at := 0; at < n; {
		count, err := 0, error(nil)
		switch {
		case len(r.leaf.lists) == 0 && r.leaf.item == 0:
			count, err = r.flat(ctx, at, n-at, out, null)
		case r.from == r.to:
			r.from = 0
			r.to, err = r.pages.Levels(ctx, r.def[:], r.rep[:])
		case len(r.leaf.lists) == 0:
			count, err = r.elements(at, n-at, out, null)
		default:
			count, err = r.nested(at, n-at, out, null)
		}
		if err != nil {
			return err
		}
		at += count
	}
	return nil
}

// elements reads the elements of lists of varying length of entries with one definition level,
// no more than most elements. It returns how many, which is 0 for lists without elements.
func (r *parquetRows) elements(at, most int, out ndarray.Array, null *nulls) (int, error) {
	level, entries := r.def[r.from], 0
	for r.from+entries < r.to && r.def[r.from+entries] == level && entries < most {
		entries++
	}
	r.from += entries
	switch {
	case level < uint32(r.leaf.item):
		return 0, nil
	case level < uint32(r.leaf.MaxDef):
		null.mark(at, entries)
		return entries, nil
	default:
		return entries, r.values(at, entries, out)
	}
}

// nested reads the elements of entries with one definition level, no more than most
// elements, and returns how many, which is 0 for lists of varying length without elements. A
// list of another length than the schema states is an error.
func (r *parquetRows) nested(at, most int, out ndarray.Array, null *nulls) (int, error) {
	level := r.def[r.from]
	each := 1
	switch {
	case level < uint32(r.leaf.item) && r.place == 0:
		for r.from < r.to && r.def[r.from] == level {
			r.from++
		}
		return 0, nil
	case level < uint32(r.leaf.item):
		each = len(r.row) // one list ends early
	case level != uint32(r.leaf.MaxDef):
		each = r.missing[level]
	}
	if each == 0 {
		return 0, fmt.Errorf("row %d of these rows is a list of no elements, but the schema says lists of %v", at/r.below[0], r.leaf.lists)
	}
	entries := 0
	for r.from+entries < r.to && r.def[r.from+entries] == level && (entries+1)*each <= most {
		if !r.repeats(r.rep[r.from+entries]) || r.place%each != 0 {
			return 0, fmt.Errorf("row %d of these rows has lists of other lengths than the schema says: want %v", (at+entries*each)/r.below[0], r.leaf.lists)
		}
		if r.place += each; r.place == len(r.row) {
			r.place = 0
		}
		entries++
	}
	if entries == 0 {
		return 0, fmt.Errorf("%w: more nulls than rows", parquet.ErrCorrupt)
	}
	r.from += entries
	count := entries * each
	if level == uint32(r.leaf.MaxDef) {
		return count, r.values(at, count, out)
	}
	null.mark(at, count)
	return count, nil
}

// repeats reports whether the next element of a row can have a repetition level. The first one
// begins a row, or an element of the innermost list of varying length.
func (r *parquetRows) repeats(level uint32) bool {
	if own := r.row[r.place]; own > 0 {
		return level == uint32(r.leaf.varying)+uint32(own)
	}
	return level <= uint32(r.leaf.varying)
}

// skip skips rows of lists.
func (r *parquetRows) skip(ctx context.Context, n int) error {
	for n > 0 {
		some := min(n, max(1, movedBytes/max(r.size, 1)/r.below[0]))
		elements := some * r.below[0]
		out := ndarray.New(r.column.typ, []int{elements})
		out.Heap.Discard()
		if err := r.next(ctx, some, out, &nulls{n: elements}); err != nil {
			return err
		}
		n -= some
	}
	return nil
}

// conversionOf returns the function that turns the values of a leaf into elements of
// size bytes. It is nil if they are the same.
func conversionOf(n *parquet.Node, size int) (convert, error) {
	width := n.Width()
	switch {
	case n.Logical.Kind == parquet.Decimal && n.Physical != parquet.Int32 && width <= mostDecimal && (size == 8 || size == 0):
		return nil, nil // the bytes become integers or texts
	case width == size:
		return nil, nil
	case n.Physical == parquet.Int96 && size == 8:
		return convertInt96, nil
	case width == 4 && size == 8:
		return func(to, from []byte) error {
			for i := range len(from) / 4 {
				binary.LittleEndian.PutUint64(to[8*i:], uint64(int64(int32(binary.LittleEndian.Uint32(from[4*i:])))))
			}
			return nil
		}, nil
	case (width == 4 || width == 8) && size > 0 && size < width:
		return narrowed(width, size), nil
	default:
		return nil, fmt.Errorf("%w: values of %d bytes, but the schema says %d", parquet.ErrCorrupt, width, size)
	}
}

// narrowed returns a function that keeps the least significant bytes of values.
func narrowed(width, size int) convert {
	return func(to, from []byte) error {
		n := len(from) / width
		if dtype.Native == dtype.Little && width == 4 && (size == 2 && narrow[uint16](to, from, dtype.Uint16) || size == 1 && narrow[uint8](to, from, dtype.Uint8)) {
			return nil
		}
		for i := range n {
			copy(to[i*size:(i+1)*size], from[i*width:])
		}
		return nil
	}
}

// narrow turns values of four bytes into elements of type t, seen as T. It returns
// false if the memory is not aligned for T.
func narrow[T uint8 | uint16](to, from []byte, t dtype.Type) bool {
	wide, ok := ndarray.As[uint32](ndarray.Array{Type: dtype.Uint32, Data: from, Shape: []int{len(from) / 4}, Strides: []int{4}})
	own, also := ndarray.As[T](ndarray.Array{Type: t, Data: to, Shape: []int{len(wide)}, Strides: []int{t.Size()}})
	if !ok || !also {
		return false
	}
	own = own[:len(wide)]
	for i, v := range wide {
		own[i] = T(v)
	}
	return true
}
