package stages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Writer stores the chunks of one array, as *sinks.ArrayWriter does.
type Writer interface {
	Put(ctx context.Context, index []int, data []byte) (sinks.Receipt, error)
}

// Stream stores one chunk piece by piece, as *sinks.Stream does.
type Stream interface {
	io.Writer
	// Close ends the object.
	Close() (sinks.Receipt, error)
	// Abort gives the object up.
	Abort() error
}

// Task is the work for one array: the source of its chunks, their transform, and where
// they are stored. It is immutable while Run runs.
type Task struct {
	Path   string // of the array in the target, for messages
	Source sources.Array
	Grid   zarr.Grid // of stored objects
	// First is the coordinates, in the array of the target, of the grid's first
	// object, for messages and digests; nil: all are 0.
	First []int
	// Convert converts the source's elements to those that the chain takes. nil: the
	// types are the same, perhaps with two names.
	Convert sources.Converter
	Chain   *codecs.Chain
	Writer  Writer
	// Stream begins a chunk that is a shard. StreamBytes is the memory that the stream
	// takes until it ends.
	Stream      func(ctx context.Context, index []int) (Stream, error)
	StreamBytes int
	// Stored, if set, has the objects of the grid with the bytes that the chain would
	// make. They are carried through, without being decoded. Piece is the most bytes of
	// one object that are in memory at the same time, unless verifying the object takes
	// all of its bytes; 0: 8 MiB.
	Stored sources.Stored
	Piece  int
	// Copy, if set, makes the target's store copy an object of Stored. in is the object,
	// or its bytes in memory. ok is false if the store does not copy the object; then
	// the object is written.
	Copy func(ctx context.Context, index []int, in codecs.Input) (_ sinks.Receipt, ok bool, err error)
	// Block is the shape of the boxes whose source bytes are read together, in chunks or,
	// if chunks are shards, in inner chunks; nil: one. A block in a shard is a run of
	// inner chunks in C order: its extents are 1 in the first dimensions, any number in
	// one dimension, and the shard's in the last dimensions.
	Block []int
	// AtOnce is how many cells of a block are encoded and written at the same time. The
	// block reserves the memory for that. 0: all of them.
	AtOnce int
	// Layer, if set, is the chain of a layer of a chunk, see [codecs.Chain.Layer]. A writer
	// then reads, encodes and stores all chunks of a block layer by layer, without ever
	// having a chunk in memory. See InLayers, which chooses Layer and Block together.
	Layer *codecs.Chain
	// Digest says that receipts have the digests of units. A digest is of the elements as
	// they are behind the first Behind codecs in the array's metadata, which are
	// array → array. Exact, a result of [codecs.Chain.Exact], is how many of these codecs
	// the Chain has.
	Digest        bool
	Behind, Exact int
	// Decode, if set, decodes objects that are carried through, for their digests. nil:
	// such objects have no digests.
	Decode *codecs.Boxes
	// KeepEmpty stores also chunks that hold only the fill value.
	KeepEmpty bool
	// Done tells the units that need not be done again; nil: none.
	Done func(unit int) bool
}

// Tasks is the work of a Run. Run asks for each task when its turn comes, because the
// tasks of very many arrays would take much memory together. Run may ask for a task
// several times.
type Tasks interface {
	Len() int
	Task(i int) *Task
}

// List is Tasks that are all in memory.
type List []Task

// Len implements [Tasks].
func (l List) Len() int { return len(l) }

// Task implements [Tasks].
func (l List) Task(i int) *Task { return &l[i] }

// Event tells an observer of progress: a unit that was written, or a piece of a unit.
//
// A shard is reported piece by piece: one event with Partial set for each inner chunk,
// and one for the shard. The shard's event adds no bytes, because its inner chunks have
// been counted. It may arrive before the last of them. An object that is carried through
// and too large for memory is reported in the same way, as its pieces are copied.
// Partial events only show progress: the next run writes an unfinished shard from its
// beginning.
type Event struct {
	sinks.Receipt
	// Read is the bytes of array elements that the unit, or its piece, holds.
	Read int64
	// Partial is set for a piece of a unit. Then only Array and Unit of the receipt are
	// set.
	Partial bool
}

