package stages

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// mostCells bounds the cells of a block that is chosen for the source's chunks:
// so many that there is nothing left to gain, and few enough to be chosen from
// soon.
const mostCells = 1 << 14

// ReadBlock returns Block and AtOnce for the task within limit bytes in flight:
// the block with which the fewest source chunks are decoded, made longer as far
// as it takes for the source to be read in long runs. What it leaves of limit is
// for its units; a block that all units of can be encoded at once is not made so
// long that some have to wait. The source's chunks and its dimensions, slowest
// first, are in its Info. The choice says how the source is read and nothing
// about the objects that are written.
func (t *Task) ReadBlock(limit int) (block []int, atOnce int) {
	best := t.fewestDecodes(limit)
	block = t.longer(best, limit)
	cells, _ := ndarray.Elements(block)
	atOnce = 1 + sort.Search(cells-1, func(n int) bool { return t.guess(cells, n+2) > limit })
	if atOnce == cells {
		atOnce = 0
	}
	return block, atOnce
}

// longer returns a block made longer within limit bytes, until it is read in
// long runs.
func (t *Task) longer(block choice, limit int) []int {
	info := t.Source.Info()
	counts := t.blockCounts()
	shape, cells := block.shape, block.cells
	order := info.Slowest
	_, sharded := t.Chain.Parted()
	if order == nil || sharded {
		order = make([]int, len(counts))
		for i := range order {
			order[i] = i
		}
	}
	long := info.LongRun
	for _, dim := range slices.Backward(order) {
		// Unless the runs are long by now, the block has all cells of the dimensions
		// behind this one: that of a shard stays a run of inner chunks.
		for t.run(order, shape, long) < long && shape[dim] < counts[dim] {
			// Where this block ends, the one so far does as well: no source chunk
			// is decoded more often.
			longer := min(2*shape[dim], counts[dim])
			for sharded && counts[dim]%longer != 0 {
				longer += shape[dim]
			}
			more := cells / shape[dim] * longer
			if t.guess(more, more) > limit {
				return shape
			}
			shape[dim], cells = longer, more
		}
	}
	return shape
}

// run is the number of bytes that lie together in the source when a block of
// this shape is read; counting ends at long.
func (t *Task) run(order, shape []int, long int) int {
	n, cell := ndarray.ItemSize(t.readType()), t.cells().Chunk
	if t.variable() {
		n += t.Source.Info().ItemBytes
	}
	for _, dim := range slices.Backward(order) {
		extent := min(shape[dim]*cell[dim], t.Grid.Shape[dim])
		n *= extent
		if extent < t.Grid.Shape[dim] || n >= long {
			break
		}
	}
	return n
}

// blockCounts is the most cells that a block may have along each dimension.
func (t *Task) blockCounts() []int {
	if s, ok := t.Chain.Parted(); ok {
		return s.Count()
	}
	return t.Grid.Count()
}

// guess is costOf with what elements of variable size take if they are as long as the
// source believes.
func (t *Task) guess(cells, atOnce int) int {
	if !t.variable() {
		return t.costOf(cells, atOnce)
	}
	return t.guessAt(cells, atOnce, t.Source.Info().ItemBytes)
}

// guessAt is guess with elements of so many bytes.
func (t *Task) guessAt(cells, atOnce, item int) int {
	const most = 1 << 60
	n, _ := ndarray.Elements(t.cellChain().Chunk().Shape)
	cell := float64(n) * float64(item)
	return int(min(float64(t.costOf(cells, atOnce))+float64(cells)*cell+2*float64(atOnce)*(cell+4*float64(n)), most))
}

// choice is a shape of blocks, along all dimensions or some.
type choice struct {
	shape   []int // in cells
	cells   int
	decodes int // of source chunks, until all blocks are read
}

// fewestDecodes returns the blocks within limit bytes in flight with which the
// fewest source chunks are decoded, and of those the smallest.
func (t *Task) fewestDecodes(limit int) choice {
	counts := t.blockCounts()
	single := choice{shape: ones(len(counts)), cells: 1}
	if t.Source.Info().Chunks == nil || slices.Contains(t.Grid.Shape, 0) {
		return single
	}
	all, _ := ndarray.Elements(counts)
	most := max(1, sort.Search(min(all, mostCells), func(n int) bool { return t.guess(n+1, 1) > limit }))
	extents := make([][]choice, len(counts))
	for dim, count := range counts {
		extents[dim] = t.extents(dim, count, most)
	}
	if _, sharded := t.Chain.Parted(); sharded {
		return fewestInShard(counts, extents, most)
	}
	best := []choice{{[]int{}, 1, 1}}
	for dim := range counts {
		var longer []choice
		for _, c := range best {
			for _, e := range extents[dim] {
				if c.cells*e.cells > most {
					break
				}
				longer = append(longer, choice{slices.Concat(c.shape, e.shape), c.cells * e.cells, c.decodes * e.decodes})
			}
		}
		best = improving(longer)
	}
	return best[len(best)-1]
}

