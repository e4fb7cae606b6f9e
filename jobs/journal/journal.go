package journal

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sinks"
)

const (
	planKey  = "plan.json"
	doneKey  = "done.json"
	segments = "segments/"

	segmentSize  = 1 << 20   // bytes after which Append begins another segment; see mostAheadBytes
	segmentLimit = 64 << 20  // bytes of a segment that Open accepts
	recordLimit  = 256 << 20 // bytes of plan.json and done.json that Open accepts
	recentBytes  = 1 << 20   // bytes of segments that are kept, so that a short run need not read them again
)

// Journal is an opened checkpoint. It is safe for concurrent use. All methods that
// write need the lock of the checkpoint. The caller closes the store.
type Journal struct {
	st *store.Store

	mu       sync.Mutex
	manifest json.RawMessage   // nil: no plan, or the job is complete
	done     json.RawMessage   // nil: the job is not complete
	segments []string          // keys of the plan's segments, in the order of recording
	bundles  []string          // keys of the receipts of bundles of the plan
	listed   []string          // keys of all segments, and of all that campaigns have left, when the journal was opened
	added    int               // number of segments that this process has added
	objects  []int             // numbers of the existing lists of objects, ascending
	next     int               // number of the list that List has written for the next Complete; 0: none
	others   []string          // keys of what else lay at the top of the checkpoint when it was opened
	recent   map[string][]byte // the first segments that this process has added, at most recentBytes in all
	kept     int               // bytes of recent
	planned  bool              // plan.json may exist
	unlisted bool              // the checkpoint was not listed, so the fields that follow from a list are empty
}

// Open reads the checkpoint in st, which may be empty, and checks every line of
// every segment. Receipts are not kept in memory. Open does not need the lock. If the
// owner of the lock completes the job meanwhile, Open begins again.
func Open(ctx context.Context, st *store.Store) (*Journal, error) {
	for {
		j, failed := OpenLocked(ctx, st)
		if failed == nil && (j.done != nil || j.manifest != nil) {
			return j, nil
		}
		now := &Journal{st: st}
		err := now.look(ctx)
		if err != nil || bytes.Equal(now.done, j.done) && bytes.Equal(now.manifest, j.manifest) && slices.Equal(now.listed, j.listed) && slices.Equal(now.objects, j.objects) {
			return j, cmp.Or(failed, err)
		}
	}
}

// Peek reads the plan and the record of completion, and lists the rest. Unlike Open, it does not
// read the receipts. Receipts and Objects do that when they are called. Peek does not need the
// lock.
func Peek(ctx context.Context, st *store.Store) (*Journal, error) { return peek(ctx, st, true) }

// Glance is Peek without a list of the checkpoint, which may be long. The journal knows the plan, the
// record of completion and the campaign, and no receipts.
func Glance(ctx context.Context, st *store.Store) (*Journal, error) { return peek(ctx, st, false) }

func peek(ctx context.Context, st *store.Store, lists bool) (*Journal, error) {
	for {
		j := &Journal{st: st, unlisted: !lists}
		if err := j.look(ctx); err != nil || j.done != nil || j.manifest != nil {
			return j, errors.Join(err, j.own())
		}
		// Between the looks at the two records, the owner of the lock may have replaced one by
		// the other.
		now := &Journal{st: st, unlisted: !lists}
		if err := now.look(ctx); err != nil || now.done == nil && now.manifest == nil {
			return now, err
		}
	}
}

// OpenLocked is Open for the owner of the lock. Behind a network it takes half the time
// of Open.
func OpenLocked(ctx context.Context, st *store.Store) (*Journal, error) {
	j := &Journal{st: st}
	if err := j.look(ctx); err != nil || j.manifest == nil {
		return j, err
	}
	if err := j.own(); err != nil {
		return j, err
	}
	for _, err := range j.Receipts(ctx) {
		if err != nil {
			return j, err
		}
	}
	return j, nil
}

