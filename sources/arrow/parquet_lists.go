package arrow

import (
	"context"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// lists implements [table]. It reads the levels of all entries, because the metadata do not
// tell how many of them are elements. If elements are structs, the lists of all their fields
// have to agree.
func (t *parquetTable) lists(ctx context.Context, c *column) (*lists, error) {
	first, item, err := t.firstLeaf(c)
	if err != nil {
		return nil, err
	}
	l, err := t.countLists(ctx, first, item)
	if err != nil || c.ends {
		return l, err
	}
	own, err := findLeaf(t.tree, c.at, c.list, c.field.Type)
	if err != nil || own.Leaf == first {
		return l, err
	}
	same, err := t.countLists(ctx, own.Leaf, item)
	if err == nil && !slices.Equal(same.counts, l.counts) {
		err = fmt.Errorf("%w: its lists have %v elements in each row group, those of another field have %v", parquet.ErrCorrupt, same.counts, l.counts)
	}
	return l, err
}

// firstLeaf returns the number of the first leaf below the list of varying length around a
// column, and the definition level of an entry that is an element.
func (t *parquetTable) firstLeaf(c *column) (number, item int, err error) {
	n, item := nodeAt(t.tree, append(slices.Clone(c.at[:c.list]), 0), c.list)
	number = leavesOf(n, nil)[0]
	if most := t.tree.Leaves[number].MaxRep; most != 1 {
		return 0, 0, noCounterpart{fmt.Errorf("its first field is within %d lists: write the elements as a table of their own", most)}
	}
	return number, item, nil
}

// countLists counts the elements of the lists of a leaf.
func (t *parquetTable) countLists(ctx context.Context, leaf, item int) (*lists, error) {
	t.mu.Lock()
	l := t.counted[leaf]
	t.mu.Unlock()
	if l != nil {
		return l, nil
	}
	if err := t.readable(leaf); err != nil {
		return nil, err
	}
	l = &lists{null: -1}
	begin := 0
	for i := range t.tree.Groups {
		group := &t.tree.Groups[i]
		w, err := t.walk(leaf, item, i)
		for err == nil && w.rows < group.Rows {
			err = w.next(ctx, group.Rows, nil)
			if w.null >= 0 && l.null < 0 {
				l.null = begin + w.null
			}
		}
		if err == nil {
			err = w.finish()
		}
		if err != nil {
			return nil, fmt.Errorf("batch %d: %w", i, err)
		}
		l.counts = append(l.counts, w.elements)
		begin += group.Rows
	}
	t.mu.Lock()
	t.counted[leaf] = l
	t.mu.Unlock()
	return l, nil
}

// listWalk goes through the levels of a leaf within lists of varying length.
type listWalk struct {
	pages    *parquet.Reader
	item     uint32
	left     int  // entries of the chunk that were not read
	rows     int  // lists that are complete
	elements int  // elements of these lists
	inRow    int  // elements of the list that may go on, -1: no list has begun
	null     int  // number of the first list that is null; -1: none was
	void     bool // the list that may go on has no elements
	def, rep [1024]uint32
	from, to int // the part of these levels that is not used yet
}

// walk returns a walk through a row group.
func (t *parquetTable) walk(leaf, item, group int) (*listWalk, error) {
	chunk := &t.tree.Groups[group].Chunks[leaf]
	pages, err := parquet.NewReader(t, t.tree.Leaves[leaf], chunk, min(t.ahead(), int(min(chunk.Compressed, 1<<50))))
	if err != nil {
		return nil, err
	}
	pages.Count((&ndarray.Tally{}).Take)
	return &listWalk{pages: pages, item: uint32(item), left: chunk.Values, inRow: -1, null: -1}, nil
}

// next goes on until some lists are complete, but no more than rows lists in all. It gives
// the number of elements up to the end of each of these lists to ended, unless that is nil.
func (w *listWalk) next(ctx context.Context, rows int, ended func(row, elements int)) error {
	if w.from == w.to {
		if w.left == 0 {
			if w.inRow < 0 || w.rows+1 < rows {
				return fmt.Errorf("%w: the column has fewer lists than there are rows", parquet.ErrCorrupt)
			}
			w.end(ended)
			return nil
		}
		n, err := w.pages.Levels(ctx, w.def[:], w.rep[:])
		if err != nil {
			return err
		}
		w.from, w.to, w.left = 0, n, w.left-n
	}
	for ; w.from < w.to; w.from++ {
		def, rep := w.def[w.from], w.rep[w.from]
		if rep == 0 {
			if w.inRow >= 0 {
				if w.end(ended); w.rows == rows {
					return nil // this entry begins the next list
				}
			}
			w.inRow, w.void = 0, def < w.item
			if def+1 < w.item && w.null < 0 {
				w.null = w.rows
			}
		} else if w.inRow < 0 || w.void || def < w.item || rep > 1 {
			return fmt.Errorf("%w: an element of no list, after %d lists", parquet.ErrCorrupt, w.rows)
		}
		if def >= w.item {
			w.inRow++
		}
	}
	return nil
}

// end completes a list.
func (w *listWalk) end(ended func(row, elements int)) {
	w.elements += w.inRow
	w.inRow = -1
	if ended != nil {
		ended(w.rows, w.elements)
	}
	w.rows++
}

// finish returns an error if entries are left.
func (w *listWalk) finish() error {
	if w.left > 0 || w.from < w.to || w.inRow >= 0 {
		return fmt.Errorf("%w: the column has more lists than there are rows", parquet.ErrCorrupt)
	}
	return nil
}

// listMemory implements [table]. It counts pages as they are stored and decompressed, and the
// window of the file.
func (t *parquetTable) listMemory(c *column) int {
	leaf, _, err := t.firstLeaf(c)
	if err != nil {
		return 0 // nothing can be read
	}
	most := 0
	for i := range t.tree.Groups {
		chunk := &t.tree.Groups[i].Chunks[leaf]
		stored := int(min(chunk.Compressed, 1<<50))
		most = max(most, stored+int(min(chunk.Decompressed(), 1<<50))+min(t.ahead(), stored))
	}
	return most
}

// listEnds implements [table].
func (t *parquetTable) listEnds(ctx context.Context, c *column, _ *lists, batch, lo, hi int) ([]int64, error) {
	leaf, item, err := t.firstLeaf(c)
	if err != nil {
		return nil, err
	}
	w, err := t.walk(leaf, item, batch)
	if err != nil {
		return nil, err
	}
	ends := make([]int64, 0, hi-lo)
	keep := func(row, elements int) {
		if row >= lo {
			ends = append(ends, int64(elements))
		}
	}
	for w.rows < hi {
		if err := w.next(ctx, hi, keep); err != nil {
			return nil, err
		}
	}
	return ends, nil
}
