package sinks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// size returns the bytes of memory that the cell takes.
func (c cell) size(chain *codecs.Chain) int {
	if c.values == nil {
		return len(c.data)
	}
	if c.values.Heap != nil {
		return len(c.values.Data) + chain.SizeOf(*c.values)
	}
	return len(c.values.Data)
}

// put replaces a cell.
func (o *object) put(number int, c cell) {
	if o.cells == nil {
		o.cells = map[int]cell{}
	}
	c.bytes = c.size(o.array.cell)
	o.count(c.bytes - o.cells[number].bytes)
	o.cells[number] = c
}

// count changes the memory that the cells take.
func (o *object) count(n int) {
	o.bytes += n
	o.array.writer.waiting.Add(int64(n))
}

// hold returns the object with these coordinates. Until release, every caller gets the
// same one.
func (a *Array) hold(index []int) *object {
	key := a.meta.Keys.Key(index)
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.objects[key]
	if o == nil {
		o = &object{array: a, key: key, index: index}
		a.objects[key] = o
	}
	o.users++
	return o
}

// release ends hold.
func (a *Array) release(o *object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o.users--
	a.forget(o)
}

// forget drops an object that nobody works on and that has no cells. The caller holds the
// array's mutex.
func (a *Array) forget(o *object) {
	if o.users == 0 && !o.waits {
		delete(a.objects, o.key)
	}
}

// settle puts a locked object into the queue of those that wait if it has cells, and
// otherwise takes it out of the queue.
func (a *Array) settle(o *object) {
	waits := len(o.cells) > 0
	q := &a.writer.waitQueue
	q.mu.Lock()
	switch {
	case waits && o.queued == nil:
		o.queued = q.objects.PushBack(o)
	case !waits && o.queued != nil:
		q.objects.Remove(o.queued)
		o.queued = nil
	}
	q.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	o.waits = waits
	a.forget(o)
}

// flush stores a locked object that was taken out of the queue, and unlocks it.
func (a *Array) flush(ctx context.Context, o *object) error {
	defer o.mu.Unlock()
	done, err := a.takeOff(ctx)
	if err == nil {
		err = a.store(ctx, o, a.grid().Region(o.index).Shape, func(box ndarray.Region, number int) (piece, error) {
			return a.waiting(ctx, o, box, number)
		})
		done()
	}
	a.settle(o)
	if err != nil {
		return a.fail(o.index, err)
	}
	return nil
}

// cells iterates over the cells of an object that meet a part of it, in C order. inside
// is the shape of the elements of the object that lie within the array. Each cell comes
// with its number in the object and with the box of its elements within the array.
func (a *Array) cells(inside []int, part ndarray.Region) iter.Seq2[int, ndarray.Region] {
	whole := ndarray.Region{Start: make([]int, len(inside)), Shape: inside}
	return func(yield func(int, ndarray.Region) bool) {
		if a.shards == nil {
			yield(0, whole)
			return
		}
		shape, counts := a.cell.Chunk().Shape, a.shards.Count()
		first, last := make([]int, len(shape)), make([]int, len(shape))
		for i, n := range shape {
			first[i], last[i] = part.Start[i]/n, (part.Start[i]+part.Shape[i]-1)/n
		}
		for index := slices.Clone(first); index != nil; index = ndarray.Next(index, first, last) {
			number := 0
			for i, at := range index {
				number = number*counts[i] + at
			}
			if !yield(number, overlap(a.shards.Region(number), whole)) {
				return
			}
		}
	}
}

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
		n, _ := ndarray.Bytes(chunk.Type, chunk.Shape)
		buffer := a.writer.pool.Get(n)
		p.buffers = append(p.buffers, buffer)
		if whole, err = ndarray.View(chunk.Type, chunk.Shape, buffer.Bytes); err != nil {
			return p, err
		}
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

// waiting returns the encoding of a cell of an object that waits. A cell that was not
// written since the object was stored keeps its bytes.
func (a *Array) waiting(ctx context.Context, o *object, box ndarray.Region, number int) (piece, error) {
	c, written := o.cells[number]
	switch {
	case c.values != nil:
		return a.encode(c.values.Sub(ndarray.Region{Start: make([]int, len(box.Shape)), Shape: box.Shape}))
	case written:
		return piece{data: c.data}, nil
	}
	in, err := a.oldCell(ctx, o, number)
	if in == nil || err != nil {
		return piece{}, err
	}
	data, err := codecs.ReadAll(ctx, in)
	return piece{data: data}, err
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

// elements returns the number of elements of a shape.
func elements(shape []int) int {
	n, _ := ndarray.Elements(shape)
	return n
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

// oldest removes an object from the queue and returns it locked: the oldest one on which
// no other goroutine works. It returns nil if there is none. The caller unlocks the object.
func (w *Writer) oldest() *object {
	w.waitQueue.mu.Lock()
	defer w.waitQueue.mu.Unlock()
	for e := w.waitQueue.objects.Front(); e != nil; e = e.Next() {
		o := e.Value.(*object)
		if o.mu.TryLock() {
			w.waitQueue.objects.Remove(e)
			o.queued = nil
			return o
		}
	}
	return nil
}

// shrink stores waiting objects, the oldest first, until the objects that still wait are
// within the bound of memory.
func (w *Writer) shrink(ctx context.Context) error {
	for w.waiting.Load() > int64(w.half()) {
		o := w.oldest()
		if o == nil {
			return nil // other goroutines work on all of them, and will come here, too
		}
		if err := o.array.flush(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// fail names the array and the chunk in an error.
func (a *Array) fail(index []int, err error) error {
	what := "chunk"
	if a.chain.Container() != "" {
		what = "shard"
	}
	return fmt.Errorf("array %q, %s %v: %w", a.path, what, index, err)
}

// overlap returns the box that two boxes have in common.
func overlap(a, b ndarray.Region) ndarray.Region {
	both := ndarray.Region{Start: make([]int, len(a.Start)), Shape: make([]int, len(a.Start))}
	for i := range both.Start {
		both.Start[i] = max(a.Start[i], b.Start[i])
		both.Shape[i] = min(a.Start[i]+a.Shape[i], b.Start[i]+b.Shape[i]) - both.Start[i]
	}
	return both
}

// takeOff waits until there is memory to encode the cells of an object, one after the
// other. done gives the memory back.
func (a *Array) takeOff(ctx context.Context) (done func(), err error) {
	n, _ := ndarray.Bytes(a.cell.Chunk().Type, a.cell.Chunk().Shape)
	n += n + a.cell.Memory() // the cell, with padding or read back
	if size := a.chain.Size(); a.shards != nil && !size.Unbounded {
		n += store.WriterBytes(a.writer.store.URL(), 1, size.Max)
	}
	n = min(n, a.writer.half())
	if err := a.writer.flight.Acquire(ctx, int64(n)); err != nil {
		return nil, err
	}
	return func() { a.writer.flight.Release(int64(n)) }, nil
}
