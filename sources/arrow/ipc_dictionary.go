package arrow

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// dictionaryKey identifies a dictionary in its state after a number of its batches.
type dictionaryKey struct {
	id      int64
	batches int
	values  dtype.Type
}

// dictionary is the values for which indices stand.
type dictionary struct {
	items [][]byte // elements, one after the other
	null  []bool   // which items are null
	size  int      // bytes of items of variable size
}

// lookUp reads indices and replaces them by values of the dictionary.
func (r *ipcRows) lookUp(ctx context.Context, n *node, lo, hi int, out ndarray.Array, null *nulls) error {
	d, err := r.dictionary(ctx, n, out.Type)
	if err != nil {
		return fmt.Errorf("dictionary %d: %w", n.dictionary, err)
	}
	indices, err := r.integers(ctx, r.buffer(n)+1, n.width, n.signed, lo, hi)
	if err != nil {
		return fmt.Errorf("indices: %w", err)
	}
	next := -1
	return out.SetItems(func() ([]byte, error) {
		next++
		if null.at(next) {
			return nil, nil
		}
		index := indices[next/n.elements]
		if index < 0 || index >= int64(len(d.items)/n.elements) {
			return nil, fmt.Errorf("%w: value %d has index %d, but the dictionary has %d values", errCorrupt, lo+next/n.elements, index, len(d.items)/n.elements)
		}
		k := int(index)*n.elements + next%n.elements
		if d.null[k] {
			null.mark(next, 1)
		}
		return d.items[k], nil
	})
}

// keptDictionaries bounds the bytes of dictionaries, of elements of variable size, that
// are kept for later reads.
const keptDictionaries = 4 << 20

// dictionary returns the values of a dictionary in the state that the batch refers to. They
// are read once and kept. A dictionary that is too large to be kept for others is kept for
// these rows alone.
func (r *ipcRows) dictionary(ctx context.Context, n *node, values dtype.Type) (*dictionary, error) {
	t, batch := r.table, r.record
	all := t.dictionaries[n.dictionary]
	key := dictionaryKey{id: n.dictionary, values: values}
	begin := 0
	for i, d := range all {
		if t.stream && d.body > batch.body {
			break
		}
		if !d.delta {
			begin = i
		}
		key.batches = i + 1
	}
	if r.looked != nil && r.key == key {
		return r.looked, nil
	}
	t.mu.Lock()
	d := t.values[key]
	if d != nil || values.Size() == 0 {
		// Taking memory for items may wait, so no lock is held.
		t.mu.Unlock()
	} else {
		defer t.mu.Unlock()
	}
	if d != nil {
		return d, nil
	}
	d = &dictionary{}
	for _, from := range all[begin:key.batches] {
		if err := r.extend(ctx, d, n.children[0], &from, values); err != nil {
			return nil, err
		}
	}
	r.looked, r.key = d, key
	if values.Size() > 0 {
		t.values[key] = d
	} else {
		t.keep(key, d)
	}
	return d, nil
}

// keep keeps a dictionary of elements of variable size for later reads, if it is not
// too large.
func (t *ipcTable) keep(key dictionaryKey, d *dictionary) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.values[key] == nil && t.kept+d.size <= keptDictionaries {
		t.kept += d.size
		t.values[key] = d
	}
}

// extend adds the values of a dictionary batch.
func (r *ipcRows) extend(ctx context.Context, d *dictionary, n *node, from *record, values dtype.Type) error {
	if err := from.check(n, from.Rows); err != nil {
		return err
	}
	count := from.Rows * n.elements
	out, null := ndarray.New(values, []int{count}), &nulls{n: count}
	if out.Heap != nil {
		out.Heap.Account = r.tally // the values stay until all rows are read
	}
	read := &ipcRows{table: r.table, record: from, node: n, plain: map[int][]byte{}, tally: &ndarray.Tally{}}
	if out.Heap != nil {
		read.tally = out.Heap.Tally()
		defer read.tally.End()
	}
	if err := read.next(ctx, from.Rows, out, null); err != nil {
		return err
	}
	if out.Heap != nil {
		for item := range out.Items() {
			d.size += len(item)
		}
	}
	i := 0
	for item := range out.Items() {
		d.items = append(d.items, item)
		d.null = append(d.null, null.at(i))
		i++
	}
	return nil
}

// memory returns the bytes of the values of a field's dictionaries once they are read.
// It does not count the heap of elements of variable size.
func (t *ipcTable) memory(n *node, values dtype.Type) int {
	if n.kind != kindDictionary {
		sum := 0
		for _, c := range n.children {
			sum += t.memory(c, values)
		}
		return sum
	}
	const item = 24 + 1 // for the lists of items and nulls
	sum := 0
	for _, d := range t.dictionaries[n.dictionary] {
		sum += d.Rows * n.elements * (ndarray.ItemSize(values) + item)
	}
	return sum
}
