package references

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sources"
)

// Table is a plan whose target is a table of references, with everything decided. It is
// immutable. It refers to the plan, which its maker closes.
type Table struct {
	Arrays []Array // in the order of the source
	// Findings are warnings, those of the plan first.
	Findings jobfile.Problems

	plan   *plan.Plan
	env    environment.Environment
	inline bounds
}

// Array is an array of a table.
type Array struct {
	*plan.Array
	// Inline says that the elements of the array are in the table; Why says why. Otherwise the
	// table refers to its chunks.
	Inline bool
	Why    string
}

// New decides for each array of a plan what the table has of it. If that is not possible, the
// error is [jobfile.Problems], with everything that is wrong at once.
func New(ctx context.Context, p *plan.Plan, env environment.Environment) (*Table, error) {
	return newTable(ctx, p, env, bounds{most: mostInline, array: smallArray, chunk: smallChunk})
}

// newTable is New with other bounds, for tests.
func newTable(ctx context.Context, p *plan.Plan, env environment.Environment, inline bounds) (*Table, error) {
	t := &Table{plan: p, env: env.Complete(), inline: inline, Findings: slices.Clip(p.Findings)}
	problems := t.files()
	for i := range p.Arrays {
		a, err := t.array(ctx, &p.Arrays[i])
		if err == nil {
			t.Arrays = append(t.Arrays, a)
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		problems = append(problems, t.left(&p.Arrays[i], err))
	}
	problems.Sort()
	if err := problems.Err(); err != nil {
		return nil, err
	}
	t.Findings = append(t.Findings, problems...)
	return t, nil
}

// left returns the problem of an array that the table cannot have: a warning if the job skips
// such arrays and does not name this one.
func (t *Table) left(a *plan.Array, why error) jobfile.Problem {
	j := t.plan.Job
	problem := j.Problem("target.references", fmt.Sprintf("array %q: %v", a.Source, why),
		"source.exclude leaves it out, source.unsupported: skip all of this kind; a hierarchy as target can have it")
	if j.Source.Unsupported == "skip" && !j.Names(a.Source) {
		problem.Message, problem.Hint = fmt.Sprintf("array %q is left out: %v", a.Source, why), ""
		problem.Warning, problem.Code = true, sources.LeftOut
	}
	return problem
}

// files returns problems about files of the source to which a table cannot refer.
func (t *Table) files() (ps jobfile.Problems) {
	j := t.plan.Job
	refuse := func(url string, why error) {
		ps = append(ps, j.Problem("source.url", fmt.Sprintf("no reference can lead to %s: %v", url, why), "copy the file to another place"))
	}
	for _, l := range j.Source.Locations {
		if strings.HasPrefix(l.URL, "http") && store.Far(l.URL) && strings.Contains(l.URL, "?") {
			refuse(store.Shown(l.URL), errors.New("its URL has a query, which may be a secret and would be in the table"))
		}
	}
	for f := range t.plan.Opened() {
		_, err := fsspecURL(f.URL)
		inside := strings.Contains(strings.ToLower(f.URL), ".zip/")
		if inside && store.Local(f.URL) { // it may be a folder with that name
			_, missing := os.Stat(f.URL)
			inside = missing != nil
		}
		if err == nil && inside {
			err = errors.New("it is part of an archive")
		}
		if err != nil {
			refuse(f.URL, err)
		}
	}
	return ps
}

// array decides about one array. The error says why the table cannot have it.
func (t *Table) array(ctx context.Context, a *plan.Array) (Array, error) {
	size, _ := ndarray.Bytes(a.Meta.Type, a.Grid.Shape) // fits: the array was opened
	why := t.obstacle(a)
	switch {
	case why == "" && !t.inline.small(size, a.Chunks()):
		return Array{Array: a}, nil
	case why == "":
		why = "it is small"
	case size > t.inline.most:
		return Array{}, fmt.Errorf("no reference can lead to its chunks: %s; its elements take %s, and a table holds at most %s of an array", why, words.Size(int64(size)), words.Size(int64(t.inline.most)))
	}
	inline := inlined(*a.Meta)
	if _, _, err := inline.V2(t.env.Codecs); err != nil {
		return Array{}, err
	}
	if a.Meta.Type.Size() == 0 { // how long its elements are is not known otherwise
		if _, err := elements(ctx, t.plan, a, t.env.Codecs); err != nil {
			return Array{}, fmt.Errorf("no reference can lead to its chunks: %s; %w", why, err)
		}
	}
	return Array{Array: a, Inline: true, Why: why}, nil
}

// obstacle says why a table cannot refer to the chunks of an array; "": it can.
func (t *Table) obstacle(a *plan.Array) string {
	if t.plan.Task(a).Stored == nil {
		if info := t.plan.Task(a).Source.Info(); info.Codecs == nil && info.Obstacle == "" {
			return "its elements are computed from those of the file"
		}
		if strings.HasPrefix(a.Reason, "codecs: keep") {
			return "a part of it is selected, or its elements are computed"
		}
		return a.Reason
	}
	if _, _, err := a.Meta.V2(t.env.Codecs); err != nil {
		return err.Error()
	}
	return ""
}
