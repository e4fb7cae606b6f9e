package advise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/trial"
	"github.com/zmigrate/zmigrate/readers"
	"github.com/zmigrate/zmigrate/zarr"
)

// Options say what advice is wanted.
type Options struct {
	// Tolerance is the error that floating-point values may have.
	Tolerance standard.Tolerance
	// Access is the use that chunks are chosen for; "" keeps the chunks of the plan.
	Access string
	Goal   Goal
	// Readers are programs that have to read the chosen chain, if any chain can be read by
	// them. nil: those that the job requires, or else xarray.
	Readers []string
	// Chunks is how many chunks are tried. 0: as many as make the size certain to a hundredth,
	// or 64 MiB of them.
	Chunks int
}

// Advice is what came of the trials with one array.
type Advice struct {
	Array  string  `json:"array"` // path in the target
	Source string  `json:"source"`
	Type   string  `json:"data_type"`
	Shape  []int   `json:"shape"`
	Chunks []int   `json:"chunk_shape"` // with which the chains were tried
	Tried  int     `json:"chunks_tried"`
	Of     int     `json:"chunks_of"`
	Bytes  int64   `json:"bytes"` // of the elements of the array
	Rows   []Row   `json:"chains"`
	Shapes []Shape `json:"chunk_shapes"`
	// Sharded is set if the chunks are inner chunks of shards.
	Sharded bool `json:"sharded,omitempty"`
}

// Chosen returns the recommended chain, or nil.
func (a *Advice) Chosen() *Row {
	if i := slices.IndexFunc(a.Rows, func(r Row) bool { return r.Chosen }); i >= 0 {
		return &a.Rows[i]
	}
	return nil
}

// Current returns the chain of the job, or nil.
func (a *Advice) Current() *Row {
	if i := slices.IndexFunc(a.Rows, func(r Row) bool { return r.Current }); i >= 0 {
		return &a.Rows[i]
	}
	return nil
}

// measured returns a Measured whose times are those of a machine that is warm.
func measured(memory int64) *trial.Measured {
	m := trial.NewMeasured(memory)
	m.Repeats = 5
	return m
}

// candidate is a chain in trials.
type candidate struct {
	chain   *codecs.Chain
	current bool
	made    *trial.Measured
	refused string
}

// Array tries codec chains and chunk shapes on samples of an array of a plan. It writes
// nothing.
func Array(ctx context.Context, p *plan.Plan, a *plan.Array, env environment.Environment, opt Options) (*Advice, error) {
	env = env.Complete()
	t := p.Task(a)
	cells := a.Chain
	s, sharded := a.Chain.InnerChunks()
	if sharded {
		cells = s.Inner()
	}
	in := cells.Chunk()
	advice := &Advice{
		Array: a.Target, Source: a.Source, Type: a.Meta.Type.Name(), Shape: a.Meta.Grid.Shape, Shapes: shapesOf(p, a), Sharded: sharded,
	}
	if at := slices.IndexFunc(advice.Shapes, func(s Shape) bool { return s.Access == opt.Access }); at >= 0 {
		in.Shape = advice.Shapes[at].Chunks
	}
	advice.Chunks = in.Shape
	own, err := env.Codecs.Bind(cells.Specs(), in)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", a.Target, err)
	}
	// The values decide which chains are worth a trial, so they are read first.
	values := standard.Values{Min: math.Inf(1), Max: math.Inf(-1)}
	first := &candidate{chain: own, current: true, made: measured(p.Job.Run.Memory)}
	of := zarr.Grid{Shape: t.Grid.Shape, Chunk: in.Shape}.Len()
	enough, err := trials(ctx, p, a, in, most(opt), func(c trial.Cell) bool {
		valuesOf(&values, in, c)
		first.try(c, t.KeepEmpty)
		return opt.Chunks == 0 && certain(first.made, of)
	})
	if err != nil {
		return nil, err
	}
	advice.Tried, advice.Of = enough, of
	list := []*candidate{first}
	for _, specs := range standard.Candidates(in, opt.Tolerance, values) {
		if c := newCandidate(env, specs, own, p.Job.Run.Memory); c != nil && !slices.ContainsFunc(list, c.same) {
			list = append(list, c)
		}
	}
	if _, err = trials(ctx, p, a, in, enough, func(c trial.Cell) bool {
		for _, one := range list[1:] {
			if ctx.Err() == nil {
				one.try(c, t.KeepEmpty)
			}
		}
		return false
	}); err != nil {
		return nil, err
	}
	for _, c := range list {
		advice.Rows = append(advice.Rows, c.row(env, a, advice, opt.Tolerance, of))
	}
	if t.Stored != nil && slices.Equal(in.Shape, cells.Chunk().Shape) {
		if err := advice.Rows[0].carry(ctx, p, a, enough, of, advice.Bytes); err != nil {
			return nil, err
		}
	}
	front(advice.Rows)
	choose(advice.Rows, opt.Goal, wanted(p, opt))
	order(advice.Rows)
	return advice, advice.measureShapes(ctx, p, a, env, in, enough)
}

