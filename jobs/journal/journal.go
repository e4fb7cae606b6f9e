package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store"
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
	next     int               // number of the list that List has written for the next Record; 0: none
	others   []string          // keys of what else lay at the top of the checkpoint when it was opened
	recent   map[string][]byte // the first segments that this process has added, at most recentBytes in all
	kept     int               // bytes of recent
	planned  bool              // plan.json may exist
	unlisted bool              // the checkpoint was not listed, so the fields that follow from a list are empty
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

// Lists reports whether the checkpoint had an object of the caller's own when the journal was
// opened. Its key has no "/".
func (j *Journal) Lists(key string) bool { return slices.Contains(j.others, key) }

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
