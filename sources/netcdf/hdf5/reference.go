package hdf5

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

// maxPaths bounds the objects of a file whose paths are kept to resolve references.
const maxPaths = 1 << 20

// paths returns the paths of all objects to which hard links lead, by the addresses of
// their headers. They are found once and kept.
func (f *File) paths(ctx context.Context) (map[uint64]string, error) {
	f.naming.Lock()
	defer f.naming.Unlock()
	if f.named != nil {
		return f.named, nil
	}
	named := map[uint64]string{f.root: "/"}
	for next := []uint64{f.root}; len(next) > 0; next = next[1:] {
		o, err := f.Object(ctx, next[0])
		if err != nil {
			return nil, err
		}
		if o.kind != GroupObject {
			continue
		}
		links, err := o.Links(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			if l.Kind != HardLink || named[l.Address] != "" {
				continue
			}
			if len(named) == maxPaths {
				return nil, unsupported("references in a file of more than %d objects", maxPaths)
			}
			named[l.Address] = path.Join(named[next[0]], l.Name)
			next = append(next, l.Address)
		}
	}
	f.named = named
	return named, nil
}

// reference returns the text of a reference: the path of an object, and for a region also
// the region. It is "" for a reference to nothing.
func (g *globalHeap) reference(ctx context.Context, kind hdf5type.ReferenceKind, item []byte) (string, error) {
	f := g.file
	if kind > hdf5type.RegionAddress {
		return g.encodedReference(ctx, item)
	}
	c := &cursor{data: item, widths: f.widths}
	address := c.address()
	if c.err != nil || address == 0 || address == undefined {
		return "", c.err
	}
	if kind == hdf5type.ObjectAddress {
		return f.pathOf(ctx, address)
	}
	index := c.uint32()
	all, err := g.collection(ctx, address)
	if err != nil {
		return "", fmt.Errorf("global heap at address %d: %w", address, err)
	}
	object, ok := all.objects[uint16(index)]
	if !ok || index > 0xffff {
		return "", corrupt("global heap at address %d: there is no object %d", address, index)
	}
	c = &cursor{data: object, widths: f.widths}
	name, err := f.pathOf(ctx, c.address())
	if err != nil {
		return "", err
	}
	region := c.region()
	return name + region, c.err
}

// encodedReference is reference for the references of HDF5 1.12 and later. The kind of each
// element is in its first byte. To the path of an attribute's object, "@" and the name of the
// attribute are added. An element begins with
//
//	0  kind, as in hdf5type.ReferenceKind; 0 for a reference to nothing
//	1  flags; 1 for an object in another file
//
// A reference to an object goes on with its token: its size in a byte, and the address. The
// others go on with a size in four bytes, and the place of an object in the global heap. That
// has a token, and then
//
//	region     size in 4 bytes, number of dimensions in 4 bytes, selection
//	attribute  size of the name in 2 bytes, name
func (g *globalHeap) encodedReference(ctx context.Context, item []byte) (string, error) {
	f := g.file
	c := &cursor{data: item, widths: f.widths}
	kind, flags := c.uint8(), c.uint8()
	switch {
	case c.err != nil:
		return "", c.err
	case kind == 0:
		return "", nil
	case flags&1 != 0:
		return "", unsupported("a reference to an object in another file")
	case flags != 0 || kind < uint8(hdf5type.ObjectReference) || kind > uint8(hdf5type.AttributeReference):
		return "", unsupported("a reference of kind %d with flags %#x", kind, flags)
	case kind == uint8(hdf5type.ObjectReference):
		return f.pathOfToken(ctx, c)
	}
	object, err := g.sequence(ctx, item[2:], 1)
	if err != nil {
		return "", err
	}
	c = &cursor{data: object, widths: f.widths}
	name, err := f.pathOfToken(ctx, c)
	if err != nil {
		return "", err
	}
	if kind == uint8(hdf5type.AttributeReference) {
		attribute := c.take(int(c.uint16()))
		return name + "@" + Text(attribute), c.err
	}
	c.skip(4 + 4)
	region := c.region()
	return name + region, c.err
}

