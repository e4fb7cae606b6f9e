package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/target"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/zarr"
)

// follow returns the options of an array, completed from the existing array: where the job
// leaves chunks, shards or codecs open, the array gets those of the target. If the target
// has shards, the options name inner chunks in two cases: if the job does, and if the
// target's codecs of packed elements are inside the shards.
func follow(t *target.Existing, o jobfile.ArrayOptions, registry *codecs.Registry) jobfile.ArrayOptions {
	info := t.Array.Info()
	shards := o.Shards != nil
	chunks, chain := o.Chunks.Shape != nil, o.Codecs.Chain != nil
	outer := registry.HasContainer(o.Codecs.Chain)
	if info.Shards != nil && (chunks || shards || chain || info.Packing != nil) && !outer {
		if !chunks {
			o.Chunks = jobfile.Chunks{Shape: info.Chunks}
		}
		if !shards {
			o.Shards = info.Shards
		}
		if !chain {
			o.Codecs = jobfile.Codecs{Chain: innerChain(t, registry)}
		}
		return o
	}
	if !chunks && !shards {
		o.Chunks = jobfile.Chunks{Shape: t.Meta.Grid.Chunk}
	}
	if !chain {
		o.Codecs = jobfile.Codecs{Chain: info.Codecs}
	}
	return o
}

// innerChain returns the codecs of the inner chunks of the existing array's shards.
func innerChain(t *target.Existing, registry *codecs.Registry) []codecs.Spec {
	info := t.Array.Info()
	chain, err := registry.Bind(info.Codecs, codecs.Chunk{Type: info.Type, Shape: t.Meta.Grid.Chunk, Fill: info.Fill})
	if err == nil {
		if layout, ok := chain.Shards(); ok {
			return layout.Inner().Specs()
		}
	}
	return info.Codecs // Bind does not fail: the target was opened with these codecs
}

// existingArray is the [base] of an array that the target already holds.
type existingArray struct{ *target.Existing }

// fill implements [base].
func (t existingArray) fill() (value dtype.Scalar, exists bool) { return t.Meta.Fill, true }

// fits implements [base]. The source must have the type of the existing array, and its
// shape but for the rows.
func (t existingArray) fits(b *builder, own dtype.Type) {
	shape, target := b.info.Shape, t.Meta.Grid.Shape
	same := len(shape) == len(target)
	for i := range min(len(shape), len(target)) {
		same = same && (i == t.Axis || shape[i] == target[i])
	}
	if !same {
		b.problems = append(b.problems, b.plan.Job.Problem(b.field,
			fmt.Sprintf("array %q has the shape %v, the target's array has %v", b.info.Path, shape, target), "only the dimension to append along may differ"+b.plan.swapped()))
	}
	if is := t.Meta.Type; !dtype.Same(own, is) {
		b.otherType(own, is)
	}
}

// otherType reports that the target has another data type.
func (b *builder) otherType(t, is dtype.Type) {
	own, target, hint := t.Name(), is.Name(), "the rows of one array have one type: make the sources alike"
	if own == target {
		own, target = compare.TypeText(t), compare.TypeText(is)
	}
	if _, err := b.options.Cast.Bind(b.env.Codecs, b.info.Type, is); err == nil {
		hint = fmt.Sprintf("data_type: %s converts the values", target)
	}
	b.wrong("data_type", fmt.Sprintf("%s, the target has %s", own, target), hint)
}

