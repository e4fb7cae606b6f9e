package parquet

import "encoding/binary"

// Types of the compact protocol of Thrift.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftInt16
	thriftInt32
	thriftInt64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

// maxNesting bounds structures within structures.
const maxNesting = 32

// thrift parses structures. Bytes outside of the data read as zero and set short, so
// that a structure is judged once, at its end.
type thrift struct {
	data  []byte
	at    int
	short bool // more bytes were asked for than there are
	bad   bool // the bytes are not a structure of the protocol
	depth int
	// missing names the first required field that a structure lacks, "" if none is
	// missing.
	missing string
}

func (t *thrift) failed() bool { return t.short || t.bad || t.missing != "" }

func (t *thrift) byte() byte {
	if t.at >= len(t.data) {
		t.short = true
		return 0
	}
	t.at++
	return t.data[t.at-1]
}

func (t *thrift) varint() uint64 {
	v, n := binary.Uvarint(t.data[t.at:])
	if n <= 0 {
		t.short = t.short || n == 0
		t.bad = t.bad || n < 0
		return 0
	}
	t.at += n
	return v
}

// int reads an integer of 16, 32 or 64 bits.
func (t *thrift) int() int64 {
	v := t.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// bytes reads a string, which shares the memory of the data.
func (t *thrift) bytes() []byte {
	n := t.varint()
	if n > uint64(len(t.data)-t.at) {
		t.short = true
		return nil
	}
	t.at += int(n)
	return t.data[t.at-int(n) : t.at]
}

// fieldSet has a bit for each field of a structure, up to the last field number of the
// specification.
type fieldSet uint32

// require sets missing if a structure lacks one of the required fields. names has their
// names, at their field numbers.
func (t *thrift) require(read fieldSet, of string, names []string) {
	for id, name := range names {
		if name != "" && read&(1<<id) == 0 && !t.failed() {
			t.missing = name + " of " + of
		}
	}
}

// fields calls f for each field of a structure. f reads the value, or returns false to
// have it skipped. fields returns the fields that f read.
func (t *thrift) fields(f func(id int, kind byte) bool) (read fieldSet) {
	if t.depth++; t.depth > maxNesting {
		t.bad = true
	}
	id := 0
	for !t.failed() {
		head := t.byte()
		kind := head & 15
		if kind == thriftStop || t.failed() {
			break
		}
		if delta := int(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int(int16(t.int()))
		}
		if !f(id, kind) {
			t.skip(kind)
		} else if id >= 0 && id < 32 {
			read |= 1 << id
		}
	}
	t.depth--
	return read
}

// list calls f for each element of a list. Each element has at least least bytes. So the
// memory for the elements is bounded by the bytes of the data.
func (t *thrift) list(least int, f func(kind byte)) {
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.varint()
	}
	if n > uint64((len(t.data)-t.at)/least) {
		t.short = true
		return
	}
	for range n {
		if t.failed() {
			return
		}
		begin := t.at
		f(head & 15)
		t.bad = t.bad || t.at-begin < least
	}
}

// skip skips a value within a structure.
func (t *thrift) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse:
	default:
		t.skipElement(kind)
	}
}

// skipElement skips an element of a list, where a bool takes a byte.
func (t *thrift) skipElement(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		t.byte()
	case thriftInt16, thriftInt32, thriftInt64:
		t.varint()
	case thriftDouble:
		t.pass(8)
	case thriftUUID:
		t.pass(16)
	case thriftBinary:
		t.bytes()
	case thriftStruct:
		t.fields(func(int, byte) bool { return false })
	case thriftList, thriftSet:
		if t.depth++; t.depth > maxNesting {
			t.bad = true
		}
		t.list(1, t.skipElement)
		t.depth--
	case thriftMap:
		t.skipMap()
	default:
		t.bad = true
	}
}

func (t *thrift) skipMap() {
	n := t.varint()
	if n == 0 || t.failed() {
		return
	}
	if t.depth++; t.depth > maxNesting {
		t.bad = true
	}
	kinds := t.byte()
	for range n {
		if t.failed() {
			break
		}
		t.skipElement(kinds >> 4)
		t.skipElement(kinds & 15)
	}
	t.depth--
}

func (t *thrift) pass(n int) {
	if n > len(t.data)-t.at {
		t.short = true
		return
	}
	t.at += n
}
