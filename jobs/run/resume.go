package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// resume counts the units that earlier runs have recorded, and whose objects are still in
// the target.
func (r *run) resume(ctx context.Context) error {
	stored, err := r.stored(ctx)
	if err != nil {
		return err
	}
	r.countFromZero()
	missing := 0
	for x, err := range r.journal.Receipts(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		if !x.Empty && x.Array >= 0 && x.Array < len(stored) && x.Unit >= 0 && x.Unit < r.plan.Arrays[x.Array].Chunks() && !stored[x.Array].has(x.Unit) {
			missing++
			continue
		}
		if err := r.record(x); err != nil {
			return err
		}
	}
	if missing > 0 {
		r.repeated = true
		r.log.WarnContext(ctx, "chunks on record are not in the target any more and are done again", "chunks", missing)
	}
	r.result.Resumed = r.result.Chunks
	for i := range r.arrays {
		r.result.Resumed -= r.arrays[i].left
	}
	return nil
}

// stored lists the chunks that lie in the target, for a run that goes on.
func (r *run) stored(ctx context.Context) ([]bitset, error) {
	sets := make([]bitset, len(r.plan.Arrays))
	for i := range sets {
		a := &r.plan.Arrays[i]
		sets[i] = newBitset(a.Chunks())
		if !r.journal.Begun() {
			continue
		}
		counts := a.Grid.Count()
		below := strings.TrimPrefix(a.Target+"/", "/")
		prefix := below
		if a.Place().Keys == (zarr.KeyEncoding{}) {
			prefix += "c"
		}
		err := r.target.List(ctx, prefix, func(o store.Info) error {
			index, ok := a.Place().Index(strings.TrimPrefix(o.Key, below))
			if !ok || len(index) != len(counts) {
				return nil
			}
			for k, n := range index {
				if n < 0 || n >= counts[k] {
					return nil
				}
			}
			sets[i].set(a.Grid.Number(index))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("target: %w", err)
		}
	}
	return sets, nil
}
