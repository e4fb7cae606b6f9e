package plan

import (
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/stages"
)

// Task returns an array of the plan as a task for the stages, without the writer.
func (p *Plan) Task(a *Array) stages.Task {
	t := stages.Task{
		Path: a.Target, Source: a.array, Stored: a.stored, Piece: carriedPiece(p.Job), Convert: a.convert, Grid: *a.Grid, First: a.Place().First, Chain: a.Chain,
		Block: a.Block, AtOnce: a.AtOnce, Layer: a.Layer, KeepEmpty: p.Job.Target.StoreEmptyChunks, StreamBytes: store.WriterBytes(p.Job.Target.URL, PartsAtOnce(&p.Job.Run), a.Chain.Size().Max),
	}
	// Packed elements are digested as they are stored. The codecs that say what they mean
	// come before the chain and are not part of it.
	exact, digested := a.Chain.Exact()
	t.Exact, t.Behind = exact, a.meaning+exact
	t.Digest = digested && t.Behind <= math.MaxUint8 && p.Job.Run.Digest != "none"
	if t.Digest && a.stored != nil {
		if t.Digest = p.Job.Run.Digest == "all" && exact == 0 && a.Chain.Chunk().Type.Size() > 0; t.Digest {
			t.Decode = codecs.NewBoxes(a.Chain)
		}
	}
	return t
}

// FillBehind returns an array of one element: the fill value of the array, as it is behind
// the first n codecs of Meta, all of which are array → array. In shards the codecs of the inner
// chunks are meant.
func (a *Array) FillBehind(n int) ndarray.Array {
	if n < a.meaning || n == 0 {
		return codecs.Chunk{Type: a.Meta.Type, Fill: a.Meta.Fill}.Single()
	}
	chain := a.Chain
	if s, sharded := chain.InnerChunks(); sharded {
		chain = s.Inner()
	}
	return chain.Stage(n - a.meaning).Single()
}

// carriedPiece returns the size in bytes of the pieces in which objects are carried through;
// 0 stands for the default size. Between local folders a piece takes no request. Small
// pieces are then faster, because they are still in the processor's cache when they are
// written.
func carriedPiece(j *jobfile.Job) int {
	remote := func(l jobfile.Location) bool { return !store.Local(l.URL) }
	if !store.Local(j.Target.URL) || slices.ContainsFunc(j.Source.Locations, remote) {
		return 0
	}
	return 512 << 10
}

// PartsAtOnce returns how many parts of one large object are in memory at the same time. One
// part is being filled, and the others are on their way to the target. More parts make up
// for the latency of the server; together they take at most a sixteenth of run.memory, but
// there is always one.
func PartsAtOnce(r *jobfile.Run) int {
	const most = 4
	return int(min(max(r.Memory/16/store.PartBytes, 1), most))
}
