package journal

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sinks"
)

var errCrash = errors.New("crash")

// open opens a store and closes it at the end of the test.
func open(t *testing.T, url string, opt store.Options) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), url, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func openJournal(t *testing.T, st *store.Store) *Journal {
	t.Helper()
	j, err := Open(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func receipts(t *testing.T, j *Journal) []sinks.Receipt {
	t.Helper()
	var all []sinks.Receipt
	for r, err := range j.Receipts(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// complete ends a job as a run does: it lists the objects, unless stored is nil, stores the record
// and removes what does not count beside it.
func complete(ctx context.Context, j *Journal, record json.RawMessage, stored iter.Seq2[Object, error]) error {
	if stored != nil {
		if err := j.List(ctx, stored); err != nil {
			return err
		}
	}
	if err := j.Record(ctx, record); err != nil {
		return err
	}
	return j.Tidy(ctx)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func listed(t *testing.T, st *store.Store) []string {
	t.Helper()
	var keys []string
	must(t, st.List(t.Context(), "", func(i store.Info) error { keys = append(keys, i.Key); return nil }))
	return keys
}

var (
	batch1 = []sinks.Receipt{{Array: 0, Unit: 0, Key: "a/c/0", Bytes: 10, Sum: 0xffffffff}, {Array: 0, Unit: 1, Empty: true}, {Array: 0, Unit: 2, More: 5, Empty: true}}
	batch2 = []sinks.Receipt{{Array: 2, Unit: 7, Bytes: 1 << 40}}
	both   = append(batch1[:3:3], batch2...)
)

func TestLife(t *testing.T) {
	for _, url := range []string{"mem://n/p", filepath.Join(t.TempDir(), "ckpt")} {
		st := open(t, url, store.Options{})
		j := openJournal(t, st)
		if j.Manifest() != nil || j.Completed() != nil || len(receipts(t, j)) != 0 {
			t.Error("a new checkpoint is not empty")
		}
		if err := j.Append(t.Context(), batch1); err == nil {
			t.Error("receipts without a plan")
		}
		must(t, j.Begin(t.Context(), json.RawMessage(`{"plan":1}`)))
		if err := j.Begin(t.Context(), json.RawMessage(`{}`)); err == nil {
			t.Error("begun twice")
		}
		must(t, j.Append(t.Context(), batch1))
		must(t, j.Append(t.Context(), nil))
		must(t, j.Append(t.Context(), batch2))
		again := openJournal(t, st)
		if string(again.Manifest()) != `{"plan":1}` {
			t.Errorf("manifest %s", again.Manifest())
		}
		if diff := cmp.Diff(both, receipts(t, again)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		// The last segment of an earlier owner may have taken the number of an owner's
		// first segment. Otherwise no other run writes.
		must(t, j.Append(t.Context(), batch2))
		must(t, again.Append(t.Context(), batch2))
		if err := j.Append(t.Context(), batch2); err == nil {
			t.Error("two writers took one segment")
		}
		if got := len(receipts(t, openJournal(t, st))); got != len(both)+2*len(batch2) {
			t.Errorf("%d receipts", got)
		}
		must(t, complete(t.Context(), j, json.RawMessage(`{"done":1}`), nil))
		again = openJournal(t, st)
		if string(again.Completed()) != `{"done":1}` || again.Manifest() != nil || len(receipts(t, again)) != 0 {
			t.Errorf("after completion: %s, %s", again.Completed(), again.Manifest())
		}
		must(t, again.Tidy(t.Context())) // of the other writer's segment
		if diff := cmp.Diff([]string{"done.json"}, listed(t, st)); diff != "" {
			t.Error(diff)
		}
		must(t, again.Reset(t.Context()))
		if got := listed(t, st); len(got) != 0 {
			t.Errorf("after reset: %q", got)
		}
		must(t, again.Begin(t.Context(), json.RawMessage(`{}`)))
	}
}

// TestCrashAtEveryOperation fails all operations from operation i on, and looks at the
// checkpoint that the next process finds.
func TestCrashAtEveryOperation(t *testing.T) {
	life := func(ctx context.Context, st *store.Store) error {
		j, err := Open(ctx, st)
		if err != nil {
			return err
		}
		steps := []func() error{
			func() error { return j.Begin(ctx, json.RawMessage(`{}`)) },
			func() error { return j.Append(ctx, batch1) },
			func() error { return j.Append(ctx, batch2) },
			func() error { return complete(ctx, j, json.RawMessage(`{}`), nil) },
			func() error { return j.Reset(ctx) },
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}
	crashes := 0
	for i := 0; ; i++ {
		root := filepath.Join(t.TempDir(), "ckpt")
		var n atomic.Int64 // operations, some at the same time
		broken, err := store.Open(t.Context(), root, store.Options{Fault: func(string, string) error {
			if n.Add(1) > int64(i) {
				return errCrash
			}
			return nil
		}})
		must(t, err)
		err = life(t.Context(), broken)
		must(t, broken.Close())
		if err == nil {
			break
		}
		crashes++
		if !errors.Is(err, errCrash) {
			t.Fatalf("operation %d: %v", i, err)
		}
		st := open(t, root, store.Options{})
		j := openJournal(t, st)
		got := receipts(t, j)
		if n := len(got); n != 0 && n != len(batch1) && n != len(both) {
			t.Errorf("operation %d: a part of a segment: %v", i, got)
		}
		if diff := cmp.Diff(both[:len(got)], got, cmp.Transformer("nil", func(r []sinks.Receipt) []sinks.Receipt { return append([]sinks.Receipt{}, r...) })); len(got) > 0 && diff != "" {
			t.Errorf("operation %d: %s", i, diff)
		}
		if (j.Manifest() == nil) && len(got) > 0 {
			t.Errorf("operation %d: receipts without a plan", i)
		}
		must(t, j.Reset(t.Context()))
		must(t, life(t.Context(), st))
		if left := listed(t, st); len(left) != 0 {
			t.Errorf("operation %d: left %q", i, left)
		}
	}
	if crashes < 12 {
		t.Errorf("only %d operations were tried", crashes)
	}
}

func TestDamage(t *testing.T) {
	const good = `{"a":0,"u":1}` + "\n"
	for name, c := range map[string]struct{ key, data, want string }{
		"torn":          {"segments/000001.jsonl", good + `{"a":0,"u`, "000001.jsonl: line 2: the line is cut off"},
		"not JSON":      {"segments/000001.jsonl", good + good + "x\n", "line 3"},
		"unknown field": {"segments/000001.jsonl", `{"a":0,"u":1,"x":2}` + "\n", `unknown field "x"`},
		"empty line":    {"segments/000001.jsonl", "\n", "line 1: the line is empty"},
		"null":          {"segments/000001.jsonl", "null\n", "no array"},
		"no unit":       {"segments/000001.jsonl", `{"a":0}` + "\n", "no unit"},
		"two values":    {"segments/000001.jsonl", "{\"a\":0,\"u\":1}{}\n", "more than one"},
		"negative":      {"segments/000001.jsonl", `{"a":-1,"u":1}` + "\n", "negative"},
		"empty object":  {"segments/000001.jsonl", `{"a":0,"u":1,"n":2,"e":true}` + "\n", "it names an object for an empty unit"},
		"missing":       {"segments/000002.jsonl", good, "000001.jsonl is missing"},
		"foreign":       {"segments/x", good, "does not belong"},
		"foreign name":  {"segments/000001.jsonlx", good, "does not belong"},
		"plan":          {"plan.json", "{", "plan.json is not JSON"},
		"done":          {"done.json", "", "done.json is not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			st := open(t, "mem://n", store.Options{})
			must(t, st.Put(t.Context(), "plan.json", []byte("{}")))
			must(t, st.Put(t.Context(), c.key, []byte(c.data)))
			if _, err := Open(t.Context(), st); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestEncodeSegmentsCutsAtSize(t *testing.T) {
	var want, got []sinks.Receipt
	for i := range 100 {
		want = append(want, sinks.Receipt{Array: 1, Unit: i, Bytes: 5})
	}
	n := 0
	for data, err := range encodeSegments(want, 200) {
		must(t, err)
		n++
		for r, err := range parseSegment(data) {
			must(t, err)
			got = append(got, r)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || n < 5 {
		t.Errorf("%d segments %s", n, diff)
	}
	for _, err := range encodeSegments([]sinks.Receipt{{Unit: -1}}, 200) {
		if err == nil {
			t.Error("a negative unit was written")
		}
	}
}

func FuzzParseSegment(f *testing.F) {
	for _, s := range []string{"", "\n", "{\"a\":0,\"u\":17,\"k\":\"c/0\",\"n\":4096,\"c\":4294967295}\n", "{\"a\":0,\"u\":18,\"e\":true}\n{", "null\n", "{\"A\":1,\"u\":1e99}\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first []sinks.Receipt
		for r, err := range parseSegment(data) {
			if err != nil {
				return
			}
			first = append(first, r)
		}
		var second []sinks.Receipt
		for data, err := range encodeSegments(first, 1<<20) {
			if err != nil {
				t.Fatal(err)
			}
			for r, err := range parseSegment(data) {
				if err != nil {
					t.Fatal(err)
				}
				second = append(second, r)
			}
		}
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestSucceedCrashesAnywhere fails each operation of the step from a finished job to the
// next one. The checkpoint belongs to one of the two.
func TestSucceedCrashesAnywhere(t *testing.T) {
	crashes := 0
	for i := 1; ; i++ {
		root := t.TempDir()
		st := open(t, root, store.Options{})
		j := openJournal(t, st)
		must(t, j.Begin(t.Context(), []byte(`{"plan": 1}`)))
		must(t, j.Append(t.Context(), []sinks.Receipt{{Unit: 1, Bytes: 2}}))
		if err := j.Succeed(t.Context(), []byte(`{}`)); err == nil {
			t.Fatal("succeeded a job that is not finished")
		}
		must(t, complete(t.Context(), j, json.RawMessage(`{"done": 1}`), nil))
		must(t, st.Close())

		var n atomic.Int64 // operations, some at the same time
		broken, err := store.Open(t.Context(), root, store.Options{Staging: "incoming", Fault: func(op, _ string) error {
			if op != "create" && op != "delete" && op != "sync" && op != "put" {
				return nil
			}
			if n.Add(1) == int64(i) {
				return errCrash
			}
			return nil
		}})
		must(t, err)
		err = openJournal(t, broken).Succeed(t.Context(), []byte(`{"plan": 2}`))
		must(t, broken.Close())

		st = open(t, root, store.Options{})
		j = openJournal(t, st)
		was, next := string(j.Completed()) == `{"done": 1}`, string(j.Manifest()) == `{"plan": 2}`
		if was == next || len(receipts(t, j)) > 0 || err == nil && was {
			t.Errorf("operation %d, %v: record %s, plan %s, %d receipts", i, err, j.Completed(), j.Manifest(), len(receipts(t, j)))
		}
		if err == nil {
			break
		}
		crashes++
		if !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
	}
	if crashes < 4 {
		t.Errorf("only %d operations were tried", crashes)
	}
}

// TestForget removes receipts, and fails at every operation in turn. The checkpoint then
// has the first of the receipts, or none.
func TestForget(t *testing.T) {
	manifest := json.RawMessage(`{"plan":1}`)
	for at := 1; ; at++ {
		dir := filepath.Join(t.TempDir(), "ckpt")
		var left atomic.Int64 // operations until one fails, some of them at the same time
		st := open(t, dir, store.Options{Fault: func(string, string) error {
			if left.Add(-1) == 0 {
				return errCrash
			}
			return nil
		}})
		j := openJournal(t, st)
		must(t, j.Begin(t.Context(), manifest))
		must(t, j.Append(t.Context(), batch1))
		must(t, j.Append(t.Context(), batch2))
		left.Store(int64(at))
		err := j.Forget(t.Context())
		again := openJournal(t, open(t, dir, store.Options{}))
		got := receipts(t, again)
		if err == nil {
			if string(again.Manifest()) != string(manifest) || len(got) != 0 || at < 3 {
				t.Errorf("after %d operations: manifest %s, receipts %v", at, again.Manifest(), got)
			}
			must(t, again.Append(t.Context(), batch2))
			if diff := cmp.Diff(batch2, receipts(t, again)); diff != "" {
				t.Errorf("recorded again (-want +got):\n%s", diff)
			}
			return
		}
		if n := len(got); !errors.Is(err, errCrash) || n > len(both) || !slices.Equal(both[:n], got) {
			t.Errorf("operation %d failed with %v: receipts %v", at, err, got)
		}
	}
}

// A receipt for several units says of no object, and of no more units than there can be.
func TestReceiptForSeveral(t *testing.T) {
	for _, bad := range []sinks.Receipt{{More: 1}, {More: -1, Empty: true}, {Unit: 2, More: math.MaxInt - 1, Empty: true}} {
		if bad.Check() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	for _, bad := range []sinks.Receipt{{Key: "k"}, {Bytes: 1}, {Sum: 1}, {Version: "v"}} {
		if bad.Empty = true; bad.Check() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
