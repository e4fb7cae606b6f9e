package journal

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

// TestSeen takes a lock that was seen before, and counts the requests until it is held. What has
// become of the lock since that look decides.
func TestSeen(t *testing.T) {
	for name, test := range map[string]struct {
		earlier int    // owners before the look
		since   string // what other runs have done since: owner by owner, r for released and h for held
		want    string // "held" or the operations, in their order
	}{
		"no lock":                 {0, "", "create 1"},
		"released":                {1, "", "create 2, list"},
		"released twice":          {2, "", "create 3, list, delete 2"},
		"held since":              {0, "h", "held"},
		"released since":          {0, "r", "create 1, list, list, read 1, list, read 1, create 2, list"},
		"released, held since":    {0, "rh", "held"},
		"released, and again":     {1, "r", "create 2, list, list, read 2, list, read 2, create 3, list, delete 2"},
		"behind the others":       {1, "rr", "create 2, list, delete 2, list, read 3, list, read 3, create 4, list, delete 3"},
		"held, behind the others": {1, "rh", "held"},
	} {
		var memory store.Memory
		other := open(t, "mem://n", store.Options{Memory: &memory})
		opt, _ := options(newClock(), "other")
		for range test.earlier {
			must(t, acquire(t, other, opt).Release(t.Context(), false))
		}
		var mu sync.Mutex
		var operations []string
		st := open(t, "mem://n", store.Options{Memory: &memory, Fault: func(op, key string) error {
			mu.Lock()
			defer mu.Unlock()
			operations = append(operations, strings.TrimSpace(op+" "+strings.TrimLeft(strings.TrimSuffix(strings.TrimPrefix(key, locks), ".json"), "0")))
			return nil
		}})
		seen, err := See(t.Context(), st)
		must(t, err)
		for _, what := range test.since {
			if l := acquire(t, other, opt); what == 'r' {
				must(t, l.Release(t.Context(), false))
			}
		}
		operations = nil
		own, _ := options(newClock(), "own")
		own.Seen, own.Sleep = seen, func(context.Context, time.Duration) error { return errCrash } // to watch an owner
		l, err := Acquire(t.Context(), st, own)
		if err == nil {
			l.removing.Wait()
		}
		got := strings.Join(operations, ", ")
		if errors.Is(err, errCrash) {
			got = "held"
		} else {
			must(t, err)
			must(t, l.Held(t.Context()))
			must(t, l.Release(t.Context(), false))
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
		if name != "held since" && !slices.Contains(listed(t, st), markerKey(1)) {
			t.Errorf("%s: the first marker is gone", name)
		}
	}
}

// TestReads looks at when Acquire lets its caller read: once for each attempt, while the marker is
// created if the lock was free, and otherwise after that.
func TestReads(t *testing.T) {
	var memory store.Memory
	created := make(chan struct{})
	st := open(t, "mem://n", store.Options{Memory: &memory, Retries: -1, Fault: func(op, _ string) error {
		if op == "create" {
			<-created
		}
		return nil
	}})
	c := newClock()
	opt, _ := options(c, "a")
	opt.Reads = func(context.Context) { close(created) } // while the marker is being created
	l := acquire(t, st, opt)
	l.stop() // and is silent from now on
	<-l.stopped

	late, _ := options(c, "b")
	reads := 0
	late.Reads = func(ctx context.Context) {
		reads++
		if number, _, err := top(ctx, st); number != 2 || err != nil {
			t.Errorf("read before the lock of a silent run was taken over: %d, %v", number, err)
		}
	}
	second := acquire(t, st, late)
	if reads != 1 {
		t.Errorf("%d reads", reads)
	}
	third, _ := options(c, "b")
	third.Reads = func(context.Context) { t.Error("read, and the lock is held") }
	third.Sleep = func(_ context.Context, _ time.Duration) error { return errCrash }
	if _, err := Acquire(t.Context(), st, third); !errors.Is(err, errCrash) {
		t.Errorf("got %v", err)
	}
	must(t, second.Release(t.Context(), false))
}
