package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
)

// TestDamagedOnItsWay: what arrives damaged is read once more, and counts if it is whole
// then.
func TestDamagedOnItsWay(t *testing.T) {
	for key, good := range map[string]string{
		planKey: string(testPlan), segmentKey(testPlan, 1): `{"a":0,"u":1}` + "\n" + `{"a":0,"u":2}` + "\n", doneKey: `{"done":1}`,
	} {
		st := open(t, "mem://n", store.Options{})
		must(t, st.Put(t.Context(), planKey, testPlan))
		must(t, st.Put(t.Context(), key, []byte(good)))
		want, err := OpenLocked(t.Context(), st)
		must(t, err)
		reads := 0
		var damaged *store.Store
		damaged = open(t, "mem://n", store.Options{Fault: func(op, at string) error {
			if op != "read" || at != key {
				return nil
			}
			if reads++; reads == 2 {
				return damaged.Put(t.Context(), key, []byte(good))
			}
			return nil
		}})
		must(t, damaged.Put(t.Context(), planKey, testPlan))
		must(t, damaged.Put(t.Context(), key, []byte(good[:3])))
		j, err := OpenLocked(t.Context(), damaged)
		if err != nil || reads < 2 || string(j.Manifest()) != string(want.Manifest()) || string(j.Completed()) != string(want.Completed()) {
			t.Errorf("%s: after %d reads: plan %s, record %s, %v", key, reads, j.Manifest(), j.Completed(), err)
			continue
		}
		if diff := cmp.Diff(receipts(t, want), receipts(t, j)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

// TestOpenWhileAnotherBegins opens an empty checkpoint in which another process begins a
// plan before the second look.
func TestOpenWhileAnotherBegins(t *testing.T) {
	var memory store.Memory
	owner := openJournal(t, open(t, "mem://n", store.Options{Memory: &memory}))
	var mu sync.Mutex
	looks := 0
	st := open(t, "mem://n", store.Options{Memory: &memory, Fault: func(string, string) error {
		mu.Lock() // so that the other operations of the look come after
		defer mu.Unlock()
		if looks++; looks == 4 { // a look has three operations
			return owner.Begin(t.Context(), testPlan)
		}
		return nil
	}})
	j := openJournal(t, st)
	if string(j.Manifest()) != string(testPlan) {
		t.Errorf("the plan is %s", j.Manifest())
	}
}

// TestReceiptsEnd reads some of the receipts.
func TestReceiptsEnd(t *testing.T) {
	j := openJournal(t, open(t, "mem://n", store.Options{}))
	must(t, j.Begin(t.Context(), testPlan))
	must(t, j.Append(t.Context(), both))
	n := 0
	for _, err := range j.Receipts(t.Context()) {
		must(t, err)
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d receipts", n)
	}
}

// TestSecondSegmentIsTaken: only the number of a process's first segment may be taken.
func TestSecondSegmentIsTaken(t *testing.T) {
	st := open(t, "mem://n", store.Options{})
	j := openJournal(t, st)
	must(t, j.Begin(t.Context(), testPlan))
	must(t, j.Append(t.Context(), batch1))
	must(t, st.Put(t.Context(), segmentKey(testPlan, 2), nil))
	if err := j.Append(t.Context(), batch2); err == nil {
		t.Error("two writers took one segment")
	}
}

// TestListBeforeRecord: a job is not recorded as finished before the list of its objects
// is durable.
func TestListBeforeRecord(t *testing.T) {
	for _, failing := range []string{"sync", objectsKey(1)} {
		fails := false
		st := open(t, t.TempDir(), store.Options{Fault: func(op, key string) error {
			if fails && (op == failing || key == failing) {
				return errCrash
			}
			return nil
		}})
		j := openJournal(t, st)
		must(t, j.Begin(t.Context(), testPlan))
		fails = true
		err := complete(t.Context(), j, json.RawMessage(`{"done":1}`), oneObject)
		if err == nil || j.Completed() != nil {
			t.Errorf("%s fails: %v, record %s", failing, err, j.Completed())
		}
		fails = false
		if _, err := st.Stat(t.Context(), doneKey); err == nil {
			t.Errorf("%s fails: there is a record", failing)
		}
	}
}

// TestListThatCannotBegin: the error names the list.
func TestListThatCannotBegin(t *testing.T) {
	j := openJournal(t, open(t, "mem://n", store.Options{}))
	must(t, j.Begin(t.Context(), testPlan))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := complete(ended, j, json.RawMessage(`{}`), oneObject); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), objectsKey(1)) {
		t.Errorf("got %v", err)
	}
}

// TestDeletesAtOnce removes many segments, at most 16 at the same time.
func TestDeletesAtOnce(t *testing.T) {
	var under, most atomic.Int64
	st := open(t, "mem://n", store.Options{Fault: func(op, _ string) error {
		if op == "delete" {
			if n := under.Add(1); n > most.Load() {
				most.Store(n)
			}
			<-time.After(time.Millisecond) // time for others to begin
			under.Add(-1)
		}
		return nil
	}})
	j := openJournal(t, st)
	must(t, j.Begin(t.Context(), testPlan))
	for range 40 {
		must(t, j.Append(t.Context(), batch1))
	}
	must(t, j.Reset(t.Context()))
	if n := most.Load(); n > 16 {
		t.Errorf("%d at the same time", n)
	}
	if left := listed(t, st); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// TestListIsGivenUp: of a list of objects that fails in the middle nothing stays.
func TestListIsGivenUp(t *testing.T) {
	var mu sync.Mutex
	ops := map[string]int{}
	st := open(t, "mem://n", store.Options{Fault: func(op, _ string) error {
		mu.Lock()
		defer mu.Unlock()
		ops[op]++
		return nil
	}})
	var list []Object // larger than a part of the store
	r := rand.New(rand.NewPCG(1, 1))
	for range 13_000 {
		list = append(list, Object{Key: fmt.Sprintf("%016x%016x%016x", r.Uint64(), r.Uint64(), r.Uint64())})
	}
	j := openJournal(t, st)
	must(t, j.Begin(t.Context(), testPlan))
	if err := complete(t.Context(), j, json.RawMessage(`{}`), sequence(list, errCrash)); !errors.Is(err, errCrash) || ops["abort"] != 1 {
		t.Errorf("got %v, given up %d times", err, ops["abort"])
	}
	must(t, complete(t.Context(), j, json.RawMessage(`{}`), sequence(list, nil)))
	if got := objectsOf(t, j); ops["abort"] != 1 || len(got) != len(list) || got[7] != list[7] {
		t.Errorf("%d objects, given up %d times", len(got), ops["abort"])
	}
}

// TestEachDeleteOnce removes each object with one request.
func TestEachDeleteOnce(t *testing.T) {
	var mu sync.Mutex
	deleted := map[string]int{}
	st := open(t, "mem://n", store.Options{Fault: func(op, key string) error {
		if op == "delete" {
			mu.Lock()
			defer mu.Unlock()
			deleted[key]++
		}
		return nil
	}})
	j := openJournal(t, st)
	must(t, j.Begin(t.Context(), testPlan))
	for range 3 {
		must(t, j.Append(t.Context(), batch1))
	}
	j = openJournal(t, st)
	must(t, complete(t.Context(), j, json.RawMessage(`{}`), nil))
	want := map[string]int{planKey: 1, segmentKey(testPlan, 1): 1, segmentKey(testPlan, 2): 1, segmentKey(testPlan, 3): 1}
	if diff := cmp.Diff(want, deleted); diff != "" {
		t.Errorf("(-want +deleted):\n%s", diff)
	}
}
