package hdf5

import (
	"context"
	"fmt"
)

// btree2 is a B-tree of version 2, section III.A.2. Its records have one size, and its
// nodes have one size.
type btree2 struct {
	file       *File
	kind       uint8
	nodeSize   int
	recordSize int
	levels     []btree2Level // the leaves first
	records    uint64        // number of records that have not been visited yet
	do         func(record []byte) error
}

// btree2Level is the properties of all nodes of a level.
type btree2Level struct {
	most      uint64 // most records in a node
	total     uint64 // most records in a node and below it
	totalSize int    // bytes of this number in a pointer to such a node; 0 for leaves
}

// btree2Node points to a node and tells the number of its records.
type btree2Node struct {
	address uint64
	records int
}

// btree2 calls do for each record of a tree. do must not keep the record.
func (f *File) btree2(ctx context.Context, address uint64, do func(record []byte) error) error {
	if err := f.walk2(ctx, address, do); err != nil {
		return fmt.Errorf("index tree at address %d: %w", address, err)
	}
	return nil
}

func (f *File) walk2(ctx context.Context, address uint64, do func(record []byte) error) error {
	c, err := f.checked(ctx, address, 16+f.offset+2+f.length+4, "BTHD")
	if err != nil {
		return err
	}
	t := &btree2{file: f, kind: c.uint8(), nodeSize: int(c.uint32()), recordSize: int(c.uint16()), do: do}
	depth := int(c.uint16())
	c.skip(2)
	root := btree2Node{c.address(), int(c.uint16())}
	t.records = c.size()
	if c.err != nil {
		return c.err
	}
	if root.address == undefined || t.records == 0 {
		return nil
	}
	// Nodes are large enough for each level to double the records.
	if depth > 64 || t.records > uint64(f.size) || t.nodeSize > maxHeader {
		return corrupt("%d records, %d levels of nodes of %d bytes", t.records, depth, t.nodeSize)
	}
	if err := t.layOut(depth); err != nil {
		return err
	}
	nodes := []btree2Node{root}
	for level := depth; level >= 0; level-- {
		if nodes, err = t.level(ctx, level, nodes); err != nil {
			return err
		}
	}
	if t.records != 0 {
		return corrupt("%d of the tree's records are missing", t.records)
	}
	return nil
}

const btree2Overhead = 4 + 1 + 1 + 4 // bytes of a node besides its records and pointers

// layOut computes how many records the nodes of each level hold. The sizes of the
// numbers in nodes follow from this.
func (t *btree2) layOut(depth int) error {
	room := t.nodeSize - btree2Overhead
	if t.recordSize == 0 || room < t.recordSize {
		return corrupt("records of %d bytes in nodes of %d", t.recordSize, t.nodeSize)
	}
	most := uint64(room / t.recordSize)
	t.levels = []btree2Level{{most: most, total: most}}
	for level := 1; level <= depth; level++ {
		below := t.levels[level-1]
		pointer := t.pointerSize(level)
		if room < pointer+2*(t.recordSize+pointer) {
			return corrupt("nodes of %d bytes are too small for records of %d", t.nodeSize, t.recordSize)
		}
		most := uint64((room - pointer) / (t.recordSize + pointer))
		next := btree2Level{most: most, total: 1 << 62}
		if below.total < 1<<62/(most+1)-1 {
			next.total = (most+1)*below.total + most
		}
		next.totalSize = encodedSize(next.total)
		t.levels = append(t.levels, next)
	}
	return nil
}

// pointerSize returns the bytes of a pointer, in a node of the given level, to a node
// of the level below.
func (t *btree2) pointerSize(level int) int {
	return t.file.offset + encodedSize(t.levels[0].most) + t.levels[level-1].totalSize
}

// level reads all nodes of a level and returns the nodes of the level below.
func (t *btree2) level(ctx context.Context, level int, nodes []btree2Node) ([]btree2Node, error) {
	var below []btree2Node
	const batch = 256
	for i, n := range nodes {
		if i%batch == 0 {
			addresses := make([]uint64, 0, batch)
			for _, n := range nodes[i:min(i+batch, len(nodes))] {
				addresses = append(addresses, n.address)
			}
			if err := t.file.prefetch(ctx, addresses, t.nodeSize); err != nil {
				return nil, err
			}
		}
		children, err := t.node(ctx, level, n)
		if err != nil {
			return nil, err
		}
		below = append(below, children...)
	}
	return below, nil
}

// node reads a node and returns its children.
func (t *btree2) node(ctx context.Context, level int, n btree2Node) ([]btree2Node, error) {
	signature, size := "BTLF", btree2Overhead+n.records*t.recordSize
	if level > 0 {
		signature, size = "BTIN", size+(n.records+1)*t.pointerSize(level)
	}
	if size > t.nodeSize || uint64(n.records) > t.records {
		return nil, corrupt("a node with %d records of %d bytes, of %d in all", n.records, t.recordSize, t.records)
	}
	t.records -= uint64(n.records)
	c, err := t.file.checked(ctx, n.address, size, signature)
	if err != nil {
		return nil, err
	}
	if kind := c.uint8(); kind != t.kind {
		return nil, corrupt("a node of kind %d in a tree of kind %d", kind, t.kind)
	}
	for range n.records {
		if err := t.do(c.take(t.recordSize)); err != nil {
			return nil, err
		}
	}
	if level == 0 {
		return nil, c.err
	}
	children := make([]btree2Node, n.records+1)
	for i := range children {
		children[i].address = c.address()
		children[i].records = int(c.uint(encodedSize(t.levels[0].most)))
		c.skip(t.levels[level-1].totalSize)
	}
	return children, c.err
}
