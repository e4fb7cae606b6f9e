package kerchunk

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/zmigrate/zmigrate/codecs/zstd"
)

// Numbers of Parquet's parquet.thrift.
const (
	parquetInt64, parquetBytes = 2, 6 // types
	parquetRequired            = 0
	parquetOptional            = 1
	parquetUTF8                = 0 // converted type
	parquetPlain, parquetRLE   = 0, 3
	parquetDictionary          = 8 // RLE_DICTIONARY
	parquetZstd                = 6
	dataPage, dictionaryPage   = 0, 2
)

// record collects the references of one Parquet file. Its rows are those of a table.
type record struct {
	names   []string // of files, in the order in which they come first
	numbers map[string]int
	file    []int32 // number of the name for each row; -1: none
	off     []int64
	length  []int64
	raw     map[int][]byte // by rows
	some    bool           // whether there is a reference
}

func newRecord() *record { return &record{numbers: map[string]int{}, raw: map[int][]byte{}} }

// skip adds rows without a reference up to the given number of rows.
func (r *record) skip(rows int) {
	for len(r.file) < rows {
		r.file, r.off, r.length = append(r.file, -1), append(r.off, 0), append(r.length, 0)
	}
}

// add adds the reference in a row. The rows before it have been added or have none.
func (r *record) add(row int, c Chunk) {
	r.skip(row + 1)
	r.some = true
	if c.URL == "" {
		r.raw[row] = append([]byte{}, c.Inline...)
		return
	}
	n, known := r.numbers[c.URL]
	if !known {
		n = len(r.names)
		r.names, r.numbers[c.URL] = append(r.names, c.URL), n
	}
	r.file[row], r.off[row], r.length[row] = int32(n), c.Offset, c.Length // fewer names than rows
}

// reset makes the record one without rows.
func (r *record) reset() {
	clear(r.numbers)
	clear(r.raw)
	r.names, r.file, r.off, r.length, r.some = r.names[:0], r.file[:0], r.off[:0], r.length[:0], false
}

// column is a column of a Parquet file that is being written.
type column struct {
	name       string
	kind       int
	optional   bool
	dictionary []byte // the page; nil: none
	entries    int    // of the dictionary
	page       []byte
	encoding   int64
}

// encode returns the Parquet file.
func (r *record) encode(e *zstd.Encoder) []byte {
	path := column{name: "path", kind: parquetBytes, optional: true, encoding: parquetDictionary, entries: len(r.names)}
	for _, name := range r.names {
		path.dictionary = appendBytes(path.dictionary, []byte(name))
	}
	path.page = appendLevels(nil, len(r.file), func(row int) bool { return r.file[row] >= 0 })
	if len(r.names) == 0 {
		path.dictionary, path.encoding = nil, parquetPlain
	} else {
		path.page = r.appendNumbers(path.page)
	}
	raw := column{name: "raw", kind: parquetBytes, optional: true, encoding: parquetPlain}
	raw.page = appendLevels(nil, len(r.file), func(row int) bool { return r.raw[row] != nil })
	for row := range r.file {
		if data := r.raw[row]; data != nil {
			raw.page = appendBytes(raw.page, data)
		}
	}
	out := []byte("PAR1")
	var chunks []message
	var size int64
	for _, c := range []column{path, integers("offset", r.off), integers("size", r.length), raw} {
		at := len(out)
		var chunk message
		out, chunk = c.append(out, len(r.file), e)
		chunks = append(chunks, chunk)
		size += int64(len(out) - at)
	}
	return r.appendFooter(out, chunks, size)
}

// integers returns a column of numbers.
func integers(name string, list []int64) column {
	c := column{name: name, kind: parquetInt64, encoding: parquetPlain}
	for _, n := range list {
		c.page = binary.LittleEndian.AppendUint64(c.page, uint64(n))
	}
	return c
}

// appendBytes appends a byte array in the encoding PLAIN.
func appendBytes(dst, value []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(value))), value...) // far less than 4 GiB
}

// appendLevels appends the definition levels of an optional column, with their length.
func appendLevels(dst []byte, rows int, present func(row int) bool) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = appendPacked(dst, rows, 1, func(row int) uint32 {
		if present(row) {
			return 1
		}
		return 0
	})
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// appendNumbers appends the numbers of the names in rows that have one.
func (r *record) appendNumbers(dst []byte) []byte {
	var present []int32
	for _, n := range r.file {
		if n >= 0 {
			present = append(present, n)
		}
	}
	width := bits.Len(uint(max(len(r.names)-1, 1)))
	return appendPacked(append(dst, byte(width)), len(present), width, func(i int) uint32 { return uint32(present[i]) })
}

