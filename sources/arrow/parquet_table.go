package arrow

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/arrowtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// mostInRow bounds the elements in a row of lists. The reader of a column holds the
// repetition level of each.
const mostInRow = 1 << 24

// openParquet reads the footer of a file.
func openParquet(ctx context.Context, f *file) (table, error) {
	if f.Size < 4+2*int64(len(parquetMagic)) {
		return nil, fmt.Errorf("truncated: a Parquet file of %d bytes: write or copy it again", f.Size)
	}
	text, err := f.footer(ctx, parquetMagic, parquet.ErrCorrupt)
	if err != nil {
		return nil, err
	}
	t := &parquetTable{file: f.OpenFile, counted: map[leafLists]*lists{}}
	if t.tree, err = parquet.ParseFooter(text, f.Size); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	fields, err := parquetFields(t.tree)
	if err != nil {
		return nil, err
	}
	t.list = columns(fields)
	t.stored = sync.OnceValue(func() map[string]ipc.Field {
		stored, _ := storedSchema(t.tree) // an error was reported before
		return stored
	})
	var keys, values []string
	for _, kv := range t.tree.Metadata {
		keys, values = append(keys, kv.Key), append(values, kv.Value)
	}
	t.pairs = arrow.NewMetadata(keys, values)
	return t, nil
}

func (t *parquetTable) columns() []*column       { return t.list }
func (t *parquetTable) order() dtype.Order       { return dtype.Little }
func (t *parquetTable) metadata() arrow.Metadata { return t.pairs }

// ReadAt implements [parquet.Source].
func (t *parquetTable) ReadAt(ctx context.Context, p []byte, off int64) error {
	return t.file.Store.ReadRange(ctx, t.file.Key, p, off)
}

// reader implements [table].
func (t *parquetTable) reader(c *column, _ *lists) (reader, error) {
	l, err := findLeaf(t.tree, c.at, c.lists, c.field.Type)
	if err != nil {
		return nil, err
	}
	if err := t.readable(l.Leaf); err != nil {
		return nil, err
	}
	size := c.typ.Size()
	convert, err := conversionOf(l.Node, size)
	if err != nil {
		return nil, err
	}
	if n := c.elements(); n > mostInRow {
		return nil, fmt.Errorf("%d elements in a row, more than %d: split the column", n, mostInRow)
	}
	r := &parquetReader{table: t, column: c, leaf: l, width: l.Width(), size: size, convert: convert}
	_, _, r.decimal = arrowtype.Decimal(c.field.Type)
	r.shape()
	return r, nil
}

// shape computes below, row and missing.
func (r *parquetReader) shape() {
	r.below = []int{1}
	for _, length := range slices.Backward(r.leaf.lists) {
		r.below = slices.Insert(r.below, 0, r.below[0]*length)
	}
	r.row = make([]uint8, r.below[0])
	for i := range r.row {
		for i%r.below[r.row[i]] != 0 {
			r.row[i]++
		}
	}
	r.missing = make([]int, r.leaf.MaxDef)
	for n := r.leaf.Node; n.Parent != nil && n.MaxDef > r.leaf.item; n = n.Parent {
		switch n.Repetition {
		case parquet.Optional:
			r.missing[n.MaxDef-1] = r.below[min(n.MaxRep-r.leaf.varying, len(r.below)-1)]
		case parquet.Repeated:
			r.missing[n.MaxDef-1] = 0
		}
	}
}

// mayHoldNulls implements [reader].
func (r *parquetReader) mayHoldNulls(batch int) bool {
	return r.leaf.MaxDef > 0 && r.table.tree.Groups[batch].Chunks[r.leaf.Leaf].Nulls != 0
}

// content implements [reader].
func (r *parquetReader) content(batch int) int64 {
	chunk := &r.table.tree.Groups[batch].Chunks[r.leaf.Leaf]
	if chunk.Text >= 0 {
		return chunk.Text
	}
	return max(chunk.Uncompressed, chunk.Compressed)
}

// memory implements [reader]. It counts the dictionary, a page as it is stored and
// decompressed, and the window of the file. Elements of variable size are counted when
// they are read.
func (r *parquetReader) memory(batch int) int {
	chunk := &r.table.tree.Groups[batch].Chunks[r.leaf.Leaf]
	const valid = 8 * (64*presentWords + 1)
	if r.size == 0 {
		return convertBytes + valid + len(r.row)
	}
	pages := int(min(chunk.Decompressed(), 1<<50))
	total := int(min(chunk.Compressed, 1<<50)) + pages
	if r.width == 0 {
		total += pages * 2 // beginnings and ends of the values of a dictionary
	}
	return total + min(r.table.ahead(), int(min(chunk.Compressed, 1<<50))) + convertBytes + valid + len(r.row)
}

// open implements [reader].
func (r *parquetReader) open(ctx context.Context, batch, lo, hi int, tally *ndarray.Tally) (rows, error) {
	group := &r.table.tree.Groups[batch]
	chunk := &group.Chunks[r.leaf.Leaf]
	reader, err := parquet.NewReader(r.table, r.leaf.Node, chunk, min(r.table.ahead(), int(min(chunk.Compressed, 1<<50))))
	if err != nil {
		return nil, err
	}
	reader.Count(tally.Take)
	p := &parquetRows{parquetReader: r, pages: reader, digits: decimals{scale: r.leaf.Logical.Scale, order: orderOf(r.leaf.Physical)}}
	if len(r.leaf.lists) == 0 && r.leaf.item == 0 {
		return p, reader.SkipRows(ctx, lo)
	}
	return p, p.skip(ctx, lo)
}
