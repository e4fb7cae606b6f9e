package arrow

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// parquetRows implements [rows] for a column of a row group.
type parquetRows struct {
	*parquetReader
	pages    *parquet.Reader
	def, rep [1024]uint32 // levels of entries
	from, to int          // those of them whose values are not read yet
	place    int          // of the next element in its row
	scratch  []byte       // for values that are converted
}

// next implements [rows].
func (r *parquetRows) next(ctx context.Context, n int, out ndarray.Array, null *nulls) error {
	n *= r.below[0]
	for at := 0; at < n; {
		count, err := 0, error(nil)
		if r.from == r.to {
			if count, err = r.pages.Values(ctx, n-at); err != nil {
				return err
			}
		}
		switch {
		case count > 0:
			err = r.values(at, count, out)
		case r.from == r.to:
			r.from = 0
			r.to, err = r.pages.Levels(ctx, r.def[:], r.rep[:])
		case len(r.leaf.lists) == 0:
			count = min(n-at, r.to-r.from)
			err = r.flat(at, r.def[r.from:r.from+count], out, null)
			r.from += count
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

// values reads elements from one on, none of which is null.
func (r *parquetRows) values(at, count int, out ndarray.Array) error {
	if out.Heap == nil {
		return r.fixed(out.Data[out.Offset+at*r.size:][:count*r.size], count)
	}
	return out.Sub(ndarray.Region{Start: []int{at}, Shape: []int{count}}).SetItems(r.pages.Item)
}

// flat reads elements from one on, one for each definition level.
func (r *parquetRows) flat(at int, def []uint32, out ndarray.Array, null *nulls) error {
	most := uint32(r.leaf.MaxDef)
	missing := 0
	for _, level := range def {
		missing += int(min(most-level, 1))
	}
	if missing == 0 {
		return r.values(at, len(def), out)
	}
	set := null.all()[at:][:len(def)]
	for i, level := range def {
		set[i] = level != most
	}
	if out.Heap == nil {
		p := out.Data[out.Offset+at*r.size:][:len(def)*r.size]
		valid := len(def) - missing
		if err := r.fixed(p[:valid*r.size], valid); err != nil {
			return err
		}
		spread(p, r.size, def, most, valid)
		return nil
	}
	next := -1
	return out.Sub(ndarray.Region{Start: []int{at}, Shape: []int{len(def)}}).SetItems(func() ([]byte, error) {
		if next++; set[next] {
			return nil, nil
		}
		return r.pages.Item()
	})
}

// spread moves the valid elements at the beginning of p to the places of the
// levels that are most, from the last one on. What is at the other places does
// not matter; so no branch hangs on a level.
func spread(p []byte, size int, def []uint32, most uint32, valid int) {
	for i := len(def) - 1; valid > 0 && valid <= i; i-- {
		if size == 8 {
			binary.LittleEndian.PutUint64(p[8*i:], binary.LittleEndian.Uint64(p[8*valid-8:]))
		} else {
			copy(p[i*size:(i+1)*size], p[(valid-1)*size:])
		}
		valid -= 1 - int(min(most-def[i], 1))
	}
}

// nested reads the elements of entries of one definition level, at most most of
// them, and returns how many. Lists of other lengths than the schema says are an
// error.
func (r *parquetRows) nested(at, most int, out ndarray.Array, null *nulls) (int, error) {
	level := r.def[r.from]
	each := 1
	if level != uint32(r.leaf.MaxDef) {
		each = r.missing[level]
	}
	if each == 0 {
		return 0, fmt.Errorf("row %d of these is a list of no elements, where all have %v", at/r.below[0], r.leaf.lists)
	}
	entries := 0
	for r.from+entries < r.to && r.def[r.from+entries] == level && (entries+1)*each <= most {
		if r.rep[r.from+entries] != uint32(r.row[r.place]) || r.place%each != 0 {
			return 0, fmt.Errorf("row %d of these has lists of other lengths than %v, which the schema says", (at+entries*each)/r.below[0], r.leaf.lists)
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

// skip passes over rows of lists.
func (r *parquetRows) skip(ctx context.Context, n int) error {
	for n > 0 {
		some := min(n, max(1, movedBytes/max(r.size, 1)/r.below[0]))
		elements := some * r.below[0]
		out := ndarray.New(r.column.typ, []int{elements})
		if err := r.next(ctx, some, out, &nulls{n: elements}); err != nil {
			return err
		}
		n -= some
	}
	return nil
}

// fixed reads elements of fixed size.
func (r *parquetRows) fixed(p []byte, n int) error {
	if r.convert == nil {
		return r.pages.Fixed(p, n)
	}
	if r.scratch == nil {
		r.scratch = make([]byte, convertBytes)
	}
	for n > 0 {
		some := min(n, len(r.scratch)/r.width)
		from := r.scratch[:some*r.width]
		if err := r.pages.Fixed(from, some); err != nil {
			return err
		}
		if err := r.convert(p, from); err != nil {
			return err
		}
		p, n = p[some*r.size:], n-some
	}
	return nil
}

// convertBytes is how many bytes of values are converted at once.
const convertBytes = 16 << 10

// convert makes elements of values, as many as from holds.
type convert func(to, from []byte) error

// conversionOf returns what makes elements of size bytes of the values of a
// leaf, nil where they are the same.
func conversionOf(n *parquet.Node, size int) (convert, error) {
	width := n.Width()
	switch {
	case width == size:
		return nil, nil
	case n.Physical == parquet.Int96 && size == 8:
		return func(to, from []byte) error {
			for i := range len(from) / 12 {
				v, ok := fromInt96(from[12*i:])
				if !ok {
					return fmt.Errorf("a timestamp of Julian day %d is beyond what nanoseconds in 64 bits reach", binary.LittleEndian.Uint32(from[12*i+8:]))
				}
				binary.LittleEndian.PutUint64(to[8*i:], uint64(v))
			}
			return nil
		}, nil
	case width == 4 && size == 8:
		return func(to, from []byte) error {
			for i := range len(from) / 4 {
				binary.LittleEndian.PutUint64(to[8*i:], uint64(int64(int32(binary.LittleEndian.Uint32(from[4*i:])))))
			}
			return nil
		}, nil
	case (width == 4 || width == 8) && size > 0 && size < width:
		return func(to, from []byte) error {
			for i := range len(from) / width {
				copy(to[i*size:(i+1)*size], from[i*width:])
			}
			return nil
		}, nil
	default:
		return nil, fmt.Errorf("%w: values of %d bytes where the schema says %d", parquet.ErrCorrupt, width, size)
	}
}
