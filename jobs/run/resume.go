package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sources"
)

// resume counts what earlier runs have recorded and is still there.
func (r *run) resume(ctx context.Context) error {
	r.arrays = make([]progress, len(r.plan.Arrays))
	for i := range r.arrays {
		a := &r.plan.Arrays[i]
		r.arrays[i] = progress{done: newBitset(a.Chunks()), left: a.Chunks()}
		r.result.Chunks += a.Chunks()
		r.result.BytesIn += a.Bytes()
	}
	stored, err := r.stored(ctx)
	if err != nil {
		return err
	}
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

// unchanged fails when the source is no longer what it was when it was opened:
// chunks may then be of two versions of it.
func (r *run) unchanged(ctx context.Context) error {
	began := time.Now()
	if err := r.plan.SourceChanged(ctx); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	r.looked, r.look = time.Now(), time.Since(began)
	return nil
}

// longLook is how long a look at the source may take that every commit makes.
const longLook = 100 * time.Millisecond

// unchangedSoFar is unchanged for a commit. A source of very many files, at which a
// look takes long, is looked at only so often that nine tenths of the time are left
// for the work; what has changed by the end is found there.
func (r *run) unchangedSoFar(ctx context.Context) error {
	if r.look > longLook && time.Since(r.looked) < 9*r.look {
		return nil
	}
	return r.unchanged(ctx)
}

// changedSource adds a way out to the error of a source that is no longer what it was.
func (r *run) changedSource(err error) error {
	if !errors.Is(err, sources.ErrChanged) {
		return err
	}
	return fmt.Errorf("%w: %s", err, r.outcome.wayOut())
}

// distrust forgets what is on record if the source has changed while it was read:
// even when it is put back as it was, some of the chunks may be of what it was in
// between. failed is why the run ends, and is returned, with a way out.
func (r *run) distrust(ctx context.Context, failed error) error {
	lost := errors.Is(context.Cause(ctx), journal.ErrLost)
	failed = r.changedSource(failed)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if !errors.Is(failed, sources.ErrChanged) && !errors.Is(r.plan.SourceChanged(ctx), sources.ErrChanged) {
		return failed
	}
	if lost || errors.Is(r.held(ctx), journal.ErrLost) {
		return failed // the record is another run's
	}
	r.log.WarnContext(ctx, "the source has changed meanwhile: a run that goes on will do all chunks again", "checkpoint", r.checkpoint.URL())
	if err := r.journal.Forget(ctx); err != nil {
		return errors.Join(failed, fmt.Errorf("checkpoint: %w: delete it, some of the chunks on record may be of another state of the source", err))
	}
	return failed
}
