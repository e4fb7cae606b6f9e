package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sinks"
)

var testPlan = json.RawMessage(`{"plan":1}`)

// oneObject is what a job has stored.
func oneObject(yield func(Object, error) bool) { yield(Object{Key: "a/c/0", Bytes: 3}, nil) }

// changes are all changes of a checkpoint, each with the calls that come before it.
func changes(t *testing.T) map[string]struct{ before, change func(j *Journal) error } {
	ctx, plan, record := t.Context(), testPlan, json.RawMessage(`{"done":1}`)
	begin := func(j *Journal) error { return j.Begin(ctx, plan) }
	begun := func(j *Journal) error {
		return errors.Join(j.Begin(ctx, plan), j.Append(ctx, batch1), j.Append(ctx, batch2))
	}
	finished := func(j *Journal) error { return errors.Join(begun(j), complete(ctx, j, record, oneObject)) }
	return map[string]struct{ before, change func(j *Journal) error }{
		"begin":        {func(*Journal) error { return nil }, begin},
		"append":       {begin, func(j *Journal) error { return j.Append(ctx, batch1) }},
		"forget":       {begun, func(j *Journal) error { return j.Forget(ctx) }},
		"complete":     {begun, func(j *Journal) error { return complete(ctx, j, record, oneObject) }},
		"tidy":         {finished, func(j *Journal) error { return j.Tidy(ctx) }},
		"tidy twice":   {func(j *Journal) error { return errors.Join(finished(j), j.Tidy(ctx)) }, func(j *Journal) error { return j.Tidy(ctx) }},
		"open":         {begun, func(j *Journal) error { return reopen(ctx, j) }},
		"open record":  {finished, func(j *Journal) error { return reopen(ctx, j) }},
		"succeed":      {finished, func(j *Journal) error { return j.Succeed(ctx, plan) }},
		"reset":        {begun, func(j *Journal) error { return j.Reset(ctx) }},
		"reset record": {finished, func(j *Journal) error { return j.Reset(ctx) }},
	}
}

// reopen opens the checkpoint of a journal once more.
func reopen(ctx context.Context, j *Journal) error {
	_, err := OpenLocked(ctx, j.st)
	return err
}

// TestEveryFailureIsTold fails each operation of each change of a checkpoint. The change
// returns the error. Without a failure the checkpoint holds only objects that count.
func TestEveryFailureIsTold(t *testing.T) {
	want := map[string][]string{
		"begin": {planKey}, "append": {planKey, segmentKey(testPlan, 1)}, "forget": {planKey}, "complete": {doneKey, objectsKey(1)}, "tidy": {doneKey, objectsKey(1)}, "tidy twice": {doneKey, objectsKey(1)}, "open": {planKey, segmentKey(testPlan, 1), segmentKey(testPlan, 2)}, "open record": {doneKey, objectsKey(1)},
		"succeed": {objectsKey(1), planKey}, "reset": nil, "reset record": nil,
	}
	for name, test := range changes(t) {
		for at := int64(1); ; at++ {
			var left atomic.Int64 // operations until one fails
			st := open(t, filepath.Join(t.TempDir(), "ckpt"), store.Options{Fault: func(string, string) error {
				if left.Add(-1) == 0 {
					return errCrash
				}
				return nil
			}})
			j := openJournal(t, st)
			must(t, test.before(j))
			left.Store(at)
			err := test.change(j)
			if left.Load() <= 0 {
				if !errors.Is(err, errCrash) {
					t.Errorf("%s: operation %d failed, the error is %v", name, at, err)
				}
				continue
			}
			left.Store(0) // none fails
			if diff := cmp.Diff(want[name], listed(t, st)); err != nil || diff != "" || at == 1 {
				t.Errorf("%s: after %d operations: %v (-want +left):\n%s", name, at-1, err, diff)
			}
			break
		}
	}
}

