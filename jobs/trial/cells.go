package trial

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/stages"
	"github.com/zmigrate/zmigrate/zarr"
)

// Cell is a chunk of an array, or an inner chunk of a shard. Elements are what a chain
// receives. Those beyond the shape Inside lie outside of the array.
type Cell struct {
	Elements ndarray.Array
	Start    []int // in the grid of the task
	Inside   []int
}

// Reading says what it took to read cells.
type Reading struct {
	Cells int           // how many were read
	Of    int           // how many there are
	Bytes int64         // of elements that were read
	Time  time.Duration // of reading and converting, one after the other
}

// Read calls each for n cells, or for all if there are no more. Cells have the shape and the
// type of in. Blocks of cells are read together, as a run does: block is their shape, nil for
// one cell. A block that takes more than memory bytes is an error. A cell is valid until each
// returns.
func Read(ctx context.Context, t *stages.Task, in codecs.Chunk, block []int, n int, memory int64, each func(Cell) error) (Reading, error) {
	grid := zarr.Grid{Shape: t.Grid.Shape, Chunk: in.Shape}
	r := reader{task: t, in: in, block: block, memory: memory, pool: &ndarray.Pool{}}
	reading := Reading{Of: grid.Len()}
	for _, index := range spread(grid, n) {
		cell, release, err := r.read(ctx, index, &reading)
		if err != nil {
			return reading, fmt.Errorf("array %q, chunk %v: %w", t.Path, index, err)
		}
		reading.Cells++
		err = each(cell)
		release()
		if err != nil {
			return reading, fmt.Errorf("array %q, chunk %v: %w", t.Path, index, err)
		}
	}
	return reading, nil
}

// reader reads the cells of one array.
type reader struct {
	task   *stages.Task
	in     codecs.Chunk
	block  []int
	memory int64
	pool   *ndarray.Pool
}

// read reads the block of a cell, and converts the elements of the cell.
func (r *reader) read(ctx context.Context, index []int, reading *Reading) (Cell, func(), error) {
	chunk := r.in.Shape
	start, shape, at := make([]int, len(chunk)), make([]int, len(chunk)), make([]int, len(chunk))
	inside := make([]int, len(chunk))
	for i, extent := range chunk {
		cells := 1
		if r.block != nil {
			cells = r.block[i]
		}
		start[i] = index[i] / cells * cells * extent
		shape[i] = min(cells*extent, r.task.Grid.Shape[i]-start[i])
		at[i] = index[i]*extent - start[i]
		inside[i] = min(extent, shape[i]-at[i])
	}
	from := r.task.Source.Info().Type
	if err := r.fits(from, shape); err != nil {
		return Cell{}, nil, err
	}
	began := time.Now()
	read, buffer, err := r.lend(from, shape)
	if err != nil {
		return Cell{}, nil, err
	}
	defer buffer.Release()
	if err = r.task.Source.ReadRegion(ctx, read, start); err == nil {
		err = read.Heap.Err()
	}
	if err != nil {
		return Cell{}, nil, err
	}
	to, kept, err := r.lend(r.in.Type, chunk)
	if err != nil {
		return Cell{}, nil, err
	}
	part := read.Sub(ndarray.Region{Start: at, Shape: inside})
	box := to.Sub(ndarray.Region{Start: make([]int, len(chunk)), Shape: inside})
	if r.task.Convert != nil {
		err = r.task.Convert.Encode(box, part)
	} else {
		part.Type = r.in.Type // the same bytes, perhaps under another name
		ndarray.Copy(box, part)
		err = to.Heap.Err()
	}
	if err != nil {
		kept.Release()
		return Cell{}, nil, err
	}
	reading.Time += time.Since(began)
	reading.Bytes += bytesOf(read)
	first := slices.Clone(start)
	for i := range first {
		first[i] += at[i]
	}
	return Cell{to, first, inside}, kept.Release, nil
}

// fits returns an error if a block of the source, and a cell, take more than the memory.
func (r *reader) fits(from dtype.Type, shape []int) error {
	read, okRead := ndarray.Bytes(from, shape)
	cell, okCell := ndarray.Bytes(r.in.Type, r.in.Shape)
	if need := int64(read) + 2*int64(cell); !okRead || !okCell || need > r.memory {
		return fmt.Errorf("a sample of one chunk of shape %v takes %s, and run.memory is %s: raise it, or choose smaller chunks", r.in.Shape, words.Size(need), words.Size(r.memory))
	}
	return nil
}

// lend lends a zeroed array from the pool. Elements of variable size are counted.
func (r *reader) lend(t dtype.Type, shape []int) (ndarray.Array, *ndarray.Buffer, error) {
	a, buffer, err := r.pool.Array(t, shape)
	if err != nil {
		return a, nil, err
	}
	clear(buffer.Bytes)
	if a.Heap != nil {
		a.Heap.Account = codecs.NewAccount(int(r.memory), "run.memory")
	}
	return a, buffer, nil
}

// bytesOf returns the size of an array's elements.
func bytesOf(a ndarray.Array) int64 {
	if a.Heap == nil {
		n, _ := ndarray.Bytes(a.Type, a.Shape)
		return int64(n)
	}
	n := int64(0)
	for item := range a.Items() {
		n += int64(len(item))
	}
	return n
}
