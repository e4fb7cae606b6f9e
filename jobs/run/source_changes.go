package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sources"
)

// unchanged returns an error if the source has changed since it was opened, because
// chunks may then come from two versions of the source.
func (r *run) unchanged(ctx context.Context) error {
	began := time.Now()
	if err := r.plan.SourceChanged(ctx); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	r.looked, r.look = time.Now(), time.Since(began)
	return nil
}

// longLook bounds the time of a check of the source. If a check takes longer, not every
// commit makes one.
const longLook = 100 * time.Millisecond

// unchangedSoFar does what unchanged does, before a commit. To check a source of very many
// files takes long, so some commits skip the check: all checks together take at most a
// tenth of the time of the run. The check at the end of the run finds all changes; after it,
// unchangedSoFar makes none.
func (r *run) unchangedSoFar(ctx context.Context) error {
	if r.read || r.look > longLook && time.Since(r.looked) < 9*r.look {
		return nil
	}
	return r.unchanged(ctx)
}

// changedSource adds a way out to the error of a source that has changed.
func (r *run) changedSource(err error) error {
	if !errors.Is(err, sources.ErrChanged) {
		return err
	}
	return fmt.Errorf("%w: %s", err, r.outcome.wayOut())
}

// distrust discards the receipts on record if the source has changed while it was read.
// Even if the source is restored later, some chunks may come from the version in between.
// failed is the error that ends the run. distrust returns it with a way out.
func (r *run) distrust(ctx context.Context, failed error) error {
	lost := errors.Is(context.Cause(ctx), journal.ErrLost)
	failed = r.changedSource(failed)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if !errors.Is(failed, sources.ErrChanged) && !errors.Is(r.plan.SourceChanged(ctx), sources.ErrChanged) {
		return failed
	}
	if lost || errors.Is(r.held(ctx), journal.ErrLost) {
		return failed // the record now belongs to another run
	}
	r.log.WarnContext(ctx, "the source has changed meanwhile: a run that goes on will do all chunks again", "checkpoint", r.checkpoint.URL())
	if err := r.journal.Forget(ctx); err != nil {
		return errors.Join(failed, fmt.Errorf("checkpoint: %w: delete it, some of the chunks on record may be of another state of the source", err))
	}
	return failed
}
