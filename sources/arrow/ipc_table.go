package arrow

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
)

// errNoStream is the cause of an error about a file that does not begin with a
// schema.
var errNoStream = errors.New("no Arrow schema at the beginning")

// openIPCFile reads the footer of a file, and the metadata of all batches.
func openIPCFile(ctx context.Context, f *file) (table, error) {
	if f.Size < 2*(4+int64(len(ipcMagic))) {
		return nil, fmt.Errorf("truncated: an Arrow file of %d bytes", f.Size)
	}
	text, err := f.footer(ctx, ipcMagic, ipc.ErrCorrupt)
	if err != nil {
		return nil, err
	}
	footer, err := ipc.ParseFooter(text, f.Size)
	if err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	blocks := append(footer.Dictionaries, footer.Batches...)
	messages := make([]*ipc.Message, len(blocks))
	err = sources.InParallel(ctx, len(blocks), func(ctx context.Context, i int) error {
		m, err := readBlock(ctx, f, blocks[i])
		if err != nil {
			return fmt.Errorf("batch at byte %d: %w", blocks[i].Offset, err)
		}
		messages[i] = m
		return nil
	})
	if err != nil {
		return nil, err
	}
	old := slices.ContainsFunc(messages, func(m *ipc.Message) bool { return m.Old })
	t := newIPCTable(f.OpenFile, footer.Schema, old)
	for i, m := range messages {
		if dictionary := i < len(footer.Dictionaries); m.Batch == nil || dictionary != (m.Dictionary != nil) {
			return nil, fmt.Errorf("%w: the footer names a batch at byte %d, but there is no such batch", ipc.ErrCorrupt, blocks[i].Offset)
		}
		t.add(m, blocks[i].Offset+int64(blocks[i].Metadata))
	}
	return t, t.check()
}

// readBlock reads the metadata of a batch, from the window if they are in it.
func readBlock(ctx context.Context, f *file, b ipc.Block) (*ipc.Message, error) {
	text, err := f.exactly(ctx, b.Offset, b.Metadata)
	if err != nil {
		return nil, err
	}
	prefix, length := messageLength(text)
	if length < 0 || length > len(text)-prefix {
		return nil, fmt.Errorf("%w: metadata of %d bytes, but the footer says %d", ipc.ErrCorrupt, length, b.Metadata)
	}
	m, err := ipc.ParseMessage(text[prefix : prefix+length])
	if err != nil {
		return nil, err
	}
	if m.Body > b.Body {
		return nil, fmt.Errorf("%w: a body of %d bytes, but the footer says %d", ipc.ErrCorrupt, m.Body, b.Body)
	}
	return m, nil
}

// openIPCStream reads the metadata of all messages of a stream.
func openIPCStream(ctx context.Context, f *file) (table, error) {
	var t *ipcTable
	for at := int64(0); at < f.Size; {
		first, err := f.bytes(ctx, at, int(min(8, f.Size-at)))
		if err != nil {
			return nil, err
		}
		var head [8]byte // the last message of an older stream is four zeros
		copy(head[:], first)
		prefix, length := messageLength(head[:])
		if t == nil && (length < 8 || at+int64(prefix+length) > f.Size) {
			return nil, errNoStream
		}
		if length == 0 {
			break
		}
		text, err := f.bytes(ctx, at+int64(prefix), length)
		if err != nil {
			return nil, fmt.Errorf("truncated: message at byte %d: %w", at, err)
		}
		m, err := ipc.ParseMessage(text)
		switch {
		case err != nil && (t != nil || prefix == len(head)): // marked as a message of a stream
			return nil, fmt.Errorf("message at byte %d: %w", at, err)
		case t == nil && (err != nil || m.Schema == nil):
			return nil, errors.Join(errNoStream, err)
		}
		at += int64(prefix + length)
		if m.Body > f.Size-at {
			return nil, fmt.Errorf("truncated: a message has a body of %d bytes at byte %d, the file has %d: %w", m.Body, at, f.Size, io.ErrUnexpectedEOF)
		}
		switch {
		case t == nil:
			t = newIPCTable(f.OpenFile, m.Schema, m.Old)
		case m.Batch != nil:
			t.add(m, at)
		}
		at += m.Body
	}
	t.stream = true
	return t, t.check()
}

