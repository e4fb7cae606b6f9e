package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sources"
)

// clean removes what killed runs and workers have left in places. What a worker leaves lies in a
// folder of its own below the checkpoint, and only on a local disk.
func (r *run) clean(ctx context.Context, places ...*store.Store) error {
	var workers []string
	var err error
	if slices.Contains(places, r.checkpoint) && r.checkpoint.Local() {
		if workers, err = journal.WorkerPlaces(ctx, r.checkpoint); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
	}
	for _, place := range workers {
		if err := r.cleanWorker(ctx, place); err != nil {
			return fmt.Errorf("leftovers of a worker: %w", err)
		}
	}
	err = sources.InParallel(ctx, len(places), func(ctx context.Context, i int) error { return places[i].Clean(ctx) })
	if err != nil {
		return fmt.Errorf("leftovers of an earlier run: %w", err)
	}
	return nil
}

// cleanWorker removes what a worker that was killed has left in its folder. The staging folder of
// workers is that of the job's lock, which is in use.
func (r *run) cleanWorker(ctx context.Context, place string) error {
	url, err := r.plan.Job.CheckpointURL()
	if err == nil {
		url, err = store.Folder(url, place)
	}
	if err != nil {
		return err
	}
	st, err := store.Open(ctx, url, r.env.StoreOptions(r.plan.Job, r.plan.Limits.Target))
	if err != nil {
		return err
	}
	return errors.Join(st.Clean(ctx), st.Close())
}
