package ipc

import (
	"encoding/binary"
	"math"
)

// buffer is a FlatBuffers message. For a place outside of the data, its methods return
// zero values and set bad. So a message is parsed as if it were sound, and judged once,
// at the end.
type buffer struct {
	data []byte
	bad  bool
	// tables counts down the tables that may still be visited. A message that shares
	// tables could have more tables than bytes.
	tables int
}

// bytes returns n bytes of the message, or zeros if they lie outside.
func (b *buffer) bytes(at, n int) []byte {
	if at < 0 || n < 0 || at > len(b.data)-n {
		b.bad = true
		return make([]byte, min(max(n, 0), 8))
	}
	return b.data[at : at+n]
}

func (b *buffer) uint16(at int) int { return int(binary.LittleEndian.Uint16(b.bytes(at, 2))) }
func (b *buffer) int32(at int) int  { return int(int32(binary.LittleEndian.Uint32(b.bytes(at, 4)))) }
func (b *buffer) int64(at int) int64 {
	return int64(binary.LittleEndian.Uint64(b.bytes(at, 8)))
}

// follow returns the place to which the offset at a place leads.
func (b *buffer) follow(at int) int {
	offset := binary.LittleEndian.Uint32(b.bytes(at, 4))
	if offset == 0 || offset > math.MaxInt32 {
		b.bad = true
	}
	return at + int(offset)
}

// table is a table of a message. nil is a table without fields.
type table struct {
	b      *buffer
	at     int
	vtable int
	fields int // number of fields in the vtable
}

// root returns the root table of the message.
func (b *buffer) root() *table { return b.table(b.follow(0)) }

func (b *buffer) table(at int) *table {
	if b.tables--; b.tables < 0 {
		b.bad = true
	}
	if b.bad {
		return nil
	}
	vtable := at - b.int32(at)
	size := b.uint16(vtable)
	b.bytes(vtable, size)
	if b.bad || size < 4 {
		b.bad = true
		return nil
	}
	return &table{b, at, vtable, (size - 4) / 2}
}

// field returns the place of a field. It returns false if the field has its default
// value.
func (t *table) field(i int) (int, bool) {
	if t == nil || i >= t.fields {
		return 0, false
	}
	offset := t.b.uint16(t.vtable + 4 + 2*i)
	return t.at + offset, offset != 0
}

func (t *table) byte(i int) int {
	if at, ok := t.field(i); ok {
		return int(t.b.bytes(at, 1)[0])
	}
	return 0
}

func (t *table) int16(i, otherwise int) int {
	if at, ok := t.field(i); ok {
		return int(int16(t.b.uint16(at)))
	}
	return otherwise
}

func (t *table) int32(i, otherwise int) int {
	if at, ok := t.field(i); ok {
		return t.b.int32(at)
	}
	return otherwise
}

func (t *table) int64(i int) int64 {
	if at, ok := t.field(i); ok {
		return t.b.int64(at)
	}
	return 0
}

// table returns the table to which a field refers, or nil if there is none.
func (t *table) table(i int) *table {
	if at, ok := t.field(i); ok {
		return t.b.table(t.b.follow(at))
	}
	return nil
}

func (t *table) string(i int) string {
	at, n := t.vector(i, 1)
	if n == 0 {
		return ""
	}
	return string(t.b.bytes(at, n))
}

// vector returns the place of the first element of a vector and the number of elements.
// All of them lie within the message.
func (t *table) vector(i, size int) (at, n int) {
	at, ok := t.field(i)
	if !ok {
		return 0, 0
	}
	at = t.b.follow(at)
	n = t.b.int32(at)
	at += 4
	if t.b.bad || n < 0 || n > (len(t.b.data)-at)/size {
		t.b.bad = true
		return 0, 0
	}
	return at, n
}

// list returns the tables of a vector.
func (t *table) list(i int) []*table {
	at, n := t.vector(i, 4)
	list := make([]*table, 0, n)
	for k := range n {
		next := t.b.table(t.b.follow(at + 4*k))
		if next == nil {
			return nil
		}
		list = append(list, next)
	}
	return list
}

// ints returns a vector of integers of 32 bits.
func (t *table) ints(i int) []int {
	at, n := t.vector(i, 4)
	list := make([]int, n)
	for k := range list {
		list[k] = t.b.int32(at + 4*k)
	}
	return list
}