// cells is the grid of cells: inner chunks if the stored objects are shards, else
// chunks. A cell is encoded on its own.
func (t *Task) cells() zarr.Grid {
	return zarr.Grid{Shape: t.Grid.Shape, Chunk: t.cellChain().Chunk().Shape}
}

// cellChain returns the chain that encodes a cell.
func (t *Task) cellChain() *codecs.Chain {
	if s, ok := t.shardLayout(); ok {
		return s.Inner()
	}
	return t.Chain
}

func (t *Task) blockShape() []int {
	if t.Block != nil {
		return t.Block
	}
	return ones(len(t.Grid.Chunk))
}

// waiting returns the most bytes that an encoded inner chunk takes while it waits for
// the last one of its shard. Inner chunks wait if the shard's index is at the start. It
// is 0 if they do not wait, or if nothing bounds their size.
func (t *Task) waiting() int {
	s, ok := t.shardLayout()
	if !ok || !s.AtStart() || s.Inner().Size().Unbounded {
		return 0
	}
	return ndarray.Rounded(s.Inner().Size().Max)
}

// own returns the most bytes that a shard takes beside its inner chunks: the list of
// their places, the index, and the buffer of the stream. It is 0 for a task without
// shards.
func (t *Task) own() int {
	s, ok := t.shardLayout()
	if !ok {
		return 0
	}
	n, _ := ndarray.Elements(s.Count())
	return 16*n + 3*s.IndexSize() + t.StreamBytes
}

func ones(n int) []int { return slices.Repeat([]int{1}, n) }

// bufferShape returns the shape, in elements, of a block of whole cells.
func (t *Task) bufferShape(count []int) []int {
	shape := slices.Clone(t.cellChain().Chunk().Shape)
	for i, n := range count {
		shape[i] *= n
	}
	return shape
}

// readType returns the data type of a block's buffer.
func (t *Task) readType() dtype.Type {
	if t.Convert != nil {
		return t.Source.Info().Type
	}
	return t.Chain.Chunk().Type
}

