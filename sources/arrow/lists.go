package arrow

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// offsets is the array of the offsets of a list. Element i is the number of elements in the
// lists of the rows before row i. So the array has one element more than there are rows, and
// the first element is 0.
type offsets struct {
	info   *sources.Info
	column *column
	table  table
	lists  *lists
	url    string  // of the file, for messages
	ends   []int   // the row behind each batch
	before []int64 // elements before each batch
}

// offsetsPiece is how many offsets are read at once.
const offsetsPiece = 1 << 16

// Info implements [sources.Array].
func (o *offsets) Info() *sources.Info { return o.info }

// ShareInfo implements [sources.Shared].
func (o *offsets) ShareInfo(s *sources.Infos) { o.info = s.Share(o.info) }

// ReadRegion implements [sources.Array].
func (o *offsets) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(o.info, dst, start); err != nil {
		return err
	}
	for done := 0; done < dst.Shape[0]; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if start[0]+done == 0 {
			ndarray.Fill(dst.Sub(ndarray.Region{Start: []int{0}, Shape: []int{1}}), make(dtype.Scalar, 8))
			done++
			continue
		}
		row := start[0] + done - 1
		batch := sort.SearchInts(o.ends, row+1)
		begin := 0
		if batch > 0 {
			begin = o.ends[batch-1]
		}
		n := min(dst.Shape[0]-done, o.ends[batch]-row, offsetsPiece)
		list, err := o.table.listEnds(ctx, o.column, o.lists, batch, row-begin, row-begin+n)
		if err != nil {
			return fmt.Errorf("%s: column %q: batch %d, rows %d to %d: %w", o.url, o.column.path, batch, row, row+n-1, err)
		}
		piece := ndarray.New(dtype.Int64, []int{n})
		values, _ := ndarray.As[int64](piece)
		for i, end := range list {
			values[i] = o.before[batch] + end
		}
		ndarray.Copy(dst.Sub(ndarray.Region{Start: []int{done}, Shape: []int{n}}), piece)
		done += n
	}
	return nil
}

// openLists counts the elements of the lists of a column. A list that is null is an error,
// unless the array of offsets has a value that takes the place of nulls. Then the list is
// empty. The same goes for the lists around these lists.
func (f *hierarchy) openLists(ctx context.Context, c *column) (*lists, error) {
	if outer := c.around(); outer != nil {
		if _, err := f.openLists(ctx, outer); err != nil {
			return nil, err
		}
	}
	l, err := f.table.lists(ctx, c)
	if err != nil || l.null < 0 {
		return l, err
	}
	at := c.list().offsets
	cause := fmt.Errorf("give the array %q a fill_value, and lists that are null become empty lists", at)
	if f.null != nil {
		value, err := f.null(at, dtype.Int64)
		switch {
		case err != nil:
			cause = fmt.Errorf("the fill_value of the array %q: %w", at, err)
		case value != nil:
			return l, nil
		}
	}
	where := fmt.Sprintf("the list of row %d", l.null)
	if len(c.lists) > 1 {
		where = fmt.Sprintf("list %d, counted through all rows,", l.null)
	}
	return nil, fmt.Errorf("%s is null: %w", where, cause)
}

// openOffsets returns the array of the offsets of a list.
func (f *hierarchy) openOffsets(ctx context.Context, c *column) (*offsets, error) {
	l, err := f.openLists(ctx, c)
	if err != nil {
		return nil, err
	}
	o := &offsets{column: c, table: f.table, lists: l, url: f.url}
	rows, elements := 0, int64(0)
	for i, n := range l.outer {
		if rows += n; rows < 0 || rows+1 < 0 {
			return nil, errors.New("too many rows")
		}
		o.ends, o.before = append(o.ends, rows), append(o.before, elements)
		elements += int64(l.counts[i])
	}
	o.info = &sources.Info{
		Path: c.path, Type: dtype.Int64, Shape: []int{rows + 1}, DimensionNames: []string{c.field.Name + "_edge"},
		Lists:   &sources.Lists{Along: f.rows, Shape: []int{rows}, Offsets: true, Count: int(elements)},
		LongRun: 32 * f.gap, Remote: f.remote, Memory: 2*8*offsetsPiece + f.table.listMemory(c), Ragged: append(f.ragged(c), c.field.Name+"_edge"),
	}
	if _, ok := ndarray.Bytes(dtype.Int64, o.info.Shape); !ok {
		return nil, fmt.Errorf("shape %v is too large for any file", o.info.Shape)
	}
	return o, nil
}

// ragged returns the names of the dimensions to whose indices lists of a column belong.
func (s *source) ragged(c *column) []string {
	names := []string{s.rows}
	for _, l := range c.lists {
		names = append(names, l.item)
	}
	return names
}
