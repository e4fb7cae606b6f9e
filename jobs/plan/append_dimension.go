package plan

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// dimension returns the name, in the target, of the dimension along which the job appends
// rows. If the job does not name it, it is the unlimited dimension of the selected arrays;
// there has to be exactly one.
func (p *Plan) dimension(ctx context.Context) (string, error) {
	if dim := p.Job.AppendDimension(); dim != "" {
		return p.newName(dim), nil
	}
	var unlimited []string
	for _, name := range p.source.Arrays() {
		if !p.Job.Selected(name) {
			continue
		}
		a, err := p.source.Array(ctx, name)
		if err != nil {
			return "", fmt.Errorf("array %q: %w", name, err)
		}
		unlimited = append(unlimited, a.Info().Unlimited...)
	}
	slices.Sort(unlimited)
	switch unlimited = slices.Compact(unlimited); len(unlimited) {
	case 1:
		return p.newName(unlimited[0]), nil
	case 0:
		return "", jobfile.Problems{p.Job.NeedsDimension("the source has none that is unlimited")}
	default:
		return "", jobfile.Problems{p.Job.NeedsDimension(fmt.Sprintf("the source has %d that are unlimited, %q", len(unlimited), unlimited))}
	}
}

// newName returns the name that the appended dimension has in the target. In
// target.append, the job may give the name in the source or the name in the target.
func (p *Plan) newName(dim string) string {
	for _, to := range p.Job.Dimensions {
		if to == p.Job.Target.Append {
			return dim
		}
	}
	if to, ok := p.Job.Dimensions[dim]; ok {
		return to
	}
	return dim
}

// swapped says what target.append means if its name is the new name of one dimension and the
// old name of another: the job may mean the other one. Otherwise it returns "".
func (p *Plan) swapped() string {
	old := ""
	for from, to := range p.Job.Dimensions {
		if to == p.dim {
			old = from
		}
	}
	other, renamed := p.Job.Dimensions[p.dim]
	if old == "" || !renamed || p.Job.Target.Append != p.dim {
		return ""
	}
	return fmt.Sprintf("; target.append: %s is a name in the target: that of the source's dimension %q; the source's %q becomes %q, and target.append: %s appends along it", p.dim, old, p.dim, other, other)
}

// growingLists reports a problem for an array that belongs to lists of varying length, if the
// lists belong to the indices of the dimension to append along. The array does not have that
// dimension, so it would not grow with the other arrays, and new offsets would not count the
// values that the target has. own are the names of its dimensions in the target.
func (p *Plan) growingLists(info *sources.Info, own []string) jobfile.Problems {
	lists := info.Ragged
	if renamed := renameAll(lists, p.Job.Dimensions); renamed != nil {
		lists = renamed
	}
	if lists == nil || !slices.Contains(lists, p.dim) && !slices.Contains(own, p.dim) {
		return nil
	}
	_, field := p.Job.Options(info.Path)
	return jobfile.Problems{p.Job.Problem(field, fmt.Sprintf("array %q belongs to lists of varying length along %q, and such lists cannot be appended to a target", info.Path, p.dim),
		"leave the lists out with source.exclude, or migrate all files in one run, without target.existing: append")}
}

// grows reports a problem if no array has the dimension to append along, or if an array has
// it twice. It does so for the first run, too, because no later run could append to what
// that run makes. Arrays that are not selected are nil.
func (p *Plan) grows(arrays []sources.Array) (ps jobfile.Problems) {
	if p.dim == "" {
		return nil
	}
	known, selected := map[string]bool{}, false
	for _, a := range arrays {
		if a == nil {
			continue
		}
		selected = true
		_, field := p.Job.Options(a.Info().Path)
		own := p.Job.DimensionsOf(withDimensions(a.Info(), p.Job.Dimensions))
		if first := slices.Index(own, p.dim); first >= 0 && slices.Contains(own[first+1:], p.dim) {
			ps = append(ps, p.Job.Problem(field, fmt.Sprintf("array %q has the dimension %q twice and cannot grow along it", a.Info().Path, p.dim), "leave it out with source.exclude"))
		}
		for _, name := range own {
			known[name] = true
		}
		ps = append(ps, p.growingLists(a.Info(), own)...)
	}
	if !known[p.dim] && selected {
		delete(known, "")
		field, hint := "target.existing", "name one of them: target.append: NAME"
		if p.Job.Target.Append != "" {
			field = "target.append"
			if near := jobfile.DidYouMean(p.dim, slices.Collect(maps.Keys(known))); strings.HasPrefix(near, "did") {
				hint = near
			}
		}
		ps = append(ps, p.Job.Problem(field, fmt.Sprintf("no array has the dimension %q to append along; the dimensions of the arrays are %q", p.dim, slices.Sorted(maps.Keys(known))), hint))
	}
	return ps
}
