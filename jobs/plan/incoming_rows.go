package plan

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/target"
)

// check implements [plannedTarget]. It finds out whether the incoming rows belong behind
// the rows of the target. For that, it compares the coordinates, or the files if there is
// no coordinate. It also compares the arrays without the dimension and takes them out of
// the plan. It refuses to encode rows of the target again if the codecs may change them.
func (g *Growth) check(ctx context.Context, p *Plan, registry *codecs.Registry) error {
	if err := g.compare(ctx, p); err != nil || p.nothing {
		return err
	}
	if p.otherwise != nil {
		return p.otherwise
	}
	return g.again(p)
}

// compare does the comparisons of check. It sets p.nothing if the target has all rows of
// the source.
func (g *Growth) compare(ctx context.Context, p *Plan) error {
	var grow []Array
	var errs []error
	for i := range p.Arrays {
		a := &p.Arrays[i]
		note, err := a.Existing.CheckCalendar(ctx)
		errs = append(errs, err)
		if note != "" {
			a.Notes = append(a.Notes, note)
		}
	}
	var coordinates []*target.Existing
	fields := map[*target.Existing]string{}
	for _, a := range p.Arrays {
		switch {
		case a.Append == nil:
			p.unchanged = append(p.unchanged, a.Target)
			errs = append(errs, a.Existing.CheckValues(ctx, a.Chain))
			continue
		case a.Existing.Coordinate(g.Dimension):
			coordinates = append(coordinates, a.Existing)
			_, fields[a.Existing] = p.Job.Options(a.Source)
		}
		grow = append(grow, a)
	}
	p.Arrays = grow
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := g.checkOverlaps(ctx, p); err != nil {
		return err
	}
	if !slices.ContainsFunc(grow, func(a Array) bool { return a.Append.New > 0 }) {
		p.nothing = true
		return nil
	}
	if len(coordinates) == 0 {
		return g.checkFiles(p)
	}
	var existing, incoming []string
	for _, t := range coordinates {
		known, disorder, err := t.CheckCoordinate(ctx)
		if disorder != "" {
			w := p.Job.Problem(fields[t], fmt.Sprintf("coordinate %q: %s", t.Path, disorder), "")
			w.Warning, w.Code = true, "append-order"
			p.Findings = append(p.Findings, w)
		}
		switch {
		case err != nil:
			errs = append(errs, err)
		case known:
			existing = append(existing, t.Path)
		default:
			errs = append(errs, g.gaps(ctx, p, t))
			incoming = append(incoming, t.Path)
		}
	}
	switch err := errors.Join(errs...); {
	case err != nil:
		return err
	case len(existing) == 0:
		return nil
	case len(incoming) > 0:
		return fmt.Errorf("the coordinate %s says that the target has all rows of the source, and the coordinate %s says that it has none: make the coordinates of the source agree", existing[0], incoming[0])
	}
	p.nothing = true
	all, err := g.sameFiles(p)
	if err != nil || all {
		return err
	}
	if err := g.knownRows(ctx, grow, coordinates); err != nil {
		return err
	}
	return g.begunAnew(coordinates)
}

// gaps looks for places where the incoming rows of a coordinate break its step. It adds
// them to the findings of the plan, or returns them as an error if target.append.gaps is
// error.
func (g *Growth) gaps(ctx context.Context, p *Plan, t *target.Existing) error {
	what := p.Job.Target.Gaps
	if what == "allow" {
		return nil
	}
	list, err := t.Gaps(ctx)
	if err != nil {
		return fmt.Errorf("coordinate %q: %w", t.Path, err)
	}
	var wrong jobfile.Problems
	for _, text := range list {
		w := p.Job.Problem("target.append.gaps", fmt.Sprintf("coordinate %q: %s", t.Path, text),
			"append the missing rows first: later they have no place; target.append: {gaps: allow} says that none are missing")
		w.Warning, w.Code = what != "error", "append-gap"
		wrong = append(wrong, w)
	}
	if what == "error" && len(wrong) > 0 {
		return wrong
	}
	p.Findings = append(p.Findings, wrong...)
	return nil
}

