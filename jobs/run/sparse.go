package run

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sinks"
)

const (
	// An array with fewer chunks and fewer bytes is not asked which chunks are stored,
	// because reading all of them is as fast.
	sparseChunks = 1000
	sparseBytes  = 1 << 30
	// receiptBatch is how many receipts are recorded together.
	receiptBatch = 1 << 16
)

// skipEmpty records the chunks for which the source stores nothing, so that they are not
// read. Its work depends on the number of stored chunks, not on the number of all chunks.
func (r *run) skipEmpty(ctx context.Context) error {
	var receipts []sinks.Receipt
	for i := range r.plan.Arrays {
		occupied, err := r.occupied(ctx, i)
		if err != nil {
			return fmt.Errorf("array %q: %w", r.plan.Arrays[i].Source, err)
		}
		if occupied == nil {
			continue
		}
		for unit, n := 0, r.plan.Arrays[i].Chunks(); unit < n; unit++ {
			first := unit
			for unit < n && !occupied.has(unit) && !r.arrays[i].done.has(unit) {
				unit++
			}
			if unit > first {
				receipts = append(receipts, sinks.Receipt{Array: i, Unit: first, More: unit - first - 1, Empty: true})
			}
			if len(receipts) == receiptBatch {
				if err := r.recordEmpty(ctx, receipts); err != nil {
					return err
				}
				receipts = receipts[:0]
			}
		}
	}
	if len(receipts) == 0 {
		return nil
	}
	return r.recordEmpty(ctx, receipts)
}

// recordEmpty records chunks that have no object.
func (r *run) recordEmpty(ctx context.Context, receipts []sinks.Receipt) error {
	if err := r.held(ctx); err != nil {
		return err
	}
	if err := r.unchanged(ctx); err != nil {
		return r.changedSource(err)
	}
	if err := r.keep(ctx, receipts); err != nil {
		return err
	}
	for _, x := range receipts {
		if err := r.record(x); err != nil {
			return err
		}
	}
	return nil
}

// occupied returns the chunks of an array for which the source may store something. All
// other chunks hold only the fill value and get no object. The result is nil if the
// stored chunks are not known, or if chunks of fill values need an object.
func (r *run) occupied(ctx context.Context, i int) (bitset, error) {
	a := &r.plan.Arrays[i]
	few := r.arrays[i].left < sparseChunks && a.Bytes() < sparseBytes
	if r.plan.Job.Target.StoreEmptyChunks || r.outcome.keepsObjects() || a.Grid.Runs != nil || few || r.arrays[i].left == 0 {
		return nil, nil
	}
	source := a.Sparse()
	if source == nil {
		return nil, nil
	}
	occupied, counts := newBitset(a.Chunks()), a.Grid.Count()
	first, last := make([]int, len(counts)), make([]int, len(counts))
	rest, err := source.StoredRegions(ctx, func(region ndarray.Region) {
		for k, n := range a.Grid.Chunk {
			first[k], last[k] = region.Start[k]/n, (region.Start[k]+region.Shape[k]-1)/n
		}
		occupied.setBox(counts, first, last)
	})
	if err != nil || rest == nil || !a.IsFill(rest) {
		return nil, err
	}
	return occupied, nil
}
