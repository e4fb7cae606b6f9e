package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/internal/store"
)

func checkManifest(manifest json.RawMessage) error {
	if !json.Valid(manifest) || len(manifest) > recordLimit {
		return fmt.Errorf("manifest: want JSON of at most %d bytes", recordLimit)
	}
	return nil
}

// Begin stores the manifest of a plan in an empty checkpoint, durably. A checkpoint
// that has a manifest, or a completion record, needs Reset first.
func (j *Journal) Begin(ctx context.Context, manifest json.RawMessage) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.manifest != nil || j.done != nil {
		return fmt.Errorf("%s: the checkpoint is in use", j.st.URL())
	}
	if err := checkManifest(manifest); err != nil {
		return err
	}
	if err := j.deleteSegments(ctx, j.objectsKeys(0)...); err != nil {
		return err
	}
	j.objects = nil
	j.planned = true
	if err := j.st.Create(ctx, planKey, manifest); err != nil {
		return err
	}
	j.manifest = manifest
	return nil
}

// Succeed replaces the record of a finished job by the manifest of the next plan,
// durably. At every moment the checkpoint belongs to exactly one of the two: as long as
// the record exists, the manifest does not count.
func (j *Journal) Succeed(ctx context.Context, manifest json.RawMessage) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.done == nil {
		return fmt.Errorf("%s: the checkpoint is of no finished job", j.st.URL())
	}
	if err := checkManifest(manifest); err != nil {
		return err
	}
	if err := j.tidy(ctx); err != nil {
		return err
	}
	j.planned = true
	if err := j.st.Create(ctx, planKey, manifest); err != nil {
		return err
	}
	if err := j.st.Delete(ctx, doneKey); err != nil {
		return err
	}
	if err := j.st.Sync(ctx); err != nil {
		return err
	}
	j.done, j.manifest = nil, manifest
	return nil
}

// Record stores the record of a finished job, durably. From then on the plan and its receipts do
// not count, and the list of objects that List has written last is that of the job. Tidy removes
// what does not count. After an error Completed tells whether the record is durable.
func (j *Journal) Record(ctx context.Context, record json.RawMessage) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !json.Valid(record) || len(record) > recordLimit {
		return fmt.Errorf("completion record: want JSON of at most %d bytes", recordLimit)
	}
	if err := j.st.Put(ctx, doneKey, record); err != nil {
		return err
	}
	if err := j.st.Sync(ctx); err != nil {
		return err
	}
	j.done, j.manifest = record, nil
	if j.next > 0 {
		j.objects = append(j.objects, j.next)
		j.next = 0
	}
	return nil
}

// Tidy removes the plan and the segments that do not count beside a record of completion. Without
// a completion record it does nothing.
func (j *Journal) Tidy(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.done == nil {
		return nil
	}
	return j.tidy(ctx)
}

// tidy removes what does not count beside a completion record: the plan, its
// segments and earlier lists of objects. The caller holds mu.
func (j *Journal) tidy(ctx context.Context) error {
	old := j.objectsKeys(1)
	others := old
	if j.planned {
		others = append(slices.Clip(old), planKey)
	}
	if err := j.deleteSegments(ctx, others...); err != nil {
		return err
	}
	j.objects, j.planned = j.objects[len(old):], false
	return nil
}

// Reset removes everything except the lock, durably.
func (j *Journal) Reset(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.manifest == nil && j.done == nil {
		return nil // no segment counts, and Begin removes them
	}
	// Without plan.json no segment counts, so it goes first.
	for _, key := range []string{planKey, doneKey} {
		if err := j.st.Delete(ctx, key); err != nil {
			return err
		}
		if err := j.st.Sync(ctx); err != nil {
			return err
		}
	}
	j.manifest, j.done = nil, nil
	err := j.deleteSegments(ctx, j.objectsKeys(0)...)
	if err == nil {
		j.objects = nil
	}
	return err
}

// deleteSegments removes all segments, and other objects, durably. The caller holds mu
// and has made sure that the segments do not count.
func (j *Journal) deleteSegments(ctx context.Context, others ...string) error {
	const most = 16 // requests at the same time
	// The locks of workers may have been taken since the journal was opened.
	if slices.ContainsFunc(j.listed, func(key string) bool { return strings.HasPrefix(key, work) }) {
		err := j.st.List(ctx, work, func(info store.Info) error {
			others = append(others, info.Key)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if j.st.Local() {
		keys, err := inFolders(ctx, j.st)
		if err != nil {
			return err
		}
		others = append(others, keys...)
	}
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(most)
	others = slices.Concat(others, j.segments, j.listed)
	slices.Sort(others)
	for _, key := range slices.Compact(others) {
		group.Go(func() error { return j.st.Delete(each, key) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	j.segments, j.bundles, j.listed = nil, nil, nil
	return j.st.Sync(ctx)
}

// inFolders returns, for each folder that a process makes for segments and for workers, the key of
// an object that is not in it. To delete such an object removes the empty folders on its path. A
// process that was killed while it made or removed a folder may have left it empty.
func inFolders(ctx context.Context, st *store.Store) (keys []string, err error) {
	top, err := st.Folders(ctx, "")
	if err != nil {
		return nil, err
	}
	if slices.Contains(top, strings.TrimSuffix(segments, "/")) {
		keys = append(keys, segments+"none")
	}
	if !slices.Contains(top, strings.TrimSuffix(work, "/")) {
		return keys, nil
	}
	keys = append(keys, work+"none")
	plans, err := st.Folders(ctx, strings.TrimSuffix(work, "/"))
	if err != nil {
		return nil, err
	}
	for _, plan := range plans {
		keys = append(keys, work+plan+"/none")
	}
	places, err := WorkerPlaces(ctx, st)
	for _, place := range places {
		keys = append(keys, place+"/"+locks+"none")
	}
	return keys, err
}
