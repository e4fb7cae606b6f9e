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
	first, items, err := t.firstLeaf(c)
	if err != nil {
		return nil, err
	}
	outer := t.batches()
	if around := c.around(); around != nil {
		o, err := t.lists(ctx, around)
		if err != nil {
			return nil, err
		}
		outer = o.counts
	}
	l, err := t.countLists(ctx, first, items, outer)
	if err != nil || c.ends {
		return l, err
	}
	own, err := findLeaf(t.tree, c.at, c.lists, c.field.Type)
	if err != nil || own.Leaf == first {
		return l, err
	}
	same, err := t.countLists(ctx, own.Leaf, items, outer)
	if err == nil && !slices.Equal(same.counts, l.counts) {
		err = fmt.Errorf("%w: its lists have %v elements in each row group, those of another field have %v", parquet.ErrCorrupt, same.counts, l.counts)
	}
	return l, err
}

// firstLeaf returns the number of the first leaf below the innermost list of varying length
// around a column. For each list around the column it returns the definition level of an entry
// that is an element of the list.
func (t *parquetTable) firstLeaf(c *column) (number int, items []int, err error) {
	n, items := nodeAt(t.tree, append(slices.Clone(c.at[:c.list().at]), 0), c.lists)
	number = leavesOf(n, nil)[0]
	if most := t.tree.Leaves[number].MaxRep; most < len(items) {
		return 0, nil, fmt.Errorf("%w: a column within %d lists, but the schema has %d", parquet.ErrCorrupt, most, len(items))
	}
	return number, items, nil
}

// countLists counts the elements of the innermost of some lists of a leaf. items is that of
// firstLeaf. outer has the number of such lists in each row group.
func (t *parquetTable) countLists(ctx context.Context, leaf int, items, outer []int) (*lists, error) {
	key := leafLists{leaf, len(items)}
	t.mu.Lock()
	l := t.counted[key]
	t.mu.Unlock()
	if l != nil {
		return l, nil
	}
	if err := t.readable(leaf); err != nil {
		return nil, err
	}
	l = &lists{null: -1, outer: outer}
	begin := 0
	for i, n := range outer {
		w, err := t.walk(leaf, items, i)
		if err == nil {
			err = w.upTo(ctx, n, nil)
		}
		if err == nil {
			if w.null >= 0 && l.null < 0 {
				l.null = begin + w.null
			}
			err = w.finish(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("batch %d: %w", i, err)
		}
		l.counts = append(l.counts, w.elements)
		begin += n
	}
	t.mu.Lock()
	t.counted[key] = l
	t.mu.Unlock()
	return l, nil
}

// listWalk goes through the levels of a leaf within lists of varying length. It looks at the
// lists of one depth: those within depth-1 other lists.
type listWalk struct {
	pages    *parquet.Reader
	depth    uint32
	begin    uint32 // the definition level from which on an entry with a repetition level below depth begins a list
	item     uint32 // the definition level from which on an entry has an element of a list
	left     int    // entries of the chunk that were not read
	lists    int    // lists that are complete
	elements int    // elements of these lists
	inList   int    // elements of the list that may go on, -1: no list has begun
	null     int    // number of the first list that is null; -1: none was
	def, rep [1024]uint32
	from, to int // the part of these levels that is not used yet
}

// walk returns a walk through a row group. items is that of firstLeaf.
func (t *parquetTable) walk(leaf int, items []int, group int) (*listWalk, error) {
	chunk := &t.tree.Groups[group].Chunks[leaf]
	pages, err := parquet.NewReader(t, t.tree.Leaves[leaf], chunk, min(t.ahead(), int(min(chunk.Compressed, 1<<50))))
	if err != nil {
		return nil, err
	}
	pages.Count((&ndarray.Tally{}).Take)
	depth := len(items)
	w := &listWalk{pages: pages, depth: uint32(depth), item: uint32(items[depth-1]), left: chunk.Values, inList: -1, null: -1}
	if depth > 1 {
		w.begin = uint32(items[depth-2])
	}
	return w, nil
}

// upTo goes on until n lists are complete. It gives the number of elements up to the end of
// each list to ended, unless that is nil.
func (w *listWalk) upTo(ctx context.Context, n int, ended func(list, elements int)) error {
	for w.lists < n {
		more, err := w.next(ctx, n, ended)
		if err != nil {
			return err
		}
		if !more && w.lists < n {
			return fmt.Errorf("%w: the column has %d lists where there should be %d", parquet.ErrCorrupt, w.lists, n)
		}
	}
	return nil
}

// next goes on until some lists are complete, but no more than n lists in all. It returns false
// at the end of the chunk.
func (w *listWalk) next(ctx context.Context, n int, ended func(list, elements int)) (more bool, err error) {
	if w.from == w.to {
		if w.left == 0 {
			if w.inList >= 0 {
				w.end(ended)
			}
			return false, nil
		}
		n, err := w.pages.Levels(ctx, w.def[:], w.rep[:])
		if err != nil {
			return false, err
		}
		w.from, w.to, w.left = 0, n, w.left-n
	}
	for ; w.from < w.to; w.from++ {
		def, rep := w.def[w.from], w.rep[w.from]
		switch {
		case rep < w.depth:
			if w.inList >= 0 {
				if w.end(ended); w.lists == n {
					return true, nil // this entry is behind the list
				}
			}
			if def < w.begin {
				continue // there is no list here: one around it is empty
			}
			if w.inList = 0; def >= w.item {
				w.inList = 1
			} else if def+1 < w.item && w.null < 0 {
				w.null = w.lists
			}
		case w.inList < 1 || rep == w.depth && def < w.item:
			return false, fmt.Errorf("%w: an element of no list, after %d lists", parquet.ErrCorrupt, w.lists)
		case rep == w.depth:
			w.inList++
		}
	}
	return true, nil
}

// end completes a list.
func (w *listWalk) end(ended func(list, elements int)) {
	w.elements += w.inList
	w.inList = -1
	if ended != nil {
		ended(w.lists, w.elements)
	}
	w.lists++
}

// finish returns an error if more lists follow.
func (w *listWalk) finish(ctx context.Context) error {
	n := w.lists
	for more := true; more && w.lists == n; {
		var err error
		if more, err = w.next(ctx, n+1, nil); err != nil {
			return err
		}
	}
	if w.lists > n {
		return fmt.Errorf("%w: the column has more than %d lists", parquet.ErrCorrupt, n)
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
	leaf, items, err := t.firstLeaf(c)
	if err != nil {
		return nil, err
	}
	w, err := t.walk(leaf, items, batch)
	if err != nil {
		return nil, err
	}
	ends := make([]int64, 0, hi-lo)
	keep := func(list, elements int) {
		if list >= lo {
			ends = append(ends, int64(elements))
		}
	}
	return ends, w.upTo(ctx, hi, keep)
}
