package hdf5

import (
	"context"
	"fmt"
)

// Kinds of messages in object headers, section IV.A.2 of the specification.
const (
	msgDataspace     = 0x01
	msgLinkInfo      = 0x02
	msgDatatype      = 0x03
	msgOldFill       = 0x04
	msgFill          = 0x05
	msgLink          = 0x06
	msgExternalFiles = 0x07
	msgLayout        = 0x08
	msgGroupInfo     = 0x0a
	msgFilters       = 0x0b
	msgAttribute     = 0x0c
	msgSharedTable   = 0x0f
	msgContinuation  = 0x10
	msgSymbolTable   = 0x11
	msgDriver        = 0x14
	msgAttributeInfo = 0x15
	msgCacheImage    = 0x18
	lastKnownMessage = 0x18
)

// Flags of messages.
const (
	flagShared        = 0x02
	flagFailIfUnknown = 0x80
)

const (
	maxHeader     = 64 << 20 // most bytes of a header with all its continuations
	headerPrefix  = 16       // bytes of a header of version 1 in front of its messages
	messagePrefix = 8        // bytes in front of a message of version 1
)

// message is a message of an object header.
type message struct {
	kind  int
	flags uint8
	order int    // of creation, if the header tracks it
	data  []byte // shared; must not be modified or kept
}

// header is an object header.
type header struct {
	messages []message
	ordered  bool // the order of messages is tracked
	read     int  // bytes read so far
}

// find returns the first message of a kind, or nil if there is none.
func (h *header) find(kind int) *message {
	for i := range h.messages {
		if h.messages[i].kind == kind {
			return &h.messages[i]
		}
	}
	return nil
}

// piece is a part of a header: the first part, or one of its continuations.
type piece struct{ address, length uint64 }

// header reads an object header with all its continuations, section IV.A.1.
func (f *File) header(ctx context.Context, address uint64) (*header, error) {
	h, err := f.readHeader(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("object header at address %d: %w", address, err)
	}
	return h, nil
}

func (f *File) readHeader(ctx context.Context, address uint64) (*header, error) {
	start, err := f.bytes(ctx, address, 4)
	if err != nil {
		return nil, err
	}
	h := &header{}
	var next []piece
	if string(start) == "OHDR" {
		return h, f.header2(ctx, h, address)
	}
	c, err := f.cursor(ctx, address, headerPrefix)
	if err != nil {
		return nil, err
	}
	if version := c.uint8(); version != 1 {
		return nil, corrupt("it begins with %q", start)
	}
	c.skip(7)
	next = append(next, piece{address + headerPrefix, uint64(c.uint32())})
	for len(next) > 0 {
		c, err := f.piece(ctx, h, next[0])
		if err != nil {
			return nil, err
		}
		next = next[1:]
		for c.left() >= messagePrefix {
			m := message{kind: int(c.uint16())}
			n := int(c.uint16())
			m.flags = c.uint8()
			c.skip(3)
			m.data = c.take(n)
			if next, err = h.add(c, m, next); err != nil {
				return nil, err
			}
		}
	}
	return h, nil
}

// header2 reads a header of version 2.
func (f *File) header2(ctx context.Context, h *header, address uint64) error {
	room := uint64(f.size) - f.base - address
	c, err := f.cursor(ctx, address, int(min(room, 34)))
	if err != nil {
		return err
	}
	c.signature("OHDR", 2)
	flags := c.uint8()
	if flags&0x20 != 0 {
		c.skip(16) // times
	}
	if flags&0x10 != 0 {
		c.skip(4) // thresholds for storing attributes in a heap
	}
	size := c.uint(1 << (flags & 3))
	if c.err != nil {
		return c.err
	}
	h.ordered = flags&4 != 0
	from := c.at
	if size > maxHeader {
		return corrupt("its first piece has %d bytes", size)
	}
	next := []piece{{address, uint64(from) + size + 4}}
	for first := true; len(next) > 0; first = false {
		c, err := f.piece(ctx, h, next[0])
		if err != nil {
			return err
		}
		next = next[1:]
		if first {
			c.skip(from)
		} else if got := c.take(4); string(got) != "OCHK" {
			return corrupt("its continuation begins with %q", got)
		}
		if err := c.verify(); err != nil {
			return err
		}
		if next, err = h.messages2(c, next); err != nil {
			return err
		}
	}
	return nil
}

