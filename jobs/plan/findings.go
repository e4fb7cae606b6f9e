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

// leftOut warns of names that lead to no array, and of arrays that are beyond this
// program, by the errors that say why.
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

// groupFindings reports what is to be known of a group.
func (p *Plan) groupFindings(g sources.Group) (ps jobfile.Problems) {
	for _, f := range g.Findings {
		ps = append(ps, finding(p.Job, "source", fmt.Sprintf("group %q", "/"+g.Path), f))
	}
	return ps
}

// finding is a warning of a source's finding about an array or a group.
func finding(j *jobfile.Job, field, what string, f cf.Finding) jobfile.Problem {
	w := j.Problem(field, what+": "+f.Message, f.Hint)
	w.Warning, w.Code = true, f.Code
	return w
}
