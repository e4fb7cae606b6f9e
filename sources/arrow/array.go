package arrow

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// A piece is the rows of a batch that are read at once. It has at least one row, and at
// most pieceElements elements and pieceBytes bytes. If elements do not go straight to their
// place, it has at most movedBytes bytes.
const (
	pieceElements = 1 << 20
	pieceBytes    = 8 << 20
	movedBytes    = 1 << 20
)

// table is an opened file.
type table interface {
	// columns lists the columns, in the order of the schema.
	columns() []*column
	// batches returns the number of rows in each batch: a record batch, or a row group.
	batches() []int
	// order returns the byte order in which readers leave elements.
	order() dtype.Order
	// metadata returns the metadata of the schema.
	metadata() arrow.Metadata
	// reader returns the reader of a column, which must be one of columns() and not have
	// offsets. l is nil for a column that is not within a list of varying length.
	reader(c *column, l *lists) (reader, error)
	// lists counts the elements of a column within a list of varying length. It reads
	// whatever the metadata do not tell.
	lists(ctx context.Context, c *column) (*lists, error)
	// listEnds returns, for the lists of rows lo to hi of a batch, how many elements of
	// the batch end with each of them. l is the result of lists.
	listEnds(ctx context.Context, c *column, l *lists, batch, lo, hi int) ([]int64, error)
	// listMemory returns the most bytes that one call of listEnds holds besides its result.
	listMemory(c *column) int
	// details, columnDetails and structDetails return the details of the file, of a
	// column, and of a struct, or list of structs, around a column; see [sources.Detailed].
	// at is the beginning of the column's place in the schema.
	details() []sources.Detail
	columnDetails(c *column) []sources.Detail
	structDetails(c *column, at []int) []sources.Detail
}

// reader reads a column of a file. It is safe for concurrent use.
type reader interface {
	// open begins to read the rows of a batch from lo up to, but not including, hi. tally
	// counts the memory that these rows take for elements of variable size.
	open(ctx context.Context, batch, lo, hi int, tally *ndarray.Tally) (rows, error)
	// memory returns the most bytes that the rows of a batch hold. It does not count
	// the memory into which they are read, and memory that a tally counts.
	memory(batch int) int
	// content returns the bytes of the elements of variable size of a batch, or fewer
	// if the metadata do not tell.
	content(batch int) int64
	// mayHoldNulls returns false if a batch certainly has no null.
	mayHoldNulls(batch int) bool
}

// rows reads the rows of a batch one after the other. It serves one goroutine.
type rows interface {
	// next reads n more rows, and marks elements that are null. out has one dimension
	// with all elements of these rows. The memory of elements of fixed size is one run.
	// Elements are left in the byte order of the table. An error does not name the file, column
	// or batch.
	next(ctx context.Context, n int, out ndarray.Array, null *nulls) error
}

// nulls marks elements that are null.
type nulls struct {
	set []bool // nil: no element is null
	n   int    // number of elements
	// fill, if it is not nil, may replace a null, which then need not be marked.
	fill dtype.Scalar
}

// all returns the marks of all elements, for writing.
func (n *nulls) all() []bool {
	if n.set == nil {
		n.set = make([]bool, n.n)
	}
	return n.set
}

// mark marks count elements from element i on.
func (n *nulls) mark(i, count int) {
	set := n.all()[i:]
	for k := range count {
		set[k] = true
	}
}

// from returns the marks from element i on, for reading.
func (n *nulls) from(i int) *nulls {
	if n.set == nil {
		return n
	}
	return &nulls{set: n.set[i:], n: n.n - i}
}

func (n *nulls) at(i int) bool { return n.set != nil && n.set[i] }

// array implements [sources.Array] for a column of one file.
type array struct {
	info   *sources.Info
	column *column
	url    string // of the file, for messages
	ends   []int  // the row behind each batch
	reader reader
	swap   dtype.Ordered
	// fill is the value that replaces nulls. nil: noFill says why there is none.
	fill   dtype.Scalar
	noFill error
}

func (a *array) Info() *sources.Info { return a.info }

// ShareInfo implements [sources.Shared].
func (a *array) ShareInfo(s *sources.Infos) { a.info = s.Share(a.info) }

// ReadRegion implements [sources.Array].
func (a *array) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(a.info, dst, start); err != nil {
		return err
	}
	if slices.Contains(dst.Shape, 0) {
		return nil
	}
	// From here on, dimensions are in the order in which they are stored.
	back := make([]int, len(start))
	for i, k := range a.column.order {
		back[k+1] = i + 1
	}
	dst = dst.Transpose(back)
	within := ndarray.Region{Start: make([]int, len(start)), Shape: slices.Clone(dst.Shape)}
	for i, k := range back[1:] {
		within.Start[i+1] = start[k]
	}
	row, end := start[0], start[0]+dst.Shape[0]
	part := ndarray.Region{Start: make([]int, len(start)), Shape: slices.Clone(dst.Shape)}
	for batch := sort.SearchInts(a.ends, row+1); row < end; batch++ {
		upper := min(end, a.ends[batch])
		if upper == row {
			continue // an empty batch
		}
		part.Start[0], part.Shape[0] = row-start[0], upper-row
		if err := a.readBatch(ctx, batch, row, dst.Sub(part), within); err != nil {
			return fmt.Errorf("%s: column %q: %w", a.url, a.column.path, err)
		}
		row = upper
	}
	return nil
}

