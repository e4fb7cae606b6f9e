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
	begin := c.at
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
		return c.list(int(rank), uint64(n), 1)
	case kind == selectHyperslab && version == 1:
		c.skip(4 + 4)
		rank, n := c.uint32(), c.uint32()
		return c.list(int(rank), uint64(n), 2)
	case kind == selectHyperslab:
		c.at = begin
		s := c.selection()
		parts := make([]string, len(s.dims))
		for k, x := range s.dims {
			_, run := x.at(0)
			switch {
			case x.n == unlimited || run < x.n && x.block > 1:
				if c.err == nil {
					c.err = unsupported("a reference to blocks at a distance")
				}
			case run == x.n:
				parts[k] = fmt.Sprintf("%d:%d", x.start, x.start+x.n)
			default:
				parts[k] = fmt.Sprintf("%d:%d:%d", x.start, x.end(), x.stride)
			}
		}
		return "[" + strings.Join(parts, ",") + "]"
	default:
		c.err = unsupported("a reference to a selection of kind %d in version %d", kind, version)
		return ""
	}
}

// list reads boxes, which have 2 numbers for each dimension, or points, which have 1.
func (c *cursor) list(rank int, n uint64, numbers int) string {
	if c.err == nil && (rank < 1 || rank > maxRank || n > uint64(c.left()/(4*rank*numbers))) {
		c.err = corrupt("a selection of %d parts of %d dimensions in %d bytes", n, rank, c.left())
	}
	if c.err != nil {
		return ""
	}
	var parts []string
	for range n {
		first := make([]string, rank)
		for k := range first {
			first[k] = fmt.Sprint(c.uint32())
		}
		if numbers == 2 {
			for k := range first {
				first[k] += fmt.Sprint(":", uint64(c.uint32())+1)
			}
		}
		parts = append(parts, "["+strings.Join(first, ",")+"]")
	}
	return strings.Join(parts, ";")
}
