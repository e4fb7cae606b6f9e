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

// keptHazards reports what may happen to values in a chain that the source has, too. Only
// the loss of the fill value needs the permission of the job, because the values have
// passed through these codecs before.
func (b *builder) keptHazards(chain *codecs.Chain) {
	for _, p := range b.plan.Job.Hazards("", chain, true) {
		at := b.plan.Job.Problem(b.field+".codecs", fmt.Sprintf("array %q: the source's codecs%s: %s", b.info.Path, p.Field, p.Message), p.Hint)
		at.Warning, at.Code = p.Warning, p.Code
		b.problems = append(b.problems, at)
	}
}

// lossyAgain warns of an array that keeps a lossy codec of the source although its chunks
// are decoded and encoded again. The job does not name the codec, and the values have lost
// something by it before.
func (b *builder) lossyAgain(a *Array) {
	if a.stored != nil || b.options.Codecs.Chain != nil || b.info.Codecs == nil || b.plan.Job.Target.References != "" {
		return
	}
	if codec := a.Chain.Unstable(); codec != "" {
		b.warn("codecs", "lossy-again", fmt.Sprintf("its chunks are decoded and encoded again (%s), and the source's codec %s may change their values each time", a.Reason, codec),
			"give the array lossless codecs, such as [bytes, zstd], or leave chunks, type and run.path as they are, so that stored chunks are copied")
	}
}

// keepShards keeps the source's grid of shards if the job names neither chunks nor shards.
// The array gets shards of the source's shape. If the job's own codecs make shards, the
// chunks get that shape.
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

// keptCodecs returns the codecs of the source if the driver keeps codecs by default, or if
// the job asks for them. If the source has shards, they are the codecs of the inner chunks.
// It returns nil if the source has no codecs, or if its codecs do not take the chunks in.
// That is a problem if the job asks for them, unless the target is a table of references:
// package references decides what becomes of such an array.
func (b *builder) keptCodecs(in codecs.Chunk) []codecs.Spec {
	keep := b.options.Codecs.Keep
	needs := keep && b.plan.Job.Target.References == ""
	if b.info.Codecs == nil && needs {
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
	case needs:
		b.wrong("codecs", "the codecs of the source cannot be kept: "+err.Error(), "list the codecs")
	default:
		b.note("codecs: the default, because the codecs of the source cannot be kept: %v", err)
	}
	return nil
}

// sourceCodecs returns the codecs of the source, for inner chunks if it has shards. It does
// not check whether they take chunks of this shape.
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

// sharding returns the spec of the codec sharding_indexed whose inner chunks have the given
// chain. If the codecs of the source are kept, the spec also keeps the codecs and the
// location of its index.
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

// sharded returns the chain of shards whose inner chunks have the given chain. It returns
// nil after a problem.
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
	b.wrong("shards", err.Error(), "each extent of shards has to be a multiple of the extent of chunks")
	return nil
}
