package draft

import (
	"context"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/jobs/environment"
)

// New returns the text of a job file for a source. locations are files, globs or hierarchies, or
// one folder of files.
func New(ctx context.Context, locations []string, env environment.Environment, opt Options) (_ string, err error) {
	env = env.Complete()
	if len(locations) == 0 {
		return "", errors.New("no source")
	}
	f, err := find(ctx, locations, env)
	if err != nil {
		return "", err
	}
	opt.complete(f)
	how, err := join(ctx, f, env)
	if err != nil {
		return "", fmt.Errorf("the %d files do not become one: %w", len(f.urls), err)
	}
	in := f.relativeTo(opt.Dir)
	// The arrays are those of a job without codecs of its own. Its target does not count: it may
	// exist, or not be reachable yet.
	bare := text(f, in, how, Options{Name: opt.Name, Target: "mem://draft", Access: opt.Access}, &decisions{})
	p, err := parsedPlan(ctx, bare, opt.Dir, env)
	if err != nil {
		return "", err
	}
	d, err := decide(ctx, p, env, opt)
	if err = errors.Join(err, p.Close()); err != nil {
		return "", err
	}
	made := text(f, in, how, opt, d)
	// What is returned makes a plan.
	check, err := parsedPlan(ctx, text(f, in, how, opt.with("mem://draft"), d), opt.Dir, env)
	if err != nil {
		return "", fmt.Errorf("the draft is no valid job: %w\n%s", err, made)
	}
	return made, check.Close()
}
