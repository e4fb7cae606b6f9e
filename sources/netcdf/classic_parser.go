package netcdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// parser reads the parts of a header. After the first error all of its methods
// return zero values.
type parser struct {
	data    []byte
	at      int
	version byte
	cut     cutNames
	err     error
}

// cutNames counts names that contain a zero byte, and so end there.
type cutNames struct {
	first []string // as they are in the file
	count int
}

// add counts a name, and remembers the first few names.
func (c *cutNames) add(name []byte) {
	if c.count++; c.count <= 5 {
		c.first = append(c.first, fmt.Sprintf("%.40q", name))
	}
}

// isClassic tells the classic formats from others.
func isClassic(beginning []byte) bool {
	return len(beginning) >= 4 && string(beginning[:3]) == "CDF"
}

// magic reads the first four bytes.
func (p *parser) magic() error {
	if !isClassic(p.data) {
		return fmt.Errorf("not a NetCDF file: it begins with %q", p.data[:min(len(p.data), 8)])
	}
	p.version = p.data[3]
	if p.version != 1 && p.version != 2 && p.version != 5 {
		return fmt.Errorf("NetCDF classic format version %d: want 1, 2 or 5: write it again with nccopy, if that reads it: %w", p.version, errors.ErrUnsupported)
	}
	p.at = 4
	return nil
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("header, byte %d: "+format, append([]any{p.at}, args...)...)
	}
}

// take returns the next n bytes.
func (p *parser) take(n int) []byte {
	if p.err == nil && n > len(p.data)-p.at {
		p.err = errShort
	}
	if p.err != nil {
		return nil
	}
	b := p.data[p.at : p.at+n]
	p.at += n
	return b
}

// padded returns the next n bytes and skips their padding to a multiple of 4. The
// padding need not be zero.
func (p *parser) padded(n int) []byte {
	b := p.take(n)
	p.take(-n & 3)
	return b
}

func (p *parser) uint32() uint32 {
	if b := p.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (p *parser) uint64() uint64 {
	if b := p.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// count reads a NON_NEG: 4 bytes, and 8 in CDF-5.
func (p *parser) count() uint64 {
	if p.version == 5 {
		return p.uint64()
	}
	return uint64(p.uint32())
}

// streaming returns the number of records that stands for a file written as a stream.
func (p *parser) streaming() uint64 {
	if p.version == 5 {
		return math.MaxUint64
	}
	return math.MaxUint32
}

// wide returns the least size of a list's entry: n bytes, and twice as many in CDF-5.
func (p *parser) wide(n int) int {
	if p.version == 5 {
		return 2 * n
	}
	return n
}

// number reads a count of items. It refuses counts for which the rest of the file is
// too short, where each item takes at least size bytes.
func (p *parser) number(what string, size int) int {
	n := p.count()
	if p.err != nil {
		return 0
	}
	if n > maxHeader/uint64(size) {
		p.fail("%d %s do not fit into a header of at most %d bytes", n, what, maxHeader)
		return 0
	}
	if int(n) > (len(p.data)-p.at)/size {
		p.err = errShort
		return 0
	}
	return int(n)
}

// list reads a list of dimensions, attributes or variables: a tag, a count, and the
// entries. An entry takes at least size bytes.
func list[T any](p *parser, what string, tag uint32, size int, entry func(*parser) T) []T {
	got := p.uint32()
	n := p.number(what, size)
	if p.err == nil && got != tag && (got != 0 || n != 0) {
		p.fail("tag %#x where the list of %s begins, want %#x", got, what, tag)
	}
	entries := make([]T, 0, n)
	for range n {
		if p.err != nil {
			return nil
		}
		entries = append(entries, entry(p))
	}
	return entries
}

// name reads a name in UTF-8. Files that are older than this rule may have Latin-1.
// Programs in C see the name up to its first zero byte.
func (p *parser) name() string {
	text := p.padded(p.number("bytes of a name", 1))
	if whole := text; bytes.IndexByte(whole, 0) >= 0 {
		text, _, _ = bytes.Cut(whole, []byte{0})
		p.cut.add(whole)
	}
	return hdf5.Text(text)
}

func (p *parser) dimension() dimension {
	d := dimension{name: p.name()}
	n := p.count()
	if n > math.MaxInt {
		p.fail("dimension %q has length %d", d.name, n)
		return d
	}
	d.length, d.record = int(n), n == 0
	return d
}

func (p *parser) attributes() []attribute {
	return list(p, "attributes", 0x0c, p.wide(8)+4, (*parser).attribute)
}

func (p *parser) attribute() attribute {
	a := attribute{name: p.name(), kind: p.kind()}
	if p.err != nil {
		return a
	}
	size := a.kind.Size()
	a.values = slices.Clone(p.padded(p.number("attribute values", size) * size))
	return a
}

func (p *parser) kind() netcdftype.Type {
	k := netcdftype.Type(p.uint32())
	if p.err == nil && !k.In(netcdftype.Format(p.version)) {
		p.fail("type number %d, which CDF-%d does not have", uint32(k), p.version)
	}
	return k
}

// maxRank is the most dimensions of a variable, libnetcdf's NC_MAX_VAR_DIMS.
const maxRank = 1024

func (p *parser) variable() variable {
	v := variable{name: p.name()}
	rank := p.number("dimensions of a variable", p.wide(4))
	if rank > maxRank {
		p.fail("variable %q has %d dimensions, but at most %d are supported", v.name, rank, maxRank)
		return v
	}
	v.dims = make([]int, rank)
	for i := range v.dims {
		v.dims[i] = int(min(p.count(), math.MaxInt))
	}
	v.attributes = p.attributes()
	v.kind = p.kind()
	p.count() // the size of the variable
	var begin uint64
	if p.version == 1 {
		begin = uint64(p.uint32())
	} else {
		begin = p.uint64()
	}
	if begin > math.MaxInt64 {
		p.fail("variable %q begins at byte %d", v.name, begin)
	}
	v.begin = int64(begin)
	return v
}

// dimension is a dimension of a file. In the file, the record dimension has length 0;
// here its length is the number of records.
type dimension struct {
	name   string
	length int
	record bool
	// texts says that the characters along the dimension are those of texts: all variables
	// that have it are characters, and have it last. xarray uses the same rule.
	texts bool
}

// attribute is a name with values in the form of a classic file: big-endian and without
// padding. Classic files have no values of kind String; here each of them is followed
// by a zero byte.
type attribute struct {
	name   string
	kind   netcdftype.Type
	values []byte
	shape  []int // of values with more than one dimension, in C order; else nil
	zeros  bool  // zero bytes are part of the text
}

// objectKind is the kind of an attribute whose values NetCDF lacks, such as compounds. Its
// values are JSON.
const objectKind netcdftype.Type = 0

type variable struct {
	name       string
	kind       netcdftype.Type
	dims       []int // indexes into header.dims
	attributes []attribute
	begin      int64 // bytes
	slab       int   // bytes of the variable; of one record, for a record variable
	record     bool
}

// errShort says that the header is longer than the bytes that were read.
var errShort = errors.New("the header is cut off")

const (
	firstRead = 64 << 10 // bytes of a file that are read first; doubled while the header is longer
	maxHeader = 64 << 20 // bytes
)