// pathOfToken reads a token, and returns the path of the object that it stands for.
func (f *File) pathOfToken(ctx context.Context, c *cursor) (string, error) {
	if size := int(c.uint8()); c.err == nil && size != f.offset {
		return "", unsupported("a token of %d bytes in a file with addresses of %d", size, f.offset)
	}
	address := c.address()
	if c.err != nil {
		return "", c.err
	}
	return f.pathOf(ctx, address)
}

// pathOf returns the path of the object at an address.
func (f *File) pathOf(ctx context.Context, address uint64) (string, error) {
	named, err := f.paths(ctx)
	if err != nil {
		return "", err
	}
	if named[address] == "" {
		return "", corrupt("a reference to an object at address %d, to which no path leads", address)
	}
	return named[address], nil
}

// region reads a selection as text: indices in brackets, as in NumPy. Several boxes or points
// are separated by semicolons.
func (c *cursor) region() string {
	switch kind, version := c.uint32(), c.uint32(); {
	case c.err != nil:
		return ""
	case kind == selectNone:
		return "[]"
	case kind == selectAll:
		return "[...]"
	case kind == selectPoints && version == 1:
		c.skip(4 + 4)
		rank, n := c.uint32(), c.uint32()
		return c.list(int(rank), uint64(n), 1, 4)
	case kind == selectPoints && version == 2:
		width := int(c.uint8())
		rank, n := c.uint32(), c.uint(width)
		return c.list(int(rank), n, 1, width)
	case kind == selectHyperslab && version >= 1 && version <= 3:
		begin := c.at
		regular, rank, width := c.hyperslabHead(version)
		if !regular {
			n := c.uint(width)
			return c.list(rank, n, 2, width)
		}
		c.at = begin
		s := c.hyperslab(version)
		if c.err != nil {
			return ""
		}
		text, err := s.text()
		c.err = err
		return text
	default:
		c.err = unsupported("a reference to a selection of kind %d in version %d", kind, version)
		return ""
	}
}

// mostBoxes bounds the boxes at equal distances that a text lists.
const mostBoxes = 4096

// text returns boxes at equal distances as text: one box, or one with steps, if each box
// has one index along the dimensions that have several. Otherwise it lists the boxes.
func (s selection) text() (string, error) {
	boxes := []string{""}
	for k, x := range s.dims {
		_, run := x.at(0)
		blocks := (x.n + run - 1) / run
		if x.n == unlimited {
			return "", unsupported("a reference to a selection without an end")
		}
		if run > 1 && blocks > mostBoxes/len(boxes) {
			return "", unsupported("a reference to more than %d boxes", mostBoxes)
		}
		var parts []string
		if run == 1 && x.n > 1 {
			parts = []string{fmt.Sprintf("%d:%d:%d", x.start, x.end(), x.stride)}
		} else {
			for i := range blocks {
				begin, n := x.at(i * run)
				parts = append(parts, fmt.Sprintf("%d:%d", begin, begin+n))
			}
		}
		boxes = crossed(boxes, parts, k > 0)
	}
	return "[" + strings.Join(boxes, "];[") + "]", nil
}

// crossed returns each text with each part behind it, with a comma between them if wanted.
func crossed(texts, parts []string, comma bool) []string {
	all := make([]string, 0, len(texts)*len(parts))
	for _, text := range texts {
		if comma {
			text += ","
		}
		for _, part := range parts {
			all = append(all, text+part)
		}
	}
	return all
}

// list reads boxes, which have 2 numbers for each dimension, or points, which have 1. A
// number has width bytes.
func (c *cursor) list(rank int, n uint64, numbers, width int) string {
	wrong := rank < 1 || rank > maxRank || width != 2 && width != 4 && width != 8
	if c.err == nil && (wrong || n > uint64(c.left()/(width*rank*numbers))) {
		c.err = corrupt("a selection of %d parts of %d dimensions in %d bytes", n, rank, c.left())
	}
	if c.err != nil {
		return ""
	}
	var parts []string
	for range n {
		first := make([]string, rank)
		for k := range first {
			first[k] = fmt.Sprint(c.uint(width))
		}
		if numbers == 2 {
			for k := range first {
				first[k] += fmt.Sprint(":", c.uint(width)+1)
			}
		}
		parts = append(parts, "["+strings.Join(first, ",")+"]")
	}
	return strings.Join(parts, ";")
}
