package hdf5

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
)

// links reads the entries of a group: from its symbol table, from messages in its
// header, or from a heap.
func (o *Object) links(ctx context.Context) ([]Link, error) {
	f := o.file
	var list []Link
	tracked := false
	for i := range o.header.messages {
		m := &o.header.messages[i]
		var err error
		switch m.kind {
		case msgSymbolTable:
			list, err = f.symbolTable(ctx, m.data)
		case msgLinkInfo:
			var dense []Link
			dense, tracked, err = f.denseLinks(ctx, m.data)
			list = append(list, dense...)
		case msgLink:
			var l Link
			l, err = f.link(m.data)
			list = append(list, l)
		}
		if err != nil {
			return nil, err
		}
		if len(list) > maxLinks {
			return nil, corrupt("more than %d links", maxLinks)
		}
	}
	slices.SortStableFunc(list, func(a, b Link) int {
		if tracked && a.order != b.order {
			return cmp.Compare(a.order, b.order)
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i := 1; i < len(list); i++ {
		if list[i].Name == list[i-1].Name {
			return nil, corrupt("two links %.60q", list[i].Name)
		}
	}
	return list, nil
}

// link reads a link message, section IV.A.2.g.
func (f *File) link(data []byte) (Link, error) {
	c := &cursor{data: data, widths: f.widths}
	if version := c.uint8(); version != 1 {
		return Link{}, unsupported("link message of version %d", version)
	}
	flags := c.uint8()
	var l Link
	kind := uint8(0)
	if flags&8 != 0 {
		kind = c.uint8()
	}
	if flags&4 != 0 {
		l.order = c.uint64()
	}
	if flags&0x10 != 0 {
		c.skip(1) // character set
	}
	l.Name = string(c.take(c.intOf(c.uint(1<<(flags&3)), "a name's length")))
	switch kind {
	case 0:
		l.Kind, l.Address = HardLink, c.address()
	case 1:
		l.Kind, l.Target = SoftLink, string(c.take(int(c.uint16())))
	case 64:
		l.Kind = ExternalLink
		value := &cursor{data: c.take(int(c.uint16()))}
		value.skip(1) // version and flags
		l.File, l.Target = string(value.text()), string(value.text())
		if c.err == nil {
			c.err = value.err
		}
	default:
		l.Kind = UserLink
	}
	if c.err == nil && l.Name == "" {
		c.err = corrupt("a link without a name")
	}
	return l, c.err
}

// denseLinks reads the links to which a link info message refers, section IV.A.2.c.
// tracked tells whether the order of creation is tracked.
func (f *File) denseLinks(ctx context.Context, data []byte) (list []Link, tracked bool, err error) {
	c := &cursor{data: data, widths: f.widths}
	if version := c.uint8(); version != 0 {
		return nil, false, unsupported("link info message of version %d", version)
	}
	flags := c.uint8()
	tracked = flags&1 != 0
	if tracked {
		c.skip(8)
	}
	heapAt, names := c.address(), c.address()
	if c.err != nil || heapAt == undefined || names == undefined {
		return nil, tracked, c.err
	}
	h, err := f.heap(ctx, heapAt)
	if err != nil {
		return nil, tracked, err
	}
	err = f.btree2(ctx, names, func(record []byte) error {
		const hash = 4 // bytes of the name's hash, in front of the ID
		if len(record) < hash+h.idSize {
			return corrupt("records of %d bytes for links", len(record))
		}
		message, err := h.get(ctx, record[hash:hash+h.idSize])
		if err != nil {
			return err
		}
		l, err := f.link(message)
		list = append(list, l)
		if len(list) > maxLinks {
			return corrupt("more than %d links", maxLinks)
		}
		return err
	})
	return list, tracked, err
}

// symbolTable reads the links of a group of the old style: a B-tree whose
// leaves are nodes of a symbol table, sections III.A.1 to III.C.
func (f *File) symbolTable(ctx context.Context, data []byte) ([]Link, error) {
	c := &cursor{data: data, widths: f.widths}
	tree, heapAt := c.address(), c.address()
	if c.err != nil {
		return nil, c.err
	}
	names, err := f.localHeap(ctx, heapAt)
	if err != nil {
		return nil, err
	}
	names = bytes.Clone(names)
	var nodes []uint64
	t := &btree1{file: f, kind: 0, key: f.length, do: func(_ []byte, address uint64) error {
		nodes = append(nodes, address)
		return nil
	}}
	if err := t.walk(ctx, tree); err != nil {
		return nil, err
	}
	var list []Link
	const batch = 128
	for i, address := range nodes {
		if i%batch == 0 {
			likely := 8 + 8*f.symbolSize()
			if err := f.prefetch(ctx, nodes[i:min(i+batch, len(nodes))], likely); err != nil {
				return nil, err
			}
		}
		if list, err = f.symbols(ctx, address, names, list); err != nil {
			return nil, err
		}
		if len(list) > maxLinks {
			return nil, corrupt("more than %d links", maxLinks)
		}
	}
	return list, nil
}

// symbolSize returns the number of bytes of an entry of a symbol table.
func (f *File) symbolSize() int { return f.length + f.offset + 4 + 4 + 16 }

// symbols appends the links in a node of a symbol table.
func (f *File) symbols(ctx context.Context, address uint64, names []byte, list []Link) ([]Link, error) {
	c, err := f.cursor(ctx, address, 8)
	if err != nil {
		return nil, err
	}
	c.signature("SNOD", 1)
	c.skip(1)
	n := int(c.uint16())
	if c.err != nil {
		return nil, c.err
	}
	if c, err = f.cursor(ctx, address+8, n*f.symbolSize()); err != nil {
		return nil, err
	}
	for range n {
		at := c.size()
		l := Link{Kind: HardLink, Address: c.address()}
		kind := c.uint32()
		c.skip(4)
		scratch := &cursor{data: c.take(16)}
		if c.err != nil {
			return nil, c.err
		}
		if l.Name, err = heapText(names, at); err != nil {
			return nil, err
		}
		if kind == 2 {
			l.Kind, l.Address = SoftLink, 0
			if l.Target, err = heapText(names, uint64(scratch.uint32())); err != nil {
				return nil, err
			}
		}
		list = append(list, l)
	}
	return list, nil
}

// heapText returns the text at a place in a local heap's data.
func heapText(data []byte, at uint64) (string, error) {
	if at >= uint64(len(data)) {
		return "", corrupt("the name at byte %d is outside of a heap of %d", at, len(data))
	}
	c := &cursor{data: data[at:]}
	text := string(c.text())
	if c.err == nil && text == "" {
		return "", corrupt("a link without a name")
	}
	return text, c.err
}