// look reads the record of completion, or else the plan, and lists the segments
// and the lists of objects, all at the same time. Glance lists nothing.
func (j *Journal) look(ctx context.Context) error {
	var manifest json.RawMessage
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { j.done, err = j.record(ctx, doneKey); return err })
	group.Go(func() (err error) { manifest, err = j.record(ctx, planKey); return err })
	if !j.unlisted {
		group.Go(func() error { return j.list(ctx) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	j.planned = manifest != nil
	if j.done == nil {
		j.manifest = manifest
	}
	return nil
}

// record reads plan.json or done.json; nil if there is no such object.
func (j *Journal) record(ctx context.Context, key string) (json.RawMessage, error) {
	data, err := j.st.ReadAll(ctx, key, recordLimit)
	if err == nil && !json.Valid(data) { // perhaps damaged on its way
		data, err = j.st.ReadAll(ctx, key, recordLimit)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !json.Valid(data):
		return nil, fmt.Errorf("%s: %s is not JSON: the checkpoint is damaged; delete it to begin anew", j.st.URL(), key)
	}
	return data, nil
}

// Manifest returns the manifest of the checkpoint's plan; nil if the checkpoint is new,
// or the job complete. The caller must not change it.
func (j *Journal) Manifest() json.RawMessage {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.manifest
}

// Completed returns the completion record; nil while the job is not complete. The
// caller must not change it.
func (j *Journal) Completed() json.RawMessage {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.done
}

// Blank reports whether the journal found nothing in the checkpoint but a lock.
func (j *Journal) Blank() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.manifest == nil && j.done == nil && !j.unlisted && len(j.listed)+len(j.objects)+len(j.others) == 0
}

// Begun tells whether receipts are on record.
func (j *Journal) Begun() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.manifest != nil && len(j.segments)+len(j.bundles) > 0
}

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

// Receipts yields all receipts recorded so far: those of the segments in the order of
// recording, then those of the bundles that had ended when the journal was opened. It reads
// them from the store, several objects at the same time. It ends after an error, which names the
// object and the line.
func (j *Journal) Receipts(ctx context.Context) iter.Seq2[sinks.Receipt, error] {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.receipts(ctx, j.bundles)
}

// ReceiptsFor returns the receipts that may be of units of a bundle, as Receipts does. It reads
// the segments, and of the objects that workers have left those of ranges that meet the bundle.
func (j *Journal) ReceiptsFor(ctx context.Context, b Bundle) iter.Seq2[sinks.Receipt, error] {
	j.mu.Lock()
	defer j.mu.Unlock()
	var keys []string
	for _, key := range j.bundles {
		if a, _, ok := parseAttempt(key); ok && a.First < b.End && b.First < a.End {
			keys = append(keys, key)
		}
	}
	return j.receipts(ctx, keys)
}