// most returns how many chunks are read at most.
func most(opt Options) int {
	if opt.Chunks > 0 {
		return opt.Chunks
	}
	return 256
}

// certain reports whether the chunks that were tried are enough.
func certain(m *trial.Measured, of int) bool {
	const (
		small  = 8 << 20  // bytes below which chunks say little
		most   = 64 << 20 // bytes that are enough in any case
		within = 0.01
	)
	least := 32
	if m.Bytes >= small {
		least = 4
	}
	return m.Chunks >= 2 && m.Bytes >= most || m.Chunks >= least && m.Uncertainty(of) <= within
}

// wanted returns the programs that have to read the chosen chain.
func wanted(p *plan.Plan, opt Options) []string {
	if opt.Readers != nil {
		return opt.Readers
	}
	var list []string
	for _, r := range p.Job.RequiredReaders() {
		list = append(list, r.Name)
	}
	if list == nil {
		list = []string{"xarray"}
	}
	return list
}

// errEnough ends the reading of cells.
var errEnough = errors.New("enough")

// trials calls try for n chunks of an array. It ends as soon as try returns true, and returns how
// many chunks were tried.
func trials(ctx context.Context, p *plan.Plan, a *plan.Array, in codecs.Chunk, n int, try func(trial.Cell) bool) (int, error) {
	t := p.Task(a)
	tried := 0
	_, err := trial.Read(ctx, &t, in, nil, n, p.Job.Run.Memory, func(c trial.Cell) error {
		tried++
		if try(c) {
			return errEnough
		}
		return ctx.Err()
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return tried, err
}

// newCandidate binds a chain. It returns nil if the chain does not fit, or has a hazard that the
// chain own does not have.
func newCandidate(env environment.Environment, specs []codecs.Spec, own *codecs.Chain, memory int64) *candidate {
	chain, err := env.Codecs.Bind(specs, own.Chunk())
	if err != nil {
		return nil
	}
	known := map[string]bool{}
	for _, h := range own.Hazards() {
		known[h.Code] = true
	}
	for _, h := range chain.Hazards() {
		if !known[h.Code] {
			return nil
		}
	}
	return &candidate{chain: chain, made: measured(memory)}
}

// same reports whether two chains are the same.
func (c *candidate) same(other *candidate) bool {
	return slices.EqualFunc(c.chain.Specs(), other.chain.Specs(), func(a, b codecs.Spec) bool {
		return a.Name == b.Name && string(a.Configuration) == string(b.Configuration)
	})
}

// try tries a cell, unless an earlier one was refused.
func (c *candidate) try(cell trial.Cell, keepEmpty bool) {
	if c.refused == "" {
		if err := c.made.Try(c.chain, cell, keepEmpty); err != nil {
			c.refused = err.Error()
		}
	}
}

// row says what came of a candidate.
func (c *candidate) row(env environment.Environment, a *plan.Array, advice *Advice, most standard.Tolerance, of int) Row {
	m := c.made
	r := Row{Codecs: c.chain.Given(), Current: c.current, Refused: c.refused, ReadBy: []string{}}
	if c.refused == "" {
		r.Ratio, r.Uncertainty = finite(m.Ratio()), finite(m.Uncertainty(of))
		advice.Bytes = m.Whole(a.Grid.Shape, c.chain.Chunk())
		if m.Bytes > 0 {
			r.Stored = int64(float64(m.Stored)/float64(m.Bytes)*float64(advice.Bytes) + indexes(a, m, of))
			r.Ratio = finite(float64(advice.Bytes) / float64(r.Stored))
		}
		r.EncodeSpeed, r.DecodeSpeed = m.EncodeSpeed(), m.DecodeSpeed()
		losses := c.chain.Losses()
		d := m.Deviation
		d.Finish()
		switch {
		case len(losses) > 0:
			for _, l := range losses {
				d.Losses = append(d.Losses, l.Name+": "+l.String())
			}
			d.Bound = codecs.BoundOf(losses)
			r.Deviation = &d
			if !c.current && most.Absolute > 0 && float64(d.Max) > most.Absolute {
				r.Refused = fmt.Sprintf("a value changed by %g, which is more than %g", float64(d.Max), most.Absolute)
			}
		case d.Unequal > 0:
			r.Refused = fmt.Sprintf("%d of %d values did not come back", d.Unequal, d.Elements)
		}
	}
	if meta := metaWith(env, a, c.chain); meta != nil {
		newest := map[string]bool{}
		var names []string
		for _, reader := range readers.All() {
			_, refuses := reader.Refuses(meta)
			if !slices.Contains(names, reader.Name) {
				names = append(names, reader.Name)
			}
			newest[reader.Name] = !refuses
		}
		for _, name := range names {
			if newest[name] {
				r.ReadBy = append(r.ReadBy, name)
			}
		}
	}
	return r
}

// indexes returns the size of the indexes of all shards of an array, in bytes. The array has as many
// inner chunks as of says. A shard without chunks is not stored, and has no index.
func indexes(a *plan.Array, m *trial.Measured, of int) float64 {
	s, ok := a.Chain.InnerChunks()
	if !ok {
		return 0
	}
	own := zarr.Grid{Shape: a.Grid.Shape, Chunk: s.Inner().Chunk().Shape}
	shards := float64(a.Chunks()) * float64(of) / float64(own.Len())
	return float64(s.IndexSize()) * shards * float64(m.Chunks-m.Empty) / float64(m.Chunks)
}

// metaWith returns the document of an array with another chain for its chunks, or for its
// inner chunks.
func metaWith(env environment.Environment, a *plan.Array, chain *codecs.Chain) *zarr.Array {
	meta := *a.Meta
	was, err := env.Codecs.Bind(meta.Codecs, codecs.Chunk{Type: meta.Type, Shape: meta.Grid.Chunk, Fill: meta.Fill})
	if err != nil {
		return nil
	}
	// In front of the chain are the codecs that say what packed elements mean.
	if s, ok := was.InnerChunks(); ok {
		inner, own := s.Inner().Specs(), a.Chain
		if s, ok := own.InnerChunks(); ok {
			own = s.Inner()
		}
		meta.Codecs = was.WithInner(slices.Concat(inner[:len(inner)-len(own.Specs())], chain.Specs()))
	} else {
		meta.Codecs = slices.Concat(meta.Codecs[:len(meta.Codecs)-len(a.Chain.Specs())], chain.Specs())
	}
	return &meta
}

// measureShapes tries the chosen chain with chunks of the other shapes.
func (a *Advice) measureShapes(ctx context.Context, p *plan.Plan, of *plan.Array, env environment.Environment, in codecs.Chunk, tried int) error {
	chosen := a.Chosen()
	if chosen == nil {
		return nil
	}
	bytes := 0
	for i := range a.Shapes {
		if s := &a.Shapes[i]; slices.Equal(s.Chunks, in.Shape) {
			s.Ratio, bytes = chosen.Ratio, s.Bytes*tried
		}
	}
	for i := range a.Shapes {
		s := &a.Shapes[i]
		if s.Ratio != 0 {
			continue
		}
		in.Shape = s.Chunks
		chain, err := env.Codecs.Bind(chosen.Codecs, in)
		if err != nil {
			continue
		}
		t := p.Task(of)
		c := candidate{chain: chain, made: measured(p.Job.Run.Memory)}
		// About as many bytes as for the first shape.
		if _, err := trials(ctx, p, of, in, max(bytes/max(s.Bytes, 1), 2), func(cell trial.Cell) bool {
			c.try(cell, t.KeepEmpty)
			return false
		}); err != nil {
			return err
		}
		if c.refused == "" {
			s.Ratio = finite(c.made.Ratio())
		}
	}
	return nil
}
