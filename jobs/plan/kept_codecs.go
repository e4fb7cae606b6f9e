package plan

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// keepsCodecs reports whether an array of a Zarr source keeps its codecs as far
// as the job says so, and with them its data type, which is t.
func keepsCodecs(j *jobfile.Job, path string, t dtype.Type, types *dtype.Registry) bool {
	o, _ := j.Options(path)
	if o.Codecs.Chain != nil {
		return false
	}
	if o.DataType == nil {
		return true
	}
	wanted, err := types.ParseV3(o.DataType)
	return err == nil && dtype.Same(t, wanted)
}

// wantsStored reports whether the job asks for the codecs of an array, so that
// its chunks are best copied as they are stored.
func wantsStored(j *jobfile.Job, path string) bool {
	o, _ := j.Options(path)
	return o.Codecs.Keep && j.Run.Path != "decode"
}

// keptHazards reports what may happen to values in a chain that the source has
// as well. Nothing of it needs permission but the loss of the fill value: the
// values came through these codecs already.
func (b *builder) keptHazards(chain *codecs.Chain) {
	for _, p := range b.plan.Job.Hazards("", chain, true) {
		at := b.plan.Job.Problem(b.field+".codecs", fmt.Sprintf("array %q: the source's codecs%s: %s", b.info.Path, p.Field, p.Message), p.Hint)
		at.Warning, at.Code = p.Warning, p.Code
		b.problems = append(b.problems, at)
	}
}

// keepShards keeps the source's grid of shards where the job names neither
// chunks nor shards: the array gets shards of that shape, unless the job's own
// codecs make some.
func (b *builder) keepShards() {
	o := &b.options
	switch {
	case b.info.Shards == nil || o.Shards != nil || o.Chunks.Shape != nil || o.Chunks.Auto:
	case b.env.Codecs.HasContainer(o.Codecs.Chain):
		o.Chunks = jobfile.Chunks{Shape: b.info.Shards}
	default:
		o.Shards = b.info.Shards
	}
}

// keptCodecs returns the chain by which the source stores its chunks, those
// inside of its shards if it has some: that of a source whose codecs are kept by
// default, or one that the job asks for. It is nil where there is none, or none that takes the chunks of the
// target, which is a problem if the job wants it.
func (b *builder) keptCodecs(in codecs.Chunk) []codecs.Spec {
	keep := b.options.Codecs.Keep
	if b.info.Codecs == nil && keep {
		b.wrong("codecs", cmp.Or(b.info.Obstacle, "the source has no codecs")+": none can be kept", "give the array a list of codecs")
	}
	if b.info.Codecs == nil || !keep && b.plan.Job.Driver().Codecs != sources.CodecsByDefault {
		return nil
	}
	specs, err := b.sourceCodecs(in)
	if err == nil {
		_, err = b.chains.Bind(specs, in)
	}
	switch {
	case err == nil:
		return specs
	case keep:
		b.wrong("codecs", "those of the source cannot be kept: "+err.Error(), "list the codecs")
	default:
		b.note("codecs: the default, as those of the source cannot be kept: %v", err)
	}
	return nil
}

// sourceCodecs is keptCodecs without the check of the chunk shape.
func (b *builder) sourceCodecs(in codecs.Chunk) ([]codecs.Spec, error) {
	if !dtype.Same(in.Type, b.info.Type) {
		return nil, fmt.Errorf("they are for data type %s", b.info.Type.Name())
	}
	if b.info.Shards == nil {
		return b.info.Codecs, nil
	}
	in.Shape = b.info.Shards
	chain, err := b.chains.Bind(b.info.Codecs, in)
	if err != nil {
		return nil, err
	}
	layout, ok := chain.Shards()
	if !ok {
		return nil, fmt.Errorf("%s does not make the shards", b.info.Codecs[0].Name)
	}
	return layout.Inner().Specs(), nil
}

// sharding returns the spec of shards whose inner chunks have the given chain.
// Where the codecs are kept, so is how the source stores the index.
func (b *builder) sharding(inner *codecs.Chain) (codecs.Spec, error) {
	spec, err := standard.Sharding(inner)
	if err != nil || b.options.Codecs.Chain != nil || b.info.Shards == nil || b.info.Codecs == nil {
		return spec, err
	}
	var fields, own map[string]json.RawMessage
	if err := json.Unmarshal(spec.Configuration, &fields); err != nil {
		return spec, err
	}
	if err := json.Unmarshal(b.info.Codecs[0].Configuration, &own); err != nil {
		return spec, err
	}
	for _, name := range []string{"index_codecs", "index_location"} {
		if text, ok := own[name]; ok {
			fields[name] = text
		}
	}
	spec.Configuration, err = json.Marshal(fields)
	return spec, err
}

// sharded returns the chain of shards whose inner chunks have the given one.
func (b *builder) sharded(inner *codecs.Chain) *codecs.Chain {
	spec, err := b.sharding(inner)
	if err == nil {
		in := inner.Chunk()
		in.Shape = b.options.Shards
		var chain *codecs.Chain
		if chain, err = b.chains.Bind([]codecs.Spec{spec}, in); err == nil {
			return chain
		}
	}
	b.wrong("shards", err.Error(), "each extent of shards is a multiple of that of chunks")
	return nil
}
