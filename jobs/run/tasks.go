package run

import (
	"context"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/stages"
)

// migrate does the units that are not done.
func (r *run) migrate(ctx context.Context, opt Options) error {
	job := r.plan.Job
	return stages.Run(ctx, stages.Config{
		Memory: int(r.plan.Memory()),
		Read:   job.Run.Workers.Read, Encode: job.Run.Workers.Encode, Write: job.Run.Workers.Write,
		Every: job.Run.Every, Commit: r.commit, Observe: opt.Observe, Monitor: opt.Monitor, Stop: opt.Stop, Far: job.Source.Far(),
	}, tasks{r})
}

// tasks are the arrays of a run as [stages.Tasks].
type tasks struct{ *run }

// Len implements [stages.Tasks].
func (r tasks) Len() int { return len(r.plan.Arrays) }

// Task implements [stages.Tasks].
func (r tasks) Task(i int) *stages.Task {
	a := &r.plan.Arrays[i]
	task, w := r.plan.Task(a), r.sink.Array(a.Target, a.Place())
	task.Writer = w
	task.Stream = func(ctx context.Context, index []int) (stages.Stream, error) { return w.Stream(ctx, index) }
	if objects, ok := task.Stored.(sources.Placed); ok {
		task.Copy = func(ctx context.Context, index []int, in codecs.Input) (sinks.Receipt, bool, error) {
			from, object := objects.PlaceStored(index, in)
			return w.Copy(ctx, index, from, object)
		}
	}
	task.Done = slices.Clone(r.arrays[i].done).has // the original grows with the commits
	return &task
}

// progress adds up how much of all arrays is done.
func (r *run) progress() Progress {
	p := Progress{Chunks: r.result.Chunks, ChunksDone: r.result.Chunks, Bytes: r.result.BytesIn}
	for i := range r.arrays {
		grid, left := r.plan.Arrays[i].Grid, r.arrays[i].left
		p.ChunksDone -= left
		size := int64(r.plan.Arrays[i].Meta.Type.Size())
		bytes := func(shape []int) int64 {
			n := size
			for _, extent := range shape {
				n *= int64(extent)
			}
			return n
		}
		units := grid.Len()
		if left == units {
			continue
		}
		// To add up the bytes, go through the done units or the others, whichever are fewer.
		rest := left < units/2
		if rest {
			p.BytesDone += bytes(grid.Shape)
		}
		for unit := 0; unit < units && left > 0; unit++ {
			switch done := r.arrays[i].done.has(unit); {
			case rest && !done:
				p.BytesDone -= bytes(grid.Region(grid.Index(unit)).Shape)
			case !rest && done:
				p.BytesDone += bytes(grid.Region(grid.Index(unit)).Shape)
			}
		}
	}
	return p
}
