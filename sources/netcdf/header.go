package netcdf

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
)

const (
	firstRead = 64 << 10 // bytes of a file read at first; doubled while the header is longer
	maxHeader = 64 << 20 // bytes
)

// kind is an nc_type: the type of a variable or of an attribute's values.
type kind uint32

const (
	char   kind = 2
	double kind = 6 // the last type of CDF-1 and CDF-2
)

// kinds gives the data type of every kind; char is uint8.
func (k kind) dataType() dtype.Type {
	all := [...]dtype.Type{
		1: dtype.Int8, 2: dtype.Uint8, 3: dtype.Int16, 4: dtype.Int32, 5: dtype.Float32, 6: dtype.Float64,
		7: dtype.Uint8, 8: dtype.Uint16, 9: dtype.Uint32, 10: dtype.Int64, 11: dtype.Uint64,
	}
	if int(k) >= len(all) {
		return nil
	}
	return all[k]
}

// dimension has length 0 in the file when it is the record dimension; here
// every length is the real one.
type dimension struct {
	name   string
	length int
	record bool
}

// attribute is a name with values as they stand in the file, big-endian and
// without padding.
type attribute struct {
	name   string
	kind   kind
	values []byte
}

type variable struct {
	name       string
	kind       kind
	dims       []int // into header.dims
	attributes []attribute
	begin      int64 // bytes
	slab       int   // bytes of the variable, for a record variable those of one record
	record     bool
}

// header is a parsed header. It shares no memory with the bytes it was read
// from.
type header struct {
	dims       []dimension
	attributes []attribute
	vars       []variable
	byName     map[string]*variable
	recordSize int // bytes from one record to the next
}

// errShort says that the header goes on behind the bytes at hand.
var errShort = errors.New("the header is cut off")

// readHeader reads the header of a file, in pieces that double.
func readHeader(ctx context.Context, f *sources.OpenFile) (*header, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	most := int(min(f.Size, maxHeader))
	var buffer []byte
	for want := min(firstRead, most); ; want = min(2*want, most) {
		have := len(buffer)
		buffer = append(buffer, make([]byte, want-have)...)
		if err := f.Store.ReadRange(ctx, f.Key, buffer[have:], int64(have)); err != nil {
			return nil, err
		}
		h, err := parseHeader(buffer, f.Size)
		if errors.Is(err, errShort) && want < most {
			continue
		}
		switch {
		case errors.Is(err, errShort) && f.Size > maxHeader:
			return nil, fmt.Errorf("%s: the header is longer than %d bytes", f.URL, maxHeader)
		case errors.Is(err, errShort):
			return nil, fmt.Errorf("%s: truncated: the header does not end within the file's %d bytes", f.URL, f.Size)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", f.URL, err)
		}
		return h, nil
	}
}