// appendPacked appends values of some bits each as one bit-packed run of the RLE/bit-packing
// hybrid. The run ends with zeros, up to a multiple of 8 values.
func appendPacked(dst []byte, count, width int, value func(i int) uint32) []byte {
	groups := (count + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	var held uint64
	n := 0 // bits held
	for i := range groups * 8 {
		if i < count {
			held |= uint64(value(i)) << n
		}
		for n += width; n >= 8; n -= 8 {
			dst = append(dst, byte(held))
			held >>= 8
		}
	}
	return dst
}

// append appends the pages of a column and returns the description of the column chunk.
func (c *column) append(out []byte, rows int, e *zstd.Encoder) ([]byte, message) {
	var about message
	about.integer(1, thriftInt32, int64(c.kind))
	about.list(2, thriftInt32, 2)
	about.bytes = binary.AppendVarint(binary.AppendVarint(about.bytes, c.encoding), parquetRLE)
	about.list(3, thriftBinary, 1)
	about.bytes = append(binary.AppendUvarint(about.bytes, uint64(len(c.name))), c.name...)
	about.integer(4, thriftInt32, parquetZstd)
	about.integer(5, thriftInt64, int64(rows))
	begin, plain := len(out), 0
	var pages []byte
	page := func(kind int64, content []byte, describe func(header *message)) {
		packed := e.AppendEncode(nil, content)
		var header message
		header.integer(1, thriftInt32, kind)
		header.integer(2, thriftInt32, int64(len(content)))
		header.integer(3, thriftInt32, int64(len(packed)))
		describe(&header)
		head := header.end()
		plain += len(head) + len(content)
		pages = append(append(pages, head...), packed...)
	}
	data := begin
	if c.dictionary != nil {
		page(dictionaryPage, c.dictionary, func(header *message) {
			var d message
			d.integer(1, thriftInt32, int64(c.entries))
			d.integer(2, thriftInt32, parquetPlain)
			header.record(7, d)
		})
		data += len(pages)
	}
	page(dataPage, c.page, func(header *message) {
		var d message
		d.integer(1, thriftInt32, int64(rows))
		d.integer(2, thriftInt32, c.encoding)
		d.integer(3, thriftInt32, parquetRLE)
		d.integer(4, thriftInt32, parquetRLE)
		header.record(5, d)
	})
	about.integer(6, thriftInt64, int64(plain))
	about.integer(7, thriftInt64, int64(len(pages)))
	about.integer(9, thriftInt64, int64(data))
	if c.dictionary != nil {
		about.integer(11, thriftInt64, int64(begin))
	}
	if !c.optional { // fastparquet reads integers as floats unless it knows that there are no nulls
		var statistics message
		statistics.integer(3, thriftInt64, 0)
		about.record(12, statistics)
	}
	var chunk message
	chunk.integer(2, thriftInt64, int64(begin))
	chunk.record(3, about)
	return append(out, pages...), chunk
}

// appendFooter appends the footer, with its length.
func (r *record) appendFooter(out []byte, chunks []message, size int64) []byte {
	element := func(name string, kind, repetition int, text bool) (m message) {
		m.integer(1, thriftInt32, int64(kind))
		m.integer(3, thriftInt32, int64(repetition))
		m.text(4, name)
		if text {
			m.integer(6, thriftInt32, parquetUTF8)
		}
		return m
	}
	var root message
	root.text(4, "schema")
	root.integer(5, thriftInt32, int64(len(chunks)))
	var group message
	group.records(1, chunks)
	group.integer(2, thriftInt64, size)
	group.integer(3, thriftInt64, int64(len(r.file)))
	var footer message
	footer.integer(1, thriftInt32, 1)
	footer.records(2, []message{
		root, element("path", parquetBytes, parquetOptional, true), element("offset", parquetInt64, parquetRequired, false),
		element("size", parquetInt64, parquetRequired, false), element("raw", parquetBytes, parquetOptional, false),
	})
	footer.integer(3, thriftInt64, int64(len(r.file)))
	footer.records(4, []message{group})
	footer.text(6, "zmigrate")
	text := footer.end()
	out = binary.LittleEndian.AppendUint32(append(out, text...), uint32(len(text)))
	return append(out, "PAR1"...)
}

// newEncoder returns the encoder of pages.
func newEncoder() *zstd.Encoder {
	e, err := zstd.NewEncoder(zstd.Options{Level: 3})
	if err != nil {
		panic(fmt.Sprintf("kerchunk: %v", err)) // the level is a constant
	}
	return e
}
