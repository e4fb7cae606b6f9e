package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"

	"github.com/zmigrate/zmigrate/sinks"
)

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
