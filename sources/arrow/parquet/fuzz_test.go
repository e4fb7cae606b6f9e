package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"testing"

	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// archived returns a file from the archive of package arrow, and its footer.
func archived(t testing.TB, name string) (file, footer []byte) {
	t.Helper()
	file = sourcetest.Zipped(t, "../testdata/golden.zip", name)
	end := len(file) - 8
	length := int(binary.LittleEndian.Uint32(file[end:]))
	return file, file[end-length : end]
}

// memory is a file in memory.
type memory []byte

func (m memory) ReadAt(_ context.Context, p []byte, off int64) error {
	_, err := io.ReadFull(io.NewSectionReader(bytes.NewReader(m), off, int64(len(p))), p)
	return err
}

// readColumns reads all entries of all columns of a file. It returns the number of
// columns that could be read to their end.
func readColumns(t *testing.T, data []byte, f *parquet.File) (whole int) {
	const most = 1 << 16 // most entries of a column
	for _, group := range f.Groups {
		for i, leaf := range f.Leaves {
			chunk := &group.Chunks[i]
			if chunk.Values > most {
				continue
			}
			r, err := parquet.NewReader(memory(data), leaf, chunk, 1<<10)
			if err != nil {
				continue
			}
			left := chunk.Values
			for left > 0 {
				n, values, err := next(t, r, leaf)
				if err != nil {
					break
				}
				if n < 1 || n > left || values > n {
					t.Fatalf("%d entries with %d values, %d are left", n, values, left)
				}
				if r.Skip(values) != nil {
					break
				}
				left -= n
			}
			if left == 0 {
				whole++
			}
		}
	}
	return whole
}

// next reads the levels of some entries and skips their values. It returns the number
// of entries and of values.
func next(t *testing.T, r *parquet.Reader, leaf *parquet.Node) (n, values int, err error) {
	if leaf.MaxRep == 0 {
		if n, err := r.Values(t.Context(), 1000); n > 0 || err != nil {
			return n, n, err
		}
		var present [2]uint64
		return r.Present(t.Context(), present[:], 100)
	}
	var def, rep [100]uint32
	n, err = r.Levels(t.Context(), def[:], rep[:])
	for _, level := range def[:n] {
		if int(level) == leaf.MaxDef {
			values++
		}
	}
	return n, values, err
}

func TestReadColumns(t *testing.T) {
	for _, name := range []string{"gzip_v1.parquet", "brotli_v2.parquet", "delta_byte_array.parquet"} {
		data, footer := archived(t, name)
		f, err := parquet.ParseFooter(footer, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if got := readColumns(t, data, f); got != len(f.Groups)*len(f.Leaves) || len(f.Groups) != 3 {
			t.Errorf("%s: %d column chunks were read of %d", name, got, len(f.Groups)*len(f.Leaves))
		}
	}
}

func FuzzParseFooter(f *testing.F) {
	for _, name := range []string{"rle.parquet", "empty.parquet", "without_schema.parquet"} {
		_, footer := archived(f, name)
		f.Add(footer)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parquet.ParseFooter(data, 1<<20)
		if err != nil {
			return
		}
		for _, g := range file.Groups {
			if len(g.Chunks) != len(file.Leaves) {
				t.Fatalf("%d column chunks for %d columns", len(g.Chunks), len(file.Leaves))
			}
			for i, leaf := range file.Leaves {
				if leaf.String() == "" || g.Chunks[i].Compression() == "" {
					t.Errorf("column %d has no description", i)
				}
			}
		}
	})
}

// FuzzReader reads the columns of files with a sound footer.
func FuzzReader(f *testing.F) {
	names := []string{"rle.parquet", "delta_byte_array.parquet", "delta_binary_packed.parquet", "byte_stream_split.parquet", "without_schema.parquet"}
	footers := make([][]byte, len(names))
	for i, name := range names {
		data, footer := archived(f, name)
		footers[i] = footer
		f.Add(i, data)
	}
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		if which < 0 || which >= len(footers) {
			return
		}
		if file, err := parquet.ParseFooter(footers[which], int64(len(data))); err == nil {
			readColumns(t, data, file)
		}
	})
}
