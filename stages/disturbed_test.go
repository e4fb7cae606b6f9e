package stages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// disturbances are the events that may end a run early, each with the error of Run.
var disturbances = map[string]error{
	"stop": ErrStopped, "cancel": context.Canceled,
	"read": errTest, "put": errTest, "piece": errTest, "commit": errTest,
}

// disturbed runs tasks and disturbs the run at the event with a number; 0: at none. It
// returns how many events there were of each kind.
func disturbed(t *testing.T, c Config, tasks []Task, kind string, at int64) (map[string]*atomic.Int64, *ledger, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	stop := make(chan struct{})
	seen := map[string]*atomic.Int64{}
	for name := range disturbances {
		seen[name] = &atomic.Int64{}
	}
	event := func(ctx context.Context, kinds ...string) error {
		for _, k := range kinds {
			if seen[k].Add(1) != at || k != kind {
				continue
			}
			switch k {
			case "stop":
				close(stop)
			case "cancel":
				cancel()
			default:
				return errTest
			}
		}
		return ctx.Err()
	}
	for _, x := range tasks {
		w := x.Writer.(*memoryWriter)
		x.Source.(*memorySource).before = func(ctx context.Context, _ []int) error { return event(ctx, "stop", "cancel", "read") }
		w.before = func(ctx context.Context, _ []int) error { return event(ctx, "stop", "cancel", "put") }
		w.piece = func([]int, int) error { return event(context.Background(), "stop", "cancel", "piece") }
	}
	l := &ledger{during: func(int) error { return event(context.Background(), "commit") }}
	c.Commit, c.Stop = l.commit, stop
	c.Observe = func(Event) { _ = event(context.Background(), "stop", "cancel") }
	err := Run(ctx, c, List(tasks))
	for _, x := range tasks {
		if n := x.Writer.(*memoryWriter).open.Load(); n != 0 {
			t.Errorf("array %s: %d streams were not ended", x.Path, n)
		}
	}
	return seen, l, err
}

// into returns the tasks with new writers.
func into(tasks []Task) []Task {
	tasks = slices.Clone(tasks)
	for i := range tasks {
		w := &memoryWriter{}
		tasks[i].Writer, tasks[i].Stream = w, w.stream
	}
	return tasks
}

// TestDisturbedRuns ends runs of random tasks early, in small budgets. Each run returns
// the error of the disturbance, and its receipts are of whole objects. Another run does
// the rest. Then the objects are the same as those of an undisturbed run. Run panics if
// buffers or a part of the budget were not given back.
func TestDisturbedRuns(t *testing.T) {
	noLeaks(t)
	early := map[string]int{}
	for seed := range uint64(60) {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			var tasks []Task
			memory := 0
			for len(tasks) < 1+int(seed%4) {
				var x Task
				if r.IntN(2) == 0 {
					_, x, _ = sample(t, r)
				} else {
					x, _ = sampleTexts(t, r)
				}
				if x.Grid.Len() > 40 {
					continue // it would take long
				}
				x.Path = fmt.Sprint(len(tasks))
				tasks = append(tasks, x)
				memory = max(memory, x.Cost())
			}
			memory *= 1 + r.IntN(4)
			c := Config{Memory: memory, Every: time.Millisecond}
			c.Read, c.Encode, c.Write = 1+r.IntN(4), 1+r.IntN(4), 1+r.IntN(4)
			whole := into(tasks)
			events, _, err := disturbed(t, c, whole, "", 0)
			for errors.Is(err, ErrMemory) {
				c.Memory += c.Memory / 2
				whole = into(tasks)
				events, _, err = disturbed(t, c, whole, "", 0)
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.IntN(4) == 0 {
				c.Memory += 16 << 20 // room for several readers
			}
			for _, kind := range []string{"stop", "stop", "stop", "cancel", "read", "put", "piece", "commit"} {
				c.Far = kind != "read" && r.IntN(2) == 0 // a far source would be read again
				rest := into(tasks)
				_, l, err := disturbed(t, c, rest, kind, 1+r.Int64N(max(events[kind].Load(), 1)))
				if err != nil {
					early[kind]++
					if !errors.Is(err, disturbances[kind]) {
						t.Fatalf("%s: error %v, want %v", kind, err, disturbances[kind])
					}
				}
				goOn(t, c, whole, rest, l, err)
			}
		})
		if !ok {
			break // another one would wait as long
		}
	}
	for kind := range disturbances {
		if early[kind] < 10 {
			t.Errorf("%d runs ended early of %q: too few to tell anything", early[kind], kind)
		}
	}
}

// goOn checks the objects and receipts of a run that ended with err, and does the rest.
func goOn(t *testing.T, c Config, whole, rest []Task, l *ledger, err error) {
	t.Helper()
	done := map[[2]int]bool{}
	for _, receipt := range l.receipts {
		id := [2]int{receipt.Array, receipt.Unit}
		key := keyOf(rest[receipt.Array], receipt.Unit)
		want, stored := whole[receipt.Array].Writer.(*memoryWriter).objects[key]
		got := rest[receipt.Array].Writer.(*memoryWriter).objects[key]
		if done[id] || stored == receipt.Empty || receipt.Bytes != int64(len(want)) || !bytes.Equal(got, want) {
			t.Errorf("receipt %+v, the object has %d bytes and should have %d", receipt, len(got), len(want))
		}
		done[id] = true
	}
	all := 0
	for i := range rest {
		all += rest[i].Grid.Len()
		rest[i].Done = func(unit int) bool { return done[[2]int{i, unit}] }
	}
	if err == nil && len(done) < all || errors.Is(err, ErrStopped) && len(done) == all {
		t.Errorf("%d of %d units are done, error %v", len(done), all, err)
	}
	_, l, again := disturbed(t, c, rest, "", 0)
	if again != nil || len(l.receipts) != all-len(done) {
		t.Errorf("after %d of %d units another run did %d: error %v", len(done), all, len(l.receipts), again)
	}
	for i := range rest {
		want, got := whole[i].Writer.(*memoryWriter), rest[i].Writer.(*memoryWriter)
		if !maps.EqualFunc(want.objects, got.objects, bytes.Equal) {
			t.Errorf("array %d: objects %v in two runs differ from those of one, %v", i, got.keys(), want.keys())
		}
		if diff := cmp.Diff(want.puts, got.puts); diff != "" && (err == nil || errors.Is(err, ErrStopped)) {
			t.Errorf("array %d: writes of each object (-undisturbed +in two runs):\n%s", i, diff)
		}
	}
}
