package parquet

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// Kinds of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

// pageHeader is the header of a page.
type pageHeader struct {
	kind         int
	uncompressed int
	compressed   int
	crc          uint32
	hasCRC       bool
	values       int // number of entries, nulls included
	rows         int // -1: unknown
	encoding     int
	defEncoding  int
	repEncoding  int
	defBytes     int // bytes of levels in front of the compressed bytes
	repBytes     int
	plain        bool // the page is not compressed, although the column is
}

func (t *thrift) pageHeader() pageHeader {
	h := pageHeader{kind: -1, rows: -1, defEncoding: encodingRLE, repEncoding: encodingRLE}
	read := t.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftInt32:
			h.kind = int(t.int())
		case id == 2 && kind == thriftInt32:
			h.uncompressed = int(t.int())
		case id == 3 && kind == thriftInt32:
			h.compressed = int(t.int())
		case id == 4 && kind == thriftInt32:
			h.crc, h.hasCRC = uint32(t.int()), true
		case id == 5 && kind == thriftStruct:
			t.numbers(map[int]*int{1: &h.values, 2: &h.encoding, 3: &h.defEncoding, 4: &h.repEncoding}, nil)
		case id == 7 && kind == thriftStruct:
			t.numbers(map[int]*int{1: &h.values, 2: &h.encoding}, nil)
		case id == 8 && kind == thriftStruct:
			compressed, nulls := true, 0
			t.numbers(map[int]*int{1: &h.values, 2: &nulls, 3: &h.rows, 4: &h.encoding, 5: &h.defBytes, 6: &h.repBytes}, &compressed)
			h.plain = !compressed
		default:
			return false
		}
		return true
	})
	names := []string{1: "type", 2: "uncompressed_page_size", 3: "compressed_page_size"}
	switch h.kind {
	case pageData:
		names = append(names, "", "data_page_header")
	case pageDictionary:
		names = append(names, "", "", "", "dictionary_page_header")
	case pageDataV2:
		names = append(names, "", "", "", "", "data_page_header_v2")
	}
	t.require(read, "a page", names)
	return h
}

// numbers reads the integers of a structure, which are required, by their field
// numbers, and the bool with field number 7.
func (t *thrift) numbers(to map[int]*int, seventh *bool) {
	read := t.fields(func(id int, kind byte) bool {
		if n := to[id]; n != nil && kind == thriftInt32 {
			*n = int(t.int())
			return true
		}
		if id == 7 && seventh != nil && (kind == thriftTrue || kind == thriftFalse) {
			*seventh = kind == thriftTrue
		}
		return false
	})
	for id := range to {
		if read&(1<<id) == 0 && !t.failed() {
			t.missing = fmt.Sprintf("field %d of a page", id)
		}
	}
}

// Source reads bytes of a file.
type Source interface {
	// ReadAt fills p with bytes of the file from off on. It fills all of p or returns
	// an error.
	ReadAt(ctx context.Context, p []byte, off int64) error
}

// pages reads the pages of a column chunk one after the other, through a window.
type pages struct {
	source Source
	at     int64 // place of the next byte in the file
	end    int64 // end of the chunk
	window []byte
	memory []byte // memory of the window; reused for the next window
	ahead  int    // bytes to read at once
	noSums bool   // a checksum of 0 is none
	take   func(n int) error
}

// header reads the header of the next page.
func (p *pages) header(ctx context.Context) (pageHeader, error) {
	const (
		first = 1 << 10
		most  = 16 << 20
	)
	for n := first; ; n *= 4 {
		data, err := p.peek(ctx, n)
		if err != nil {
			return pageHeader{}, err
		}
		t := &thrift{data: data}
		h := t.pageHeader()
		if t.short && !t.bad && int64(len(data)) < p.end-p.at && n < most {
			continue
		}
		left := p.end - p.at - int64(t.at)
		if t.failed() || h.compressed < 0 || h.uncompressed < 0 || int64(h.compressed) > left || h.values < 0 || h.rows < -1 ||
			h.defBytes < 0 || h.repBytes < 0 || h.defBytes > h.compressed-h.repBytes {
			if t.missing != "" {
				return pageHeader{}, fmt.Errorf("%w: the header of the page at byte %d lacks %s", ErrCorrupt, p.at, t.missing)
			}
			return pageHeader{}, fmt.Errorf("%w: the header of the page at byte %d", ErrCorrupt, p.at)
		}
		p.skip(int64(t.at))
		return h, nil
	}
}

// skip skips n bytes. It does not read bytes outside of the window.
func (p *pages) skip(n int64) {
	p.at += n
	p.window = p.window[min(n, int64(len(p.window))):]
}

// peek returns the next n bytes, or fewer at the end of the chunk. They are valid until
// the next call.
func (p *pages) peek(ctx context.Context, n int) ([]byte, error) {
	n = int(min(int64(n), p.end-p.at))
	if n > len(p.window) {
		size := int(min(int64(max(n, p.ahead)), p.end-p.at))
		if cap(p.memory) < size {
			if err := p.take(size); err != nil { // before the old memory is copied, it is still there
				return nil, err
			}
			p.memory = make([]byte, size)
		}
		window := p.memory[:size]
		have := copy(window, p.window)
		if err := p.source.ReadAt(ctx, window[have:], p.at+int64(have)); err != nil {
			return nil, err
		}
		p.window = window
	}
	return p.window[:n], nil
}

// body reads the bytes of a page and compares them with its checksum.
func (p *pages) body(ctx context.Context, h pageHeader) ([]byte, error) {
	at := p.at
	data, err := p.peek(ctx, h.compressed)
	if err != nil {
		return nil, err
	}
	if len(data) < h.compressed {
		return nil, fmt.Errorf("%w: the page at byte %d: %w", ErrCorrupt, at, io.ErrUnexpectedEOF)
	}
	p.skip(int64(h.compressed))
	if h.hasCRC && (h.crc != 0 || !p.noSums) && crc32.ChecksumIEEE(data) != h.crc {
		return nil, fmt.Errorf("%w: the checksum of the page at byte %d is wrong", ErrCorrupt, at)
	}
	return data, nil
}

// cutLevels returns the levels of a data page of version 1, which follow their length,
// and the bytes behind them.
func cutLevels(data []byte, most int) (levels hybrid, rest []byte, err error) {
	if most == 0 {
		return hybrid{left: math.MaxInt}, data, nil
	}
	if len(data) < 4 {
		return hybrid{}, nil, fmt.Errorf("%w: a page without its levels", ErrCorrupt)
	}
	n := binary.LittleEndian.Uint32(data)
	if uint64(n) > uint64(len(data)-4) {
		return hybrid{}, nil, fmt.Errorf("%w: %d bytes of levels in a page of %d", ErrCorrupt, n, len(data))
	}
	return hybrid{data: data[4 : 4+n], width: bitsFor(most)}, data[4+n:], nil
}

// levelsOf returns the levels of a data page of version 2.
func levelsOf(data []byte, most int) hybrid {
	if most == 0 {
		return hybrid{left: math.MaxInt}
	}
	return hybrid{data: data, width: bitsFor(most)}
}
