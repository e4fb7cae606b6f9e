package plan

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/sources"
)

// plannedEarlier plans an array once more, with the choices of earlier versions of this
// program. They chose chunks by another rule, applied lossy codecs of the defaults to
// every array, kept each _FillValue and missing_value, gave some codecs another name, gave
// dimensions no names of axes, kept the limits of the first of several files, and took the
// number 0 as a fill value of strings for the empty string. plannedEarlier returns that array
// if the checkpoint records it, because a target that is complete or begun keeps its metadata.
// Otherwise it returns nil. b is the builder before it built planned, except that chose is set.
func (p *Plan) plannedEarlier(ctx context.Context, b builder, planned *Array) (*Array, jobfile.Problems, error) {
	former, renamed := b.formerCodecs()
	if !b.chose && !renamed && b.info.FirstLimits == nil && b.info.FormerFill == nil {
		return nil, nil, nil
	}
	if p.recorded == nil {
		if err := p.readRecorded(ctx, b.env); err != nil {
			return nil, nil, err
		}
	}
	recorded, known := p.recorded[planned.Target]
	if !known {
		return nil, nil, nil
	}
	same, err := planned.hasDigest(recorded.digest)
	if err != nil || same && planned.isCarried() == recorded.carried {
		return nil, nil, err
	}
	var found *Array // has the metadata on record
	var problems jobfile.Problems
	for _, b := range b.earlierChoices(former, renamed) {
		was, wrong := b.build()
		if was == nil || wrong.Err() != nil {
			continue
		}
		is, err := was.hasDigest(recorded.digest)
		if err != nil {
			return nil, nil, err
		}
		exact := is && was.isCarried() == recorded.carried
		if exact || is && !same && found == nil {
			found, problems = was, wrong
			p.ownNames = p.ownNames || b.ownNames
		}
		if exact {
			break
		}
	}
	if found != nil {
		found.Notes = append(found.Notes, "chunks, codecs and attributes: those that an earlier version of zmigrate chose for the target")
	}
	return found, problems, nil
}

// earlierChoices returns builders that choose as earlier versions of this program did, the
// latest of them first. former are the codecs of the source by the names that they gave
// them, if some are renamed.
func (b *builder) earlierChoices(former []codecs.Spec, renamed bool) []builder {
	list := []builder{*b}
	if renamed {
		named := *b
		named.describe(func(source *sources.Info) { source.Codecs = former })
		list = append(list, named)
		for _, encoded := range list {
			encoded.encodes = true
			list = append(list, encoded)
		}
	}
	if b.info.Axes {
		for _, names := range list {
			names.ownNames = true
			list = append(list, names)
		}
	}
	if b.info.FirstLimits != nil {
		for _, limits := range list {
			limits.describe(func(source *sources.Info) { source.Attributes = source.FirstLimits })
			list = append(list, limits)
		}
	}
	if b.info.FormerFill != nil {
		for _, fill := range list {
			fill.describe(func(source *sources.Info) { source.Fill = source.FormerFill })
			if array, ok := fill.array.(sources.Refilled); ok {
				fill.array = array.WithFill(fill.info.Fill)
			}
			list = append(list, fill)
		}
	}
	if b.chose {
		for _, fill := range list {
			fill.keepsFill = true
			chunks := fill
			chunks.earlier = true
			list = append(list, fill, chunks)
		}
	}
	return list[1:]
}

// describe gives the builder a description of the source of its own, which change may change.
func (b *builder) describe(change func(*sources.Info)) {
	source := *b.info
	change(&source)
	b.info = &source
}

// formerCodecs returns the codecs of the source by the names that earlier versions gave
// them. renamed reports whether there is such a name.
func (b *builder) formerCodecs() (specs []codecs.Spec, renamed bool) {
	if b.info.Codecs == nil {
		return nil, false
	}
	in := codecs.Chunk{Type: b.info.Type, Shape: b.info.Shards, Fill: b.sourceFill()}
	if in.Shape == nil {
		in.Shape = b.info.Chunks
	}
	if in.Shape == nil { // chunks of several shapes
		in.Shape = slices.Repeat([]int{1}, len(b.info.Shape))
	}
	chain, err := b.chains.Bind(b.info.Codecs, in)
	if err != nil {
		return nil, false // a chunk of another shape has these codecs
	}
	return chain.Former()
}

// readRecorded sets p.recorded to the arrays in the checkpoint.
func (p *Plan) readRecorded(ctx context.Context, env environment.Environment) error {
	p.recorded = map[string]recordedArray{}
	s := p.state
	switch {
	case p.Job.Target.References != "":
		return nil // there is no checkpoint
	case s == nil:
		var err error
		if s, _, err = environment.ReadState(ctx, p.Job, env, p.Limits.Target); err != nil {
			return err
		}
	}
	var m *manifest.Manifest
	var err error
	switch {
	case s.Done != nil:
		m, err = manifest.ReadCompleted(s.Done)
	case s.Manifest != nil:
		m, err = manifest.Read(s.Manifest)
	}
	if err != nil || m == nil {
		return err
	}
	for _, a := range m.Arrays {
		p.recorded[a.Target] = recordedArray{a.Digest, a.Carried}
	}
	return nil
}

// hasDigest reports whether the metadata of the array have this digest.
func (a *Array) hasDigest(digest string) (bool, error) {
	meta, err := json.Marshal(a.Meta)
	return err == nil && manifest.MetadataDigest(meta) == digest, err
}

// isCarried reports whether the objects of the source are carried through.
func (a *Array) isCarried() bool { return a.stored != nil }
