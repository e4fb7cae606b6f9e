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

// globalHeap reads elements of variable size, section III.E. The elements are objects
// in collections; it keeps the collections that were used last. It is for one
// goroutine.
type globalHeap struct {
	file        *File
	collections map[uint64]*collection
	bytes       int            // bytes of the kept collections
	tally       *ndarray.Tally // counts the collections
}

// collection is the objects of a collection, by their index.
type collection struct {
	objects map[uint16][]byte
}

func (f *File) globalHeap() *globalHeap {
	return &globalHeap{file: f, collections: map[uint64]*collection{}, tally: &ndarray.Tally{}}
}

// smallCollection is the most bytes of a collection that other readers can find in the
// cache, too.
const smallCollection = 64 << 10

// keptCollections bounds the bytes of the collections that are kept.
const keptCollections = 8 << 20

// sequence returns the bytes of an element of variable size, a sequence of items of
// size bytes each. The reference in its place has the number of items, the address of a
// collection, and the index in the collection.
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
	if err := g.tally.Take(2 * int(size)); err != nil { // once as it is read, and once as it is kept
		return nil, err
	}
	data, err := f.bytesBy(ctx, &f.shared.heaps, address, int(size))
	if err != nil {
		return nil, err
	}
	if int((f.base+address)%uint64(f.page)+size) <= f.page {
		data = bytes.Clone(data) // a copy, so that the page can be freed
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
			break // the rest of the collection is free
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
	if size <= smallCollection { // the texts of many attributes may be in one collection
		const objectBytes = 64
		f.shared.collections.put(key, all, int(size)+objectBytes*len(all.objects))
	}
	g.bytes += int(size)
	g.collections[address] = all
	return all, nil
}

// Text returns the text of a name or an attribute as UTF-8. Text that is not UTF-8 is
// read as Latin-1, which programs have written under both of the format's character
// sets.
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

// decode converts elements in the form of the file to the elements of dst. dst has as many
// elements as data. If the elements have a fixed size, dst is in C order.
func (f *File) decode(ctx context.Context, dst ndarray.Array, data []byte, native *hdf5type.Native) error {
	if dst.Heap == nil {
		native.Decode(dst.Data, data)
		return nil
	}
	heap, size, at := f.globalHeap(), native.Element.Size, 0
	heap.tally = dst.Heap.Tally()
	defer heap.tally.End()
	return dst.SetItems(func() ([]byte, error) {
		var item []byte
		var err error
		if e := native.Element; e.Class == hdf5type.Reference {
			var text string
			text, err = heap.reference(ctx, e.Reference, data[at:at+size])
			item = []byte(text)
		} else {
			item, err = heap.sequence(ctx, data[at:at+size], 1)
		}
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
