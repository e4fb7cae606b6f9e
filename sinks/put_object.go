package sinks

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// piece is an encoded cell. Without data it holds only the fill value.
type piece struct {
	data    []byte
	buffers []*ndarray.Buffer // that the data may lie in
}

// release gives the memory of a piece back.
func (p piece) release() {
	for _, b := range p.buffers {
		b.Release()
	}
}

// encode encodes a cell. values are its elements within the array.
func (a *Array) encode(values ndarray.Array) (p piece, err error) {
	defer func() {
		if p.data == nil { // nobody else gives the memory back
			p.release()
			p = piece{}
		}
	}()
	chunk := a.cell.Chunk()
	whole := values
	if !slices.Equal(values.Shape, chunk.Shape) {
		var buffer *ndarray.Buffer
		if whole, buffer, err = a.writer.pool.Array(chunk.Type, chunk.Shape); err != nil {
			return p, err
		}
		p.buffers = append(p.buffers, buffer)
		ndarray.Copy(whole.Sub(ndarray.Region{Start: make([]int, len(chunk.Shape)), Shape: values.Shape}), values)
		a.cell.Pad(whole, values.Shape)
	}
	if ndarray.Uniform(whole, chunk.Fill) {
		return p, nil
	}
	data, buffer, err := a.cell.Encode(a.writer.pool, whole)
	if buffer != nil {
		p.buffers = append(p.buffers, buffer)
	}
	p.data = data
	return p, err
}

// store stores a locked object. inside is the shape of its elements within the array. one
// encodes one cell of the object.
func (a *Array) store(ctx context.Context, o *object, inside []int, one func(box ndarray.Region, number int) (piece, error)) error {
	put := a.putChunk
	if a.shards != nil {
		put = a.putShard
	}
	stored, err := put(ctx, o, inside, one)
	if err != nil {
		return err
	}
	there := a.known != nil || a.isThere(o) // beyond known, an interrupted program may have left the object
	key := path.Join(a.path, o.key)
	if there && !stored {
		if err := a.writer.store.Delete(ctx, key); err != nil {
			return err
		}
	}
	if there || stored {
		if err := a.writer.stored(ctx, key); err != nil {
			return err
		}
		a.mu.Lock()
		a.there.put(a.number(o), stored)
		a.mu.Unlock()
	}
	o.count(-o.bytes)
	o.cells, o.written, o.old = nil, 0, nil
	return nil
}

// putChunk stores an object that is one cell, unless it holds only the fill value.
func (a *Array) putChunk(ctx context.Context, o *object, inside []int, one func(box ndarray.Region, number int) (piece, error)) (stored bool, err error) {
	p, err := one(ndarray.Region{Start: make([]int, len(inside)), Shape: inside}, 0)
	if err != nil || p.data == nil {
		return false, err
	}
	defer p.release()
	_, err = a.chunks.Put(ctx, o.index, p.data)
	return true, err
}

// putShard stores a shard, unless it holds only the fill value. Its inner chunks are
// encoded one after the other. They are in memory together only if the index is in front
// of them.
func (a *Array) putShard(ctx context.Context, o *object, inside []int, one func(box ndarray.Region, number int) (piece, error)) (stored bool, err error) {
	s := &shardWriter{array: a, object: o, places: slices.Repeat([]codecs.Place{codecs.Absent}, elements(a.shards.Count()))}
	defer func() {
		for _, p := range s.waiting {
			p.release()
		}
		if s.stream != nil && err != nil {
			err = errors.Join(err, s.stream.Abort())
		}
	}()
	if a.shards.AtStart() {
		s.length = uint64(a.shards.IndexSize())
	}
	for number, box := range a.cells(inside, ndarray.Region{Start: make([]int, len(inside)), Shape: inside}) {
		p, err := one(box, number)
		if err == nil && p.data != nil {
			err = s.add(ctx, number, p)
		}
		if err != nil {
			return false, err
		}
	}
	return s.finish(ctx)
}

// shardWriter writes a shard.
type shardWriter struct {
	array   *Array
	object  *object
	places  []codecs.Place
	length  uint64  // bytes of the shard so far
	waiting []piece // inner chunks that wait for the index in front of them
	stream  *Stream // nil until there is something to write
}

// add adds an inner chunk, and takes it over.
func (s *shardWriter) add(ctx context.Context, number int, p piece) error {
	s.places[number] = codecs.Place{Offset: s.length, Length: uint64(len(p.data))}
	s.length += uint64(len(p.data))
	if s.array.shards.AtStart() {
		s.waiting = append(s.waiting, p)
		return nil
	}
	defer p.release()
	return s.write(ctx, p.data)
}

// write adds bytes to the stored object.
func (s *shardWriter) write(ctx context.Context, data []byte) (err error) {
	if s.stream == nil {
		if s.stream, err = s.array.chunks.Stream(ctx, s.object.index); err != nil {
			return err
		}
	}
	_, err = s.stream.Write(data)
	return err
}

// finish writes the index, and what waits for it.
func (s *shardWriter) finish(ctx context.Context) (stored bool, err error) {
	if s.stream == nil && s.waiting == nil {
		return false, nil
	}
	index, err := s.array.shards.AppendIndex(nil, s.places)
	if err == nil {
		err = s.write(ctx, index)
	}
	for _, p := range s.waiting {
		if err == nil {
			err = s.write(ctx, p.data)
		}
	}
	if err == nil {
		_, err = s.stream.Close()
	}
	return err == nil, err
}
