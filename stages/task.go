package stages

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
)

// Writer stores the chunks of one array; *sinks.ArrayWriter is one.
type Writer interface {
	Put(ctx context.Context, index []int, data []byte) (sinks.Receipt, error)
}

// Stream stores one chunk piece by piece; *sinks.Stream is one.
type Stream interface {
	io.Writer
	// Close ends the object.
	Close() (sinks.Receipt, error)
	// Abort gives the object up.
	Abort() error
}

// Converter changes elements on their way from the source to the chain, each by
// itself; a bound cast_value codec is one. It is safe for concurrent use.
type Converter interface {
	// Encode fills dst from src, two arrays of one shape.
	Encode(dst, src ndarray.Array) error
}

// Task is one array on its way: where it comes from, what happens to its
// chunks and where they go. It is immutable while Run runs.
type Task struct {
	Path   string // of the array in the target, for messages
	Source sources.Array
	Grid   zarr.Grid // of stored objects
	// First are the coordinates, in the array of the target, of the grid's first
	// object, for messages; nil: they are all 0.
	First []int
	// Convert makes of the source's elements those that the chain takes; nil:
	// they are of one type, perhaps under two names.
	Convert Converter
	Chain   *codecs.Chain
	Writer  Writer
	// Stream begins a chunk that is a shard. StreamBytes is the memory that it
	// takes until it ends.
	Stream      func(ctx context.Context, index []int) (Stream, error)
	StreamBytes int
	// Stored, if set, has the objects of the grid as the chain would make them:
	// they are written as they are, without being decoded. Piece is the most
	// bytes of one that are in memory at the same time, unless all of them are
	// needed to verify it; 0: 8 MiB.
	Stored sources.Stored
	Piece  int
	// Copy, if set, has the target's store itself copy an object of Stored, which
	// in is or holds the bytes of; false: it did not, and the object is written.
	Copy func(ctx context.Context, index []int, in codecs.Input) (_ sinks.Receipt, ok bool, err error)
	// Block is the shape, in chunks, of the boxes whose source bytes are read
	// together; nil: one chunk. Where chunks are shards, it is in inner chunks
	// and does not reach beyond a shard: extents of 1, then any extent, then
	// those of the shard, so that its inner chunks follow each other in C order.
	Block []int
	// AtOnce is how many chunks of a block, inner ones where chunks are shards,
	// are encoded and written at the same time: memory for so many is reserved
	// with the block's. 0: all of them.
	AtOnce int
	// KeepEmpty stores chunks that hold only the fill value, too.
	KeepEmpty bool
	// Done tells the units that need not be done again; nil: none.
	Done func(unit int) bool
}

// Receipt says that a unit was stored, or needs no object.
type Receipt struct {
	Task  int // index of the task
	Unit  int // number of the chunk in the task's grid
	Bytes int64
	Sum   uint32 // CRC-32C of the object
	// Version is that of the object as the store tells it, see sinks.Receipt.
	Version string
	Empty   bool // only the fill value, nothing stored
}

// Event tells an observer of a unit that was written.
type Event struct {
	Receipt
	// Read is the bytes of array elements that the unit holds. A shard is told
	// of in parts, as its inner chunks are encoded: theirs are counted with
	// Part set, and the shard itself, which may come before the last of them,
	// has none left. So is an object that is carried through without being in
	// memory whole, as it is copied. Parts say how far a run is and no more: a shard that is not
	// finished is begun anew by the next one.
	Read int64
	// Part is set for parts: of the receipt, there are only Task and
	// Unit.
	Part bool
}

// Config is how to run. Memory and Commit are required.
type Config struct {
	Memory int // bytes of chunk data in flight
	// Workers of each stage; 0: one for each processor.
	Read, Encode, Write int
	// Far says that sources are behind a network: all readers work from the
	// beginning, because they wait for answers and not for a disk.
	Far bool
	// Commit is called with receipts of stored units, never twice at the same
	// time. When it returns, they are durable. The slice is borrowed.
	Commit func(ctx context.Context, receipts []Receipt) error
	// Every is the longest time that a receipt waits for its commit, 0: five
	// seconds.
	Every time.Duration
	// Observe, if set, is called for each unit after it was written, and for
	// each inner chunk of a shard, from several goroutines.
	Observe func(Event)
	// Stop, when it is closed, ends the run in good order: what is in flight
	// is finished and committed, but for units of a block that nobody encodes
	// yet.
	Stop <-chan struct{}
}

// cells is the grid of what is read and encoded on its own: inner chunks where
// the stored objects are shards, else chunks.
func (t *Task) cells() zarr.Grid {
	return zarr.Grid{Shape: t.Grid.Shape, Chunk: t.cellChain().Chunk().Shape}
}

// cellChain encodes a cell.
func (t *Task) cellChain() *codecs.Chain {
	if s, ok := t.parted(); ok {
		return s.Inner()
	}
	return t.Chain
}

// block is a box of cells that are read together.
type block struct {
	task  int
	first []int  // coordinates of its first cell
	count []int  // cells along each dimension
	units []int  // numbers of the units to do, or of the cells in a shard
	shard *shard // that the cells belong to, if they do
}