// TestChangesOutOfTurn: changes in the wrong order, and records that are no JSON, are
// refused and change nothing.
func TestChangesOutOfTurn(t *testing.T) {
	all, bad := changes(t), json.RawMessage(`{`)
	for name, test := range map[string]struct {
		before string
		change func(j *Journal) error
		word   string
	}{
		"append to nothing":      {"begin", all["append"].change, "no plan to append"},
		"append to a record":     {"tidy", all["append"].change, "no plan to append"},
		"begin twice":            {"append", all["begin"].change, "in use"},
		"begin after a record":   {"tidy", all["begin"].change, "in use"},
		"begin with no JSON":     {"begin", func(j *Journal) error { return j.Begin(t.Context(), bad) }, "manifest: want JSON"},
		"succeed nothing":        {"begin", all["succeed"].change, "no finished job"},
		"succeed with no JSON":   {"tidy", func(j *Journal) error { return j.Succeed(t.Context(), bad) }, "manifest: want JSON"},
		"complete with no JSON":  {"forget", func(j *Journal) error { return complete(t.Context(), j, bad, nil) }, "completion record: want JSON"},
		"append what is no unit": {"append", func(j *Journal) error { return j.Append(t.Context(), []sinks.Receipt{{Array: 3, Unit: -1}}) }, "receipt 0 of array 3, unit -1: a negative number"},
	} {
		st := open(t, filepath.Join(t.TempDir(), "ckpt"), store.Options{})
		j := openJournal(t, st)
		must(t, all[test.before].before(j))
		was := listed(t, st)
		if err := test.change(j); err == nil || !strings.Contains(err.Error(), test.word) {
			t.Errorf("%s: %v, want %q", name, err, test.word)
			continue
		}
		if diff := cmp.Diff(was, listed(t, st)); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
	}
}

// TestBegun: Begun is about receipts, not about plans.
func TestBegun(t *testing.T) {
	j := openJournal(t, open(t, "mem://bucket", store.Options{}))
	all := changes(t)
	for _, step := range []struct {
		name string
		want bool
	}{{"begin", false}, {"append", true}, {"forget", false}, {"append", true}, {"complete", false}, {"succeed", false}, {"append", true}} {
		must(t, all[step.name].change(j))
		if got := j.Begun(); got != step.want {
			t.Errorf("after %s: begun is %v", step.name, got)
		}
	}
}

// TestOpenLooksOnce reads a checkpoint with a plan or a record once. A checkpoint that is
// empty or damaged may be in the middle of a change, and is read again.
func TestOpenLooksOnce(t *testing.T) {
	for before, twice := range map[string]bool{"begin": true, "append": false, "forget": false, "tidy": false} {
		dir := filepath.Join(t.TempDir(), "ckpt")
		must(t, changes(t)[before].before(openJournal(t, open(t, dir, store.Options{}))))
		lists := func(read func(st *store.Store)) (n int64) {
			var count atomic.Int64
			read(open(t, dir, store.Options{Fault: func(op, key string) error {
				if op == "list" {
					count.Add(1)
				}
				return nil
			}}))
			return count.Load()
		}
		once := lists(func(st *store.Store) {
			_, err := OpenLocked(t.Context(), st)
			must(t, err)
		})
		if got := lists(func(st *store.Store) { openJournal(t, st) }); once == 0 || got != map[bool]int64{false: once, true: 2 * once}[twice] {
			t.Errorf("in front of %s: Open lists %d times, OpenLocked %d times", before, got, once)
		}
	}
}

