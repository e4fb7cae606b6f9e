package arrow

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

const (
	// listsPiece is how many offsets of lists are read at once.
	listsPiece = 1 << 16
	// mostParts bounds the parts of a file in which the elements of list views are.
	mostParts = 4 << 20
)

// listRows returns what reads the offsets of the lists of a batch, of which there are at
// least the given number.
func (t *ipcTable) listRows(n *node, batch, rows int) (*ipcRows, error) {
	r := &ipcRows{table: t, record: &t.data[batch], node: n, plain: map[int][]byte{}, tally: &ndarray.Tally{}}
	return r, r.record.check(n, rows)
}

// listPiece are some lists that follow each other in a batch.
type listPiece struct {
	first        int     // its number in the order of the rows, counted from lo of eachPiece
	begins, ends []int64 // of the elements of each list
	null         *nulls
}

// eachPiece calls take for lists lo to hi of a batch, counted in the order of the rows. at says
// where the lists are. lo is a multiple of listsPiece, and so is the beginning of each piece,
// unless a part begins there.
func (t *ipcTable) eachPiece(ctx context.Context, n *node, batch int, at []part, lo, hi int, take func(p *listPiece) error) error {
	most := 0
	for _, p := range at {
		most = max(most, p.begin+p.n)
	}
	r, err := t.listRows(n, batch, most)
	if err != nil {
		return err
	}
	for _, p := range at {
		for from := max(lo, 0); from < min(p.n, hi); {
			number := from - lo
			some := min(p.n-from, hi-from, listsPiece-number%listsPiece)
			piece, err := r.lists(ctx, p.begin+from, p.begin+from+some)
			if err != nil {
				return err
			}
			piece.first = number
			if err := take(piece); err != nil {
				return err
			}
			from += some
		}
		lo, hi = lo-p.n, hi-p.n
	}
	return nil
}

// lists reads lists lo to hi of a batch, counted as they are stored. A list that is null is empty,
// whatever elements it has in the file.
func (r *ipcRows) lists(ctx context.Context, lo, hi int) (*listPiece, error) {
	p, list := &listPiece{null: &nulls{n: hi - lo}}, r.node.list()
	if child := list.children[0].index; child >= len(r.record.Nodes) {
		return nil, fmt.Errorf("%w: it has %d fields, fewer than the schema", errCorrupt, len(r.record.Nodes))
	}
	for n := r.node; ; n = n.children[0] {
		if err := r.validity(ctx, n, lo, hi, p.null); err != nil {
			return nil, err
		}
		if n == list {
			break
		}
	}
	var err error
	if list.kind == kindLists {
		if p.begins, err = r.integers(ctx, r.buffer(list)+1, list.width, true, lo, hi+1); err == nil {
			p.begins, p.ends = slices.Clone(p.begins[:hi-lo]), p.begins[1:]
		}
	} else if p.begins, err = r.integers(ctx, r.buffer(list)+1, list.width, true, lo, hi); err == nil {
		p.ends, err = r.integers(ctx, r.buffer(list)+2, list.width, true, lo, hi)
	}
	if err != nil {
		return nil, fmt.Errorf("offsets: %w", err)
	}
	elements := int64(r.record.Nodes[list.children[0].index].Length)
	for i := range p.begins {
		if p.null.at(i) {
			p.begins[i], p.ends[i] = 0, 0
			continue
		}
		if list.kind == kindListViews {
			size := p.ends[i]
			if size == 0 {
				p.begins[i] = 0
				continue
			}
			if size < 0 || p.begins[i] > elements-size {
				return nil, fmt.Errorf("%w: list %d of the batch has %d elements from element %d on, of %d", errCorrupt, lo+i, size, p.begins[i], elements)
			}
			p.ends[i] = p.begins[i] + size
		}
		if p.begins[i] < 0 || p.ends[i] < p.begins[i] || p.ends[i] > elements {
			return nil, fmt.Errorf("%w: list %d of the batch has elements %d to %d, of %d", errCorrupt, lo+i, p.begins[i], p.ends[i], elements)
		}
	}
	return p, nil
}

// where says where the lists of a batch are.
func (l *lists) where(batch int) []part {
	if l.at != nil {
		return l.at[batch]
	}
	begin := 0
	if l.first != nil {
		begin = l.first[batch]
	}
	return []part{{begin, l.outer[batch]}}
}

// findParts finds the elements of lists of a batch that are list views, or are within list views,
// or of which some are null and have elements.
// It adds what it finds to l. null is the number of the first list that is null, or -1.
func (t *ipcTable) findParts(ctx context.Context, n *node, batch int, l *lists) (null int, err error) {
	null = -1
	var items []part
	var sums []int64
	count := int64(0)
	err = t.eachPiece(ctx, n, batch, l.where(batch), 0, l.outer[batch], func(p *listPiece) error {
		if p.first%listsPiece == 0 {
			sums = append(sums, count)
		}
		for i, begin := range p.begins {
			if p.null.at(i) && null < 0 {
				null = p.first + i
			}
			size := int(p.ends[i] - begin)
			if size == 0 {
				continue
			}
			if count += int64(size); count > math.MaxInt64/2 {
				return fmt.Errorf("%w: more than 2^62 elements", errCorrupt)
			}
			if last := len(items) - 1; last >= 0 && items[last].begin+items[last].n == int(begin) {
				items[last].n += size
				continue
			}
			if items = append(items, part{int(begin), size}); l.parts+len(items) > mostParts {
				return noCounterpart{fmt.Errorf("list views with their elements in more than %d places: write the file again, with lists in the order of the rows", mostParts)}
			}
		}
		return nil
	})
	l.base, l.counts = append(l.base, 0), append(l.counts, int(count))
	l.items, l.sums, l.parts = append(l.items, items), append(l.sums, sums), l.parts+len(items)
	return null, err
}

// partEnds is listEnds for lists whose elements findParts has found.
func (t *ipcTable) partEnds(ctx context.Context, n *node, batch int, l *lists, lo, hi int) ([]int64, error) {
	ends := make([]int64, 0, hi-lo)
	from := lo / listsPiece
	if from >= len(l.sums[batch]) {
		return nil, fmt.Errorf("%w: fewer than %d lists", errCorrupt, hi)
	}
	sum := l.sums[batch][from]
	err := t.eachPiece(ctx, n, batch, l.where(batch), from*listsPiece, hi, func(p *listPiece) error {
		for i := range p.begins {
			if sum += p.ends[i] - p.begins[i]; from*listsPiece+p.first+i >= lo {
				ends = append(ends, sum)
			}
		}
		return nil
	})
	if err == nil && (len(ends) != hi-lo || sum > int64(l.counts[batch])) {
		err = fmt.Errorf("%w: the lists have other elements than before", errCorrupt)
	}
	return ends, err
}