// fewestInShard is fewestDecodes where blocks have extents of 1, then any, then
// those of the shard.
func fewestInShard(counts []int, extents [][]choice, most int) choice {
	shape, decodes, cells := ones(len(counts)), 1, 1
	for _, list := range extents {
		decodes *= list[0].decodes
	}
	best := choice{slices.Clone(shape), 1, decodes}
	for dim, list := range slices.Backward(extents) {
		rest := decodes / list[0].decodes // of the other dimensions
		for _, e := range list {
			if cells*e.cells <= most && rest*e.decodes < best.decodes {
				shape[dim] = e.cells
				best = choice{slices.Clone(shape), cells * e.cells, rest * e.decodes}
			}
		}
		if cells *= counts[dim]; cells > most {
			break
		}
		shape[dim] = counts[dim]
		decodes = rest * list[len(list)-1].decodes
	}
	return best
}

// extents lists the extents of blocks along a dimension, each with which fewer
// source chunks are decoded than with any shorter one. Those of blocks within a
// shard divide it.
func (t *Task) extents(dim, count, most int) (list []choice) {
	_, sharded := t.Chain.Parted()
	for n := 1; n <= min(count, most); n++ {
		if sharded && count%n != 0 {
			continue
		}
		if decodes := t.decodesAlong(dim, n); n == 1 || decodes < list[len(list)-1].decodes {
			list = append(list, choice{[]int{n}, n, decodes})
		}
	}
	return list
}

// improving sorts choices by their sizes and keeps those with which fewer source
// chunks are decoded than with any smaller one.
func improving(list []choice) []choice {
	slices.SortFunc(list, func(a, b choice) int {
		return cmp.Or(cmp.Compare(a.cells, b.cells), cmp.Compare(a.decodes, b.decodes), slices.Compare(a.shape, b.shape))
	})
	kept := list[:1]
	for _, c := range list[1:] {
		if c.decodes < kept[len(kept)-1].decodes {
			kept = append(kept, c)
		}
	}
	return kept
}

// decodesAlong is how many source chunks are decoded along a dimension if it is
// read in blocks of n cells. Each block decodes what it meets, so there are as
// many decodes as pieces when both grids cut: one more for each cut that they do
// not share.
func (t *Task) decodesAlong(dim, n int) int {
	block, chunk, length := n*t.cells().Chunk[dim], t.Source.Info().Chunks[dim], t.Grid.Shape[dim]
	chunks := ceil(length, chunk)
	return ceil(length, block) + chunks - ceil(chunks, block/gcd(block, chunk))
}

// Decodes returns how many source chunks are decoded, some of them several times
// perhaps, until all blocks are read, and how many chunks there are; both are 0
// where the source can read any region at the same cost. Block is one that
// ReadBlock returned, or nil.
func (t *Task) Decodes() (decodes, chunks int) {
	info := t.Source.Info()
	if info.Chunks == nil {
		return 0, 0
	}
	decodes, chunks = 1, 1
	for dim, n := range t.blockShape() {
		decodes *= t.decodesAlong(dim, n) // no more pieces than elements
		chunks *= ceil(t.Grid.Shape[dim], info.Chunks[dim])
	}
	return decodes, chunks
}

// DecodeOnce returns the least Config.Memory with which ReadBlock finds blocks
// that decode each source chunk once, and false where none is found.
func (t *Task) DecodeOnce() (memory int, ok bool) {
	best := *t
	best.Block, best.AtOnce = t.fewestDecodes(math.MaxInt).shape, 1
	if decodes, chunks := best.Decodes(); decodes > chunks {
		return 0, false
	}
	return best.Cost(), true
}

// ceil is a / b, rounded up.
func ceil(a, b int) int {
	n := a / b
	if a%b != 0 {
		n++
	}
	return n
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
