package plan

import (
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/jobs/input"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// packing plans an array of packed elements whose codecs are to say what the elements mean.
// The target's array has physical values, and the stored elements stay as they are.
func (b *builder) packing() {
	_, field := input.CFMode(b.plan.Job, b.info.Path)
	wrong := func(message, hint string) {
		b.problems = append(b.problems, b.plan.Job.Problem(field, fmt.Sprintf("array %q: %s", b.info.Path, message), hint))
	}
	if b.options.DataType != nil && !b.keeps() {
		wrong("with cf: codecs, the packing determines the data type, but the job gives the array a data_type, too", "leave data_type out, or choose cf: unpack")
		return
	}
	outcome, err := b.info.Packing.AsCodecs()
	if err != nil {
		wrong(err.Error(), "")
		return
	}
	b.outcome = outcome
	b.notes = append(b.notes, outcome.Notes...)
	b.findings(outcome.Findings)
}

// packedFill returns the fill value, a physical value, and the element that is stored for
// it. The fill value comes from the job, from the existing array or from the packing.
func (b *builder) packedFill(t dtype.Type) (fill, stored dtype.Scalar) {
	if _, exists := b.base.fill(); b.options.FillValue == nil && !exists {
		b.note("fill value %s, stored as %s", t.FormatScalar(dtype.V3, b.outcome.Fill), b.info.Type.FormatScalar(dtype.V3, b.outcome.StoredFill))
		return b.outcome.Fill, b.outcome.StoredFill
	}
	fill = b.fill(t)
	in := codecs.Chunk{Type: t, Fill: fill}
	for _, spec := range b.outcome.Codecs {
		definition, err := b.env.Codecs.Lookup(spec.Name)
		if err != nil {
			b.wrong("fill_value", err.Error(), "")
			return fill, b.outcome.StoredFill
		}
		codec, err := definition.Parse(spec.Configuration)
		var bound codecs.ArrayToArray
		if err == nil {
			bound, err = codec.(codecs.ArrayToArrayCodec).BindArrayToArray(in)
		}
		if err != nil {
			b.wrong("fill_value", fmt.Sprintf("%s: %v", spec.Name, err), "choose a value that the packing can store, or leave it out")
			return fill, b.outcome.StoredFill
		}
		in = bound.Encoded()
	}
	return fill, in.Fill
}

// packedSpecs returns the codecs of the array's metadata: first those that say what stored
// elements mean, then inner, by which the elements are stored.
func (b *builder) packedSpecs(meta *zarr.Array, inner *codecs.Chain) []codecs.Spec {
	in := codecs.Chunk{Type: meta.Type, Shape: inner.Chunk().Shape, Fill: meta.Fill}
	meaning := b.outcome.Codecs
	if b.options.Shards != nil && !b.keeps() {
		// Inside shards, zarr-python tries these codecs with a fill value of 0, whatever the
		// fill value of the array is. Without clamping, it could not open the array if 0 is
		// out of range. No element is encoded by these codecs, so clamping changes no value.
		meaning = standard.Clamped(meaning)
	}
	chain, err := b.chains.Bind(slices.Concat(meaning, inner.Specs()), in)
	if err != nil {
		_, field := input.CFMode(b.plan.Job, b.info.Path)
		b.problems = append(b.problems, b.plan.Job.CodecProblems(field, b.env.Codecs, err)...)
		return nil
	}
	if b.keeps() {
		b.keptHazards(chain)
	} else if h, found := fillHazard(chain); found {
		// No object is stored for a chunk that holds only the stored fill value. Readers
		// then take the physical fill value.
		b.wrong("fill_value", h.Message, "choose a value that the packing can store, or leave it out")
		return nil
	}
	if b.options.Shards != nil {
		if chain = b.sharded(chain); chain == nil {
			return nil
		}
	}
	return chain.Specs()
}

// fillHazard returns the hazard of a chain to the fill value, if it has one.
func fillHazard(chain *codecs.Chain) (codecs.Hazard, bool) {
	for _, h := range chain.Hazards() {
		if h.Code == codecs.FillValueLost || h.Code == codecs.FillValueChanges {
			return h, true
		}
	}
	return codecs.Hazard{}, false
}

// keeps reports whether the codecs that say what elements mean are those of the source.
func (b *builder) keeps() bool {
	mode, _ := input.CFMode(b.plan.Job, b.info.Path)
	return b.plan.Job.Driver().Codecs == sources.CodecsByDefault && mode != cf.Codecs
}
