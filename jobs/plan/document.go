package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/manifest"
)

// A plan is written down as its manifest. A checkpoint holds the manifest, too. The manifest
// says what the plan was made from and has digests of its results. It has no bound codec
// chains and no layout of blocks: these follow from the job and from the descriptions of
// the sources, which a process that works on the plan has to read anyway. It has no secrets
// either, and not the memory and the workers of a run: each process takes them from the job
// that it has loaded. So to read a plan is to make it again and to compare the two hashes.

// ErrOtherPlan is the cause of an error about a job that now leads to another plan than the
// one that was written down.
var ErrOtherPlan = errors.New("it is another plan")

// ErrFinished is the error about a plan to append rows that is read after it was
// finished. Nothing is left to do for it.
var ErrFinished = errors.New("the plan is finished already: the target has its rows")

// Read makes the plan that [Plan.Manifest] has written, perhaps in another process. It
// opens the sources of the job, and fails if the job or the sources are not those of the
// document. A plan to append rows is read after the run has begun, because from then on
// the checkpoint tells how many rows there were.
func Read(ctx context.Context, j *jobfile.Job, env environment.Environment, document []byte) (*Plan, error) {
	was, err := manifest.Parse(document)
	if err != nil {
		return nil, fmt.Errorf("the plan: %w", err)
	}
	p, err := New(ctx, j, env)
	if err != nil {
		return nil, err
	}
	text, err := p.Manifest()
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	is, err := manifest.Parse(text)
	switch g := p.Growth(); {
	case err != nil || is.Hash == was.Hash:
	case g != nil && g.completed != nil && g.completed.Hash == was.Hash:
		err = ErrFinished
	default:
		err = fmt.Errorf("%w than the one that was written down:\n  %s", ErrOtherPlan, strings.Join(is.Differences(was), "\n  "))
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Hash returns the hash of the plan's manifest.
func (p *Plan) Hash() (string, error) {
	text, err := p.Manifest()
	if err != nil {
		return "", err
	}
	return manifest.HashOf(text)
}

// Units is the number of units of the plan. Their numbers count through the arrays, in
// the order of the plan.
func (p *Plan) Units() int {
	n := 0
	for i := range p.Arrays {
		n += p.Arrays[i].Chunks()
	}
	return n
}
