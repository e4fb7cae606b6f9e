package hdf5

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// globalHeap reads elements of variable size, section III.E. Objects are in
// collections, of which it keeps the last ones. It is for one goroutine.
type globalHeap struct {
	file        *File
	collections map[uint64]*collection
	bytes       int            // of the collections
	tally       *ndarray.Tally // that they are counted by
}

// collection is a collection of objects, by their index.
type collection struct {
	objects map[uint16][]byte
}

func (f *File) globalHeap() *globalHeap {
	return &globalHeap{file: f, collections: map[uint64]*collection{}, tally: &ndarray.Tally{}}
}

// smallCollection is the most bytes of a collection that is kept for others, too.
const smallCollection = 64 << 10

// keptCollections bounds the bytes of the collections that are kept.
const keptCollections = 8 << 20

// sequence returns the bytes of an element of variable size, elements of size
// bytes each. item is what is in its place: how many there are, and where: the
// address of a collection, and the index in that.
func (g *globalHeap) sequence(ctx context.Context, item []byte, size int) ([]byte, error) {
	c := &cursor{data: item, widths: g.file.widths}
	n, address, index := uint64(c.uint32()), c.address(), c.uint32()
	if c.err != nil {
		return nil, c.err
	}
	if n == 0 || address == undefined || address == 0 {
		return nil, nil
	}
	all, err := g.collection(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("global heap at address %d: %w", address, err)
	}
	object, ok := all.objects[uint16(index)]
	switch {
	case !ok || index > 0xffff:
		return nil, corrupt("global heap at address %d: there is no object %d", address, index)
	case n*uint64(size) > uint64(len(object)):
		return nil, corrupt("global heap at address %d: object %d has %d bytes, want %d", address, index, len(object), n*uint64(size))
	}
	return object[:n*uint64(size)], nil
}

func (g *globalHeap) collection(ctx context.Context, address uint64) (*collection, error) {
	if c := g.collections[address]; c != nil {
		return c, nil
	}
	f := g.file
	key := cacheKey{f, address}
	if c, ok := f.shared.collections.get(key).(*collection); ok {
		return c, nil
	}
	head, err := f.bytesBy(ctx, &f.shared.heaps, address, 8+f.length)
	if err != nil {
		return nil, err
	}
	c := &cursor{data: head, widths: f.widths}
	c.signature("GCOL", 1)
	c.skip(3)
	size := c.size()
	if c.err == nil && size > maxObject {
		c.err = corrupt("a collection of %d bytes", size)
	}
	if c.err != nil {
		return nil, c.err
	}
	if g.bytes+int(size) > keptCollections {
		clear(g.collections)
		g.tally.End()
		g.bytes = 0
	}
	if err := g.tally.Take(2 * int(size)); err != nil { // as it is read, and as it is kept
		return nil, err
	}
	data, err := f.bytesBy(ctx, &f.shared.heaps, address, int(size))
	if err != nil {
		return nil, err
	}
	if int((f.base+address)%uint64(f.page)+size) <= f.page {
		data = bytes.Clone(data) // out of a page, which is not to be kept for its sake
	}
	c = &cursor{data: data, widths: f.widths}
	g.tally.Give(int(size))
	prefix := (8 + f.length + 7) &^ 7 // of the collection, and of an object
	c.skip(prefix)
	all := &collection{objects: map[uint16][]byte{}}
	for c.left() >= prefix {
		index := c.uint16()
		c.skip(2 + 4)
		n := c.size()
		c.skip(prefix - 8 - f.length)
		if index == 0 {
			break // the rest is free
		}
		if n > size {
			return nil, corrupt("object %d has %d bytes in a collection of %d", index, n, size)
		}
		all.objects[index] = c.take(int(n))
		c.skip(min(int(-n&7), c.left()))
	}
	if c.err != nil {
		return nil, c.err
	}
	if size <= smallCollection { // attributes of many objects have their texts in one
		const objectBytes = 64
		f.shared.collections.put(key, all, int(size)+objectBytes*len(all.objects))
	}
	g.bytes += int(size)
	g.collections[address] = all
	return all, nil
}

// Text returns a text of a name or an attribute as UTF-8. What is not UTF-8 is
// taken as Latin-1, which programs have written under both of the format's
// character sets.
func Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// decode converts elements as they are in the file to those of dst, which has as
// many and, but for those of variable size, is in C order.
func (f *File) decode(ctx context.Context, dst ndarray.Array, data []byte, native *hdf5type.Native) error {
	if dst.Heap == nil {
		native.Decode(dst.Data, data)
		return nil
	}
	heap, size, at := f.globalHeap(), native.Element.Size, 0
	heap.tally = dst.Heap.Tally()
	defer heap.tally.End()
	return dst.SetItems(func() ([]byte, error) {
		item, err := heap.sequence(ctx, data[at:at+size], 1)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", at/size, err)
		}
		if native.Type == dtype.StringType {
			item, _, _ = bytes.Cut(item, []byte{0})
		}
		at += size
		return item, nil
	})
}
