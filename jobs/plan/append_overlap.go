package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/target"
	"github.com/zmigrate/zmigrate/sources"
)

// overlap implements [plannedTarget]. The coordinates of the dimension are planned with all
// rows, and compared with those of the target as they would be stored. So are the other
// arrays if the values of rows that both have are compared.
func (g *Growth) overlap(ctx context.Context, p *Plan, opened []sources.Array, one func(i int) (jobfile.Problems, error)) error {
	if !p.Job.Target.LeavesOut() {
		return nil
	}
	g.paths = map[string]bool{}
	for _, name := range g.target.Arrays() {
		g.paths[name] = true
	}
	overlaps := map[string]*target.Overlap{}
	first := ""
	for i, a := range opened {
		if a == nil || p.Job.Target.Overlap == "skip" && len(a.Info().Shape) != 1 {
			continue
		}
		if _, err := one(i); err != nil {
			return err
		}
		if len(p.Arrays) == 0 { // the array has problems, which are reported later
			continue
		}
		planned := p.Arrays[0]
		p.Arrays = p.Arrays[:0]
		if planned.Append == nil {
			continue
		}
		if planned.Existing.Coordinate(g.Dimension) {
			o, err := planned.Existing.Overlap(ctx)
			if errors.Is(err, target.ErrNoPlace) {
				return g.withNewFiles(p, err)
			}
			if err != nil {
				return err
			}
			first = cmp.Or(first, planned.Target)
			overlaps[planned.Target] = o
		}
		if p.Job.Target.Overlap == "same" {
			g.whole = append(g.whole, planned)
		}
	}
	g.overlaps, g.first = overlaps, first
	return nil
}

// withNewFiles adds to an error about a row without a place the files of the source from which the
// target has no rows. The row is in one of them.
func (g *Growth) withNewFiles(p *Plan, err error) error {
	first, count := "", 0
	for f := range p.Files() {
		if known, _ := g.known(f); !known {
			first = cmp.Or(first, f.URL)
			count++
		}
	}
	switch {
	case count == 0 || len(g.earlier) == 0: // no file is on record
		return err
	case count > 1:
		first += fmt.Sprintf(" (and %d more)", count-1)
	}
	return fmt.Errorf("%w; new in the source: %s", err, first)
}

// overlapOf returns the overlap for an array of the target: the overlap of the coordinate in
// its scope or, if there is none, of the first coordinate. nil: no coordinate has one.
func (g *Growth) overlapOf(array string) *target.Overlap {
	if o := g.overlaps[path.Join(g.scope(array, g.paths), g.Dimension)]; o != nil {
		return o
	}
	return g.overlaps[g.first]
}

// leaveOut takes the rows that the target has from an array. An array with another number
// of rows than its coordinate keeps them, and is refused.
func (g *Growth) leaveOut(b *builder, t *target.Existing) {
	if g.overlaps == nil || t.Axis < 0 || len(b.info.Shape) != len(t.Meta.Grid.Shape) {
		return
	}
	o := g.overlapOf(t.Path)
	if o == nil || o.Rows == 0 || o.Of != b.info.Shape[t.Axis] {
		return
	}
	b.array = sources.Window(b.array, t.Axis, o.Rows, o.Of-o.Rows)
	info := *b.info
	info.Shape = slices.Clone(b.array.Info().Shape)
	b.info = &info
	b.note("the target has %d of %d rows of the source: they are left out", o.Rows, o.Of)
}

// checkOverlaps compares the values of rows that target and source both have, if the job
// asks for that. Otherwise it warns of files that have changed since their rows were
// appended.
func (g *Growth) checkOverlaps(ctx context.Context, p *Plan) error {
	for i := range g.whole {
		a := &g.whole[i]
		if o := g.overlapOf(a.Target); o != nil && o.Of == a.Append.New {
			if err := a.Existing.CheckOverlap(ctx, a.Chain, o); err != nil {
				return err
			}
		}
	}
	if g.overlaps == nil || g.whole != nil {
		return nil
	}
	name, count := "", 0
	for f := range p.Files() {
		if _, change := g.known(f); change != "" {
			count++
			name = cmp.Or(name, change)
		}
	}
	if count > 0 {
		if count > 1 {
			name += fmt.Sprintf(" (and %d more)", count-1)
		}
		w := p.Job.Problem("target.append.overlap", name+": the target keeps the rows that it has, as the files were before", "overlap: same compares the values")
		w.Warning, w.Code = true, "append-changed-file"
		p.Findings = append(p.Findings, w)
	}
	return nil
}
