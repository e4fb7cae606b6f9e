package combine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

const (
	// comparedBytes is the bound if Options.Compared is 0. With Override, glancedBytes is.
	comparedBytes = 8 << 30
	glancedBytes  = 1 << 30
	// pieceBytes is how many bytes of a variable are compared at a time, unless a chunk
	// has more.
	pieceBytes = 1 << 20
	// comparingBytes bounds the memory for pieces that are compared at the same time,
	// unless one piece takes more.
	comparingBytes = 64 << 20
)

// Uncompared is the code of a finding: the values of a variable were not all compared with
// those of the other members.
const Uncompared = "join-uncompared"

// comparison is the result of comparing the values of a variable.
type comparison struct {
	// differs has, for each member, the first element whose value is not that of the first
	// member with the variable. nil: all values are the same.
	differs []*compare.Mismatch
	// partial says how much was compared, "" if everything was.
	partial string
}

// compareValues compares the values of a variable with those of the first member. It
// leaves out members with another type or shape, which have been reported. Each piece of
// each member is read once. Where there is too much to read, a sample is compared.
func (c *combined) compareValues(ctx context.Context, v *variable) (comparison, error) {
	found := comparison{differs: make([]*compare.Mismatch, len(v.parts))}
	first := v.parts[v.first()]
	info := first.Info()
	alike := func(p sources.Array) bool {
		return p != nil && slices.Equal(p.Info().Shape, info.Shape) && dtype.Same(p.Info().Type, info.Type)
	}
	others := slices.DeleteFunc(upTo(len(v.parts)), func(i int) bool { return v.parts[i] == first || !alike(v.parts[i]) })
	if len(others) == 0 || slices.Contains(info.Shape, 0) {
		return found, nil
	}
	r := &reference{array: first, kept: -1}
	r.divide(slices.DeleteFunc(slices.Clone(v.parts), func(p sources.Array) bool { return !alike(p) }))
	all := r.bytes() * float64(len(others)+1)
	others = c.sample(r, others)
	if some := r.bytes() * float64(len(others)+1); some < all {
		found.partial = fmt.Sprintf("%s of %s, evenly spread, are compared", size(some), size(all))
	}
	r.sums = make([][sha256.Size]byte, len(r.pieces))
	err := sources.InParallelUpTo(ctx, r.workers, len(r.pieces), func(ctx context.Context, k int) error {
		piece, err := r.read(ctx, first, k)
		r.sums[k] = compare.Digest(piece)
		return err
	})
	if err != nil {
		return found, err
	}
	var mu sync.Mutex
	at := make([]int, len(v.parts)) // the number of the piece with the element in differs
	err = sources.InParallelUpTo(ctx, r.workers, len(others)*len(r.pieces), func(ctx context.Context, n int) error {
		i, k := others[n/len(r.pieces)], n%len(r.pieces)
		mu.Lock()
		told := found.differs[i] != nil && at[i] < k
		mu.Unlock()
		if told {
			return nil
		}
		m, err := r.differs(ctx, k, v.parts[i])
		mu.Lock()
		defer mu.Unlock()
		if m != nil && (found.differs[i] == nil || k < at[i]) {
			found.differs[i], at[i] = m, k
		}
		return err
	})
	return found, err
}

// sample leaves out pieces of r until at most Options.Compared bytes are compared. If one
// piece of each member is still too much, it leaves out members, too. It returns the
// members that are left.
func (c *combined) sample(r *reference, others []int) []int {
	limit := float64(c.how.Compared)
	switch {
	case limit == 0 && c.how.Override:
		limit = glancedBytes
	case limit == 0:
		limit = comparedBytes
	}
	share := r.bytes() * float64(len(others)+1) / limit
	if share <= 1 {
		return others
	}
	step := int(math.Ceil(min(share, float64(len(r.pieces)))))
	r.pieces = eachOf(r.pieces, step)
	return eachOf(others, int(math.Ceil(share/float64(step))))
}

// eachOf returns every step-th element of a list, beginning with the first.
func eachOf[T any](list []T, step int) []T {
	var some []T
	for i := 0; i < len(list); i += step {
		some = append(some, list[i])
	}
	return some
}

// size writes a number of bytes for a message.
func size(n float64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.1f MiB", n/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", n/(1<<30))
}

// reference is an array with which others are compared, piece by piece.
type reference struct {
	array   sources.Array
	pieces  []ndarray.Region
	workers int
	sums    [][sha256.Size]byte // digests of the pieces

	mu    sync.Mutex
	kept  int // the number of the piece in memory, -1 for none
	piece ndarray.Array
}

// divide makes the pieces, in the order in which they are stored. A piece is a box of
// whole chunks of all arrays, as far as the arrays' chunks agree.
func (r *reference) divide(arrays []sources.Array) {
	info, memory := r.array.Info(), 0
	n := len(info.Shape)
	order := info.StoredOrder()
	chunk, grid := slices.Repeat([]int{1}, n), make([]int, n)
	for _, a := range arrays {
		for k, extent := range a.Info().Chunks {
			chunk[k] = max(chunk[k], min(extent, info.Shape[k]))
		}
		memory = max(memory, cmp.Or(a.Info().Memory, sources.ScratchBytes))
	}
	for i, k := range order {
		grid[i] = (info.Shape[k]-1)/chunk[k] + 1
	}
	each, _ := ndarray.Elements(chunk)
	each *= ndarray.ItemSize(info.Type)
	for box := range ndarray.Pieces(grid, max(1, pieceBytes/each)) {
		region := ndarray.Region{Start: make([]int, n), Shape: make([]int, n)}
		for i, k := range order {
			region.Start[k] = box.Start[i] * chunk[k]
			region.Shape[k] = min(box.Shape[i]*chunk[k], info.Shape[k]-region.Start[k])
		}
		r.pieces = append(r.pieces, region)
	}
	r.workers = max(1, min(sources.MostAtOnce, comparingBytes/(max(each, pieceBytes)+memory)))
}

// bytes is the size of all pieces.
func (r *reference) bytes() float64 {
	n := 0.0
	for _, region := range r.pieces {
		elements, _ := ndarray.Elements(region.Shape)
		n += float64(elements)
	}
	return n * float64(ndarray.ItemSize(r.array.Info().Type))
}

// read reads piece k of an array.
func (r *reference) read(ctx context.Context, a sources.Array, k int) (ndarray.Array, error) {
	piece := ndarray.New(r.array.Info().Type, r.pieces[k].Shape)
	return piece, a.ReadRegion(ctx, piece, slices.Clone(r.pieces[k].Start))
}

// differs returns the first element of piece k whose value in a is not that in the
// reference. It returns nil if all values are the same.
func (r *reference) differs(ctx context.Context, k int, a sources.Array) (*compare.Mismatch, error) {
	got, err := r.read(ctx, a, k)
	if err != nil || compare.Digest(got) == r.sums[k] {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept != k {
		piece, err := r.read(ctx, r.array, k)
		if err != nil {
			return nil, err
		}
		r.kept, r.piece = k, piece
	}
	m := compare.First(r.piece, got)
	for d, start := range r.pieces[k].Start {
		if m != nil {
			m.Index[d] += start
		}
	}
	return m, nil
}
