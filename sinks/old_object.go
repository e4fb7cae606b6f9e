package sinks

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// lookUp finds what is stored under the key of an object.
func (a *Array) lookUp(ctx context.Context, o *object) (*oldObject, error) {
	if !a.isThere(o) {
		return &oldObject{}, nil
	}
	key := path.Join(a.path, o.key)
	if err := a.writer.show(ctx, key); err != nil {
		return nil, err
	}
	info, err := a.writer.store.Stat(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return &oldObject{}, nil
	}
	if err != nil {
		return nil, err
	}
	old := &oldObject{in: storedObject{a, key, info.Size}}
	if a.shards == nil {
		return old, nil
	}
	size := int64(a.shards.IndexSize())
	if info.Size < size {
		return nil, codecs.ErrCorrupt
	}
	index, at := make([]byte, size), int64(0)
	if !a.shards.AtStart() {
		at = info.Size - size
	}
	if err := old.in.ReadAt(ctx, index, at); err != nil {
		return nil, err
	}
	old.places, err = a.shards.ReadIndex(index, info.Size)
	return old, err
}

// isThere reports whether the store may have the object.
func (a *Array) isThere(o *object) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.there.has(a.number(o)) || a.wasThere(o)
}

// wasThere reports whether the object has elements that the array had when it was opened.
func (a *Array) wasThere(o *object) bool {
	for i, n := range a.known {
		if o.index[i]*a.extent[i] >= n {
			return false
		}
	}
	return a.known != nil
}

// number returns the number of an object in the present grid. The caller holds the
// array's mutex.
func (a *Array) number(o *object) int {
	return zarr.Grid{Shape: a.shape, Chunk: a.extent}.Number(o.index)
}

// oldCell returns a cell as it is stored, or nil if it is not stored.
func (a *Array) oldCell(ctx context.Context, o *object, number int) (codecs.Input, error) {
	if o.old == nil {
		var err error
		if o.old, err = a.lookUp(ctx, o); err != nil {
			return nil, err
		}
	}
	switch {
	case o.old.in == nil || a.shards == nil:
		return o.old.in, nil
	case o.old.places[number] == codecs.Absent:
		return nil, nil
	}
	p := o.old.places[number]
	return codecs.Section(o.old.in, int64(p.Offset), int64(p.Length)), nil
}

// decoded returns the present values of a cell, in memory that the caller may change.
func (a *Array) decoded(ctx context.Context, o *object, number int) (ndarray.Array, error) {
	c, written := o.cells[number]
	if c.values != nil {
		return *c.values, nil
	}
	chunk := a.cell.Chunk()
	values := ndarray.New(chunk.Type, chunk.Shape)
	var in codecs.Input
	if written {
		if c.data != nil {
			in = codecs.InMemory(c.data)
		}
	} else {
		var err error
		if in, err = a.oldCell(ctx, o, number); err != nil {
			return values, err
		}
	}
	if in == nil {
		ndarray.Fill(values, chunk.Fill)
		return values, nil
	}
	return values, a.cell.DecodeRegion(ctx, a.writer.pool, values, make([]int, len(chunk.Shape)), in)
}
