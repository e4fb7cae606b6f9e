package parquet

import (
	"bytes"
	"context"
	"fmt"
)

// Reader reads a column chunk from its first entry to its last. An entry is a value, a
// null or an empty list. A Reader serves one goroutine.
//
// The caller asks for the levels of some entries and then reads all values of these
// entries. Each entry with the highest definition level has one value.
type Reader struct {
	leaf  *Node
	pages pages
	limit int64 // of decompressed pages
	codec decompressor
	// marked says that pages are compressed although they say that they are not.
	marked bool

	dictionary *dictionary
	left       int // entries of the chunk that are not read yet
	inPage     int // those of them in the page
	def, rep   hybrid
	values     values
	page       []byte // decompressed; reused for the next page
}

// NewReader returns the reader of a column chunk. It reads ahead bytes at once, or a
// page if that is longer.
func NewReader(source Source, leaf *Node, chunk *Chunk, ahead int) (*Reader, error) {
	if err := chunk.Readable(); err != nil {
		return nil, err
	}
	return &Reader{
		leaf: leaf, left: chunk.Values, limit: max(chunk.Decompressed(), mostUnstated), marked: chunk.marked, codec: decompressor{codec: chunk.Codec},
		pages: pages{
			source: source, at: chunk.Offset, end: chunk.Offset + chunk.Compressed, ahead: ahead, noSums: chunk.noSums,
			take: func(int) error { return nil },
		},
	}, nil
}

// Count makes the reader call take with the bytes of memory that it is about to
// allocate for pages and for the dictionary. If take returns an error, so does the
// calling method.
func (r *Reader) Count(take func(n int) error) { r.pages.take = take }

// SkipRows skips rows of a column without repetition. It does not read pages that lie
// within these rows.
func (r *Reader) SkipRows(ctx context.Context, n int) error {
	for n > 0 {
		if r.inPage == 0 {
			h, err := r.nextData(ctx)
			if err != nil {
				return err
			}
			if h.values <= n {
				r.pages.skip(int64(h.compressed))
				n -= h.values
				r.left -= h.values
				continue
			}
			if err := r.begin(ctx, h); err != nil {
				return err
			}
		}
		var present [8]uint64
		count, valid, err := r.Present(ctx, present[:], n)
		if err != nil {
			return err
		}
		if err := r.Skip(valid); err != nil {
			return err
		}
		n -= count
	}
	return nil
}

// Skip skips n values.
func (r *Reader) Skip(n int) error {
	width := r.leaf.Width()
	if width == 0 {
		for range n {
			if _, err := r.values.item(); err != nil {
				return err
			}
		}
		return nil
	}
	some := min(n, max(1, 4096/width))
	scratch := make([]byte, some*width)
	for n > 0 {
		some = min(some, n)
		if err := r.values.fixed(scratch[:some*width], some); err != nil {
			return err
		}
		n -= some
	}
	return nil
}

// fewValues is the least number of values whose levels Values skips. For fewer values,
// skipping costs more than it saves.
const fewValues = 128

// Values skips the levels of the next entries as long as all of them are values, and
// returns the number of these entries, which is no more than most. It returns 0 if the
// column has repetition levels, or if skipping is not worthwhile. Then Present or Levels
// reads the levels.
func (r *Reader) Values(ctx context.Context, most int) (int, error) {
	if r.leaf.MaxRep > 0 {
		return 0, nil
	}
	if err := r.nextPage(ctx); err != nil {
		return 0, err
	}
	n, err := r.def.same(uint32(r.leaf.MaxDef), fewValues, min(most, r.inPage))
	if err != nil {
		return 0, fmt.Errorf("definition levels: %w", err)
	}
	r.inPage -= n
	r.left -= n
	return n, nil
}

// Present sets a bit of present for each of the next entries that is a value, and
// clears the other bits. It takes no more than most entries, and no more than there are
// bits. It returns the number of entries, at least one, and the number of values.
// It is for columns without repetition.
func (r *Reader) Present(ctx context.Context, present []uint64, most int) (n, values int, err error) {
	if err := r.nextPage(ctx); err != nil {
		return 0, 0, err
	}
	n = min(most, 64*len(present), r.inPage)
	clear(present)
	if r.leaf.MaxDef == 1 {
		values, err = r.def.bits(present, n)
	} else {
		values, err = r.deep(present, n)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("definition levels: %w", err)
	}
	r.inPage -= n
	r.left -= n
	return n, values, nil
}

// deep is Present for values within several optional nodes.
func (r *Reader) deep(present []uint64, n int) (values int, err error) {
	var def [64]uint32
	highest := uint32(r.leaf.MaxDef)
	for at := 0; at < n; at += len(def) {
		some := def[:min(len(def), n-at)]
		if err := r.def.read(some); err != nil {
			return 0, err
		}
		for i, level := range some {
			if level > highest {
				return 0, fmt.Errorf("%w: level %d, the highest is %d", ErrCorrupt, level, highest)
			}
			if level == highest {
				present[at/64] |= 1 << i
				values++
			}
		}
	}
	return values, nil
}

