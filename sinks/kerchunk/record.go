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
	path, raw values
	off       []int64
	length    []int64
	unstored  int  // number of the bytes of unstored chunks in raw, if hasFill
	hasFill   bool // raw has them
	some      bool // whether there is a reference
}

// values are an optional column of bytes: the different values, and for each row the number of
// its value or -1.
type values struct {
	different [][]byte
	rows      []int32
}

// add adds a value and returns its number.
func (v *values) add(value []byte) int {
	v.different = append(v.different, value)
	return len(v.different) - 1
}

// skip adds rows without a reference up to the given number of rows.
func (r *record) skip(rows int) {
	for len(r.off) < rows {
		r.path.rows, r.raw.rows, r.off, r.length = append(r.path.rows, -1), append(r.raw.rows, -1), append(r.off, 0), append(r.length, 0)
	}
}

// add adds the reference in a row. The rows before it have been added or have none. names has
// the numbers of the URLs in this record.
func (r *record) add(row int, c Chunk, names map[string]int) {
	r.skip(row + 1)
	switch {
	case c.Unstored && c.Inline == nil:
	case c.Unstored:
		if !r.hasFill {
			r.unstored, r.hasFill = r.raw.add(c.Inline), true
		}
		r.raw.rows[row] = int32(r.unstored) // fewer values than rows
	case c.URL == "":
		r.some = true
		r.raw.rows[row] = int32(r.raw.add(c.Inline))
	default:
		r.some = true
		n, known := names[c.URL]
		if !known {
			n = r.path.add([]byte(c.URL))
			names[c.URL] = n
		}
		r.path.rows[row], r.off[row], r.length[row] = int32(n), c.Offset, c.Length
	}
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
	out := []byte("PAR1")
	var chunks []message
	var size int64
	for _, c := range []column{r.path.column("path"), integers("offset", r.off), integers("size", r.length), r.raw.column("raw")} {
		at := len(out)
		var chunk message
		out, chunk = c.append(out, len(r.off), e)
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

// column returns the values as a column with a dictionary. Without any value, there is none.
func (v *values) column(name string) column {
	c := column{name: name, kind: parquetBytes, optional: true, encoding: parquetPlain, entries: len(v.different)}
	c.page = appendLevels(nil, len(v.rows), func(row int) bool { return v.rows[row] >= 0 })
	if c.entries == 0 {
		return c
	}
	c.encoding = parquetDictionary
	for _, value := range v.different {
		c.dictionary = append(binary.LittleEndian.AppendUint32(c.dictionary, uint32(len(value))), value...) // far less than 4 GiB
	}
	var present []int32
	for _, n := range v.rows {
		if n >= 0 {
			present = append(present, n)
		}
	}
	width := bits.Len(uint(max(c.entries-1, 1)))
	c.page = appendPacked(append(c.page, byte(width)), len(present), width, func(i int) uint32 { return uint32(present[i]) })
	return c
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
	group.integer(3, thriftInt64, int64(len(r.off)))
	var footer message
	footer.integer(1, thriftInt32, 1)
	footer.records(2, []message{
		root, element("path", parquetBytes, parquetOptional, true), element("offset", parquetInt64, parquetRequired, false),
		element("size", parquetInt64, parquetRequired, false), element("raw", parquetBytes, parquetOptional, false),
	})
	footer.integer(3, thriftInt64, int64(len(r.off)))
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
