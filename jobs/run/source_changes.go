package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sources"
)

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
