package hdf5

import (
	"context"
	"fmt"
	"math"
)

// externalFiles is the elements of a dataset that are in other files: one run of bytes,
// whose pieces are in one file each. It implements [Reader].
type externalFiles struct {
	pieces []externalPiece
	size   int // bytes of all pieces
}

// externalPiece is bytes of a file.
type externalPiece struct {
	file  Reader
	name  string // in messages
	begin int    // place of the piece in the run
	size  int
	at    int64 // its place in the file
}

// maxExternal bounds the pieces of a dataset.
const maxExternal = 1 << 16

// external reads an external data files message, section IV.A.2.h, and opens the files in
// which there are the n bytes of a dataset. A file that is missing, or shorter than the
// message says, is an error.
func (f *File) external(ctx context.Context, content []byte, n int) (*externalFiles, error) {
	c := &cursor{data: content, widths: f.widths}
	if version := c.uint8(); c.err == nil && version != 1 {
		return nil, unsupported("message of version %d", version)
	}
	c.skip(3 + 2)
	used, heapAt := int(c.uint16()), c.address()
	if c.err != nil {
		return nil, c.err
	}
	names, err := f.localHeap(ctx, heapAt)
	if err != nil {
		return nil, err
	}
	names = append([]byte(nil), names...)
	e := &externalFiles{}
	for i := range used {
		at, offset, size := c.size(), c.size(), c.size()
		if c.err != nil {
			return nil, c.err
		}
		if i >= maxExternal {
			return nil, unsupported("more than %d files", maxExternal)
		}
		if e.size >= n {
			continue
		}
		name, err := heapText(names, at)
		if err != nil {
			return nil, err
		}
		left := uint64(n - e.size)
		if err := e.add(ctx, f, name, offset, min(size, left)); err != nil {
			return nil, fmt.Errorf("the elements are in %.200q: %w", name, err)
		}
	}
	if e.size < n {
		return nil, corrupt("the dataset has %d bytes, its files have %d", n, e.size)
	}
	return e, nil
}

// add adds a piece of size bytes of a file.
func (e *externalFiles) add(ctx context.Context, f *File, name string, offset, size uint64) error {
	if f.others == nil {
		return errOtherFile
	}
	r, have, err := f.others.Reader(ctx, name)
	if err != nil {
		return err
	}
	if offset > math.MaxInt64 || have < int64(offset) || uint64(have)-offset < size {
		return corrupt("it has %d bytes, but %d bytes at byte %d are elements", have, size, offset)
	}
	e.pieces = append(e.pieces, externalPiece{file: r, name: name, begin: e.size, size: int(size), at: int64(offset)})
	e.size += int(size)
	return nil
}

// ReadAt implements [Reader].
func (e *externalFiles) ReadAt(ctx context.Context, p []byte, off int64) error {
	for _, piece := range e.pieces {
		from := max(int(off), piece.begin)
		to := min(int(off)+len(p), piece.begin+piece.size)
		if from >= to {
			continue
		}
		if err := piece.file.ReadAt(ctx, p[from-int(off):to-int(off)], piece.at+int64(from-piece.begin)); err != nil {
			return fmt.Errorf("the elements are in %.200q: %w", piece.name, err)
		}
	}
	return nil
}
