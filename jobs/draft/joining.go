package draft

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// joining says how several files become one.
type joining struct {
	concat, stack string
	why           string // for a comment
}

// join finds the dimension along which files are joined: the first of the candidates with which
// the first two files and the last one make a plan. Without such a dimension, the files are
// stacked along a new one.
func join(ctx context.Context, f *files, env environment.Environment) (joining, error) {
	if len(f.urls) < 2 || f.driver.Rows {
		return joining{}, nil
	}
	first, err := planOf(ctx, f, f.urls[:1], joining{}, env)
	if err != nil {
		return joining{}, err
	}
	candidates := candidates(first)
	if err := first.Close(); err != nil {
		return joining{}, err
	}
	some := slices.Compact([]string{f.urls[0], f.urls[1], f.urls[len(f.urls)-1]})
	var why error
	for _, how := range candidates {
		p, err := planOf(ctx, f, some, how, env)
		if err == nil {
			return how, p.Close()
		}
		if ctx.Err() != nil {
			return joining{}, ctx.Err()
		}
		if why == nil {
			why = err
		}
	}
	how := joining{stack: "file", why: "no dimension was found along which the files continue each other, so each file is one index of a new dimension"}
	if why != nil {
		_, reason, _ := strings.Cut(why.Error(), "\n")
		reason, _, _ = strings.Cut(strings.TrimSpace(reason), "\n")
		how.why += fmt.Sprintf(". With concat: %s, %s", candidates[0].concat, jobfile.Clip(cmp.Or(reason, why.Error()), 300))
	}
	p, err := planOf(ctx, f, some, how, env)
	if err != nil {
		if why == nil {
			why = err
		}
		return joining{}, why
	}
	return how, p.Close()
}

// candidates lists the dimensions along which files may be joined, the most likely first: those
// that may become longer, times, then other dimensions with coordinates.
func candidates(p *plan.Plan) []joining {
	type dimension struct {
		name       string
		rank       int
		coordinate bool
	}
	var list []dimension
	add := func(name string, rank int) {
		i := slices.IndexFunc(list, func(d dimension) bool { return d.name == name })
		switch {
		case name == "":
		case i < 0:
			list = append(list, dimension{name, rank, false})
		default:
			list[i].rank = min(list[i].rank, rank)
		}
	}
	for i := range p.Arrays {
		a := &p.Arrays[i]
		info := p.Task(a).Source.Info()
		for _, name := range info.Unlimited {
			add(name, 0)
		}
		names := a.Meta.DimensionNames
		if len(names) != 1 || names[0] == "" || a.Target != names[0] && !strings.HasSuffix(a.Target, "/"+names[0]) {
			continue
		}
		if isTime(a) {
			add(names[0], 1)
		} else {
			add(names[0], 2)
		}
	}
	slices.SortStableFunc(list, func(a, b dimension) int { return a.rank - b.rank })
	var how []joining
	for _, d := range list {
		why := map[int]string{0: "the files say that this dimension may become longer", 1: "the time of the files", 2: "its coordinate goes on from file to file"}[d.rank]
		how = append(how, joining{concat: d.name, why: why})
	}
	return how
}

// isTime reports whether an array has units of CF time.
func isTime(a *plan.Array) bool {
	return strings.Contains(string(a.Meta.Attributes.Get("units")), " since ")
}

// planOf makes a plan for some files, with a target that is never written.
func planOf(ctx context.Context, f *files, urls []string, how joining, env environment.Environment) (*plan.Plan, error) {
	source := map[string]any{"driver": f.driver.Name, "url": escaped(urls)}
	if how.concat != "" {
		source["concat"] = how.concat
	}
	if how.stack != "" {
		source["stack"] = how.stack
	}
	text, err := json.Marshal(map[string]any{"zmigrate": jobfile.Version, "name": "draft", "source": source, "target": map[string]any{"url": "mem://draft"}})
	if err != nil {
		return nil, err
	}
	return parsedPlan(ctx, string(text), ".", env)
}

// parsedPlan makes the plan of a job.
func parsedPlan(ctx context.Context, text, dir string, env environment.Environment) (*plan.Plan, error) {
	j, err := jobfile.Parse("draft", []byte(text), dir, jobfile.LoadOptions{Drivers: env.Drivers})
	if err != nil {
		return nil, err
	}
	problems := j.Check(env.Codecs)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return plan.New(ctx, j, env)
}

// escaped protects texts from the expansion of variables.
func escaped(list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = strings.ReplaceAll(list[i], "${", "$${")
	}
	return list
}