// agrees reports whether the array, as it would be written, has the chunks, fill value,
// dimension names, codecs and attributes of the existing array. Each difference is a
// problem of the field that causes it.
func (b *builder) agrees(a *Array) bool {
	before := len(b.problems)
	is, would := a.Existing.Meta, a.Meta
	hint := "leave the field out: the array keeps that of the target"
	if !slices.Equal(would.Grid.Chunk, is.Grid.Chunk) {
		field := "chunks"
		if b.options.Shards != nil {
			field = "shards"
		}
		b.wrong(field, fmt.Sprintf("%v, the target has %v", would.Grid.Chunk, is.Grid.Chunk), hint)
	}
	if v := compare.ValuesOf(is.Type); !v.Same(would.Fill, is.Fill) {
		b.wrong("fill_value", fmt.Sprintf("%s, the target has %s", would.Type.FormatScalar(dtype.V3, would.Fill), is.Type.FormatScalar(dtype.V3, is.Fill)), hint)
	}
	if is.DimensionNames != nil && !slices.Equal(would.DimensionNames, is.DimensionNames) {
		b.wrong("dimension_names", fmt.Sprintf("%q, the target has %q", would.DimensionNames, is.DimensionNames), "name the dimensions as in the target")
	}
	if len(b.problems) == before {
		b.sameChains(would, is)
	}
	b.sameAttributes(a.Existing, would.Attributes, is.Attributes)
	return len(b.problems) == before
}

// sameChains compares the codecs in the metadata of two arrays that have the
// same type, fill value and chunks.
func (b *builder) sameChains(would, is *zarr.Array) {
	in := codecs.Chunk{Type: is.Type, Shape: is.Grid.Chunk, Fill: is.Fill}
	own, err := b.chains.Bind(would.Codecs, in)
	if err != nil {
		b.wrong("codecs", err.Error(), "")
		return
	}
	target, err := b.chains.Bind(is.Codecs, in)
	if err != nil {
		b.wrong("codecs", "the codecs of the target: "+err.Error(), "")
		return
	}
	if !b.sameChain(own, target) {
		hint := "leave codecs out: the array keeps the codecs of the target"
		if b.outcome != nil {
			hint = "with cf: codecs, source and target have to have the same packing"
		}
		b.wrong("codecs", fmt.Sprintf("%s, the target has %s", specsText(own.Specs()), specsText(target.Specs())), hint)
	}
}

// specsText spells a chain for a message.
func specsText(specs []codecs.Spec) string { return jobfile.Clip(jobfile.CodecsText(specs), 300) }

// complete implements [base]. It restricts the plan of the array to the objects that get
// incoming rows. If the first of these objects also holds rows of the target, they are read
// from the target and written again.
func (t existingArray) complete(b *builder, a *Array) {
	t.Attributes, t.Incoming = a.Meta.Attributes, a.elements()
	a.Existing, a.Reason = t.Existing, "the array grows"
	if !b.agrees(a) || t.Axis < 0 {
		return
	}
	added := b.info.Shape[t.Axis]
	extent := t.Meta.Grid.Chunk[t.Axis]
	first := t.Rows / extent
	old := sources.Window(t.Array, t.Axis, first*extent, t.Rows-first*extent)
	info := *t.Incoming.Info()
	info.Shards, info.Codecs = nil, nil
	info.Memory = max(cmp.Or(info.Memory, sources.ScratchBytes), cmp.Or(old.Info().Memory, sources.ScratchBytes))
	joined, err := sources.Join(info, t.Axis, []sources.Array{old, t.Incoming})
	if err != nil {
		b.wrong("data_type", "the rows of source and target cannot be joined: "+err.Error(), "")
		return
	}
	grown := *t.Meta
	grown.Grid.Shape = slices.Clone(t.Meta.Grid.Shape)
	grown.Grid.Shape[t.Axis] = t.Rows + added
	if err := grown.Grid.Check(); err != nil {
		b.wrong("chunks", err.Error(), "")
		return
	}
	a.array, a.Type, a.Meta, a.convert = joined, joined.Info().Type, &grown, nil
	a.Grid = &zarr.Grid{Shape: slices.Clone(joined.Info().Shape), Chunk: t.Meta.Grid.Chunk}
	if added == 0 {
		a.Grid.Shape[t.Axis] = 0
	}
	place := sinks.Placement{Keys: t.Meta.Keys, First: make([]int, len(grown.Grid.Shape))}
	place.First[t.Axis] = first
	a.Append = &Append{Dimension: b.plan.dim, Axis: t.Axis, Rows: t.Rows, Undigested: t.Undigested, New: added, place: place}
	if counts := a.Grid.Count(); t.Rows > first*extent && added > 0 {
		a.Append.Rewritten = a.Grid.Len() / counts[t.Axis]
	}
}
