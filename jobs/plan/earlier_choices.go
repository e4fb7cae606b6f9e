package plan

import (
	"context"
	"encoding/json"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// plannedEarlier returns an array as programs planned it that chose other chunks, and had
// lossy codecs of the defaults for every array, if the checkpoint has it in this way: a
// target that is complete, or begun, keeps what was chosen for it. It returns nil if the checkpoint does not have it so. b is the
// builder as it was before it built planned.
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
	b.earlier = true
	was, problems := b.build()
	if was == nil || problems.Err() != nil {
		return nil, nil, nil
	}
	if same, err := was.hasDigest(digest); !same || err != nil {
		return nil, nil, err
	}
	was.Notes = append(was.Notes, "chunks and codecs: those that an earlier version of zmigrate chose for the target")
	return was, problems, nil
}

// readRecorded reads the digests of the arrays in the checkpoint.
func (p *Plan) readRecorded(ctx context.Context, env Environment) error {
	p.recorded = map[string]string{}
	s := p.state
	if s == nil {
		var err error
		if s, _, err = readState(ctx, p.Job, env, p.Limits.Target); err != nil {
			return err
		}
	}
	var m *Manifest
	var err error
	switch {
	case s.done != nil:
		m, err = ReadCompleted(s.done)
	case s.manifest != nil:
		m, err = ReadManifest(s.manifest)
	}
	if err != nil || m == nil {
		return err
	}
	for _, a := range m.Arrays {
		p.recorded[a.Target] = a.Digest
	}
	return nil
}

// hasDigest reports whether a manifest has this digest of the array.
func (a *Array) hasDigest(digest string) (bool, error) {
	meta, err := json.Marshal(a.Meta)
	return err == nil && metadataDigest(meta) == digest, err
}