// TestStrangersAmongSegments refuses a checkpoint with objects that do not belong there.
func TestStrangersAmongSegments(t *testing.T) {
	for _, name := range []string{"000001.json", "1.jsonl", "000001.jsonl.bak", ".jsonl", "00000a.jsonl", "-00001.jsonl", "+00001.jsonl", "x", "0123456789a-000001.jsonl"} {
		st := open(t, "mem://bucket", store.Options{})
		must(t, st.Put(t.Context(), segments+name, nil))
		if _, err := Open(t.Context(), st); err == nil || !strings.Contains(err.Error(), name+" does not belong") {
			t.Errorf("%s: %v", name, err)
		}
	}
	st := open(t, "mem://bucket", store.Options{})
	for _, n := range []int{1000000, 0, 1, 999999} {
		must(t, st.Put(t.Context(), fmt.Sprintf("x/%06d.y", n), nil))
	}
	if got, err := list(t.Context(), st, "x/", ".y"); err != nil || !cmp.Equal([]int{0, 1, 999999, 1000000}, got) {
		t.Errorf("%v, %v", got, err)
	}
	for _, name := range []string{"000001.z", "1.y", "000001.y.bak", ".y", "00000a.y", "-00001.y", "+00001.y", "x"} {
		st := open(t, "mem://bucket", store.Options{})
		must(t, st.Put(t.Context(), "x/"+name, nil))
		if got, err := list(t.Context(), st, "x/", ".y"); err == nil || !strings.Contains(err.Error(), name+" does not belong") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestOwnSegments takes the segments of the plan in the order of their numbers, and no
// others. Segments of earlier versions of the program count as the plan's.
func TestOwnSegments(t *testing.T) {
	own := func(n int) string { return segmentKey(testPlan, n) }
	old := func(n int) string { return fmt.Sprintf("%s%06d.jsonl", segments, n) }
	other := func(n int) string { return segmentKey(json.RawMessage(`{}`), n) }
	huge := segments + "999999999999999999.jsonl"
	for name, test := range map[string]struct {
		listed, want []string
		fault        string // the key that is missing
	}{
		"none":                 {nil, nil, ""},
		"one":                  {[]string{own(1)}, []string{own(1)}, ""},
		"several":              {[]string{own(2), own(1), own(3)}, []string{own(1), own(2), own(3)}, ""},
		"of another plan":      {[]string{other(1), own(1), other(2), other(7)}, []string{own(1)}, ""},
		"only of another plan": {[]string{other(2)}, nil, ""},
		"old":                  {[]string{old(2), old(1)}, []string{old(1), old(2)}, ""},
		"old and own":          {[]string{old(1), own(2)}, []string{old(1), own(2)}, ""},
		"without the first":    {[]string{own(2)}, nil, own(1)},
		"with a gap":           {[]string{own(1), own(3)}, nil, own(2)},
		"with an old gap":      {[]string{own(1), old(3)}, nil, own(2)},
		"with zero":            {[]string{own(0), own(1)}, nil, own(2)},
		"many":                 {[]string{huge}, nil, own(1)},
	} {
		j := &Journal{st: open(t, "mem://bucket", store.Options{}), manifest: testPlan, listed: test.listed}
		err := j.own()
		if test.fault != "" {
			if err == nil || !strings.Contains(err.Error(), test.fault+" is missing") {
				t.Errorf("%s: %v, want %s missing", name, err, test.fault)
			}
			continue
		}
		if diff := cmp.Diff(test.want, j.segments); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestSegmentsBesideRecord opens a finished job with segments that are left over. Their
// contents do not matter.
func TestSegmentsBesideRecord(t *testing.T) {
	st := open(t, "mem://bucket", store.Options{})
	must(t, errors.Join(st.Put(t.Context(), doneKey, []byte("{}")), st.Put(t.Context(), planKey, testPlan), st.Put(t.Context(), segments+"000002.jsonl", []byte("x"))))
	j, err := OpenLocked(t.Context(), st)
	if err != nil || j.Completed() == nil || j.Manifest() != nil || j.Begun() || len(receipts(t, j)) != 0 {
		t.Fatalf("got %v", err)
	}
	must(t, j.Tidy(t.Context()))
	if diff := cmp.Diff([]string{doneKey}, listed(t, st)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDeletesAreDurable: what is removed is flushed before the change is done.
func TestDeletesAreDurable(t *testing.T) {
	for name, test := range changes(t) {
		if name != "forget" && !strings.HasPrefix(name, "reset") {
			continue
		}
		var mu sync.Mutex
		var ops []string
		st := open(t, filepath.Join(t.TempDir(), "ckpt"), store.Options{Fault: func(op, _ string) error {
			mu.Lock()
			defer mu.Unlock()
			ops = append(ops, op)
			return nil
		}})
		j := openJournal(t, st)
		must(t, test.before(j))
		ops = nil
		must(t, test.change(j))
		deleted, synced := -1, -1
		for i, op := range ops {
			switch op {
			case "delete":
				deleted = i
			case "sync":
				synced = i
			}
		}
		if deleted < 0 || synced < deleted {
			t.Errorf("%s: %q", name, ops)
		}
	}
}
