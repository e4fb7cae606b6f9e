package stages

import (
	"runtime"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Chunks without compression need not be in memory whole. A layer is a box of a chunk whose
// bytes lie together in the object. A block is read layer by layer, and each layer is cut
// into the pieces of the block's chunks, which are appended to their objects. So a block is
// never in memory. Its bytes go through a small buffer, which stays in the processor's
// cache:
//
//	source: slices of one index      layer: one row      chunks: tiles, each the
//	┌───────────────┐                of all tiles        next rows of its object
//	├───────────────┤  ──read──▶     ┌───┬───┬───┐       ┌───┐ ┌───┐ ┌───┐
//	├───────────────┤                └───┴───┴───┘  ──▶  └───┘ └───┘ └───┘
//	└───────────────┘
const (
	// layerBytes is the size of a layer of a block that fits a processor's own cache, with
	// the copy of one of its pieces.
	layerBytes = 512 << 10
	// mostLayerBytes is the most bytes of a layer. Such a layer fits into the cache that
	// processors share.
	mostLayerBytes = 2 << 20
	// leastPiece is the least bytes of a chunk in one layer. Each piece is a call of the
	// system.
	leastPiece = 16 << 10
	// layerRun is how many bytes of a layer lie together in the source, at least. It is the
	// length of a read of a local file.
	layerRun = 64 << 10
	// mostLayered is the most chunks that are written together.
	mostLayered = 64
	// fewBlocks is how many blocks keep a machine busy, whose memory all processors share.
	fewBlocks = 4
)

// InLayers returns Layer and Block for a task whose chunks are written layer by layer. A
// block takes no more than limit bytes in flight, and has at most files chunks, each of which
// has an open file while the block is written. Layer is nil if the chunks are better read
// and encoded whole, see ReadBlock. The choice changes nothing in the objects.
func (t *Task) InLayers(limit, files int) (layer *codecs.Chain, block []int) {
	info := t.Source.Info()
	cell := t.Chain.Chunk()
	if !info.AnyRegion || info.Remote || info.Slowest != nil || t.Stored != nil || t.Convert != nil || slices.Contains(t.Grid.Shape, 0) {
		return nil, nil
	}
	if _, ok := t.Chain.Layer(cell.Shape); !ok {
		return nil, nil
	}
	best := 0 // bytes of a layer of the block
	for dim := range slices.Backward(cell.Shape) {
		for _, extent := range divisors(cell.Shape[dim]) {
			shape := layerShape(cell.Shape, dim, extent)
			piece, _ := ndarray.Bytes(cell.Type, shape)
			if piece > mostLayerBytes {
				break
			}
			if piece < leastPiece || slices.Equal(shape, cell.Shape) {
				continue
			}
			boxes := t.layeredBlock(shape, min(files, mostLayered))
			cells, _ := ndarray.Elements(boxes)
			total := piece * cells
			if t.layerRun(boxes, shape) < layerRun || total > mostLayerBytes || best > 0 && total > max(best, layerBytes) {
				continue
			}
			candidate, _ := t.Chain.Layer(shape)
			layered := *t
			if layered.Layer = candidate; candidate != nil && layered.costOf(cells, 1) <= limit {
				layer, block, best = candidate, boxes, total
			}
		}
	}
	if layer == nil || t.blocksOf(block) < min(fewBlocks, runtime.GOMAXPROCS(0)) {
		return nil, nil
	}
	return layer, block
}

// divisors returns the divisors of n, in ascending order.
func divisors(n int) (list []int) {
	var large []int
	for k := 1; k <= n/k; k++ {
		if n%k == 0 {
			list = append(list, k)
			if n/k > k {
				large = append(large, n/k)
			}
		}
	}
	slices.Reverse(large)
	return append(list, large...)
}

// layerShape returns the shape of a layer that has an extent along one dimension, and is as
// long as the chunk along later ones.
func layerShape(chunk []int, dim, extent int) []int {
	shape := slices.Clone(chunk)
	shape[dim] = extent
	for i := range dim {
		shape[i] = 1
	}
	return shape
}

// layeredBlock returns the smallest block whose layers of the given shape are long runs in
// the source, or the block of at most so many chunks that comes closest to that. A block has
// several chunks only along dimensions that a layer spans; otherwise the layers of
// neighbours would not touch.
func (t *Task) layeredBlock(shape []int, most int) []int {
	counts, chunk := t.Grid.Count(), t.Chain.Chunk().Shape
	block := ones(len(shape))
	for dim, count := range slices.Backward(counts) {
		for shape[dim] == chunk[dim] && block[dim] < count {
			run := t.layerRun(block, shape)
			longer := slices.Clone(block)
			longer[dim] = min(2*block[dim], count)
			if cells, _ := ndarray.Elements(longer); run >= layerRun || cells > most || t.layerRun(longer, shape) == run {
				break
			}
			block = longer
		}
	}
	return block
}

// layerRun returns how many bytes of a layer of a block lie together in the source.
func (t *Task) layerRun(block, shape []int) int {
	n, info := ndarray.ItemSize(t.readType()), t.Source.Info()
	for dim, cells := range slices.Backward(block) {
		most := t.Grid.Shape[dim]
		if info.Chunks != nil {
			most = min(most, info.Chunks[dim])
		}
		extent := min(cells*shape[dim], most)
		n *= extent
		if extent < most {
			break
		}
	}
	return n
}

// blocksOf returns how many blocks of a shape there are.
func (t *Task) blocksOf(block []int) int {
	n := 1
	for dim, count := range t.Grid.Count() {
		n *= ceil(count, block[dim])
	}
	return n
}
