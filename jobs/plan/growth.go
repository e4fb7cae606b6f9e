package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/target"
	"github.com/zmigrate/zmigrate/sources"
	zarrsource "github.com/zmigrate/zmigrate/sources/zarr"
	"github.com/zmigrate/zmigrate/zarr"
)

// Growth is the [plannedTarget] of a plan that appends rows to the arrays of an existing
// hierarchy.
type Growth struct {
	Dimension string // the dimension along which arrays grow
	store     *store.Store
	// target reads the existing hierarchy. packed has the paths of the arrays whose packed
	// elements are read as they are stored.
	target sources.Source
	packed map[string]bool
	// Begun is the manifest of a run that was interrupted while it appended. That run may
	// have grown some of the arrays. nil: there is none.
	Begun *manifest.Manifest
	// earlier are the files from which the rows of the target came, as far as they are
	// known. completed is the manifest of the last run, or nil if the run did not complete.
	earlier   []sources.File
	byName    map[string][]sources.File // earlier by nameOf; nil until known is called
	completed *manifest.Manifest
	// digested are the arrays of completed whose digests are on record, by their paths.
	digested map[string]bool
	// late is set if objects of another run may have replaced those of the last one.
	late bool
	// met are the arrays of the target that the job has, too, by their paths.
	met map[string]bool
	// New are the numbers of rows that the run appends, by scope; see [Growth.scope].
	New map[string]int
	// overlaps are the rows that a run leaves out, by the paths of coordinates in the
	// target; first is the first of these paths. whole are the arrays of a job with
	// overlap: same before rows are left out, with all rows of the source.
	overlaps map[string]*target.Overlap
	first    string
	whole    []Array
	paths    map[string]bool // of the arrays of the target
}

// Growth returns what the target of the plan is if rows are appended to it. It is nil
// for a new target.
func (p *Plan) Growth() *Growth {
	g, _ := p.target.(*Growth)
	return g
}

// recall sets Begun, earlier, completed and late from the checkpoint. interrupted is the
// manifest of a run that did not complete, or nil.
func (g *Growth) recall(s *environment.State) (interrupted *manifest.Manifest, err error) {
	switch {
	case s.Done != nil:
		if g.completed, err = manifest.ReadCompleted(s.Done); err != nil {
			return nil, err
		}
		g.earlier = g.completed.AllFiles()
		record := readRecord(s.Done)
		g.late, g.digested = record.Overtaken, map[string]bool{}
		for i, a := range record.Arrays[:min(len(record.Arrays), len(g.completed.Arrays))] {
			g.digested[g.completed.Arrays[i].Target] = a.Digest.Known
		}
	case s.Manifest != nil:
		if interrupted, err = manifest.Read(s.Manifest); err != nil {
			return nil, err
		}
		if interrupted.Append != "" {
			g.Begun, g.earlier = interrupted, interrupted.Earlier
		}
	}
	return interrupted, nil
}

// repeat treats the last run, which completed, as if it had been interrupted at its end.
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
			return false, fmt.Errorf("%s is of Zarr v2, but rows can only be appended to Zarr v3: migrate the target to v3 first, with driver: zarr", key)
		}
	}
	return false, nil
}

// known reports whether the record of files says that the target has rows of a file. change
// says how the file has changed since then; "": it has not.
func (g *Growth) known(f sources.File) (known bool, change string) {
	if g.byName == nil {
		g.byName = map[string][]sources.File{}
		for _, e := range g.earlier {
			g.byName[manifest.NameOf(e)] = append(g.byName[manifest.NameOf(e)], e)
		}
	}
	for _, e := range g.byName[manifest.NameOf(f)] {
		known = true
		if change = manifest.FileChange(e, f); change == "" {
			break
		}
	}
	return known, change
}

// describe implements [plannedTarget].
func (g *Growth) describe(m *manifest.Manifest) *manifest.Manifest {
	m.Append, m.Earlier = g.Dimension, g.earlier
	return g.Begun
}

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

// completion is what a plan needs of the record of a completed job, beside the manifest.
type completion struct {
	// Overtaken says that the run lost its lock, so late objects of another run may still
	// arrive in the target.
	Overtaken bool `json:"overtaken"`
	Arrays    []struct {
		Digest digest.Optional `json:"digest"`
	} `json:"arrays"`
}

// readRecord reads the record of a completed job, whose manifest has been read already.
func readRecord(record []byte) (c completion) {
	if json.Unmarshal(record, &c) != nil {
		return completion{}
	}
	return c
}
