package zarr

import (
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// wholeShard is the size up to which a shard is read by one request when all of it is wanted.
const wholeShard = 4 << 20

// part is a part of a region that lies in one chunk and is read at once.
type part struct {
	index   []int          // of the chunk
	start   []int          // where the part begins in the chunk
	at      ndarray.Region // the part within the region
	inParts bool           // the part is read without the rest of the chunk
	ofAll   bool           // the region covers the chunk, as far as the chunk lies within the array
}

// parts divides a region into parts: the chunks that the region meets, and the boxes of shards
// if several parts are read at once. It is safe for concurrent use.
type parts struct {
	array        *array
	shape, start []int // of the region
	first, last  []int // chunks that the region meets

	mu   sync.Mutex
	next []int  // the chunk behind those in list, nil if there is none
	list []part // in the order in which the parts are read
}

func (a *array) newParts(shape, start []int) *parts {
	p := &parts{array: a, shape: shape, start: start, first: make([]int, len(start)), last: make([]int, len(start))}
	for k, at := range start {
		p.first[k], p.last[k] = a.grid.Find(k, at), a.grid.Find(k, at+shape[k]-1)
	}
	p.next = slices.Clone(p.first)
	p.fill()
	return p
}

// atLeast returns how many parts are left, or fewer. It is for callers that have taken none.
func (p *parts) atLeast() int {
	n := 1
	for k, first := range p.first {
		n *= p.last[k] - first + 1 // at most the region's elements
	}
	return n - 1 + len(p.list)
}

// take returns the next part to read, or nil after the last one.
func (p *parts) take() *part {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) == 0 && p.next != nil {
		p.fill()
	}
	if len(p.list) == 0 {
		return nil
	}
	taken := &p.list[0]
	p.list = p.list[1:]
	return taken
}

// fill makes the parts of the next chunk.
func (p *parts) fill() {
	a, index := p.array, slices.Clone(p.next)
	p.next = ndarray.Next(p.next, p.first, p.last)
	whole := part{index: index, start: make([]int, len(index)), at: ndarray.Region{Start: make([]int, len(index)), Shape: make([]int, len(index))}}
	for k, i := range index {
		begin, extent := a.grid.Span(k, i)
		from := max(begin, p.start[k])
		to := min(begin+extent, p.start[k]+p.shape[k])
		whole.start[k], whole.at.Start[k], whole.at.Shape[k] = from-begin, from-p.start[k], to-from
	}
	whole.ofAll = slices.Equal(whole.at.Shape, a.grid.Region(index).Shape)
	whole.inParts = a.inParts(whole.ofAll)
	if !whole.inParts || a.box == nil {
		p.list = []part{whole}
		return
	}
	p.list = whole.divide(a.box)
}

// inParts reports whether a region of a chunk, or of all of it, is read without the rest of the
// chunk. All of a shard is read in parts, too, if the shard is large.
func (a *array) inParts(ofAll bool) bool {
	if !a.partly {
		return false
	}
	_, sharded := a.chain.Shards()
	return !ofAll || sharded && a.chain.Size().Max > wholeShard
}

// divide returns the parts of p that lie in one box of its chunk each. box is the shape of all
// boxes. The first one begins where the chunk begins.
func (p part) divide(box []int) (list []part) {
	first, last := make([]int, len(box)), make([]int, len(box)) // boxes that p meets
	for k, n := range box {
		first[k], last[k] = p.start[k]/n, (p.start[k]+p.at.Shape[k]-1)/n
	}
	for i := slices.Clone(first); i != nil; i = ndarray.Next(i, first, last) {
		one := p
		one.start, one.at = slices.Clone(p.start), ndarray.Region{Start: slices.Clone(p.at.Start), Shape: slices.Clone(p.at.Shape)}
		for k, n := range box {
			from, to := max(i[k]*n, p.start[k]), min((i[k]+1)*n, p.start[k]+p.at.Shape[k])
			one.start[k], one.at.Shape[k] = from, to-from
			one.at.Start[k] += from - p.start[k]
		}
		list = append(list, one)
	}
	return list
}
