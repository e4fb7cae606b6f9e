package arrow

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

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

// integers reads integers lo to hi, of width bytes each.
func (r *ipcRows) integers(ctx context.Context, buffer, width int, signed bool, lo, hi int) ([]int64, error) {
	from, err := r.view(ctx, buffer, int64(lo)*int64(width), (hi-lo)*width)
	if err != nil {
		return nil, err
	}
	list, order := make([]int64, hi-lo), r.table.bytes
	for i := range list {
		switch width {
		case 1:
			list[i] = int64(from[i])
		case 2:
			list[i] = int64(order.Uint16(from[2*i:]))
		case 4:
			list[i] = int64(order.Uint32(from[4*i:]))
		default:
			list[i] = int64(order.Uint64(from[8*i:]))
		}
		if signed {
			unused := 64 - 8*width
			list[i] = list[i] << unused >> unused
		}
	}
	return list, nil
}

// decimals reads decimals as integers, or as texts if elements have variable size.
func (r *ipcRows) decimals(ctx context.Context, n *node, lo, hi int, out ndarray.Array, null *nulls) error {
	from, err := r.view(ctx, r.buffer(n)+1, int64(lo)*int64(n.width), (hi-lo)*n.width)
	if err != nil {
		return err
	}
	d := &decimals{scale: n.scale, order: r.table.order()}
	if out.Heap == nil {
		to := elements(out, 8)
		for i := range hi - lo {
			if null.at(i) {
				continue // its bytes may be anything
			}
			v, err := d.integer(from[i*n.width:][:n.width])
			if err != nil {
				return err
			}
			r.table.bytes.PutUint64(to[8*i:], uint64(v))
		}
		return nil
	}
	i := -1
	return out.SetItems(func() ([]byte, error) {
		if i++; null.at(i) {
			return nil, nil
		}
		return d.item(from[i*n.width:][:n.width]), nil
	})
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
		v, order := views[size*i:], r.table.bytes
		return int(int32(order.Uint32(v))), int(int32(order.Uint32(v[8:]))), int64(int32(order.Uint32(v[12:])))
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

// itemsOf lists the elements of an array of one dimension.
func itemsOf(a ndarray.Array) [][]byte {
	items := make([][]byte, 0, a.Shape[0])
	for item := range a.Items() {
		items = append(items, item)
	}
	return items
}
