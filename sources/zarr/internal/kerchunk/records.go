package kerchunk

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

const (
	// mostRecord bounds a file of references, and the memory for what is in it.
	mostRecord = 256 << 20
	// mostFooter bounds the footer of such a file.
	mostFooter = 16 << 20
)

// record is the references of one Parquet file, by rows.
type record struct {
	names  []string
	file   []int32 // numbers of names; -1: no reference
	off    []int64
	length []int64
	raw    map[int]string // the bytes of objects, by rows
	bytes  int            // of memory
}

// reference returns the reference in a row, false if there is none.
func (r *record) reference(row int) (ref store.Reference, ok bool) {
	if text, is := r.raw[row]; is {
		return store.Reference{Inline: []byte(text)}, true
	}
	if row >= len(r.file) || r.file[row] < 0 {
		return ref, false
	}
	ref = store.Reference{URL: r.names[r.file[row]], Off: r.off[row], Len: r.length[row]}
	if ref.Off == 0 && ref.Len == 0 {
		ref.Len = -1 // a whole file
	}
	return ref, true
}

// rows is the number of rows.
func (r *record) rows() int { return len(r.file) }

// use counts memory.
func (r *record) use(n int) error {
	if r.bytes += n; n < 0 || r.bytes > mostRecord {
		return fmt.Errorf("%w: more than %d MiB of references in one file", store.ErrTooLarge, mostRecord>>20)
	}
	return nil
}

// inMemory is a file in memory, as a [parquet.Source].
type inMemory []byte

func (m inMemory) ReadAt(_ context.Context, p []byte, off int64) error {
	if off < 0 || off > int64(len(m)-len(p)) {
		return io.ErrUnexpectedEOF
	}
	copy(p, m[off:])
	return nil
}

// footer reads the footer of a Parquet file.
func footer(data []byte) (*parquet.File, error) {
	const magic = "PAR1"
	if len(data) < 2*len(magic)+4 || !bytes.HasPrefix(data, []byte(magic)) || !bytes.HasSuffix(data, []byte(magic)) {
		return nil, damaged("it is not a Parquet file")
	}
	end := len(data) - 4 - len(magic)
	length := binary.LittleEndian.Uint32(data[end:])
	if length > mostFooter || int(length) > end {
		return nil, damaged("a footer of %d bytes in a file of %d", length, len(data))
	}
	return parquet.ParseFooter(data[end-int(length):end], int64(len(data)))
}

// parseRecord reads a Parquet file of references.
func parseRecord(ctx context.Context, data []byte) (*record, error) {
	f, err := footer(data)
	if err != nil {
		return nil, err
	}
	r := &record{raw: map[int]string{}}
	columns := map[string]int{}
	for i, leaf := range f.Leaves {
		if leaf.MaxRep > 0 || leaf.MaxDef > 1 {
			return nil, damaged("the column %s is no plain column", leaf)
		}
		columns[leaf.Name] = i
	}
	if f.Rows < 0 || f.Rows > mostRecord/20 {
		return nil, fmt.Errorf("%w: %d rows", store.ErrTooLarge, f.Rows)
	}
	if err := r.use(20 * f.Rows); err != nil {
		return nil, err
	}
	r.file, r.off, r.length = make([]int32, f.Rows), make([]int64, f.Rows), make([]int64, f.Rows)
	for i := range r.file {
		r.file[i] = -1
	}
	numbers := map[string]int32{}
	var last, lastText string // the bytes of the row before, and what they stand for
	for _, c := range []struct {
		name  string
		texts bool
		take  func(row int, value []byte) error
	}{
		{"path", true, func(row int, value []byte) error {
			n, known := numbers[string(value)]
			if !known {
				n = int32(len(r.names)) // fewer than there are rows
				r.names = append(r.names, string(value))
				numbers[r.names[n]] = n
				if err := r.use(2 * (len(value) + entryBytes)); err != nil {
					return err
				}
			}
			r.file[row] = n
			return nil
		}},
		{"offset", false, func(row int, value []byte) error { r.off[row] = integer(value); return nil }},
		{"size", false, func(row int, value []byte) error { r.length[row] = integer(value); return nil }},
		{"raw", true, func(row int, value []byte) error {
			if string(value) == last {
				r.raw[row] = lastText // chunks of nothing but the fill value share memory
				return r.use(entryBytes)
			}
			text, err := contents(string(value))
			if err == nil {
				err = r.use(2*len(text) + entryBytes)
			}
			last, lastText = string(value), text
			r.raw[row] = text
			return err
		}},
	} {
		i, there := columns[c.name]
		if !there {
			continue
		}
		leaf := f.Leaves[i]
		if c.texts != (leaf.Width() == 0) || !c.texts && leaf.Physical != parquet.Int64 && leaf.Physical != parquet.Int32 {
			c.take = func(int, []byte) error { return damaged("it is %s", leaf) } // a column of nulls has any type
		}
		if err := readColumn(ctx, data, f, i, r.use, c.take); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	for row, n := range r.file {
		if n < 0 {
			continue
		}
		if r.names[n] == "" {
			r.file[row] = -1 // as fsspec reads an empty path
			continue
		}
		if err := checkRange(r.off[row], r.length[row]); err != nil {
			return nil, fmt.Errorf("row %d: %w", row, err)
		}
	}
	return r, nil
}

// integer returns a number of four or eight bytes.
func integer(value []byte) int64 {
	if len(value) == 4 {
		return int64(int32(binary.LittleEndian.Uint32(value)))
	}
	return int64(binary.LittleEndian.Uint64(value))
}

// readColumn calls take for each value of a column.
func readColumn(ctx context.Context, data []byte, f *parquet.File, column int, use func(int) error, take func(row int, value []byte) error) error {
	leaf, base := f.Leaves[column], 0
	for g := range f.Groups {
		chunk := &f.Groups[g].Chunks[column]
		reader, err := parquet.NewReader(inMemory(data), leaf, chunk, 1<<20)
		if err != nil {
			return err
		}
		reader.Count(use)
		for row := 0; row < f.Groups[g].Rows; {
			var present [16]uint64
			n, values, err := reader.Present(ctx, present[:], f.Groups[g].Rows-row)
			if err != nil {
				return err
			}
			if values > 0 {
				err = takeValues(reader, leaf, base+row, present[:], n, take)
			}
			if err != nil {
				return err
			}
			row += n
		}
		if f.Groups[g].Rows > math.MaxInt-base {
			return damaged("too many rows")
		}
		base += f.Groups[g].Rows
	}
	return nil
}

// takeValues calls take for the values among n entries.
func takeValues(reader *parquet.Reader, leaf *parquet.Node, first int, present []uint64, n int, take func(row int, value []byte) error) error {
	width := leaf.Width()
	fixed := make([]byte, width)
	for i := range n {
		if present[i/64]>>(i%64)&1 == 0 {
			continue
		}
		value, err := fixed, error(nil)
		if width == 0 {
			value, err = reader.Item()
		} else {
			err = reader.Fixed(value, 1)
		}
		if err == nil {
			err = take(first+i, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
