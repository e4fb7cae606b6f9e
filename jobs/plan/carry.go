package plan

import (
	"bytes"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/sources"
)

// carry decides whether the source's objects are carried through, which is the cheapest way
// to the same array. Otherwise it sets the reason. Only the job and the source decide, so
// the next run of the same job decides in the same way.
func (b *builder) carry(a *Array) {
	stored := sources.AsStored(b.array)
	object := b.info.Shards
	if object == nil {
		object = b.info.Chunks
	}
	switch {
	case b.info.Obstacle != "":
		a.Reason = b.info.Obstacle
	case b.info.Codecs == nil:
		a.Reason = "the source stores no Zarr chunks"
	case b.encodes:
		a.Reason = "an earlier version of zmigrate has encoded chunks of the target"
	case b.plan.Job.Run.Path == "decode":
		a.Reason = "run.path is decode"
	case a.convert != nil:
		a.Reason = "another data type"
	case !slices.Equal(object, a.Meta.Grid.Chunk):
		a.Reason = "other chunks"
	case !bytes.Equal(b.sourceFill(), a.Chain.Chunk().Fill):
		a.Reason = "another fill value"
	case !b.sameCodecs(a.Chain):
		a.Reason = "other codecs"
	case b.plan.Job.Target.StoreEmptyChunks:
		a.Reason = "store_empty_chunks wants chunks that the source may leave out"
	case a.Chain.Size().Unbounded && !a.Chain.VerifiesInPieces():
		a.Reason = "a checksum that takes all of an object, whose size has no bound, in memory"
	case stored == nil:
		a.Reason = "codecs: keep would ask for the stored chunks"
	default:
		a.stored = stored
	}
}

// sourceFill returns the value of elements that the source does not store.
func (b *builder) sourceFill() []byte {
	if b.info.Fill == nil {
		return b.info.Type.Default()
	}
	return b.info.Fill
}

// sameCodecs reports whether a chain of the target has the codecs by which the source stores
// its objects. The objects must have the same shape.
func (b *builder) sameCodecs(chain *codecs.Chain) bool {
	in := chain.Chunk()
	in.Type = b.info.Type
	own, err := b.chains.Bind(b.info.Codecs, in)
	return err == nil && b.sameChain(own, chain)
}

// sameChain reports whether two bound chains are the same but for the names of codecs that
// have several.
func (b *builder) sameChain(x, y *codecs.Chain) bool {
	own, _ := x.Former()
	other, _ := y.Former()
	return b.sameSpecs(own, other)
}

// sameSpecs reports whether the specs of two bound chains are the same but for aliases.
func (b *builder) sameSpecs(x, y []codecs.Spec) bool {
	return slices.EqualFunc(x, y, func(x, y codecs.Spec) bool {
		return b.codecName(x.Name) == b.codecName(y.Name) && bytes.Equal(x.Configuration, y.Configuration)
	})
}

// codecName returns the name of a codec, given its name or an alias.
func (b *builder) codecName(name string) string {
	if d, err := b.env.Codecs.Lookup(name); err == nil {
		return d.Name
	}
	return name
}
