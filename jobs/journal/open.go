package journal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/internal/store"
)

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
