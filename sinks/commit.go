package sinks

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/zarr"
)

// Commit makes everything that was written before visible to readers, and durable. It
// waits for calls of WriteRegion, Append and WriteFrom that have begun. Chunks become
// durable first. Then come the documents of the arrays, those of the groups, and last the
// root's. After an error Commit may be called again. After Commit a program may go on
// writing, and commit again.
func (w *Writer) Commit(ctx context.Context) error {
	w.working.Lock()
	defer w.working.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for o := w.oldest(); o != nil; o = w.oldest() {
		if err := o.array.flush(ctx, o); err != nil {
			return err
		}
	}
	if err := w.sync(ctx); err != nil {
		return err
	}
	if w.existing {
		return w.commitChanges(ctx)
	}
	arrays := make(map[string]*zarr.Array, len(w.arrays))
	g, below := errgroup.WithContext(ctx)
	g.SetLimit(w.atOnce)
	for p, a := range w.arrays {
		meta := a.Metadata()
		if arrays[p] = meta; p != "" {
			g.Go(func() error { return w.hierarchy.PutArray(below, p, meta) })
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return w.hierarchy.Finish(ctx, arrays, w.groups, nil, !w.options.Unconsolidated)
}
