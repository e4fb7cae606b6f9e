package stages

import (
	"context"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/zarr"
)

// sendLayered hands a block that is written layer by layer to the writers, unread.
func (p *pipeline) sendLayered(ctx context.Context, l *load, w *worker) error {
	w.wait()
	select {
	case p.writes <- parcel{load: l, index: l.first}:
		return nil
	case <-ctx.Done():
		p.leave(l, len(l.units))
		return ctx.Err()
	}
}

// layered is a block that is being written layer by layer.
type layered struct {
	*load
	array ndarray.Array // a layer of the block
	units []layeredUnit // those that are written
	pool  *ndarray.Pool
}

// layeredUnit is a unit of such a block.
type layeredUnit struct {
	unit   int
	index  []int
	place  ndarray.Region // of its elements in the array
	stream Stream         // nil until a layer does not hold only the fill value
	empty  int            // layers before that one
	digest digest.Sum
}

// writeLayered reads, encodes and stores the units of a block, layer by layer.
func (p *pipeline) writeLayered(ctx context.Context, l *load, w *worker) error {
	defer p.leave(l, len(l.units))
	t := l.of
	w.begin(t, l.first, len(l.units))
	defer w.wait()
	b, err := p.newLayered(l)
	if err != nil {
		return t.fail(l.first, "read", err)
	}
	defer func() {
		for _, u := range b.units {
			if u.stream != nil {
				_ = u.stream.Abort() // does nothing after Close; otherwise the error that ended the run counts
			}
		}
	}()
	layers := zarr.Grid{Shape: t.Chain.Chunk().Shape, Chunk: t.Layer.Chunk().Shape}
	for n := range layers.Len() {
		at := layers.Region(layers.Index(n)).Start
		elements, err := b.read(ctx, at)
		if err != nil {
			return t.fail(l.first, "read", err)
		}
		for i := range b.units {
			u := &b.units[i]
			if err := b.write(ctx, u, at); err != nil {
				return t.fail(u.index, "write", err)
			}
		}
		if p.Observe != nil {
			p.Observe(Event{Receipt: sinks.Receipt{Array: l.task, Unit: l.units[0]}, Read: elements, Partial: true})
		}
	}
	for i := range b.units {
		u := &b.units[i]
		receipt, err := b.finish(u)
		if err != nil {
			return t.fail(u.index, "write", err)
		}
		if err := p.report(Event{Receipt: receipt}); err != nil {
			return err
		}
	}
	return nil
}

// newLayered gives the block the buffer for a layer, which the load releases.
func (p *pipeline) newLayered(l *load) (*layered, error) {
	t := l.of
	b := &layered{load: l, pool: p.pool}
	shape := make([]int, len(l.count))
	for i, n := range t.Layer.Chunk().Shape {
		shape[i] = l.count[i] * n
	}
	var err error
	if b.array, l.buffer, err = p.pool.Array(t.readType(), shape); err != nil {
		return nil, err
	}
	for _, unit := range l.units {
		u := layeredUnit{unit: unit, index: t.Grid.Index(unit)}
		start := make([]int, len(u.index))
		for i, n := range t.Grid.Chunk {
			start[i] = u.index[i] * n
		}
		u.place = t.placeOf(t.Grid.Chunk, start)
		b.units = append(b.units, u)
	}
	return b, nil
}

// read fills the array with the layer that begins at index at of each chunk. It returns the
// bytes of the elements that lie within the array.
func (b *layered) read(ctx context.Context, at []int) (elements int64, err error) {
	t := b.of
	start := make([]int, len(at))
	for i, n := range t.Grid.Chunk {
		start[i] = b.first[i]*n + at[i]
	}
	inside := t.inside(start, b.array.Shape)
	for i, n := range inside {
		inside[i] = max(n, 0) // the layer may begin beyond the end of the array
	}
	dst := b.array.Sub(ndarray.Region{Start: make([]int, len(at)), Shape: inside})
	if dst.Len() > 0 {
		dst.Type = t.Source.Info().Type // the same bytes, perhaps under another name
		if err := t.Source.ReadRegion(ctx, dst, start); err != nil {
			return 0, err
		}
	}
	t.Layer.Pad(b.array, inside)
	n, _ := ndarray.Bytes(t.readType(), inside)
	return int64(n), nil
}

// write appends the layer that begins at index at to a unit. Nothing is written before the
// first layer that does not hold only the fill value.
func (b *layered) write(ctx context.Context, u *layeredUnit, at []int) error {
	t := b.of
	box := ndarray.Region{Start: make([]int, len(at)), Shape: t.Layer.Chunk().Shape}
	for i, n := range box.Shape {
		box.Start[i] = (u.index[i] - b.first[i]) * n
	}
	piece := b.array.Sub(box)
	if u.stream == nil && !t.KeepEmpty && ndarray.Uniform(piece, t.fill()) {
		u.empty++
		if t.Digest {
			u.digest += digest.Within(piece, at, u.place)
		}
		return nil
	}
	if u.stream == nil {
		if err := b.begin(ctx, u); err != nil {
			return err
		}
	}
	var seen func(ndarray.Array)
	if t.Digest {
		seen = func(piece ndarray.Array) { u.digest += digest.Within(piece, at, u.place) }
	}
	return b.append(u, piece, 1, seen)
}

// begin begins the object of a unit, with the layers that hold only the fill value.
func (b *layered) begin(ctx context.Context, u *layeredUnit) (err error) {
	t := b.of
	if u.stream, err = t.Stream(ctx, u.index); err != nil {
		u.stream = nil
		return err
	}
	if u.empty == 0 {
		return nil
	}
	chunk := t.Layer.Chunk()
	piece, buffer, err := b.pool.Array(chunk.Type, chunk.Shape)
	if err != nil {
		return err
	}
	defer buffer.Release()
	ndarray.Fill(piece, t.fill())
	return b.append(u, piece, u.empty, nil)
}

// append encodes a layer of a unit, and writes it a number of times.
func (b *layered) append(u *layeredUnit, piece ndarray.Array, times int, seen func(ndarray.Array)) error {
	data, buffer, err := b.of.Layer.EncodeSeen(b.pool, piece, seen)
	if buffer != nil {
		defer buffer.Release()
	}
	for range times {
		if err == nil {
			_, err = u.stream.Write(data)
		}
	}
	return err
}

// finish ends the object of a unit and returns its receipt.
func (b *layered) finish(u *layeredUnit) (receipt sinks.Receipt, err error) {
	receipt.Empty = u.stream == nil
	if u.stream != nil {
		if receipt, err = u.stream.Close(); err != nil {
			return receipt, err
		}
		u.stream = nil
		if b.of.Digest {
			receipt.Digest = digest.Optional{Sum: u.digest, Known: true, Behind: uint8(b.of.Behind)}
		}
	}
	receipt.Array, receipt.Unit = b.task, u.unit
	return receipt, nil
}
