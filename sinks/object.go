package sinks

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
)

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
	done, err := a.reserve(ctx)
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

// reserve waits until there is memory to encode the cells of an object, one after the
// other. done gives the memory back.
func (a *Array) reserve(ctx context.Context) (done func(), err error) {
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
