package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/stages"
)

// sameEarlierRows deals with chunks that are to be written again and also hold rows of earlier
// runs. These rows come from the chunks themselves, which may be damaged or gone. So
// sameEarlierRows encodes the chunks without writing them. It returns an error if the result
// is not what is on record.
func (r *run) sameEarlierRows(ctx context.Context, list []fault) error {
	wanted := make([]bitset, len(r.plan.Arrays))
	recorded := map[string]journal.Object{}
	for _, f := range list {
		if f.stray || !r.hasEarlierRows(f) {
			continue
		}
		if wanted[f.array] == nil {
			wanted[f.array] = newBitset(r.plan.Arrays[f.array].Chunks())
		}
		wanted[f.array].set(f.unit)
		recorded[f.key] = journal.Object{}
	}
	if len(recorded) == 0 {
		return nil
	}
	for o, err := range r.journal.Objects(ctx) {
		if err != nil {
			return err
		}
		if _, ok := recorded[o.Key]; ok {
			recorded[o.Key] = o
		}
	}
	workers := r.plan.Job.Run.Workers
	return stages.Run(ctx, stages.Config{
		Memory: int(r.plan.Memory()),
		Read:   workers.Read, Encode: workers.Encode, Write: workers.Write,
		Commit: func(_ context.Context, receipts []sinks.Receipt) error {
			for _, x := range receipts {
				key := r.plan.Arrays[x.Array].Key(x.Unit)
				if !sameObject(x, recorded[key]) {
					return fmt.Errorf("target %s: %w: %s also has rows of earlier runs, and they are not as they were: put the object back from a copy, or make the target anew from all files, with target.existing: overwrite",
						r.target.URL(), ErrTampered, key)
				}
			}
			return nil
		},
	}, rehearsal{r, wanted})
}

// undamaged looks at the chunks that the run is to write because they lack rows. They also have
// rows of earlier runs, which the run takes from there. If such a chunk were damaged, the run
// would record wrong values as the right ones. A chunk of another size or version is no damage:
// another program has written it, see sound. Object stores check what they store.
func (r *run) undamaged(ctx context.Context) error {
	rewritten := func(a plan.Array) bool { return a.Append != nil && a.Append.Rewritten > 0 }
	if !r.target.Local() || !slices.ContainsFunc(r.plan.Arrays, rewritten) {
		return nil
	}
	arrays := r.arraysByPath()
	for o, err := range r.journal.Objects(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		f, ok := r.chunkAt(o.Key, arrays)
		if !ok || f.unit < 0 || !r.hasEarlierRows(f) {
			continue
		}
		info, err := r.target.Stat(ctx, o.Key)
		if errors.Is(err, fs.ErrNotExist) || err == nil && (info.Size != o.Bytes || r.target.VersionOf(info) != o.Version) {
			continue
		}
		sum := sinks.Checksum{}
		if err == nil {
			sum, err = sumOf(ctx, r.target, info)
		}
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		if !sum.Is(o.Sum) {
			return fmt.Errorf("target %s: %s is damaged: it has the time at which it was written, but other bytes, and its rows would be written again with the new ones: put the object back from a copy, or make the target anew from all files, with target.existing: overwrite",
				r.target.URL(), o.Key)
		}
	}
	return nil
}

// sameObject reports whether an encoded chunk is the recorded one: by its values, or else by
// its bytes. A checksum of an earlier version may prove nothing.
func sameObject(x sinks.Receipt, o journal.Object) bool {
	if x.Digest.Known && o.Digest.Known {
		return x.Digest == o.Digest
	}
	return !x.Empty && x.Bytes == o.Bytes && x.Sum == o.Sum && sinks.Proves(o.Sum)
}

// rehearsal are the arrays of a run as [stages.Tasks] that encode the wanted units and write
// nothing.
type rehearsal struct {
	*run
	wanted []bitset // by array; nil: no unit
}

// Len implements [stages.Tasks].
func (r rehearsal) Len() int { return len(r.plan.Arrays) }

// Task implements [stages.Tasks].
func (r rehearsal) Task(i int) *stages.Task {
	task := r.plan.Task(&r.plan.Arrays[i])
	task.Writer = measuring{}
	task.Stream = func(context.Context, []int) (stages.Stream, error) { return new(measure), nil }
	task.Done = func(unit int) bool { return r.wanted[i] == nil || !r.wanted[i].has(unit) }
	return &task
}

// measuring is a [stages.Writer] that only measures chunks.
type measuring struct{}

// Put implements [stages.Writer].
func (measuring) Put(_ context.Context, _ []int, data []byte) (sinks.Receipt, error) {
	var m measure
	_, _ = m.Write(data)
	return m.Close()
}

// measure is a [stages.Stream] that computes the size and the checksum of an object.
type measure struct {
	bytes int64
	sum   sinks.Checksum
}

// Write implements [stages.Stream].
func (m *measure) Write(p []byte) (int, error) {
	m.bytes += int64(len(p))
	m.sum.Add(p)
	return len(p), nil
}

// Close implements [stages.Stream].
func (m *measure) Close() (sinks.Receipt, error) {
	return sinks.Receipt{Bytes: m.bytes, Sum: m.sum.Sum()}, nil
}

// Abort implements [stages.Stream].
func (m *measure) Abort() error { return nil }
