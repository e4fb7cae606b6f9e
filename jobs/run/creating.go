package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/manifest"
	"github.com/zmigrate/zmigrate/sinks"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// creating is the [outcome] of a plan for a new target.
type creating struct{ *run }

func (creating) keepsObjects() bool { return false }

func (creating) vacate(context.Context, []sinks.Receipt) error { return nil }

func (creating) wayOut() string {
	return "the target stays unfinished; set target.existing: overwrite to begin anew"
}

// prepare reads the documents of nodes that the run does not write. They become part
// of the consolidated metadata.
func (r creating) prepare(ctx context.Context) (publish func(ctx context.Context) error, err error) {
	others, err := r.others(ctx)
	if err != nil {
		return nil, err
	}
	for p := range r.repaired {
		delete(others, p)
	}
	arrays := make(map[string]*zarr.Array, len(r.plan.Arrays))
	for i := range r.plan.Arrays {
		if arrays[r.plan.Arrays[i].Target], err = r.document(i); err != nil {
			return nil, err
		}
	}
	if r.groups, err = r.groupDigests(arrays, others); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		if err := r.lateDocuments(ctx, arrays); err != nil {
			return err
		}
		return r.sink.Finish(ctx, arrays, r.plan.Groups, others, r.plan.Job.Target.Consolidated)
	}, nil
}

// document returns the document of an array as it is at the end of the run. It may have the
// digest of the values as an attribute, which nobody knows before.
func (r creating) document(i int) (*zarr.Array, error) {
	meta := r.plan.Arrays[i].Meta
	if !r.plan.Job.Target.DigestAttribute {
		return meta, nil
	}
	x, err := r.valuesAttribute(i)
	if err != nil {
		return nil, err
	}
	changed := *meta
	changed.Attributes = changed.Attributes.With(x.Name, x.Value)
	text, err := changed.MarshalJSON()
	r.arrays[i].digest = manifest.DocumentDigest(text)
	return &changed, err
}

// lateDocuments writes the documents that have digests.
func (r creating) lateDocuments(ctx context.Context, arrays map[string]*zarr.Array) error {
	if !r.plan.Job.Target.DigestAttribute {
		return nil
	}
	return sources.InParallel(ctx, len(r.plan.Arrays), func(ctx context.Context, i int) error {
		p := r.plan.Arrays[i].Target
		if p == "" {
			return nil // Finish writes it
		}
		return r.sink.PutArray(ctx, p, arrays[p])
	})
}

// groupDigests returns the digests of the documents of the groups that the run writes.
func (r creating) groupDigests(arrays map[string]*zarr.Array, others map[string]json.RawMessage) (map[string]string, error) {
	if arrays[""] != nil {
		return nil, nil
	}
	digests := map[string]string{}
	for _, p := range slices.Concat(zarr.Parents(slices.Collect(maps.Keys(arrays))), slices.Collect(maps.Keys(r.plan.Groups))) {
		if others[p] != nil {
			continue
		}
		digest, err := groupDigest(r.plan.Groups[p], p == "" && r.plan.Job.Target.Consolidated)
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", p, err)
		}
		digests[p] = digest
	}
	return digests, nil
}

// begin implements [outcome]. The place of a new target has to be free, or the job
// overwrites it. The record of an earlier run is forgotten only when nothing stands in
// the way any more.
func (r creating) begin(ctx context.Context, opt Options) (complete bool, err error) {
	existing := r.plan.Job.Target.Existing
	if anew, err := r.restarts(ctx, opt); err != nil || anew {
		if err == nil {
			err = r.renew(ctx, opt, true)
		}
		if err == nil {
			err = r.restarted(ctx)
		}
		return false, err
	}
	if record := r.journal.Completed(); record != nil {
		done, err := r.readCompletion(record)
		if err != nil {
			return false, err
		}
		was, differences, err := r.compare(ctx, done.Manifest, func() (*manifest.Manifest, error) { return manifest.ReadCompleted(record) })
		done.Manifest = nil // it is as long as that of this run
		if err != nil {
			return false, err
		}
		if len(differences) > 0 && existing == "fail" {
			if _, err := r.inTheWay(ctx, false); err != nil {
				return false, fmt.Errorf("target %s: %w", r.target.URL(), err)
			}
		}
		if len(differences) > 0 && existing != "overwrite" {
			return false, r.changed(true, was, differences)
		}
		whole := opt.Repair != nil // documents that lack are written again
		var list []fault
		if len(differences) == 0 {
			err := together(ctx, func(ctx context.Context) (err error) {
				if !whole {
					whole, err = r.whole(ctx)
				}
				return err
			}, func(ctx context.Context) (err error) {
				list, err = r.intact(ctx)
				return err
			})
			if err != nil {
				return false, err
			}
			if whole {
				return r.again(ctx, done, list, opt)
			}
		}
	} else if text := r.journal.Manifest(); text != nil {
		was, differences, err := r.compare(ctx, text, func() (*manifest.Manifest, error) { return manifest.Read(text) })
		if err != nil {
			return false, err
		}
		switch {
		case existing == "fail":
			return false, fmt.Errorf("%w: an interrupted run of this job has begun it; target.existing: resume goes on with it", ErrTargetExists)
		case len(differences) == 0:
			return false, nil
		case existing != "overwrite":
			return false, r.changed(false, was, differences)
		}
	}
	return false, r.renew(ctx, opt, existing == "overwrite")
}

// documents implements [outcome]. It writes the document of each array whose chunks are
// all in place, if the source has not changed since the chunks were read. If an array is
// the whole target, its document is written last. While objects of an earlier owner of
// the lock may arrive late, documents writes nothing. Documents with digests of values are
// written at the end of the run.
func (r creating) documents(ctx context.Context) error {
	if r.unsettled || r.plan.Job.Target.DigestAttribute {
		return nil
	}
	var complete []int
	for i := range r.arrays {
		if r.arrays[i].left == 0 && !r.arrays[i].written && r.plan.Arrays[i].Target != "" {
			complete = append(complete, i)
		}
	}
	if len(complete) == 0 {
		return nil
	}
	if err := r.unchangedSoFar(ctx); err != nil {
		return err
	}
	err := sources.InParallel(ctx, len(complete), func(ctx context.Context, k int) error {
		a := &r.plan.Arrays[complete[k]]
		return r.sink.PutArray(ctx, a.Target, a.Meta)
	})
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	for _, i := range complete {
		a := &r.plan.Arrays[i]
		r.arrays[i].written = true
		r.log.InfoContext(ctx, "array complete", "array", a.Target, "chunks", a.Chunks())
	}
	return nil
}

// others returns the documents of all nodes of the target, by their paths, without those
// of the plan's arrays, if the root has a document. A run that overwrites has left these
// nodes as they were.
func (r creating) others(ctx context.Context) (map[string]json.RawMessage, error) {
	arrays := map[string]bool{}
	for _, a := range r.plan.Arrays {
		arrays[a.Target] = true
	}
	if arrays[""] {
		return nil, nil
	}
	_, err := r.target.Stat(ctx, zarr.MetadataKey)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	var keys []string
	err = r.target.List(ctx, "", func(o store.Info) error {
		if path.Base(o.Key) == zarr.MetadataKey && !arrays[parent(o.Key)] {
			keys = append(keys, o.Key)
		}
		return nil
	})
	documents := map[string]json.RawMessage{}
	for _, key := range keys {
		if err == nil {
			documents[parent(key)], err = r.target.ReadAll(ctx, key, zarr.MaxDocument)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	return documents, nil
}