// begunAnew refuses rows that equal the first rows of the target, if their files are not on
// record and their coordinate has no units. Such a coordinate may be an index that begins
// anew in each file, so equal rows need not be the same rows.
func (g *Growth) begunAnew(coordinates []*target.Existing) error {
	for _, t := range coordinates {
		if len(g.earlier) > 0 && t.Known == 0 && t.Meta.Attributes.Get("units") == nil {
			return fmt.Errorf("coordinate %q: the rows of the source have the coordinates and values of the first rows of the target, but come from other files, and the coordinate has no units: nothing tells whether the target has these rows already%s",
				t.Path, target.BeginsAnew(t.Path))
		}
	}
	return nil
}

// checkFiles finds out from the record of files whether the target has the rows of the
// source. It is for arrays that have no coordinate.
func (g *Growth) checkFiles(p *Plan) error {
	if err := g.shortened(p); err != nil {
		return err
	}
	var existing, incoming, changes []string
	for f := range p.Files() {
		switch known, change := g.known(f); {
		case change != "":
			changes = append(changes, change)
		case known:
			existing = append(existing, manifest.NameOf(f))
		default:
			incoming = append(incoming, manifest.NameOf(f))
		}
	}
	if changes != nil {
		return fmt.Errorf("the target already has rows of these files, which have changed since:\n  %s\nif no coordinate tells rows apart, new rows have to come from files with other names", strings.Join(changes, "\n  "))
	}
	if len(existing) > 0 && len(incoming) > 0 {
		return fmt.Errorf("the target already has the rows of %s, but not those of %s: append new files alone", existing[0], incoming[0])
	}
	p.nothing = len(existing) > 0
	return nil
}

// shortened fails if an array has fewer rows than the last run left in it. The record of
// files does not tell which rows remain.
func (g *Growth) shortened(p *Plan) error {
	if g.completed == nil {
		return nil
	}
	for _, a := range p.Arrays {
		m := g.completed.Array(a.Target)
		if m == nil {
			continue
		}
		was, err := m.RowsAfter(a.Append.Axis)
		if err != nil {
			return fmt.Errorf("array %q: %w", a.Target, err)
		}
		if a.Append.Rows < was {
			return fmt.Errorf("target: array %q has %d rows, and had %d when the last run ended, so the record of files in the checkpoint %s does not tell which rows remain: put back the checkpoint that belongs to this state of the target, or delete it and append the files whose rows are missing",
				a.Target, a.Append.Rows, was, p.state.Checkpoint)
		}
	}
	return nil
}

// sameFiles refuses a source whose rows the target has if one of its files has changed
// since its rows were appended. It reports whether all files are on record.
func (g *Growth) sameFiles(p *Plan) (all bool, err error) {
	all = true
	var changes []string
	for f := range p.Files() {
		known, change := g.known(f)
		all = all && known
		if change != "" {
			changes = append(changes, change)
		}
	}
	if changes != nil {
		return false, fmt.Errorf("the target already has the rows of these files, which have changed since:\n  %s\nto take the changed values, migrate all files to a new target", strings.Join(changes, "\n  "))
	}
	return all, nil
}

// knownRows compares the rows of the source with those of the target that have the same
// coordinates. An array whose group has no coordinate of its own goes by the first
// coordinate.
func (g *Growth) knownRows(ctx context.Context, grow []Array, coordinates []*target.Existing) error {
	all := map[string]bool{}
	for _, name := range g.target.Arrays() {
		all[name] = true
	}
	at := map[string]int{} // the first row of the target that the source has, by the path of a coordinate
	for _, t := range coordinates {
		at[t.Path] = t.Known
	}
	for i := range grow {
		a := &grow[i]
		coordinate := path.Join(g.scope(a.Target, all), g.Dimension)
		first, ok := at[coordinate]
		if !ok {
			coordinate, first = coordinates[0].Path, coordinates[0].Known
		}
		if err := a.Existing.CheckRows(ctx, a.Chain, first, coordinate); err != nil {
			return err
		}
	}
	return nil
}