// messages2 reads the messages of a piece of a header of version 2. A rest that is too
// short for another message is a gap.
func (h *header) messages2(c *cursor, next []piece) ([]piece, error) {
	prefix := 4
	if h.ordered {
		prefix = 6
	}
	for c.left() >= prefix {
		m := message{kind: int(c.uint8())}
		n := int(c.uint16())
		m.flags = c.uint8()
		if h.ordered {
			m.order = int(c.uint16())
		}
		m.data = c.take(n)
		var err error
		if next, err = h.add(c, m, next); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// piece reads a piece of a header. The pieces together have a bound, so that reading
// ends even if continuations lead in a circle.
func (f *File) piece(ctx context.Context, h *header, p piece) (*cursor, error) {
	if p.length == 0 || p.length > maxHeader || h.read+int(p.length) > maxHeader {
		return nil, corrupt("a piece of %d bytes after %d bytes of other pieces, but a header has at most %d", p.length, h.read, maxHeader)
	}
	h.read += int(p.length)
	return f.cursor(ctx, p.address, int(p.length))
}

// add adds a message to the header, or a continuation to the list of pieces that are
// still to be read.
func (h *header) add(c *cursor, m message, next []piece) ([]piece, error) {
	if c.err != nil {
		return nil, c.err
	}
	switch {
	case m.kind == msgContinuation:
		p := cursor{data: m.data, widths: c.widths}
		next = append(next, piece{p.address(), p.size()})
		return next, p.err
	case m.kind > lastKnownMessage && m.flags&flagFailIfUnknown != 0:
		return nil, unsupported("a message of the unknown kind %#x, which readers must understand", m.kind)
	}
	h.messages = append(h.messages, m)
	return next, nil
}

// content returns the content of a message. The content may be elsewhere: in a
// committed datatype, or in the heap of shared messages; section IV.A.2, Shared
// Message.
func (f *File) content(ctx context.Context, m *message) ([]byte, error) {
	if m.flags&flagShared == 0 {
		return m.data, nil
	}
	return f.sharedContent(ctx, m.kind, &cursor{data: m.data, widths: f.widths})
}

// sharedContent is content for the reference that stands in place of a message.
func (f *File) sharedContent(ctx context.Context, kind int, c *cursor) ([]byte, error) {
	version, place := c.uint8(), c.uint8()
	switch {
	case version == 1:
		c.skip(6 + f.length) // and the name in an entry of a symbol table
	case version == 3 && place == 1:
		return f.sharedMessage(ctx, kind, c.take(8))
	case version != 2 && version != 3:
		return nil, unsupported("shared message of version %d", version)
	}
	address := c.address()
	if c.err != nil {
		return nil, c.err
	}
	h, err := f.header(ctx, address)
	if err != nil {
		return nil, err
	}
	m := h.find(kind)
	if m == nil || m.flags&flagShared != 0 {
		return nil, corrupt("the object at address %d does not have the message of kind %#x that is shared", address, kind)
	}
	return m.data, nil
}

// sharedIndex tells where shared messages of some kinds are.
type sharedIndex struct {
	kinds uint16 // bit k is set for messages of kind k
	heap  uint64
}

// sharedTable reads the table of shared messages, to which a message in the superblock
// extension points.
func (f *File) sharedTable(ctx context.Context, data []byte) error {
	p := &cursor{data: data, widths: f.widths}
	version, address, count := p.uint8(), p.address(), int(p.uint8())
	if p.err != nil {
		return p.err
	}
	if version != 0 {
		return unsupported("shared message table of version %d", version)
	}
	entry := 2 + 2 + 4 + 3*2 + 2*f.offset
	c, err := f.cursor(ctx, address, 4+count*entry+4)
	if err != nil {
		return err
	}
	if got := c.take(4); string(got) != "SMTB" {
		return corrupt("the shared message table begins with %q", got)
	}
	if err := c.verify(); err != nil {
		return fmt.Errorf("shared message table: %w", err)
	}
	for range count {
		c.skip(2)
		index := sharedIndex{kinds: c.uint16()}
		c.skip(4 + 3*2 + f.offset)
		index.heap = c.address()
		f.sohm = append(f.sohm, index)
	}
	return c.err
}

// sharedMessage returns a message from the heap of shared messages.
func (f *File) sharedMessage(ctx context.Context, kind int, id []byte) ([]byte, error) {
	if id == nil {
		return nil, corrupt("a shared message has no heap ID")
	}
	listed := kind
	if kind == msgOldFill {
		listed = msgFill // the table has one bit for both kinds of fill values
	}
	for _, index := range f.sohm {
		if index.kinds>>listed&1 == 0 {
			continue
		}
		heap, err := f.heap(ctx, index.heap)
		if err != nil {
			return nil, err
		}
		return heap.get(ctx, id)
	}
	return nil, corrupt("there is no heap of shared messages of kind %#x", kind)
}
