package netcdf

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"

	"github.com/zmigrate/zmigrate/dtype/netcdftype"
)

// classic describes a file to be written, which need not be well-formed. The variables
// are in the order of the file, record variables last.
type classic struct {
	version    byte
	records    uint64
	dims       []dimension // length 0: the record dimension
	attributes []attribute
	vars       []variable // begin and slab are computed
}

// encoder writes the parts of a header.
type encoder struct {
	b       []byte
	version byte
}

func (e *encoder) count(n uint64) {
	if e.version == 5 {
		e.b = binary.BigEndian.AppendUint64(e.b, n)
		return
	}
	e.b = binary.BigEndian.AppendUint32(e.b, uint32(n))
}

func (e *encoder) list(tag uint32, n int) {
	if n == 0 {
		tag = 0
	}
	e.b = binary.BigEndian.AppendUint32(e.b, tag)
	e.count(uint64(n))
}

func (e *encoder) padded(b []byte) {
	e.b = append(append(e.b, b...), make([]byte, -len(b)&3)...)
}

func (e *encoder) name(s string) {
	e.count(uint64(len(s)))
	e.padded([]byte(s))
}

func (e *encoder) attributes(list []attribute) {
	e.list(0x0c, len(list))
	for i := range list {
		a := &list[i]
		e.name(a.name)
		e.b = binary.BigEndian.AppendUint32(e.b, uint32(a.kind))
		e.count(uint64(a.len()))
		e.padded(a.values)
	}
}

// header writes the header, with the begins that the variables have.
func (c *classic) header() []byte {
	e := &encoder{b: []byte{'C', 'D', 'F', c.version}, version: c.version}
	e.count(c.records)
	e.list(0x0a, len(c.dims))
	for _, d := range c.dims {
		e.name(d.name)
		e.count(uint64(d.length))
	}
	e.attributes(c.attributes)
	e.list(0x0b, len(c.vars))
	for _, v := range c.vars {
		e.name(v.name)
		e.count(uint64(len(v.dims)))
		for _, d := range v.dims {
			e.count(uint64(d))
		}
		e.attributes(v.attributes)
		e.b = binary.BigEndian.AppendUint32(e.b, uint32(v.kind))
		e.count(math.MaxUint32) // the size of the variable, which readers ignore
		if c.version == 1 {
			e.b = binary.BigEndian.AppendUint32(e.b, uint32(v.begin))
		} else {
			e.b = binary.BigEndian.AppendUint64(e.b, uint64(v.begin))
		}
	}
	return e.b
}

// encode writes the header and data for the given number of records. In the data, byte
// i of the file is i mod 251.
func (c *classic) encode(records int) []byte {
	end := len(c.header())
	recordSize, count, last := 0, 0, 0
	for i := range c.vars {
		v := &c.vars[i]
		v.begin, v.slab = int64(end), v.kind.Size()
		record := false
		for _, d := range v.dims {
			if c.dims[d].length == 0 {
				record = true
				continue
			}
			v.slab *= c.dims[d].length
		}
		end += (v.slab + 3) &^ 3
		if record {
			recordSize += (v.slab + 3) &^ 3
			count, last = count+1, v.slab
		}
	}
	if count == 1 {
		recordSize, end = last, int(c.vars[len(c.vars)-1].begin)+last
	}
	file := c.header()
	for i := len(file); i < end+(records-1)*recordSize; i++ {
		file = append(file, byte(i%251))
	}
	return file
}

// small returns a file that has a little of everything.
func small(version byte, records uint64) *classic {
	return &classic{
		version: version, records: records,
		dims:       []dimension{{name: "t"}, {name: "y", length: 3}, {name: "x", length: 5}},
		attributes: []attribute{{"title", netcdftype.Char, []byte("a title\x00\x00"), nil, false}, {"version", 3, []byte{0, 7}, nil, false}},
		vars: []variable{
			{name: "x", kind: 6, dims: []int{2}, attributes: []attribute{{"units", netcdftype.Char, []byte("m"), nil, false}}},
			{name: "scalar", kind: 4},
			{name: "text", kind: netcdftype.Char, dims: []int{1}},
			{name: "bytes", kind: 1, dims: []int{0, 1}},
			{name: "field", kind: 3, dims: []int{0, 1, 2}, attributes: []attribute{{"_FillValue", 3, []byte{0xff, 0xff}, nil, false}}},
		},
	}
}

// save writes a file to a temporary folder.
func save(t *testing.T, name string, data []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openSource(t *testing.T, opt Options, urls ...string) (sources.Source, error) {
	t.Helper()
	src, err := OpenAll(t.Context(), urls, opt)
	if err == nil {
		sourcetest.CloseLater(t, src)
	}
	return src, err
}
