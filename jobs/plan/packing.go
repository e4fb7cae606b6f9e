package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// packing decides on an array of packed elements whose codecs are to say what
// these mean: it becomes an array of physical values, stored as it is.
func (b *builder) packing() {
	_, field := cfMode(b.plan.Job, b.info.Path)
	wrong := func(message, hint string) {
		b.problems = append(b.problems, b.plan.Job.Problem(field, fmt.Sprintf("array %q: %s", b.info.Path, message), hint))
	}
	if b.options.DataType != nil && !b.keeps() {
		wrong("with codecs, the packing decides on the data type, and the array has data_type as well", "leave data_type out, or choose cf: unpack")
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

// packedFill takes the fill value, a physical one, from the job or the packing,
// and the value that is stored for it.
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

// packedSpecs returns the codecs of the array's metadata: those that say what
// stored elements mean in front of those by which they are stored.
func (b *builder) packedSpecs(meta *zarr.Array, inner *codecs.Chain) []codecs.Spec {
	in := codecs.Chunk{Type: meta.Type, Shape: inner.Chunk().Shape, Fill: meta.Fill}
	meaning := b.outcome.Codecs
	if b.options.Shards != nil && !b.keeps() {
		meaning = clamped(meaning)
	}
	chain, err := b.chains.Bind(slices.Concat(meaning, inner.Specs()), in)
	if err != nil {
		_, field := cfMode(b.plan.Job, b.info.Path)
		b.problems = append(b.problems, b.plan.Job.CodecProblems(field, b.env.Codecs, err)...)
		return nil
	}
	if b.keeps() {
		b.keptHazards(chain)
	} else if h, found := fillHazard(chain); found {
		// A chunk of stored fill values alone is not stored, and read as the
		// physical one.
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

// fillHazard is what a chain does to the fill value, if it does anything.
func fillHazard(chain *codecs.Chain) (codecs.Hazard, bool) {
	for _, h := range chain.Hazards() {
		if h.Code == codecs.FillValueLost || h.Code == codecs.FillValueChanges {
			return h, true
		}
	}
	return codecs.Hazard{}, false
}

// keeps reports whether the packing is that of codecs which the source has, too.
func (b *builder) keeps() bool {
	mode, _ := cfMode(b.plan.Job, b.info.Path)
	return b.plan.Job.Driver().Codecs == sources.CodecsByDefault && mode != cf.Codecs
}

// clamped returns codecs that say what stored elements mean with a cast_value
// that clamps: inside of shards zarr-python tries them with a fill value of 0,
// whatever the array's is, and cannot open an array where that is out of range.
// Nothing is stored through them.
func clamped(specs []codecs.Spec) []codecs.Spec {
	list := slices.Clone(specs)
	for i, s := range list {
		if s.Name != standard.CastValueName {
			continue
		}
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(s.Configuration, &fields); err != nil {
			panic(err) // the packing wrote it
		}
		fields["out_of_range"] = json.RawMessage(`"clamp"`)
		text, err := json.Marshal(fields)
		if err != nil {
			panic(err) // fields that were read from JSON
		}
		list[i].Configuration = text
	}
	return list
}