// receipts returns the receipts of the segments, and of some objects that workers have left. The
// caller holds mu.
func (j *Journal) receipts(ctx context.Context, bundles []string) iter.Seq2[sinks.Receipt, error] {
	var keys []string
	if j.manifest != nil {
		keys = slices.Concat(j.segments, bundles)
	}
	recent := maps.Clone(j.recent)
	segment := func(ctx context.Context, key string) ([]byte, error) {
		if data, ok := recent[key]; ok {
			return data, nil
		}
		return j.segment(ctx, key)
	}
	return func(yield func(sinks.Receipt, error) bool) {
		at := -1
		for data, err := range readAhead(ctx, keys, segment) {
			at++
			key := keys[at]
			if err != nil {
				yield(sinks.Receipt{}, err)
				return
			}
			for r, err := range parseSegment(data) {
				if err != nil {
					err = fmt.Errorf("%s: %s: %w: the checkpoint is damaged; delete it to begin anew", j.st.URL(), key, err)
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// Lists reports whether the checkpoint had an object of the caller's own when the journal was
// opened. Its key has no "/".
func (j *Journal) Lists(key string) bool { return slices.Contains(j.others, key) }

// segment reads a segment. If a line is damaged, it reads the segment once more, because
// the damage may have happened on the way.
func (j *Journal) segment(ctx context.Context, key string) ([]byte, error) {
	data, err := j.st.ReadAll(ctx, key, segmentLimit)
	if err != nil {
		return nil, err
	}
	for _, err := range parseSegment(data) {
		if err != nil {
			return j.st.ReadAll(ctx, key, segmentLimit)
		}
	}
	return data, nil
}

// Append records receipts, durably. The objects of the receipts must be durable before.
// After an error some of the receipts may be recorded, but each of them whole.
func (j *Journal) Append(ctx context.Context, receipts []sinks.Receipt) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.manifest == nil || j.done != nil {
		return fmt.Errorf("%s: the checkpoint has no plan to append receipts to", j.st.URL())
	}
	for data, err := range encodeSegments(receipts, segmentSize) {
		if err != nil {
			return err
		}
		if err := j.add(ctx, data); err != nil {
			return err
		}
	}
	return nil
}

// add creates the next segment. The number of this process's first segment may be taken:
// the last request of an owner whose lock was taken over may have arrived late. That
// segment belongs to the same plan, so its receipts count, too.
func (j *Journal) add(ctx context.Context, data []byte) error {
	for {
		key := segmentKey(j.manifest, len(j.segments)+1)
		err := j.st.Create(ctx, key, data)
		taken := errors.Is(err, fs.ErrExist)
		if taken && j.added > 0 {
			return fmt.Errorf("another run is writing to this checkpoint: %w", err)
		}
		if err != nil && !taken {
			return err
		}
		j.segments = append(j.segments, key)
		j.added++
		if taken {
			continue
		}
		if len(data) <= recentBytes-j.kept {
			if j.recent == nil {
				j.recent = map[string][]byte{}
			}
			j.recent[key] = data
			j.kept += len(data)
		}
		return nil
	}
}

// Forget removes all receipts, durably; the plan stays. After an error the first
// segments may be left.
func (j *Journal) Forget(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, key := range j.bundles {
		if err := j.st.Delete(ctx, key); err != nil {
			return err
		}
	}
	j.bundles = nil
	for n := len(j.segments); n > 0; n-- {
		if err := j.st.Delete(ctx, j.segments[n-1]); err != nil {
			return err
		}
		j.segments = j.segments[:n-1]
	}
	return j.st.Sync(ctx)
}

// Complete replaces the plan and its receipts by the record of a finished job and the
// list of its objects; nil: the one that List has written, or none. It does what Record and then
// Tidy do. After an error Completed tells whether the record is durable. If so, nothing that is
// left counts.
func (j *Journal) Complete(ctx context.Context, done json.Marshaler, stored iter.Seq2[Object, error]) error {
	if err := j.Record(ctx, done, stored); err != nil {
		return err
	}
	return j.Tidy(ctx)
}

// Record stores the record of a finished job and the list of its objects, see Complete. It makes the
// record when all objects were yielded. Both are durable when Record returns.
func (j *Journal) Record(ctx context.Context, done json.Marshaler, stored iter.Seq2[Object, error]) error {
	if stored != nil {
		if err := j.List(ctx, stored); err != nil {
			return err
		}
	}
	record, err := done.MarshalJSON()
	if err != nil {
		return err
	}
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

// segmentKey returns the key of the n-th segment of a plan. It begins with a digest of
// the plan, see the package comment.
func segmentKey(manifest json.RawMessage, n int) string {
	return fmt.Sprintf("%s%s-%06d.jsonl", segments, digestOf(manifest), n)
}

// digestOf returns the first digits of the digest of a manifest.
func digestOf(manifest json.RawMessage) string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:6])
}

// anySegment returns what matches the keys of all segments. Segments of earlier versions of this
// program have no digest.
var anySegment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^segments/([0-9a-f]{12}-)?([0-9]{6,18})\.jsonl$`)
})

// list finds the segments of all plans, the lists of objects, and what campaigns have left.
func (j *Journal) list(ctx context.Context) error {
	err := j.st.List(ctx, "", func(info store.Info) error {
		switch {
		case strings.HasPrefix(info.Key, objects):
			n, ok := number(info.Key, objects, objectsSuffix)
			if !ok {
				return misplaced(j.st, info.Key)
			}
			j.objects = append(j.objects, n)
		case strings.HasPrefix(info.Key, segments):
			if !anySegment().MatchString(info.Key) {
				return misplaced(j.st, info.Key)
			}
			j.listed = append(j.listed, info.Key)
		case info.Key == campaignKey || strings.HasPrefix(info.Key, work):
			j.listed = append(j.listed, info.Key)
		case !strings.Contains(info.Key, "/"):
			j.others = append(j.others, info.Key)
		}
		return nil
	})
	slices.Sort(j.objects)
	return err
}

// own finds the plan's segments among the listed ones, in their order. Their numbers have
// to begin at 1 and have no gap. own also finds the receipts of bundles.
func (j *Journal) own() error {
	if j.manifest == nil {
		return nil
	}
	digest := digestOf(j.manifest)
	keys := map[int]string{}
	for _, key := range j.listed {
		if a, suffix, ok := parseAttempt(key); ok && a.plan == digest && suffix == madeSuffix {
			j.bundles = append(j.bundles, key)
		}
		name := anySegment().FindStringSubmatch(key)
		if name == nil {
			continue
		}
		number, err := strconv.Atoi(name[2])
		if err != nil || name[1] != "" && name[1] != digest+"-" {
			continue // of another plan
		}
		keys[number] = key
	}
	for n := 1; n <= len(keys); n++ {
		key, ok := keys[n]
		if !ok {
			return fmt.Errorf("%s: %s is missing: the checkpoint is damaged; delete it to begin anew", j.st.URL(), segmentKey(j.manifest, n))
		}
		j.segments = append(j.segments, key)
	}
	return nil
}

// objectsKeys returns the keys of all lists of objects except the last but ones. The
// caller holds mu.
func (j *Journal) objectsKeys(but int) []string {
	var keys []string
	for _, n := range j.objects[:max(len(j.objects)-but, 0)] {
		keys = append(keys, objectsKey(n))
	}
	return keys
}

// List writes the list of objects of a job that is about to be complete, durably. It counts
// from Complete on. Documents of the target may be written at the same time.
func (j *Journal) List(ctx context.Context, stored iter.Seq2[Object, error]) error {
	j.mu.Lock()
	number := 1
	if n := len(j.objects); n > 0 {
		number = j.objects[n-1] + 1
	}
	j.mu.Unlock()
	if err := putObjects(ctx, j.st, objectsKey(number), stored); err != nil {
		return err
	}
	if err := j.st.Sync(ctx); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next = number
	return nil
}

// HasObjects tells whether there is a list of objects. The list is that of the completed
// job or, if there is a plan, of the job before it.
func (j *Journal) HasObjects() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.objects) > 0
}

// Objects yields the list of objects, see HasObjects. Of several lines with one key
// the last counts. It ends after an error, which names the list and the line.
func (j *Journal) Objects(ctx context.Context) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		j.mu.Lock()
		key := ""
		if n := len(j.objects); n > 0 {
			key = objectsKey(j.objects[n-1])
		}
		j.mu.Unlock()
		if key == "" {
			return
		}
		data, err := j.st.ReadAll(ctx, key, objectsLimit)
		if err == nil {
			err = eachObject(data, func(o Object) bool { return yield(o, nil) })
		}
		if err != nil {
			yield(Object{}, fmt.Errorf("%s: %s: %w", j.st.URL(), key, err))
		}
	}
}
