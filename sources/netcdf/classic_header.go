package netcdf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/sources"
)

// dataType returns the data type for a type in a file.
func dataType(t netcdftype.Type) dtype.Type {
	own, err := netcdftype.Of(t)
	if err != nil {
		panic(err) // the parser accepts only known types
	}
	return own
}

// header is a parsed header. It shares no memory with the bytes from which it was
// parsed.
type header struct {
	version    byte // of the format: 1, 2 or 5
	dims       []dimension
	attributes []attribute
	vars       []variable
	cut        cutNames
	byName     map[string]*variable
	recordSize int // bytes from one record to the next
}

// findTexts sets texts of the dimensions.
func (h *header) findTexts() {
	for i := range h.dims {
		h.dims[i].texts = !h.dims[i].record && h.byName[h.dims[i].name] == nil
	}
	for _, v := range h.vars {
		for k, i := range v.dims {
			if k < len(v.dims)-1 || v.kind != netcdftype.Char {
				h.dims[i].texts = false
			}
		}
	}
}

// readHeader reads the header of a file. buffer is the beginning of the file; further
// reads double the length.
func readHeader(ctx context.Context, f *sources.OpenFile, buffer []byte) (*header, error) {
	most := int(min(f.Size, maxHeader))
	for want := len(buffer); ; want = min(2*want, most) {
		have := len(buffer)
		buffer = slices.Grow(buffer, want-have)[:want]
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
			return nil, fmt.Errorf("%s: truncated: the header does not end within the file's %d bytes: get the file again", f.URL, f.Size)
		case err != nil && isClassic(buffer) && !errors.Is(err, errors.ErrUnsupported):
			return nil, fmt.Errorf("%s: %w: the header is damaged: get the file again", f.URL, err)
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
	h := &header{version: p.version}
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
	h.cut = p.cut
	if err := h.check(); err != nil {
		return nil, err
	}
	return h, h.layOut(int(records), streaming, size)
}

// check refuses headers in which a variable or its shape is ambiguous.
func (h *header) check() error {
	records := 0
	for _, d := range h.dims {
		if d.record {
			records++
		}
	}
	if records > 1 {
		return fmt.Errorf("there are %d record dimensions, but a classic file has at most one", records)
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
	h.findTexts()
	return nil
}

// layOut computes the sizes of variables and records. It also computes the number of
// records if the header leaves it to the size of the file.
func (h *header) layOut(records int, streaming bool, size int64) error {
	padded, unpadded, count := 0, 0, 0
	for i := range h.vars {
		v := &h.vars[i]
		slab := v.kind.Size()
		for _, d := range v.dims {
			if h.dims[d].record {
				v.record = true
				continue
			}
			var ok bool
			if slab, ok = multiply(slab, h.dims[d].length); !ok {
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

// countRecords returns the number of whole records in a file of this size, for files
// that were written as a stream.
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
