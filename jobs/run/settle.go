package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/sinks"
)

// Requests of an earlier owner of the lock may still arrive after this run has taken
// the lock over. So before such a run writes any document, it waits for these requests,
// compares the target's objects with its receipts, and writes again what differs. A run that
// goes on with the plan of the earlier owner need not wait: the requests of that owner write
// the same bytes.

// ErrTampered is the cause of an error about objects of the target that are not what
// this job has written, and that this job cannot write again.
var ErrTampered = errors.New("objects of the target are not what was written there")

// settle deals with what earlier owners of the lock may have left. It returns the
// number of chunks that have to be done again.
func (r *run) settle(ctx context.Context) (again int, err error) {
	if r.locks.Before().Others {
		if err := r.locks.Settle(ctx); err != nil {
			return 0, err
		}
	}
	whole := !r.outcome.keepsObjects()
	list, err := r.faults(ctx, func() iter.Seq2[journal.Object, error] { return r.recorded(ctx) }, whole)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	r.log.WarnContext(ctx, "objects of an earlier owner of the lock have arrived late: their chunks are written again", "objects", len(list), "first", list[0].key)
	return r.undo(ctx, list)
}

// undo removes stray objects and marks the chunks of the other faults as not done. It returns
// the number of these chunks.
func (r *run) undo(ctx context.Context, list []fault) (again int, err error) {
	r.repeated = true
	var strays []string
	for _, f := range list {
		switch {
		case f.stray:
			strays = append(strays, f.key)
		case f.unit < 0:
			return 0, fmt.Errorf("target %s: %w: %s is of an earlier run", r.target.URL(), ErrTampered, f.key)
		default:
			a := &r.arrays[f.array]
			a.done.clear(f.unit)
			a.left++
			a.written = false
			a.bytes -= f.bytes
			r.result.BytesOut -= f.bytes
			again++
		}
	}
	return again, r.deleteAll(ctx, strays)
}

// intact compares the chunks of a complete target with those on record, and returns the
// chunks that differ.
func (r *run) intact(ctx context.Context) ([]fault, error) {
	if !r.journal.HasObjects() {
		return nil, nil // the record is that of an earlier version of this program
	}
	return r.faults(ctx, func() iter.Seq2[journal.Object, error] { return r.journal.Objects(ctx) }, !r.outcome.keepsObjects())
}

// mend begins the job once more for the chunks of its target that differ from those on
// record. All other chunks count as done.
func (r *run) mend(ctx context.Context, list []fault) error {
	if len(list) > 0 {
		r.log.WarnContext(ctx, "chunks of the target are not what was written there: they are written again", "chunks", len(list), "first", list[0].key)
	}
	r.result.Mended = len(list)
	wrong := map[string]bool{}
	var strays []string
	for _, f := range list {
		wrong[f.key] = true
		if f.stray {
			strays = append(strays, f.key)
		}
	}
	if err := r.deleteAll(ctx, strays); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	arrays := r.arraysByPath()
	stored := make([]bitset, len(r.plan.Arrays))
	for i := range r.plan.Arrays {
		stored[i] = newBitset(r.plan.Arrays[i].Chunks())
	}
	if err := r.locks.Replan(ctx); err != nil {
		return err
	}
	if err := r.journal.Succeed(ctx, r.manifest); err != nil {
		return err
	}
	const batch = 100_000
	var receipts []sinks.Receipt
	add := func(x sinks.Receipt) error {
		if receipts = append(receipts, x); len(receipts) < batch {
			return nil
		}
		err := r.journal.Append(ctx, receipts)
		receipts = receipts[:0]
		return err
	}
	for o, err := range r.journal.Objects(ctx) {
		if err != nil {
			return err
		}
		f, ok := r.chunkAt(o.Key, arrays)
		if !ok {
			continue
		}
		if f.unit < 0 {
			continue // a chunk of rows before those of the plan
		}
		stored[f.array].set(f.unit)
		if wrong[o.Key] {
			continue
		}
		if err := add(sinks.Receipt{Array: f.array, Unit: f.unit, Key: o.Key, Bytes: o.Bytes, Sum: o.Sum, Digest: o.Digest, Version: o.Version}); err != nil {
			return err
		}
	}
	for i := range stored {
		for first, n := 0, r.plan.Arrays[i].Chunks(); first < n; first++ {
			if stored[i].has(first) {
				continue
			}
			last := first
			for last+1 < n && !stored[i].has(last+1) {
				last++
			}
			if err := add(sinks.Receipt{Array: i, Unit: first, More: last - first, Empty: true}); err != nil {
				return err
			}
			first = last
		}
	}
	return r.journal.Append(ctx, receipts)
}

// tampered is the error about chunks of a target that grows, which this job cannot
// write again.
func (r *run) tampered(list []fault) error {
	const most = 3
	var some []string
	for _, f := range list[:min(len(list), most)] {
		some = append(some, f.key)
	}
	if len(list) > most {
		some = append(some, "…")
	}
	return fmt.Errorf("target %s: %w: %d (%s); an earlier run of a job lost its lock, and what it wrote may have come late: run the last job once more over the same files, which writes the rows of that run again; or put the target back as it was, write it anew with target.existing: overwrite, or delete the folder objects of the checkpoint %s to keep it as it is",
		r.target.URL(), ErrTampered, len(list), strings.Join(some, ", "), r.checkpoint.URL())
}

// sound compares the chunks of a target that grows with those on record, before rows are
// appended. Other programs may write to such a target, so a difference is a warning. It is an
// error if an earlier run of a job has lost its lock, or if a chunk is gone to which rows would
// be added.
func (r *run) sound(ctx context.Context) error {
	list, err := r.intact(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	if r.overtaken {
		return r.tampered(list)
	}
	for _, f := range list {
		if f.gone && f.unit >= 0 && !r.plan.Nothing() && r.hasEarlierRows(f) {
			return fmt.Errorf("target %s: %s is gone, and its rows would become fill values: put the object back from a copy, or make the target anew from all files, with target.existing: overwrite", r.target.URL(), f.key)
		}
	}
	r.log.WarnContext(ctx, "chunks of the target have been changed since they were written", "chunks", len(list), "first", list[0].key)
	return nil
}

// untilSettled runs f, which does the chunks that are left. It runs f again as long as
// objects of earlier owners of the lock come late, and then writes the documents.
func (r *run) untilSettled(ctx context.Context, f func() error) error {
	const most = 5
	for range most {
		if err := f(); err != nil {
			return err
		}
		if !r.unsettled {
			return nil
		}
		again, err := r.settle(ctx)
		if err != nil {
			return err
		}
		if again == 0 {
			r.unsettled = false
			return r.outcome.documents(ctx)
		}
	}
	return fmt.Errorf("target %s: %w: another program goes on writing to it", r.target.URL(), ErrTampered)
}
