package stages

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// mostCells is the most cells of a block that is chosen for the source's chunks. Larger
// blocks gain nothing, and choosing among more would take long.
const mostCells = 1 << 14

// ReadBlock returns Block and AtOnce for the task within limit bytes in flight. The
// block is the one with which the fewest source chunks are decoded. It is then made
// longer, until the source is read in long runs, but never so long that cells have to
// wait to be encoded. AtOnce follows from the bytes that are left when the block has
// been read. The choice changes how the source is read, and nothing in the objects that
// are written.
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

// longer makes a block longer, within limit bytes, until it is read in long runs.
func (t *Task) longer(block choice, limit int) []int {
	info := t.Source.Info()
	counts := t.blockCounts()
	shape, cells := block.shape, block.cells
	order := info.Slowest
	_, sharded := t.Chain.InnerChunks()
	if order == nil || sharded {
		order = make([]int, len(counts))
		for i := range order {
			order[i] = i
		}
	}
	long := info.LongRun
	for _, dim := range slices.Backward(order) {
		// If the runs are still short, the block has all cells of the faster dimensions.
		// So a block in a shard stays a run of inner chunks.
		for t.run(order, shape, long) < long && shape[dim] < counts[dim] {
			// The longer block ends where blocks of the present length end, too. So no
			// source chunk is decoded more often.
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

// run returns how many bytes of a block of this shape lie together in the source.
// Counting ends at long.
func (t *Task) run(order, shape []int, long int) int {
	n, cell := ndarray.ItemSize(t.readType()), t.cells().Chunk
	if t.Variable() {
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

// blockCounts returns the most cells that a block may have along each dimension.
func (t *Task) blockCounts() []int {
	if s, ok := t.Chain.InnerChunks(); ok {
		return s.Count()
	}
	return t.Grid.Count()
}

// guess is costOf. If elements are of variable size, guess assumes that they are as long
// as the source expects.
func (t *Task) guess(cells, atOnce int) int {
	if !t.Variable() {
		return t.costOf(cells, atOnce)
	}
	return t.guessAt(cells, atOnce, t.Source.Info().ItemBytes)
}

// guessAt is guess for elements of variable size of item bytes each.
func (t *Task) guessAt(cells, atOnce, item int) int {
	const most = 1 << 60
	n, _ := ndarray.Elements(t.cellChain().Chunk().Shape)
	cell := float64(n) * float64(item)
	return int(min(float64(t.costOf(cells, atOnce))+float64(cells)*cell+2*float64(atOnce)*(cell+4*float64(n)), most))
}

// choice is a shape of blocks, along all dimensions or some of them.
type choice struct {
	shape   []int // in cells
	cells   int
	decodes int // how many source chunks are decoded until all blocks are read
}

// fewestDecodes returns the smallest of the blocks within limit bytes in flight with
// which the fewest source chunks are decoded.
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
	if _, sharded := t.Chain.InnerChunks(); sharded {
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

// fewestInShard is fewestDecodes for blocks in a shard: runs of inner chunks, see
// Task.Block.
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

// extents lists extents of blocks along a dimension. Each decodes fewer source chunks
// than any shorter extent. In a shard they divide the shard's extent.
func (t *Task) extents(dim, count, most int) (list []choice) {
	_, sharded := t.Chain.InnerChunks()
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

// improving sorts choices by size, and keeps those that decode fewer source chunks than
// any smaller one.
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

// decodesAlong returns how many source chunks are decoded along a dimension that is read
// in blocks of n cells. Each block decodes the chunks that it meets. So the result is the
// number of blocks, plus one for each boundary between chunks at which no block ends.
func (t *Task) decodesAlong(dim, n int) int {
	block, chunk, length := n*t.cells().Chunk[dim], t.Source.Info().Chunks[dim], t.Grid.Shape[dim]
	chunks := ceil(length, chunk)
	return ceil(length, block) + chunks - ceil(chunks, block/gcd(block, chunk))
}

// Decodes returns how many source chunks are decoded until all blocks are read, and how
// many chunks there are. A chunk may be decoded several times. Both numbers are 0 if the
// source reads any region at the same cost. Block must be one that ReadBlock or InLayers has
// returned, or nil.
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
	if t.Layer != nil {
		decodes = chunks // no part of a chunk is read twice
	}
	return decodes, chunks
}

// DecodeOnce returns the least Config.Memory with which ReadBlock finds blocks that
// decode each source chunk once. ok is false if there are none.
func (t *Task) DecodeOnce() (memory int, ok bool) {
	best := *t
	best.Block, best.AtOnce = t.fewestDecodes(math.MaxInt).shape, 1
	if decodes, chunks := best.Decodes(); decodes > chunks {
		return 0, false
	}
	return best.Cost(), true
}

// ceil returns a / b, rounded up.
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
