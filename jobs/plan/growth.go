package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	zarrsource "github.com/zmigrate/zmigrate/sources/zarr"
	"github.com/zmigrate/zmigrate/zarr"
)

// Growth is the [plannedTarget] of a plan that appends rows to the arrays of an existing
// hierarchy.
type Growth struct {
	Dimension string // that grows
	store     *store.Store
	// target is the hierarchy as it is read. Arrays in packed are read as what
	// they store.
	target sources.Source
	packed map[string]bool
	// begun is the manifest of a run that was interrupted while it appended: the
	// target may have grown by then, in parts. nil: there is none.
	Begun *Manifest
	// earlier are the files behind what is there, as far as that is known, and
	// completed the manifest of the last run if it completed, nil otherwise.
	earlier   []sources.File
	byName    map[string][]sources.File // earlier, once known has asked
	completed *Manifest
	// late is set if objects of another run may have replaced those of the last one.
	late bool
	// met are the arrays of the target that the job has, too, by their paths.
	met map[string]bool
	// new are the rows that come to the arrays of each group, by its path, with those
	// below that share its dimension.
	New map[string]int
}

// Growth returns what the target of the plan is if rows are appended to it. It is nil
// for a new target.
func (p *Plan) Growth() *Growth {
	g, _ := p.target.(*Growth)
	return g
}

// recall takes from a checkpoint what earlier runs have done.
func (g *Growth) recall(s *state) error {
	switch {
	case s.done != nil:
		var err error
		if g.completed, err = ReadCompleted(s.done); err != nil {
			return err
		}
		g.earlier = slices.Concat(g.completed.Earlier, g.completed.Files)
		g.late = mayComeLate(s.done)
	case s.manifest != nil:
		m, err := ReadManifest(s.manifest)
		if err != nil {
			return err
		}
		if m.Append != "" {
			g.Begun, g.earlier = m, m.Earlier
		}
	}
	return nil
}

// repeat takes the last run, which completed, for one that was interrupted at its end.
func (g *Growth) repeat() {
	g.earlier = g.completed.Earlier
	if g.completed.Append != "" {
		g.Begun = g.completed
	}
	g.completed = nil
}

// exists reports whether the target is a hierarchy of Zarr v3. One of v2 is an
// error.
func (g *Growth) exists(ctx context.Context) (bool, error) {
	for _, key := range []string{zarr.MetadataKey, ".zgroup", ".zarray", ".zmetadata"} {
		_, err := g.store.Stat(ctx, key)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return false, err
		case key == zarr.MetadataKey:
			return true, nil
		default:
			return false, fmt.Errorf("%s is of Zarr v2, and only to v3 can be appended: migrate it to v3 first, with driver: zarr", key)
		}
	}
	return false, nil
}

// describe implements [plannedTarget].
func (g *Growth) describe(m *Manifest) { m.Append, m.Earlier = g.Dimension, g.earlier }

// Forget drops the versions of the target's chunks that the plan has read. A run calls it
// when it has the lock: until then an earlier owner of the lock may have replaced the last
// chunk of an array, with the same rows and some of its own behind them.
func (g *Growth) Forget() { zarrsource.Forget(g.target) }

// close closes what was opened.
func (g *Growth) close() error {
	var err error
	if g.target != nil {
		err = g.target.Close()
	}
	return errors.Join(err, g.store.Close())
}
