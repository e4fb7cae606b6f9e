package hdf5

import (
	"context"
	"fmt"
)

// btree1 is a B-tree of version 1, section III.A.1. A node has keys, addresses of
// children, and the addresses of its neighbours.
type btree1 struct {
	file *File
	kind uint8 // 0: of a group; 1: of chunks
	key  int   // bytes of a key
	// do is called with each entry of the leaves: the key in front of the entry, which
	// must not be kept, and the address.
	do func(key []byte, address uint64) error
	// left is how many bytes further nodes may take: all nodes together have to fit into
	// the file.
	left int64
}

const btree1Overhead = 4 + 1 + 1 + 2 // bytes of a node in front of the addresses of its neighbours

// walk visits the tree whose root is at an address.
func (t *btree1) walk(ctx context.Context, address uint64) error {
	if err := t.levels(ctx, address); err != nil {
		return fmt.Errorf("index tree at address %d: %w", address, err)
	}
	return nil
}

// levels reads the tree level by level, so that the nodes of a level are read together.
func (t *btree1) levels(ctx context.Context, root uint64) error {
	c, err := t.file.cursor(ctx, root, btree1Overhead)
	if err != nil {
		return err
	}
	c.skip(5)
	nodes := []uint64{root}
	t.left = t.file.size
	for level := int(c.uint8()); level >= 0; level-- {
		var below []uint64
		const batch = 256
		for i, n := range nodes {
			if i%batch == 0 {
				if err := t.file.prefetch(ctx, nodes[i:min(i+batch, len(nodes))], t.likelySize()); err != nil {
					return err
				}
			}
			children, err := t.node(ctx, n, level)
			if err != nil {
				return fmt.Errorf("node at address %d: %w", n, err)
			}
			below = append(below, children...)
		}
		nodes = below
	}
	return nil
}

// likelySize returns the size of a node with the usual number of children, for reading
// ahead.
func (t *btree1) likelySize() int {
	return btree1Overhead + 2*t.file.offset + 64*(t.key+t.file.offset) + t.key
}

// node reads a node of a level and returns those of its children that are nodes.
func (t *btree1) node(ctx context.Context, address uint64, level int) ([]uint64, error) {
	c, err := t.file.cursor(ctx, address, btree1Overhead)
	if err != nil {
		return nil, err
	}
	if got := c.take(4); string(got) != "TREE" {
		return nil, corrupt("it begins with %q instead of \"TREE\"", got)
	}
	if kind, own := c.uint8(), int(c.uint8()); kind != t.kind || own != level {
		return nil, corrupt("it is of kind %d and level %d instead of %d and %d", kind, own, t.kind, level)
	}
	n := int(c.uint16())
	size := btree1Overhead + 2*t.file.offset + n*(t.key+t.file.offset) + t.key
	if t.left -= int64(size); t.left < 0 {
		return nil, corrupt("there are more nodes than the file has room for")
	}
	if c, err = t.file.cursor(ctx, address, size); err != nil {
		return nil, err
	}
	c.skip(btree1Overhead + 2*t.file.offset)
	var children []uint64
	for range n {
		key, child := c.take(t.key), c.address()
		switch {
		case c.err != nil:
			return nil, c.err
		case level > 0:
			children = append(children, child)
		default:
			if err := t.do(key, child); err != nil {
				return nil, err
			}
		}
	}
	return children, c.err
}
