package plan

import (
	"context"
	"encoding/json"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/manifest"
)

// plannedEarlier plans an array once more, with the choices of earlier versions of this
// program. They chose chunks by another rule, applied lossy codecs of the defaults to
// every array, and kept each _FillValue. plannedEarlier returns
// that array if the checkpoint records it, because a target that is complete or begun keeps
// its metadata. Otherwise it returns nil. b is the builder before it built planned.
func (p *Plan) plannedEarlier(ctx context.Context, b builder, planned *Array) (*Array, jobfile.Problems, error) {
	if p.recorded == nil {
		if err := p.readRecorded(ctx, b.env); err != nil {
			return nil, nil, err
		}
	}
	digest := p.recorded[planned.Target]
	if same, err := planned.hasDigest(digest); digest == "" || same || err != nil {
		return nil, nil, err
	}
	b.keepsFill = true
	other := b
	other.earlier = true
	for _, b := range []builder{b, other} {
		was, problems := b.build()
		if was == nil || problems.Err() != nil {
			continue
		}
		if same, err := was.hasDigest(digest); err != nil {
			return nil, nil, err
		} else if same {
			was.Notes = append(was.Notes, "chunks, codecs and attributes: those that an earlier version of zmigrate chose for the target")
			return was, problems, nil
		}
	}
	return nil, nil, nil
}

// readRecorded sets p.recorded to the digests of the arrays in the checkpoint.
func (p *Plan) readRecorded(ctx context.Context, env environment.Environment) error {
	p.recorded = map[string]string{}
	s := p.state
	if s == nil {
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
		p.recorded[a.Target] = a.Digest
	}
	return nil
}

// hasDigest reports whether the metadata of the array have this digest.
func (a *Array) hasDigest(digest string) (bool, error) {
	meta, err := json.Marshal(a.Meta)
	return err == nil && manifest.MetadataDigest(meta) == digest, err
}