// newIPCTable returns a table without batches. old is that of [ipc.Message].
func newIPCTable(f *sources.OpenFile, s *ipc.Schema, old bool) *ipcTable {
	t := &ipcTable{bytes: binary.LittleEndian, file: f, schema: s, dictionaries: map[int64][]record{}, values: map[dictionaryKey]*dictionary{}, counted: map[string]*lists{}}
	if s.BigEndian {
		t.bytes = binary.BigEndian
	}
	l := layout{old: old}
	fields := make([]arrow.Field, 0, len(s.Fields))
	for i := range s.Fields {
		t.fields = append(t.fields, l.node(&s.Fields[i]))
		fields = append(fields, shown(&s.Fields[i]))
	}
	t.list = columns(fields)
	t.unknown = l.unknown
	for _, c := range t.list {
		if &s.Fields[c.at[0]] == t.unknown { // its type is shown as that of nulls
			c.err = noCounterpart{t.known()}
		}
	}
	return t
}

// add adds a batch whose body begins at byte body.
func (t *ipcTable) add(m *ipc.Message, body int64) {
	r := record{Batch: m.Batch, body: body}
	if m.Dictionary == nil {
		t.data = append(t.data, r)
		return
	}
	r.delta = m.Dictionary.Delta
	t.dictionaries[m.Dictionary.ID] = append(t.dictionaries[m.Dictionary.ID], r)
}

// check compares the rows of each batch with the lengths of its columns.
func (t *ipcTable) check() error {
	for i, r := range t.data {
		for k, n := range t.fields {
			if t.unknown != nil {
				break
			}
			if n.index >= len(r.Nodes) || r.Nodes[n.index].Length != r.Rows {
				return fmt.Errorf("%w: batch %d has %d rows, but column %q has another length", ipc.ErrCorrupt, i, r.Rows, t.schema.Fields[k].Name)
			}
		}
	}
	return nil
}

func (t *ipcTable) columns() []*column { return t.list }

// metadata implements [table].
func (t *ipcTable) metadata() arrow.Metadata { return t.schema.Metadata }

// reader implements [table].
func (t *ipcTable) reader(c *column, l *lists) (reader, error) {
	if err := t.known(); err != nil {
		return nil, err
	}
	n, err := t.fields[c.at[0]], error(nil)
	if len(c.lists) > 0 {
		_, n, err = n.within(c)
	} else {
		n, err = n.only(c.at[1:])
	}
	if err != nil {
		return nil, err
	}
	if n.dictionaries() > 1 {
		return nil, errors.New("dictionaries within a dictionary: decode them before writing")
	}
	return &ipcReader{t, n, c, l}, nil
}

// open implements [reader].
func (r *ipcReader) open(_ context.Context, batch, lo, hi int, tally *ndarray.Tally) (rows, error) {
	data := &r.table.data[batch]
	var parts []part
	switch {
	case r.lists != nil && r.lists.items != nil:
		var err error
		if parts, err = partsOf(r.lists.items[batch], lo, hi, tally); err != nil {
			return nil, err
		}
		hi = r.lists.reach(batch)
	case r.lists != nil:
		lo, hi = r.lists.base[batch]+lo, r.lists.base[batch]+hi
	}
	if err := data.check(r.node, hi); err != nil {
		return nil, err
	}
	return &ipcRows{table: r.table, record: data, node: r.node, at: lo, parts: parts, plain: map[int][]byte{}, tally: tally}, nil
}

// mayHoldNulls implements [reader].
func (r *ipcReader) mayHoldNulls(batch int) bool { return r.table.data[batch].mayHoldNulls(r.node) }