// parseHeader reads a header from the beginning of a file of the given size.
// It returns errShort when data ends before the header does.
func parseHeader(data []byte, size int64) (*header, error) {
	p := &parser{data: data}
	if err := p.magic(); err != nil {
		return nil, err
	}
	h := &header{}
	records := p.count()
	streaming := p.err == nil && records == p.streaming()
	if p.err == nil && !streaming && records > math.MaxInt {
		return nil, fmt.Errorf("%d records are more than any file has", records)
	}
	h.dims = list(p, "dimensions", 0x0a, p.wide(8), (*parser).dimension)
	h.attributes = p.attributes()
	h.vars = list(p, "variables", 0x0b, p.wide(24), (*parser).variable)
	if p.err != nil {
		return nil, p.err
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	return h, h.layOut(int(records), streaming, size)
}

// check refuses what would make a variable or its shape ambiguous.
func (h *header) check() error {
	records := 0
	for _, d := range h.dims {
		if d.record {
			records++
		}
	}
	if records > 1 {
		return fmt.Errorf("there are %d record dimensions; a classic file has one", records)
	}
	h.byName = make(map[string]*variable, len(h.vars))
	for i := range h.vars {
		v := &h.vars[i]
		if h.byName[v.name] != nil {
			return fmt.Errorf("there are two variables %q", v.name)
		}
		h.byName[v.name] = v
		for k, d := range v.dims {
			if d >= len(h.dims) {
				return fmt.Errorf("variable %q has dimension number %d, the file has %d dimensions", v.name, d, len(h.dims))
			}
			if k > 0 && h.dims[d].record {
				return fmt.Errorf("variable %q has the record dimension %q at place %d; it can only be the first", v.name, h.dims[d].name, k)
			}
		}
	}
	return nil
}

// layOut computes the sizes of variables and records, and the number of
// records where the header leaves it to the size of the file.
func (h *header) layOut(records int, streaming bool, size int64) error {
	padded, unpadded, count := 0, 0, 0
	for i := range h.vars {
		v := &h.vars[i]
		slab, ok := v.kind.dataType().Size(), true
		for _, d := range v.dims {
			if h.dims[d].record {
				v.record = true
				continue
			}
			slab, ok = multiply(slab, h.dims[d].length)
			if !ok {
				return fmt.Errorf("variable %q is too large for any file", v.name)
			}
		}
		v.slab = slab
		if v.record {
			count++
			unpadded = slab
			padded += (slab + 3) &^ 3
			if slab > math.MaxInt-3 || padded < 0 {
				return fmt.Errorf("variable %q makes records that are too large for any file", v.name)
			}
		}
	}
	h.recordSize = padded
	if count == 1 {
		h.recordSize = unpadded
	}
	if streaming {
		records = h.countRecords(size)
	}
	for i := range h.dims {
		if h.dims[i].record {
			h.dims[i].length = records
		}
	}
	return nil
}

// countRecords returns the number of records that a file of this size holds
// whole, for files written as a stream.
func (h *header) countRecords(size int64) int {
	records, found := 0, false
	for _, v := range h.vars {
		if !v.record || v.slab == 0 {
			continue
		}
		n := 0
		if rest := size - v.begin - int64(v.slab); rest >= 0 {
			n = int(rest)/h.recordSize + 1
		}
		if !found || n < records {
			records, found = n, true
		}
	}
	return records
}

func multiply(a, b int) (int, bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return int(low), high == 0 && low <= math.MaxInt
}

// parser reads the parts of a header. After the first error all of its methods
// return zero values.
type parser struct {
	data    []byte
	at      int
	version byte
	err     error
}

// magic reads the first four bytes, and explains other formats.
func (p *parser) magic() error {
	switch {
	case len(p.data) >= 4 && string(p.data[:3]) == "CDF":
	case isHDF5(p.data):
		return fmt.Errorf("NetCDF-4/HDF5 files are not supported by this version; nccopy -k cdf5 converts them: %w", errors.ErrUnsupported)
	default:
		return fmt.Errorf("not a NetCDF file: it begins with %q", p.data[:min(len(p.data), 8)])
	}
	p.version = p.data[3]
	if p.version != 1 && p.version != 2 && p.version != 5 {
		return fmt.Errorf("NetCDF classic format version %d: want 1, 2 or 5: %w", p.version, errors.ErrUnsupported)
	}
	p.at = 4
	return nil
}

// isHDF5 looks for the signature of HDF5, which stands at the beginning or at
// 512, 1024, 2048, … bytes.
func isHDF5(data []byte) bool {
	const signature = "\x89HDF\r\n\x1a\n"
	for at := 0; at <= len(data)-len(signature); at = max(512, 2*at) {
		if string(data[at:at+len(signature)]) == signature {
			return true
		}
	}
	return false
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

// padded returns the next n bytes and skips their padding to a multiple of 4.
// The padding is not demanded to be zero.
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

// count reads a NON_NEG: 4 bytes, in CDF-5 8.
func (p *parser) count() uint64 {
	if p.version == 5 {
		return p.uint64()
	}
	return uint64(p.uint32())
}

// streaming is the number of records of a file that was written as a stream.
func (p *parser) streaming() uint64 {
	if p.version == 5 {
		return math.MaxUint64
	}
	return math.MaxUint32
}

// wide returns the least size of a list's entry: n bytes, in CDF-5 twice as
// many.
func (p *parser) wide(n int) int {
	if p.version == 5 {
		return 2 * n
	}
	return n
}

// number reads a count of things that take at least size bytes each, all of
// them still to come.
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

// list reads a list of dimensions, attributes or variables: a tag, a count,
// and the entries, which take at least size bytes each.
func list[T any](p *parser, what string, tag uint32, size int, entry func(*parser) T) []T {
	got := p.uint32()
	n := p.number(what, size)
	if p.err == nil && got != tag && (got != 0 || n != 0) {
		p.fail("tag %#x where the list of %s begins, want %#x", got, what, tag)
	}
	var entries []T
	for range n {
		if p.err != nil {
			return nil
		}
		entries = append(entries, entry(p))
	}
	return entries
}

// name reads a name: UTF-8, or Latin-1 in files older than the rule.
func (p *parser) name() string {
	return text(p.padded(p.number("bytes of a name", 1)))
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
	size := a.kind.dataType().Size()
	a.values = slices.Clone(p.padded(p.number("attribute values", size) * size))
	return a
}

func (p *parser) kind() kind {
	k := kind(p.uint32())
	if p.err == nil && (k.dataType() == nil || k > double && p.version != 5) {
		p.fail("type number %d, which CDF-%d does not have", k, p.version)
	}
	return k
}

func (p *parser) variable() variable {
	v := variable{name: p.name()}
	v.dims = make([]int, p.number("dimensions of a variable", p.wide(4)))
	for i := range v.dims {
		v.dims[i] = int(min(p.count(), math.MaxInt))
	}
	v.attributes = p.attributes()
	v.kind = p.kind()
	p.count() // the size of the variable
	begin := uint64(0)
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

// text decodes bytes as UTF-8 or, where they are not that, as Latin-1.
func text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
