package plan

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/input"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/places"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
	"github.com/zmigrate/zmigrate/zarr"
)

// New opens the job's sources and decides everything that can be decided without data. It
// reads some chunks if codecs may refuse values. If the job is at fault, the error is
// [jobfile.Problems], with everything that is wrong at once. The caller closes the plan.
//
// Late objects of another run may have replaced objects of the target. If the plan cannot be
// made for that reason, New returns the plan of [Repeat].
func New(ctx context.Context, j *jobfile.Job, env environment.Environment) (*Plan, error) {
	return newPlan(ctx, j, env, false)
}

// Repeat makes the plan of the last completed run once more, although the target has the
// rows of that run. It is for a target in which some objects are no longer those that the
// run wrote. Repeat fails if the job or its sources have changed since that run.
func Repeat(ctx context.Context, j *jobfile.Job, env environment.Environment) (*Plan, error) {
	return newPlan(ctx, j, env, true)
}

// ForRepair makes the plan of a run that writes damaged objects again. New reads some elements
// of a target that has grown, and fails if these are damaged. Then ForRepair returns the plan
// of [Repeat].
func ForRepair(ctx context.Context, j *jobfile.Job, env environment.Environment) (*Plan, error) {
	p, err := New(ctx, j, env)
	if err == nil || j.Target.Existing != "append" {
		return p, err
	}
	again, failed := Repeat(ctx, j, env)
	if failed != nil {
		return nil, err
	}
	return again, nil
}

func newPlan(ctx context.Context, j *jobfile.Job, env environment.Environment, repeats bool) (*Plan, error) {
	began := time.Now()
	env = env.Complete()
	limits := environment.Limits{Source: limits.New(j.Run.PerSecond), Target: limits.New(j.Run.PerSecond), Lock: limits.New(0)}
	source, request, err := input.Open(ctx, j, env, limits)
	if err != nil {
		return nil, input.Fault(j, err)
	}
	p := &Plan{Job: j, source: source, request: request, Limits: limits, target: creation{}, repeats: repeats, Groups: map[string]zarr.Attributes{}}
	err = p.build(ctx, env)
	if err == nil {
		p.Took = time.Since(began)
		return p, nil
	}
	err = errors.Join(p.overtaken(ctx, env, err), p.Close())
	if g := p.Growth(); g != nil && g.late && !repeats {
		if again, failed := Repeat(ctx, j, env); failed == nil {
			return again, nil
		}
	}
	return nil, err
}

// build makes the plan from the opened sources. First it gathers all problems of the job.
// Only if there are none does it read elements of target and source.
func (p *Plan) build(ctx context.Context, env environment.Environment) error {
	if err := p.openTarget(ctx, env); err != nil {
		return err
	}
	paths := p.source.Arrays()
	opened, came, left, err := input.Arrays(ctx, p.Job, p.source, paths)
	if err != nil {
		return input.Fault(p.Job, err)
	}
	empty := p.emptyGroups(left)
	problems := slices.Concat(p.Job.Unmatched(paths, empty...), p.Job.CheckDimensions(infos(opened)))
	if len(p.Job.Source.Select) > 0 && problems.Err() != nil {
		problems.Sort()
		return problems // because the selection may be meant for other arrays
	}
	if err := input.Select(ctx, p.Job, p.source, paths, opened); err != nil {
		return err
	}
	problems = slices.Concat(problems, p.waits(), p.leftOut(left), p.lostCoordinates(opened), p.grows(opened), p.residentFits())
	coordinates, dimensions := boundsOf(opened), newDimensions(paths, p.Job.Dimensions)
	described, times := coordinatesIn(paths, opened), timesOf(opened)
	notMigrated := input.CompanionsOf(paths, opened)
	chains := codecs.NewChains(env.Codecs)
	p.Arrays = make([]Array, 0, len(paths))
	one := func(i int) (jobfile.Problems, error) {
		name := paths[i]
		b := builder{plan: p, env: env, chains: chains, array: opened[i], base: newArray{}, boundsOf: coordinates[name], coordinate: described[name], times: times}
		if came[i] != "" {
			b.note("comes along as a coordinate of %s; source.coordinates: false leaves such arrays out", came[i])
		}
		for _, at := range notMigrated[name] {
			b.note("an attribute names %q, which is not migrated; source.include brings it along", at)
		}
		return p.planArray(ctx, &b, name, dimensions)
	}
	if err := p.target.overlap(ctx, p, opened, one); err != nil {
		return err
	}
	var refused []string // arrays with errors, which are not in p.Arrays
	for i := range paths {
		if opened[i] == nil {
			continue
		}
		before := len(p.Arrays)
		wrong, err := one(i)
		if err != nil {
			return err
		}
		if len(p.Arrays) == before {
			refused = append(refused, paths[i])
		}
		problems = append(problems, wrong...)
	}
	if len(p.Arrays) == 0 && problems.Err() == nil {
		problems = append(problems, p.noArrays(paths, left))
	}
	reviewed, err := p.target.review(ctx, p, coordinates)
	if err != nil {
		return err
	}
	groups, err := p.groups(empty, refused)
	if err != nil {
		return err
	}
	problems = slices.Concat(problems, p.clashes(), p.collisions(), groups, reviewed)
	problems.Sort()
	if err := problems.Err(); err != nil {
		return err
	}
	p.Findings = problems
	if p.plain, err = places.Apart(p.Job, p.source.Files()); err != nil {
		return err
	}
	if err := p.lookAround(ctx, env); err != nil {
		return err
	}
	if err := p.target.check(ctx, p, env.Codecs); err != nil {
		return fmt.Errorf("%w%s", err, p.swapped())
	}
	p.Findings = append(p.Findings, p.partial()...)
	return p.sample(ctx)
}