// nextPage begins the next page with entries if the present page has none left.
func (r *Reader) nextPage(ctx context.Context) error {
	for r.inPage == 0 {
		h, err := r.nextData(ctx)
		if err != nil {
			return err
		}
		if err := r.begin(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// Levels fills def with the definition levels of the next entries. If the column has
// repetition levels, it fills rep, which is as long as def. It returns the number of
// entries, at least one.
func (r *Reader) Levels(ctx context.Context, def, rep []uint32) (int, error) {
	if err := r.nextPage(ctx); err != nil {
		return 0, err
	}
	n := min(len(def), r.inPage)
	if err := r.def.read(def[:n]); err != nil {
		return 0, fmt.Errorf("definition levels: %w", err)
	}
	if r.leaf.MaxRep > 0 {
		if err := r.rep.read(rep[:n]); err != nil {
			return 0, fmt.Errorf("repetition levels: %w", err)
		}
	}
	highest := uint32(0)
	for _, level := range def[:n] {
		highest = max(highest, level)
	}
	if highest > uint32(r.leaf.MaxDef) {
		return 0, fmt.Errorf("%w: definition level %d, the highest is %d", ErrCorrupt, highest, r.leaf.MaxDef)
	}
	r.inPage -= n
	r.left -= n
	return n, nil
}

// Fixed fills p with n values of a column whose values have a width, in
// little-endian order.
func (r *Reader) Fixed(p []byte, n int) error { return r.values.fixed(p, n) }

// Item returns the next value of a column of byte arrays. It is valid until the next
// call of any method.
func (r *Reader) Item() ([]byte, error) { return r.values.item() }

// nextData reads the headers of pages up to that of a data page. It reads the
// dictionary on the way.
func (r *Reader) nextData(ctx context.Context) (pageHeader, error) {
	for r.pages.at < r.pages.end {
		h, err := r.pages.header(ctx)
		if err != nil {
			return h, err
		}
		switch h.kind {
		case pageDictionary:
			if r.dictionary != nil || h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
				return h, fmt.Errorf("%w: a second dictionary, or one of encoding %d", ErrCorrupt, h.encoding)
			}
			data, own, err := r.read(ctx, h, 0, nil)
			if err != nil {
				return h, fmt.Errorf("dictionary: %w", err)
			}
			if !own {
				if err := r.pages.take(len(data)); err != nil {
					return h, err
				}
				data = bytes.Clone(data) // the next page overwrites this memory
			}
			if r.leaf.Width() == 0 {
				if err := r.pages.take(8 * min(h.values, len(data)/4)); err != nil { // for the beginnings and ends of values
					return h, err
				}
			}
			if r.dictionary, err = newDictionary(r.leaf, data, h.values); err != nil {
				return h, err
			}
		case pageData, pageDataV2:
			if h.values > r.left {
				return h, fmt.Errorf("%w: the pages of the column have more values than the footer says", ErrCorrupt)
			}
			return h, nil
		default: // an index, or a kind of page of a later version
			r.pages.skip(int64(h.compressed))
		}
	}
	return pageHeader{}, fmt.Errorf("%w: the pages of the column have %d values fewer than the footer says", ErrCorrupt, r.left)
}

// read reads a page and decompresses it, except for its first bytes, which are the levels
// of a page of version 2. If own is false, the result is valid until the next page is
// read. Otherwise the result is in the memory of page, or in new memory if it does not fit
// there.
//
// The size in the page's header counts only if the page is compressed.
func (r *Reader) read(ctx context.Context, h pageHeader, first int, page []byte) (_ []byte, own bool, err error) {
	data, err := r.pages.body(ctx, h)
	plain := h.plain && !r.marked
	if err != nil || r.codec.codec == codecNone || plain && len(data) == h.uncompressed {
		return data, false, err
	}
	switch {
	case first > h.uncompressed:
		err = fmt.Errorf("%w: levels of %d bytes in a page of %d", ErrCorrupt, first, h.uncompressed)
	case int64(h.uncompressed) > r.limit || r.codec.codec != codecBrotli && h.uncompressed/mostRatio > h.compressed:
		err = fmt.Errorf("%w: a page of %d bytes in %d, in a column of %d", ErrCorrupt, h.uncompressed, h.compressed, r.limit)
	default:
		if cap(page) < h.uncompressed {
			if err := r.pages.take(h.uncompressed); err != nil {
				return nil, false, err
			}
		}
		page, err = r.decompress(data, h.uncompressed, first, page)
	}
	if err != nil && plain {
		return data, false, nil // the size is wrong; if the page is compressed after all, the values will show it
	}
	return page, true, err
}

// decompress returns a page of size bytes. The first of data are not compressed. It
// uses the memory of page if that is large enough.
func (r *Reader) decompress(data []byte, size, first int, page []byte) ([]byte, error) {
	if cap(page) < size {
		page = make([]byte, size)
	}
	page = page[:size]
	copy(page, data[:first])
	if len(data) == first && len(page) == first {
		return page, nil
	}
	return page, r.codec.into(page[first:], data[first:])
}

// begin reads a data page and makes its levels and values ready.
func (r *Reader) begin(ctx context.Context, h pageHeader) error {
	levels := h.repBytes + h.defBytes
	data, own, err := r.read(ctx, h, levels, r.page)
	if err != nil {
		return err
	}
	if own {
		r.page = data
	}
	if h.kind == pageDataV2 {
		r.rep = levelsOf(data[:h.repBytes], r.leaf.MaxRep)
		r.def = levelsOf(data[h.repBytes:levels], r.leaf.MaxDef)
		data = data[levels:]
	} else {
		if r.leaf.MaxRep > 0 && h.repEncoding != encodingRLE || r.leaf.MaxDef > 0 && h.defEncoding != encodingRLE {
			// The specification packs the highest bit of a byte first; Impala and pyarrow, the lowest.
			return fmt.Errorf("%w: levels of encoding %d and %d, where RLE is 3; writers pack the bits of 4 in two orders: write the file again, such as with pyarrow", ErrUnsupported, h.repEncoding, h.defEncoding)
		}
		if r.rep, data, err = cutLevels(data, r.leaf.MaxRep); err != nil {
			return err
		}
		if r.def, data, err = cutLevels(data, r.leaf.MaxDef); err != nil {
			return err
		}
	}
	if r.values, err = newValues(r.leaf, h.encoding, data, r.dictionary); err != nil {
		return err
	}
	r.inPage = h.values
	return nil
}