// readBatch fills dst with the region within of rows of a batch. row is the number, in
// the file, of the first of these rows.
func (a *array) readBatch(ctx context.Context, batch, row int, dst ndarray.Array, within ndarray.Region) error {
	begin := 0
	if batch > 0 {
		begin = a.ends[batch-1]
	}
	tally := dst.Heap.Tally()
	defer tally.End()
	rows, err := a.reader.open(ctx, batch, row-begin, row-begin+dst.Shape[0], tally)
	if err != nil {
		return fmt.Errorf("batch %d: %w", batch, err)
	}
	size, elements := ndarray.ItemSize(a.column.typ), a.column.elements()
	most := min(pieceElements, pieceBytes/size)
	if !a.straight(dst, within) {
		most = min(pieceElements, movedBytes/size)
	}
	step := max(most/elements, 1)
	piece := ndarray.Region{Start: make([]int, len(dst.Shape)), Shape: slices.Clone(dst.Shape)}
	for done := 0; done < dst.Shape[0]; done += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece.Start[0], piece.Shape[0] = done, min(step, dst.Shape[0]-done)
		if err := a.readPiece(ctx, rows, row+done, dst.Sub(piece), within); err != nil {
			return inRows(err, batch, row+done, piece.Shape[0], elements)
		}
	}
	return nil
}

// straight reports whether rows can be read into dst without being moved.
func (a *array) straight(dst ndarray.Array, within ndarray.Region) bool {
	if dst.Heap != nil {
		return len(a.column.row) == 0
	}
	_, ok := dst.Contiguous()
	return ok && slices.Equal(within.Shape[1:], a.column.row)
}

// readPiece is readBatch for the next rows.
func (a *array) readPiece(ctx context.Context, rows rows, row int, dst ndarray.Array, within ndarray.Region) error {
	n, elements := dst.Shape[0], a.column.elements()
	out := dst
	straight := a.straight(dst, within)
	switch {
	case !straight:
		out = ndarray.New(dst.Type, []int{n * elements})
		tally := out.Borrow(dst)
		defer tally.End()
	case dst.Heap == nil:
		out.Shape, out.Strides = []int{n * elements}, []int{dst.Type.Size()}
	}
	null := &nulls{n: n * elements}
	if a.swap == nil {
		null.fill = a.fill
	}
	if err := rows.next(ctx, n, out, null); err != nil {
		return err
	}
	if a.swap != nil {
		ndarray.Swap(out, a.swap)
	}
	if err := a.replace(out, null, row); err != nil {
		return err
	}
	if straight {
		return nil
	}
	stored := append([]int{n}, a.column.row...)
	out.Shape, out.Strides = stored, ndarray.CStrides(ndarray.ItemSize(out.Type), stored)
	within.Start, within.Shape = slices.Clone(within.Start), slices.Clone(within.Shape)
	within.Start[0], within.Shape[0] = 0, n
	ndarray.Copy(dst, out.Sub(within))
	return dst.Heap.Err()
}

// replace replaces nulls by the fill value. row is the row of the first element.
func (a *array) replace(out ndarray.Array, null *nulls, row int) error {
	if null.set == nil {
		return nil
	}
	size := a.column.typ.Size()
	for i, isNull := range null.set {
		switch {
		case !isNull:
		case a.fill == nil:
			return fmt.Errorf("row %d is null: %w", row+i/a.column.elements(), a.noFill)
		case size > 0:
			copy(out.Data[out.Offset+i*size:][:size], a.fill)
		default:
			ndarray.Fill(out.Sub(ndarray.Region{Start: []int{i}, Shape: []int{1}}), a.fill)
		}
	}
	return nil
}

// findNull returns an error about the first null, if there is no value to replace it.
// It reads only batches that may hold nulls.
func (a *array) findNull(ctx context.Context) error {
	if a.fill != nil {
		return nil
	}
	begin := 0
	for batch, end := range a.ends {
		if begin < end && a.reader.mayHoldNulls(batch) {
			if err := a.checkNulls(ctx, batch, begin, end); err != nil {
				return err
			}
		}
		begin = end
	}
	return nil
}

// checkNulls is findNull for the rows of a batch.
func (a *array) checkNulls(ctx context.Context, batch, begin, end int) error {
	rows, err := a.reader.open(ctx, batch, 0, end-begin, &ndarray.Tally{})
	if err != nil {
		return fmt.Errorf("batch %d: %w", batch, err)
	}
	elements := a.column.elements()
	step := max(movedBytes/ndarray.ItemSize(a.column.typ)/elements, 1)
	for row := begin; row < end; row += step {
		n := min(step, end-row)
		out := ndarray.New(a.column.typ, []int{n * elements})
		out.Heap.Discard()
		null := &nulls{n: n * elements}
		if err := rows.next(ctx, n, out, null); err != nil {
			return inRows(err, batch, row, n, elements)
		}
		if err := a.replace(out, null, row); err != nil {
			return err
		}
	}
	return nil
}