// noArrays returns what is wrong with a plan without arrays. paths has the arrays of the source, and
// left those that this program does not support. If the job skips these, that is only a warning.
func (p *Plan) noArrays(paths []string, left map[string]error) jobfile.Problem {
	if p.Job.Source.Unsupported == "skip" && len(left) > 0 {
		w := p.Job.Problem("source.unsupported", "no array is left: the target has the groups of the source and their attributes", "")
		w.Warning, w.Code = true, sources.LeftOut
		return w
	}
	hint := "the source has no arrays: look at it with zmigrate inspect"
	if all := p.Job.Source.AllLocations(); len(all) > 0 {
		hint = store.Shown(all[0].Text) + " has no arrays: look at it with zmigrate inspect, or name another source"
	}
	if len(paths) > 0 {
		hint = "the source has these arrays: " + jobfile.Clip(strings.Join(paths, ", "), 200)
	}
	return p.Job.Problem("source", "nothing to migrate: the source has no array that the job selects", hint)
}

// lookAround looks at what lies around the target, and at the lock at the same time.
func (p *Plan) lookAround(ctx context.Context, env environment.Environment) (err error) {
	var found jobfile.Problems
	var looking sync.WaitGroup
	looking.Go(func() { p.seeLock(ctx, env) })
	p.Unlisted, found, err = places.Around(ctx, p.Job, env, p.Limits.Target)
	looking.Wait()
	p.Findings = append(p.Findings, found...)
	return err
}

// planArray adds an array of the source to the plan, unless the array has problems. b is a
// builder for that array, and name its path in the source.
func (p *Plan) planArray(ctx context.Context, b *builder, name string, dimensions map[string]string) (jobfile.Problems, error) {
	if !p.Job.Driver().CF { // other drivers unpack elements themselves
		mode, field := input.CFMode(p.Job, name)
		packed, err := sources.Packed(b.array, mode, nil)
		if err != nil {
			return jobfile.Problems{p.Job.Problem(field, err.Error(), "cf: keep copies packed values and their attributes")}, nil
		}
		b.array = packed
	}
	b.options, b.field = p.Job.Options(name)
	b.takeCharacters()
	info := b.array.Info()
	b.info = withDimensions(info, dimensions)
	b.nameCoordinate(info)
	b.notes = append(b.notes, b.shapes().SkipOtherRanks()...)
	if err := p.target.meet(ctx, b); err != nil {
		return nil, err
	}
	b.notes, b.problems = slices.Clip(b.notes), slices.Clip(b.problems) // two builds may append to them
	earlier := *b
	planned, problems := b.build()
	if planned == nil {
		return problems, nil
	}
	if earlier.chose = b.chose; planned.Existing == nil {
		was, found, err := p.plannedEarlier(ctx, earlier, planned)
		if err != nil {
			return nil, err
		}
		if was != nil {
			planned, problems = was, found
		}
	}
	if n := len(p.Arrays); n > 0 {
		planned.share(&p.Arrays[n-1])
	}
	p.Arrays = append(p.Arrays, *planned)
	return problems, nil
}

// timesOf returns the dimensions whose coordinates are times. Some of the arrays are nil.
func timesOf(arrays []sources.Array) map[string]bool {
	times := map[string]bool{}
	for info := range infos(arrays) {
		if isCoordinate(info) && cf.IsClock(info.Attributes.Get("units")) {
			times[info.DimensionNames[0]] = true
		}
	}
	return times
}

// infos yields the descriptions of the arrays that are not nil.
func infos(arrays []sources.Array) iter.Seq[*sources.Info] {
	return func(yield func(*sources.Info) bool) {
		for _, a := range arrays {
			if a != nil && !yield(a.Info()) {
				return
			}
		}
	}
}

// boundsOf returns the paths of coordinates by the paths of their bounds. Some of the arrays
// are nil.
func boundsOf(arrays []sources.Array) map[string]string {
	return compare.BoundsOf(infos(arrays))
}