// cost returns the most bytes that a block of the given number of cells takes. buffer is
// the block's buffer. unit is the memory in which one cell is converted and encoded.
// reading is the memory that the source takes until the block is read; no cell is encoded
// before that.
func (t *Task) cost(cells int) (buffer, unit, reading int) {
	switch {
	case t.Stored != nil:
		return cells * t.carriedCost(), 0, 0
	case t.Layer != nil:
		return t.layeredCost(cells), 0, 0
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

// layeredCost returns the most bytes that a block of the given number of chunks takes, if it
// is written layer by layer: a layer, the encoding of a piece, the encoding of a piece that
// holds only the fill value, and what the source and the streams take.
func (t *Task) layeredCost(cells int) int {
	piece, _ := ndarray.Bytes(t.readType(), t.Layer.Chunk().Shape)
	return ndarray.Rounded(piece*cells) + 2*(ndarray.Rounded(piece)+t.Layer.Memory()) + t.Source.Info().Memory + cells*t.StreamBytes
}

// costOf returns the Cost of a task with blocks of the given number of cells, of which
// atOnce are encoded at the same time.
func (t *Task) costOf(cells, atOnce int) int {
	buffer, unit, reading := t.cost(cells)
	most := buffer + max(atOnce*unit, reading) + t.own()
	if s, ok := t.shardLayout(); ok {
		n, _ := ndarray.Elements(s.Count())
		most += n * t.waiting()
	}
	return most
}

// Cost returns the most bytes that one full block of the task takes in flight, with its
// shard. A task whose Cost is above Config.Memory cannot run.
func (t *Task) Cost() int {
	n, _ := ndarray.Elements(t.blockShape())
	return t.costOf(n, t.atOnce(n))
}

// atOnce returns how many cells are encoded at the same time, of a block with the given
// number of cells.
func (t *Task) atOnce(cells int) int {
	if t.AtOnce == 0 {
		return cells
	}
	return min(t.AtOnce, cells)
}

// TooLarge says that the Cost of the task is above a budget, what of it the source's
// chunks take, and what helps. The budget is what is left of run.memory besides other bytes.
func (t *Task) TooLarge(budget, others int) (message, hint string) {
	const mib = 1 << 20
	cost := t.Cost()
	message = fmt.Sprintf("one block of chunks of shape %v takes %s in flight", t.Grid.Chunk, words.Size(int64(cost)))
	hint = fmt.Sprintf("raise run.memory to %dMiB", (cost+others+mib-1)/mib)
	_, unit, reading := t.cost(1)
	if reading > unit && t.Stored == nil {
		message += fmt.Sprintf(", of which %s are for reading the source", words.Size(int64(reading)))
		if chunk := t.Source.Info().Chunks; chunk != nil {
			message += fmt.Sprintf(" with its chunks of shape %v", chunk)
		}
	}
	if reading < budget {
		hint += t.cheaper()
	}
	return message, hint
}

// cheaper is how else to run a task that needs more memory than the budget.
func (t *Task) cheaper() string {
	hint := " or choose smaller chunks"
	if s, ok := t.shardLayout(); ok && s.AtStart() {
		hint += "; with index_location: end an inner chunk is written as soon as it is encoded, and need not wait for the whole shard"
	}
	return hint
}

// elements returns the bytes of the array's elements in a box of a grid over the array.
func (t *Task) elements(grid zarr.Grid, index []int) int64 {
	n, _ := ndarray.Bytes(t.Chain.Chunk().Type, grid.Region(index).Shape)
	return int64(n)
}

// fill returns the value in the padding of chunks at the edges.
func (t *Task) fill() dtype.Scalar { return t.Chain.Chunk().Fill }

// fail returns an error that names the array, the chunk and the step that failed. If what was read
// is damaged, the error names a way out.
func (t *Task) fail(index []int, doing string, err error) error {
	if doing == "read" && (errors.Is(err, codecs.ErrCorrupt) || errors.Is(err, codecs.ErrTooLarge)) {
		way := "take another copy of it"
		if t.Path != "" {
			way += ", or leave the array out with source.exclude"
		}
		err = fmt.Errorf("%w (the source is damaged: %s)", sources.WithoutArray(err, t.Path), way)
	}
	return fmt.Errorf("array %q, chunk %v: %s: %w", t.Path, t.inTarget(index), doing, sources.WithoutArray(err, t.Path))
}

// inTarget returns the index of a cell in the array of the target.
func (t *Task) inTarget(index []int) []int {
	if t.First == nil {
		return index
	}
	index = slices.Clone(index)
	cell := t.cellChain().Chunk().Shape
	for i, n := range t.First {
		index[i] += n * (t.Grid.Chunk[i] / cell[i])
	}
	return index
}

// Variable reports whether the task's elements are of variable size.
func (t *Task) Variable() bool {
	return t.Stored == nil && t.readType().Size() == 0
}

// shardLayout returns the layout of the shards. It is false if the stored objects are no
// shards, or are carried through: then no inner chunk is encoded on its own.
func (t *Task) shardLayout() (*codecs.Shards, bool) {
	if t.Stored != nil {
		return nil, false
	}
	return t.Chain.InnerChunks()
}

// room returns the most bytes of an object carried through that are in memory at the
// same time. own is the other memory that the object takes until it is written.
func (t *Task) room() (room, own int) {
	size, piece := t.Chain.Size(), orElse(t.Piece, carriedPiece)
	if size.Max <= piece || t.Chain.VerifiesAll() && !size.Unbounded {
		return size.Max, t.Chain.VerifyMemory(true)
	}
	return piece, max(t.StreamBytes, t.Chain.VerifyMemory(false)) // verifying ends before streaming begins
}

// carriedCost returns the most bytes that an object carried through takes.
func (t *Task) carriedCost() int {
	room, own := t.room()
	if t.Decode != nil { // decoding ends before writing begins, as verifying does
		own = max(own, t.Decode.Memory())
	}
	return ndarray.Rounded(room) + own
}

// waitsForAll reports whether inner chunks of variable size wait for the last one of
// their shard. Then they keep their memory until the shard is written.
func (t *Task) waitsForAll() bool {
	s, ok := t.shardLayout()
	return ok && s.AtStart() && t.Variable()
}

// inside returns the shape of the part of a box that lies within the array. The box
// begins at start.
func (t *Task) inside(start, shape []int) []int {
	inside := slices.Clone(shape)
	for i, n := range t.Grid.Shape {
		inside[i] = min(shape[i], n-start[i])
	}
	return inside
}

// carriedPiece is the default of Task.Piece.
const carriedPiece = 8 << 20

func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}
