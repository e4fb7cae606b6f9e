package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// growing is the [outcome] of a plan that appends rows.
type growing struct {
	*run
	growth *plan.Growth
}

func (growing) keepsObjects() bool { return true }

// documents writes nothing, because all arrays grow together at the end.
func (growing) documents(context.Context) error { return nil }

// prepare reads the documents that change. No other program may have changed those of the arrays.
func (r growing) prepare(ctx context.Context) (publish func(ctx context.Context) error, err error) {
	var groups map[string][]byte
	err = together(ctx, r.asPlanned, func(ctx context.Context) (err error) {
		groups, err = r.groupTexts(ctx)
		return err
	})
	return func(ctx context.Context) error { return r.grow(ctx, groups) }, err
}

// groupTexts returns the documents of the groups above the arrays that grow, by their paths. Some
// groups may have none.
func (r growing) groupTexts(ctx context.Context) (map[string][]byte, error) {
	var paths []string
	for i := range r.plan.Arrays {
		paths = append(paths, r.plan.Arrays[i].Target)
	}
	groups := slices.DeleteFunc(zarr.Parents(paths), func(p string) bool { return slices.Contains(paths, p) }) // the array that is the whole target
	texts := make([][]byte, len(groups))
	err := sources.InParallel(ctx, len(groups), func(ctx context.Context, i int) (err error) {
		texts[i], err = r.target.ReadAll(ctx, path.Join(groups[i], zarr.MetadataKey), zarr.MaxDocument)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	found := map[string][]byte{}
	for i, text := range texts {
		if text != nil {
			found[groups[i]] = text
		}
	}
	return found, nil
}

func (r growing) wayOut() string {
	return fmt.Sprintf("the rows of this run are not part of the target; put the source back as it was, or delete the checkpoint %s to give up what was begun", r.checkpoint.URL())
}

// asPlanned returns an error if an array that grows has changed since the plan was made.
// Another program, or a job with another checkpoint, may have appended to the array.
func (r growing) asPlanned(ctx context.Context) error {
	return sources.InParallel(ctx, len(r.plan.Arrays), func(ctx context.Context, i int) error {
		a := &r.plan.Arrays[i]
		text, err := r.target.ReadAll(ctx, path.Join(a.Target, zarr.MetadataKey), zarr.MaxDocument)
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		if !bytes.Equal(text, a.Existing.Text) {
			return fmt.Errorf("array %q: %w", a.Target, plan.Overtaken(r.target.URL()))
		}
		return nil
	})
}

// begin implements [outcome].
func (r growing) begin(ctx context.Context, opt Options) (complete bool, err error) {
	g := r.growth
	if opt.Restart {
		return false, ErrRestartAppends
	}
	if !r.plan.Nothing() {
		if err := r.asPlanned(ctx); err != nil {
			return false, err
		}
		g.Forget()
	}
	if record := r.journal.Completed(); record != nil {
		done, err := readCompletion(record)
		if err != nil {
			return false, err
		}
		r.overtaken = done.Overtaken
		if g.Begun != nil {
			return false, r.repeat(ctx, opt.Repair)
		}
		if err := r.sound(ctx); err != nil {
			return false, err
		}
		if r.plan.Nothing() {
			r.result.Verified, err = r.lastVerified(ctx, done.Finished)
		} else {
			err = r.undamaged(ctx)
		}
		if err != nil {
			return false, err
		}
	}
	if r.plan.Nothing() {
		r.result.Nothing = true
		if err := r.journal.Tidy(ctx); err != nil {
			return false, fmt.Errorf("checkpoint: %w", err)
		}
		return true, nil
	}
	if g.Begun != nil {
		is, err := manifest.Read(r.manifest)
		if err != nil {
			return false, err
		}
		if list := is.Differences(g.Begun); len(list) > 0 {
			return false, r.changed(false, g.Begun, list)
		}
		return false, nil
	}
	if err := r.locks.Replan(ctx); err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	if r.journal.Completed() != nil {
		err = r.journal.Succeed(ctx, r.manifest)
	} else {
		err = r.journal.Begin(ctx, r.manifest)
	}
	if err != nil {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	return false, nil
}

// repeat begins the last completed run once more. It writes those objects of that run
// again that have changed since, and those with the given keys.
func (r growing) repeat(ctx context.Context, keys []string) error {
	is, err := manifest.Read(r.manifest)
	if err != nil {
		return err
	}
	if list := is.Differences(r.growth.Begun); len(list) > 0 {
		return r.changed(true, r.growth.Begun, list)
	}
	list, err := r.intact(ctx)
	if err != nil {
		return err
	}
	if list, err = r.withRepairs(ctx, list, keys); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	for _, f := range list {
		if f.unit < 0 {
			return r.tampered(list)
		}
	}
	if err := r.sameEarlierRows(ctx, list); err != nil {
		return err
	}
	return r.mend(ctx, list)
}

// vacate implements [outcome]. A run that was given up may have left objects in the places of
// these chunks.
func (r growing) vacate(ctx context.Context, receipts []sinks.Receipt) error {
	var keys []string
	for _, x := range receipts {
		if a := &r.plan.Arrays[x.Array]; x.Empty {
			keys = append(keys, a.Key(x.Unit))
		}
	}
	return sources.InParallel(ctx, len(keys), func(ctx context.Context, i int) error { return r.target.Delete(ctx, keys[i]) })
}

// grow writes the documents that make the appended rows part of the target. texts are those of the
// groups above.
func (r growing) grow(ctx context.Context, texts map[string][]byte) error {
	arrays, groups, sizes := map[string][]byte{}, map[string][]byte{}, map[string]zarr.Resizing{}
	r.groups = map[string]string{}
	for i := range r.plan.Arrays {
		a := &r.plan.Arrays[i]
		to := zarr.Resizing{Shape: a.Meta.Grid.Shape}
		x, err := r.valuesAttribute(i)
		if err != nil {
			return err
		}
		if x.Value != nil || a.Existing.Meta.Attributes.Get(x.Name) != nil {
			to.Attributes = zarr.Attributes{x}
		}
		text, err := zarr.Resized(a.Existing.Text, to)
		if err != nil {
			return fmt.Errorf("array %q: %w", a.Target, err)
		}
		sizes[a.Target] = to
		arrays[a.Target], r.arrays[i].digest = text, manifest.DocumentDigest(text)
	}
	for group, text := range texts {
		below := map[string]zarr.Resizing{}
		for p, to := range sizes {
			if rest, ok := strings.CutPrefix(p, group+"/"); ok || group == "" {
				below[rest] = to
			}
		}
		text, changed, err := zarr.ResizedIn(text, below)
		if err != nil {
			return fmt.Errorf("group %q: %w", group, err)
		}
		if changed {
			groups[group] = text
		}
		if g, err := zarr.ParseGroup(text); err == nil { // the document of another program may be unreadable
			if r.groups[group], err = groupDigest(g.Attributes, g.Consolidated != nil); err != nil {
				return fmt.Errorf("group %q: %w", group, err)
			}
		}
	}
	return r.sink.Grow(ctx, arrays, groups)
}