// blocks calls f for each block that has units left, in C order, until f
// returns false. begin is called before the first block of a shard, and false
// ends it as well.
func (t *Task) blocks(task int, begin func(*shard) bool, f func(block) bool) {
	if layout, ok := t.parted(); ok {
		more := true
		for unit := range t.Grid.Len() {
			if t.Done != nil && t.Done(unit) {
				continue
			}
			s := newShard(t, task, unit, layout)
			if more = begin(s); more {
				s.blocks(func(b block) bool {
					more = f(b)
					return more
				})
			}
			if !more {
				return
			}
		}
		return
	}
	counts := t.Grid.Count()
	if slices.Contains(counts, 0) {
		return
	}
	shape := t.blockShape()
	outer := zarr.Grid{Shape: counts, Chunk: shape}
	index, last := make([]int, len(counts)), make([]int, len(counts))
	for n := range outer.Len() {
		r := outer.Region(outer.Index(n))
		b := block{task: task, first: r.Start, count: r.Shape}
		// Where nearly all is done, to look for what is left is the work: it takes
		// no memory for a unit.
		index, last := append(index[:0], r.Start...), append(last[:0], r.Start...)
		for i, n := range r.Shape {
			last[i] += n - 1
		}
		for at := index; at != nil; at = ndarray.Next(at, r.Start, last) {
			unit := 0
			for i, n := range counts {
				unit = unit*n + at[i]
			}
			if t.Done == nil || !t.Done(unit) {
				b.units = append(b.units, unit)
			}
		}
		if len(b.units) > 0 && !f(b) {
			return
		}
	}
}

func (t *Task) blockShape() []int {
	if t.Block != nil {
		return t.Block
	}
	return ones(len(t.Grid.Chunk))
}

// waiting is the most bytes that an encoded inner chunk takes while it waits
// for its shard to be complete, because the index lies in front; 0 where it
// does not, or where nothing bounds them.
func (t *Task) waiting() int {
	s, ok := t.parted()
	if !ok || !s.AtStart() || s.Inner().Size().Unbounded {
		return 0
	}
	return ndarray.Rounded(s.Inner().Size().Max)
}

// own is the most bytes that a shard itself takes, beside its inner chunks: the
// places of these, its index, and what its stream collects. It is 0 for a task
// without shards.
func (t *Task) own() int {
	s, ok := t.parted()
	if !ok {
		return 0
	}
	n, _ := ndarray.Elements(s.Count())
	return 16*n + 3*s.IndexSize() + t.StreamBytes
}

func ones(n int) []int { return slices.Repeat([]int{1}, n) }

// bufferShape is the shape, in elements, of a block of whole chunks.
func (t *Task) bufferShape(count []int) []int {
	shape := slices.Clone(t.cellChain().Chunk().Shape)
	for i, n := range count {
		shape[i] *= n
	}
	return shape
}

// readType is the data type of a block's buffer.
func (t *Task) readType() dtype.Type {
	if t.Convert != nil {
		return t.Source.Info().Type
	}
	return t.Chain.Chunk().Type
}

// cost is the most bytes that a block of so many cells holds: its buffer, and
// for each cell what converting and encoding it takes. Before the first of them
// is encoded, reading takes what the source needs.
func (t *Task) cost(cells int) (buffer, unit, reading int) {
	if t.Stored != nil {
		return cells * t.carriedCost(), 0, 0
	}
	cell := t.cellChain().Chunk()
	n, _ := ndarray.Bytes(t.readType(), cell.Shape)
	unit = t.cellChain().Memory()
	if t.Convert != nil {
		converted, _ := ndarray.Bytes(cell.Type, cell.Shape)
		unit += ndarray.Rounded(converted)
	}
	return ndarray.Rounded(n * cells), unit, t.Source.Info().Memory
}

// costOf is the Cost of a task with blocks of so many cells, of which atOnce are
// encoded at a time.
func (t *Task) costOf(cells, atOnce int) int {
	buffer, unit, reading := t.cost(cells)
	most := buffer + max(atOnce*unit, reading) + t.own()
	if s, ok := t.parted(); ok {
		n, _ := ndarray.Elements(s.Count())
		most += n * t.waiting()
	}
	return most
}

// Cost returns the most bytes that one full block of the task holds in flight,
// and its shard with it. A task whose Cost is above Config.Memory cannot run.
func (t *Task) Cost() int {
	n, _ := ndarray.Elements(t.blockShape())
	return t.costOf(n, t.atOnce(n))
}

// atOnce is how many of some cells of a block are encoded at the same time.
func (t *Task) atOnce(cells int) int {
	if t.AtOnce == 0 {
		return cells
	}
	return min(t.AtOnce, cells)
}

// Cheaper is a hint for a task that cannot run: what makes its Cost less, or
// what else to do.
func (t *Task) Cheaper() string {
	hint := "raise run.memory or choose smaller chunks"
	if s, ok := t.parted(); ok && s.AtStart() {
		hint += "; with index_location: end an inner chunk is written as soon as it is encoded, and need not wait for the whole shard"
	}
	return hint
}

// elements is the bytes of the array's elements in a box of a grid over it.
func (t *Task) elements(grid zarr.Grid, index []int) int64 {
	n, _ := ndarray.Bytes(t.Chain.Chunk().Type, grid.Region(index).Shape)
	return int64(n)
}

// fill is the value that stands in the padding of chunks at the edges.
func (t *Task) fill() dtype.Scalar { return t.Chain.Chunk().Fill }

// fail names the array and the chunk that an error is about.
func (t *Task) fail(index []int, doing string, err error) error {
	if t.First != nil {
		index = slices.Clone(index)
		cell := t.cellChain().Chunk().Shape
		for i, n := range t.First {
			index[i] += n * (t.Grid.Chunk[i] / cell[i])
		}
	}
	return fmt.Errorf("array %q, chunk %v: %s: %w", t.Path, index, doing, err)
}
