package arrow

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// ipcRows implements [rows].
type ipcRows struct {
	table  *ipcTable
	record *record
	node   *node
	at     int            // the next row
	plain  map[int][]byte // decompressed buffers
	tally  *ndarray.Tally // counts the memory for elements of variable size
	looked *dictionary    // the dictionary that was used last; nil: none
	key    dictionaryKey  // its key
}

// next implements [rows].
func (r *ipcRows) next(ctx context.Context, n int, out ndarray.Array, null *nulls) error {
	err := r.values(ctx, r.node, r.at, r.at+n, out, null)
	r.at += n
	return err
}

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

// buffer returns the number of the first buffer of a field in the batch.
func (r *ipcRows) buffer(n *node) int {
	at := n.buffer
	for _, views := range r.record.Views[:n.views] {
		at += views
	}
	return at
}

// elements returns the memory of all elements of an array, which is one run of elements
// of size bytes.
func elements(a ndarray.Array, size int) []byte {
	return a.Data[a.Offset : a.Offset+a.Shape[0]*size]
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
	to := elements(out, 8)
	for i := range hi - lo {
		binary.LittleEndian.PutUint64(to[8*i:], uint64(int64(int32(binary.LittleEndian.Uint32(from[4*i:])))))
	}
	return nil
}

// integers reads integers lo to hi, of width bytes each.
func (r *ipcRows) integers(ctx context.Context, buffer, width int, signed bool, lo, hi int) ([]int64, error) {
	from, err := r.view(ctx, buffer, int64(lo)*int64(width), (hi-lo)*width)
	if err != nil {
		return nil, err
	}
	list := make([]int64, hi-lo)
	for i := range list {
		switch width {
		case 1:
			list[i] = int64(from[i])
		case 2:
			list[i] = int64(binary.LittleEndian.Uint16(from[2*i:]))
		case 4:
			list[i] = int64(binary.LittleEndian.Uint32(from[4*i:]))
		default:
			list[i] = int64(binary.LittleEndian.Uint64(from[8*i:]))
		}
		if signed {
			unused := 64 - 8*width
			list[i] = list[i] << unused >> unused
		}
	}
	return list, nil
}

// between reads values that lie between offsets.
func (r *ipcRows) between(ctx context.Context, n *node, lo, hi int, out ndarray.Array, null *nulls) error {
	buffer := r.buffer(n)
	ends, err := r.integers(ctx, buffer+1, n.width, true, lo, hi+1)
	if err != nil {
		return fmt.Errorf("offsets: %w", err)
	}
	for i, end := range ends[1:] {
		if ends[i] < 0 || end < ends[i] {
			return fmt.Errorf("%w: value %d lies between byte %d and byte %d", errCorrupt, lo+i, ends[i], end)
		}
	}
	for i, n := 0, 0; i < hi-lo; i += n {
		first := ends[i]
		for n = 1; i+n < hi-lo && ends[i+n+1]-first <= movedBytes; n++ {
		}
		if err := r.item(ctx, buffer+2, ends[i:i+n+1], null, i, out); err != nil {
			return err
		}
	}
	return nil
}

// item reads the bytes between consecutive offsets in one read. They are the values
// from number i on.
func (r *ipcRows) item(ctx context.Context, buffer int, ends []int64, null *nulls, i int, out ndarray.Array) error {
	first, n := ends[0], len(ends)-1
	length := int(ends[n] - first)
	if err := r.tally.Take(length); err != nil {
		return err
	}
	defer r.tally.Give(length)
	data, err := r.view(ctx, buffer, first, length)
	if err != nil {
		return err
	}
	k := -1
	return out.Sub(ndarray.Region{Start: []int{i}, Shape: []int{n}}).SetItems(func() ([]byte, error) {
		if k++; null.at(i + k) {
			return nil, nil
		}
		return data[ends[k]-first : ends[k+1]-first], nil
	})
}

// viewed reads values through views. A view holds up to 12 bytes itself; longer values are
// in a data buffer. The values are read together if they lie close enough to each other.
// Otherwise viewed reads the values of each half of the views by themselves.
func (r *ipcRows) viewed(ctx context.Context, n *node, lo, hi int, out ndarray.Array, null *nulls) error {
	const size, inline = 16, 12
	buffer := r.buffer(n)
	views, err := r.view(ctx, buffer+1, size*int64(lo), size*(hi-lo))
	if err != nil {
		return fmt.Errorf("views: %w", err)
	}
	type extent struct {
		from, to int64
		data     []byte
	}
	extents := make([]extent, r.record.Views[n.views])
	place := func(i int) (length, of int, from int64) {
		v := views[size*i:]
		return int(int32(binary.LittleEndian.Uint32(v))), int(int32(binary.LittleEndian.Uint32(v[8:]))), int64(int32(binary.LittleEndian.Uint32(v[12:])))
	}
	for i := range hi - lo {
		length, of, from := place(i)
		if null.at(i) || length >= 0 && length <= inline {
			continue
		}
		if length < 0 || from < 0 || of < 0 || of >= len(extents) {
			return fmt.Errorf("%w: value %d has %d bytes from byte %d of buffer %d on", errCorrupt, lo+i, length, from, of)
		}
		e := &extents[of]
		if e.to == 0 || from < e.from {
			e.from = from
		}
		e.to = max(e.to, from+int64(length))
	}
	total := 0
	for _, e := range extents {
		total += int(e.to - e.from)
	}
	if count := hi - lo; total > movedBytes && count > 1 {
		for _, half := range [][2]int{{0, count / 2}, {count / 2, count}} {
			part := out.Sub(ndarray.Region{Start: []int{half[0]}, Shape: []int{half[1] - half[0]}})
			if err := r.viewed(ctx, n, lo+half[0], lo+half[1], part, null.from(half[0])); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.tally.Take(total); err != nil {
		return err
	}
	defer r.tally.Give(total)
	for k := range extents {
		if e := &extents[k]; e.to > 0 {
			if e.data, err = r.view(ctx, buffer+2+k, e.from, int(e.to-e.from)); err != nil {
				return err
			}
		}
	}
	i := -1
	return out.SetItems(func() ([]byte, error) {
		if i++; null.at(i) {
			return nil, nil
		}
		length, of, from := place(i)
		if length <= inline {
			return views[size*i+4:][:length], nil
		}
		e := extents[of]
		return e.data[from-e.from:][:length], nil
	})
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

// itemsOf lists the elements of an array of one dimension.
func itemsOf(a ndarray.Array) [][]byte {
	items := make([][]byte, 0, a.Shape[0])
	for item := range a.Items() {
		items = append(items, item)
	}
	return items
}
