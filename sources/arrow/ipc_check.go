package arrow

import (
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
)

// check makes sure that a batch has the nodes and buffers of a field, for values up to
// the given number. The content of buffers still has to be checked when they are read,
// but no number of values is implausibly large for the file.
func (r *record) check(n *node, values int) error {
	if n.index >= len(r.Nodes) || n.views > len(r.Views) {
		return fmt.Errorf("%w: it has %d fields, fewer than the schema", ipc.ErrCorrupt, len(r.Nodes))
	}
	last := n.buffer
	for _, views := range r.Views[:n.views] {
		last += views
	}
	switch n.kind {
	case kindFixed, kindWide, kindBits, kindDecimal, kindDictionary:
		last++
	case kindLists:
		last++
	case kindOffsets, kindListViews:
		last += 2
	case kindViews:
		if n.views >= len(r.Views) {
			return fmt.Errorf("%w: %d fields of views, fewer than in the schema", ipc.ErrCorrupt, len(r.Views))
		}
		last += 1 + r.Views[n.views]
	case kindRuns:
		last--
	}
	if last >= len(r.Buffers) {
		return fmt.Errorf("%w: it has %d buffers, fewer than the schema needs", ipc.ErrCorrupt, len(r.Buffers))
	}
	if length := r.Nodes[n.index].Length; values > length {
		return fmt.Errorf("%w: %d values where there should be %d", ipc.ErrCorrupt, length, values)
	}
	if err := r.plausible(n, values); err != nil {
		return err
	}
	switch n.kind {
	case kindList:
		if n.length > 0 && values > math.MaxInt/n.length {
			return fmt.Errorf("%w: %d lists of %d elements", ipc.ErrCorrupt, values, n.length)
		}
		return r.check(n.children[0], values*n.length)
	case kindStruct:
		return r.check(n.children[0], values)
	case kindRuns:
		if err := r.check(n.children[0], r.Nodes[n.children[0].index].Length); err != nil {
			return err
		}
		return r.check(n.children[1], 0)
	}
	return nil
}

// plausible refuses more values than the buffers of a field can hold, whatever their
// compression.
func (r *record) plausible(n *node, values int) error {
	at := n.buffer + 1
	for _, views := range r.Views[:n.views] {
		at += views
	}
	need := int64(n.bytes(values))
	if need == 0 {
		return nil
	}
	has := r.Buffers[at].Length
	if r.Codec != ipc.Uncompressed {
		need /= mostRatio
	}
	if need > has {
		return fmt.Errorf("%w: %d bytes for %d values", ipc.ErrCorrupt, has, values)
	}
	return nil
}

// bytes returns the length of the second buffer of a field, which has values or refers
// to them; 0 if the field has none.
func (n *node) bytes(values int) int {
	switch n.kind {
	case kindFixed, kindWide, kindOffsets, kindDecimal, kindDictionary, kindLists, kindListViews:
		if values > math.MaxInt/max(n.width, 1) {
			return math.MaxInt
		}
		return values * n.width
	case kindBits:
		return values / 8
	case kindViews:
		return min(values, math.MaxInt/16) * 16
	}
	return 0
}

// memory implements [reader]. It counts the buffers of a batch if they are compressed,
// and otherwise their bytes for one piece; and what is made of these buffers.
func (r *ipcReader) memory(batch int) int {
	record := &r.table.data[batch]
	values, gathered := record.Rows, 0
	if r.lists != nil {
		values = r.lists.reach(batch)
		if r.lists.items != nil {
			gathered = mostGathered * ndarray.ItemSize(r.column.typ) * r.node.elements
		}
	}
	return gathered + record.memory(r.node, values, ndarray.ItemSize(r.column.typ)) + r.table.memory(r.node, r.column.typ)
}

// content implements [reader]: the stored bytes of the buffers with content.
func (r *ipcReader) content(batch int) int64 {
	record := &r.table.data[batch]
	if r.column.typ.Size() > 0 || record.check(r.node, 0) != nil {
		return 0
	}
	return r.table.content(r.node, record)
}

// content returns the bytes of a field's content in a batch. For values that are stored
// once, in a dictionary or for a run, it assumes that all values are equally frequent.
func (t *ipcTable) content(n *node, r *record) int64 {
	at := n.buffer
	for _, views := range r.Views[:n.views] {
		at += views
	}
	sum := int64(0)
	switch n.kind {
	case kindOffsets:
		return r.Buffers[at+2].Length
	case kindDecimal:
		return int64(r.Nodes[n.index].Length) * int64(2*n.width) // an estimate of the digits
	case kindViews:
		for _, b := range r.Buffers[at+2:][:r.Views[n.views]] {
			sum += b.Length
		}
		return sum
	case kindDictionary:
		values := int64(0)
		for _, d := range t.dictionaries[n.dictionary] {
			if d.check(n.children[0], d.Rows) == nil {
				sum += t.content(n.children[0], &d)
				values += int64(d.Rows)
			}
		}
		return sum / max(values, 1) * int64(r.Nodes[n.index].Length)
	case kindList, kindStruct:
		return t.content(n.children[0], r)
	case kindRuns:
		ends, values := r.Nodes[n.children[0].index].Length, n.children[1]
		if values.index < len(r.Nodes) && ends > 0 {
			return t.content(values, r) / int64(ends) * int64(r.Rows)
		}
	}
	return 0
}

// memory returns the bytes that reading values of a field takes. An element has size
// bytes.
func (r *record) memory(n *node, values, size int) int {
	sum := 0
	piece := min(values, pieceElements)
	switch n.kind {
	case kindOffsets, kindDictionary:
		sum = piece * 8 // as integers
	case kindRuns:
		count := r.Nodes[min(n.children[0].index, len(r.Nodes)-1)].Length
		const item = 24 + 1 // for the lists of items and nulls
		return count*8 + r.memory(n.children[0], count, 8) + r.memory(n.children[1], min(count, values), size) + piece*n.elements*(size+item)
	}
	if r.Codec == ipc.Uncompressed {
		sum += n.bytes(piece) + piece/8
	} else {
		sum += 2 * (n.bytes(values) + values/8)
	}
	for _, c := range n.children {
		if n.kind == kindDictionary {
			break
		}
		sum += r.memory(c, values*max(n.length, 1), size)
	}
	return sum
}

// dictionaries returns how many dictionaries are nested in each other.
func (n *node) dictionaries() int {
	most := 0
	for _, c := range n.children {
		most = max(most, c.dictionaries())
	}
	if n.kind == kindDictionary {
		most++
	}
	return most
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
