package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// leftOut warns of arrays that are left out. left has, by their paths, the errors that say
// why: a name leads to no array, or this program does not support the array.
func (p *Plan) leftOut(left map[string]error) (ps jobfile.Problems) {
	for _, path := range slices.Sorted(maps.Keys(left)) {
		field := "source"
		if !errors.Is(left[path], sources.ErrNoArray) {
			field = "source.unsupported"
		}
		w := p.Job.Problem(field, fmt.Sprintf("%q is left out: %v", path, left[path]), "exclude it to be rid of this warning")
		w.Warning, w.Code = true, sources.LeftOut
		ps = append(ps, w)
	}
	return ps
}

// groupFindings returns the findings of the source about a group as warnings.
func (p *Plan) groupFindings(g sources.Group) (ps jobfile.Problems) {
	for _, f := range g.Findings {
		ps = append(ps, finding(p.Job, "source", fmt.Sprintf("group %q", "/"+g.Path), f))
	}
	return ps
}

// finding turns the finding of a source into a warning of the plan. what names the array or
// group.
func finding(j *jobfile.Job, field, what string, f cf.Finding) jobfile.Problem {
	w := j.Problem(field, what+": "+f.Message, f.Hint)
	w.Warning, w.Code = true, f.Code
	return w
}
