package arrow

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// values reads values lo to hi of a field, each with all of its elements. The record
// has been checked.
func (r *ipcRows) values(ctx context.Context, n *node, lo, hi int, out ndarray.Array, null *nulls) error {
	if lo == hi {
		return nil
	}
	if n.kind != kindRuns {
		if err := r.validity(ctx, n, lo, hi, null); err != nil {
			return err
		}
	}
	switch n.kind {
	case kindList:
		return r.values(ctx, n.children[0], lo*n.length, hi*n.length, out, null)
	case kindStruct:
		return r.values(ctx, n.children[0], lo, hi, out, null)
	case kindDictionary:
		return r.lookUp(ctx, n, lo, hi, out, null)
	case kindRuns:
		return r.runs(ctx, n, lo, hi, out, null)
	case kindDecimal:
		return r.decimals(ctx, n, lo, hi, out, null)
	case kindOffsets:
		return r.between(ctx, n, lo, hi, out, null)
	case kindViews:
		return r.viewed(ctx, n, lo, hi, out, null)
	}
	if n.kind == kindFixed {
		return r.read(ctx, r.buffer(n)+1, int64(lo)*int64(n.width), elements(out, n.width))
	}
	return r.spread(ctx, n, lo, hi, out)
}

// validity marks the nulls among values lo to hi.
func (r *ipcRows) validity(ctx context.Context, n *node, lo, hi int, null *nulls) error {
	if r.record.Nodes[n.index].Nulls == 0 {
		return nil
	}
	first := lo / 8
	bits, err := r.view(ctx, r.buffer(n), int64(first), (hi+7)/8-first)
	if err != nil {
		return fmt.Errorf("validity: %w", err)
	}
	for i := lo; i < hi; i++ {
		switch of := bits[i/8-first]; {
		case of == 0xff: // none of these eight is null
			i |= 7
		case of>>(i%8)&1 == 0:
			null.mark((i-lo)*n.elements, n.elements)
		}
	}
	return nil
}

// spread reads values that take more bytes in memory than in the file: bits, and
// integers of 32 bits that become 64.
func (r *ipcRows) spread(ctx context.Context, n *node, lo, hi int, out ndarray.Array) error {
	if n.kind == kindBits {
		first := lo / 8
		bits, err := r.view(ctx, r.buffer(n)+1, int64(first), (hi+7)/8-first)
		if err != nil {
			return err
		}
		to := elements(out, 1)
		for i := lo; i < hi; i++ {
			to[i-lo] = bits[i/8-first] >> (i % 8) & 1
		}
		return nil
	}
	from, err := r.view(ctx, r.buffer(n)+1, 4*int64(lo), 4*(hi-lo))
	if err != nil {
		return err
	}
	to, order := elements(out, 8), r.table.bytes
	for i := range hi - lo {
		order.PutUint64(to[8*i:], uint64(int64(int32(order.Uint32(from[4*i:])))))
	}
	return nil
}

// runs reads values that are stored once for each run of equal values. It checks the
// ends of all runs.
func (r *ipcRows) runs(ctx context.Context, n *node, lo, hi int, out ndarray.Array, null *nulls) error {
	count := r.record.Nodes[n.children[0].index].Length
	ends, err := r.integers(ctx, r.buffer(n.children[0])+1, n.width, true, 0, count)
	if err != nil {
		return fmt.Errorf("ends of runs: %w", err)
	}
	last, first, behind := int64(0), -1, 0
	for i, end := range ends {
		if end <= last {
			return fmt.Errorf("%w: run %d ends at %d, the one before at %d", errCorrupt, i, end, last)
		}
		if last < int64(hi) && end > int64(lo) {
			if first < 0 {
				first = i
			}
			behind = i + 1
		}
		last = end
	}
	if last < int64(hi) || behind > r.record.Nodes[n.children[1].index].Length {
		return fmt.Errorf("%w: %d runs of %d values end at %d, before %d", errCorrupt, count, r.record.Nodes[n.children[1].index].Length, last, hi)
	}
	if err := r.record.check(n.children[1], behind); err != nil {
		return err
	}
	once := ndarray.New(out.Type, []int{(behind - first) * n.elements})
	tally := once.Borrow(out)
	defer tally.End()
	nullOnce := &nulls{n: once.Shape[0]}
	if err := r.values(ctx, n.children[1], first, behind, once, nullOnce); err != nil {
		return err
	}
	items := itemsOf(once)
	next, run := 0, 0
	return out.SetItems(func() ([]byte, error) {
		value, element := next/n.elements, next%n.elements
		for int64(lo+value) >= ends[first+run] {
			run++
		}
		k := run*n.elements + element
		if nullOnce.at(k) {
			null.mark(next, 1)
		}
		next++
		return items[k], nil
	})
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
	if err := read.values(ctx, n, 0, from.Rows, out, null); err != nil {
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
