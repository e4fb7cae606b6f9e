package arrow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
)

// known returns an error if a field of the table has an unknown type.
func (t *ipcTable) known() error {
	if t.unknown == nil {
		return nil
	}
	return fmt.Errorf("column %q has the unknown type %d, so the places of the other columns are unknown, too: write the data without it", t.unknown.Name, t.unknown.Unknown)
}

// lists implements [table]. It reads the first and the last offset of each batch. If a list
// or a struct around it is null, it reads all offsets.
func (t *ipcTable) lists(ctx context.Context, c *column) (*lists, error) {
	if err := t.known(); err != nil {
		return nil, err
	}
	key := fmt.Sprint(c.at[:c.list().at], len(c.lists))
	t.mu.Lock()
	l := t.counted[key]
	t.mu.Unlock()
	if l != nil {
		return l, nil
	}
	n, _, err := t.fields[c.at[0]].within(&column{at: c.at, lists: c.lists, ends: true})
	if err != nil {
		return nil, err
	}
	around := lists{null: -1, outer: t.batches()}
	if outer := c.around(); outer != nil {
		o, err := t.lists(ctx, outer)
		if err != nil {
			return nil, err
		}
		around.outer, around.first, around.at = o.counts, o.base, o.items
	}
	inParts := around.at != nil || n.list().kind == kindListViews
	l, err = t.countAll(ctx, n, around, inParts)
	if errors.Is(err, errFilledNull) {
		l, err = t.countAll(ctx, n, around, true)
	}
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counted[key] == nil {
		t.counted[key] = l
		t.resident.Keep(partBytes * l.parts)
	}
	return t.counted[key], nil
}

// errFilledNull says that a list is null and has elements in the file nevertheless.
var errFilledNull = errors.New("a list is null and has elements")

// countAll counts the lists of all batches. around says where they are; inParts, whether their
// elements are anywhere.
func (t *ipcTable) countAll(ctx context.Context, n *node, around lists, inParts bool) (*lists, error) {
	l, begin := &around, 0
	for batch := range t.data {
		var first, last int64
		var null int
		var err error
		if inParts {
			null, err = t.findParts(ctx, n, batch, l)
		} else {
			first, last, null, err = t.countLists(ctx, n, batch, l.from(batch), l.outer[batch])
		}
		if err != nil {
			return nil, fmt.Errorf("batch %d: %w", batch, err)
		}
		if null >= 0 && l.null < 0 {
			l.null = begin + null
		}
		if !inParts {
			l.base, l.counts = append(l.base, int(first)), append(l.counts, int(last-first))
		}
		begin += l.outer[batch]
	}
	return l, nil
}

// from returns how many lists of a batch precede the first that belongs to a row.
func (l *lists) from(batch int) int {
	if l.first == nil {
		return 0
	}
	return l.first[batch]
}

// countLists returns the first and the last offset of lists of a batch, and the number of the
// first of them that is null, or -1. The lists are count lists from number begin on. The error is
// errFilledNull if one of them is null and has elements.
func (t *ipcTable) countLists(ctx context.Context, n *node, batch, begin, count int) (first, last int64, null int, err error) {
	if count > math.MaxInt-begin {
		return 0, 0, 0, fmt.Errorf("%w: %d lists from number %d on", errCorrupt, count, begin)
	}
	end := begin + count
	r, err := t.listRows(n, batch, end)
	if err != nil || count == 0 {
		return 0, 0, -1, err
	}
	null = -1
	at, mayBeNull := n, r.record.Nodes[n.index].Nulls != 0
	for at.kind == kindStruct {
		at = at.children[0]
		mayBeNull = mayBeNull || r.record.Nodes[at.index].Nulls != 0
	}
	step := count
	if mayBeNull {
		step = listsPiece
	}
	for lo := begin; lo < end; lo += step {
		hi := min(end, lo+step)
		marks := &nulls{n: hi - lo}
		var ends []int64
		if mayBeNull {
			for of := n; ; of = of.children[0] {
				if err := r.validity(ctx, of, lo, hi, marks); err != nil {
					return 0, 0, 0, err
				}
				if of == at {
					break
				}
			}
			ends, err = r.integers(ctx, r.buffer(at)+1, at.width, true, lo, hi+1)
		} else {
			var end []int64
			if ends, err = r.integers(ctx, r.buffer(at)+1, at.width, true, lo, lo+1); err == nil {
				end, err = r.integers(ctx, r.buffer(at)+1, at.width, true, hi, hi+1)
			}
			ends = append(ends, end...)
		}
		if err != nil {
			return 0, 0, 0, fmt.Errorf("offsets: %w", err)
		}
		if lo == begin {
			first = ends[0]
		}
		if last = ends[len(ends)-1]; first < 0 || last < first || last > math.MaxInt {
			return 0, 0, 0, fmt.Errorf("%w: lists from element %d to element %d", errCorrupt, first, last)
		}
		for i := range hi - lo {
			if !marks.at(i) {
				continue
			}
			if ends[i] != ends[i+1] {
				return 0, 0, 0, errFilledNull
			}
			if null < 0 {
				null = lo + i - begin
			}
		}
	}
	return first, last, null, nil
}

// listMemory implements [table]. Buffers that are compressed are read and decompressed whole.
func (t *ipcTable) listMemory(c *column) int {
	n, _, err := t.fields[c.at[0]].within(&column{at: c.at, lists: c.lists, ends: true})
	if err != nil {
		return 0 // nothing can be read
	}
	n, fields := n.list(), 1
	if n.kind == kindListViews {
		fields = 2 // beginnings and sizes
	}
	const ends = 8 * listsPiece // a second copy of the offsets of lists, see ipcRows.lists
	most := 0
	for i := range t.data {
		r, lists := &t.data[i], 0
		if n.index < len(r.Nodes) {
			lists = r.Nodes[n.index].Length
		}
		if r.Codec == ipc.Uncompressed {
			most = max(most, fields*(min(n.bytes(lists), offsetsPiece*n.width)+8*listsPiece)+ends)
		} else {
			most = max(most, fields*(2*min(n.bytes(lists), math.MaxInt/8)+8*listsPiece)+ends)
		}
	}
	return most + n.width
}

// listEnds implements [table].
func (t *ipcTable) listEnds(ctx context.Context, c *column, l *lists, batch, lo, hi int) ([]int64, error) {
	n, _, err := t.fields[c.at[0]].within(&column{at: c.at, lists: c.lists, ends: true})
	if err != nil {
		return nil, err
	}
	if l.items != nil {
		return t.partEnds(ctx, n, batch, l, lo, hi)
	}
	lo, hi = l.from(batch)+lo, l.from(batch)+hi
	r, err := t.listRows(n, batch, hi)
	if err != nil {
		return nil, err
	}
	n = n.list()
	ends, err := r.integers(ctx, r.buffer(n)+1, n.width, true, lo, hi+1)
	if err != nil {
		return nil, err
	}
	base, count := int64(l.base[batch]), int64(l.counts[batch])
	for i := range ends {
		ends[i] -= base
	}
	if ends[0] < 0 || ends[hi-lo] > count || !slices.IsSorted(ends) {
		return nil, fmt.Errorf("%w: the offsets of lists do not rise from 0 to %d", errCorrupt, count)
	}
	return ends[1:], nil
}
