//go:build !nos3 && !nogcs && !noazure

package store

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestBudgetIsShared makes requests through several stores of one budget.
func TestBudgetIsShared(t *testing.T) {
	const perSecond, requests = 200, 80
	limits := NewLimits(perSecond)
	var all sync.WaitGroup
	began := time.Now()
	for range 4 {
		s := open(t, "mem://name", Options{Limits: limits})
		all.Go(func() {
			for range requests / 4 {
				if err := s.Put(t.Context(), "k", nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	// A tenth of a second's requests may come at once.
	if took, least := time.Since(began), (requests-perSecond/10)*time.Second/perSecond; took < least {
		t.Errorf("%d requests took %v, want at least %v", requests, took, least)
	}
	if diff := cmp.Diff(Traffic{Requests: requests}, limits.Traffic()); diff != "" {
		t.Errorf("traffic (-want +got):\n%s", diff)
	}
}

// A local store makes no requests.
func TestBudgetIsNotForFiles(t *testing.T) {
	limits := NewLimits(1e-9)
	s := open(t, t.TempDir(), Options{Limits: limits})
	for range 10 {
		if err := errors.Join(s.Put(t.Context(), "k", nil), s.Sync(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	if got := limits.Traffic(); got != (Traffic{}) {
		t.Errorf("traffic %+v", got)
	}
}

// TestThrottling gives Limits the answers of servers, and looks at how many operations
// enter then.
func TestThrottling(t *testing.T) {
	l := NewLimits(0)
	// room is how many operations may be in flight, when none is.
	room := func() int {
		t.Helper()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		n := 0
		for n < 1000 && l.enter(ended) == nil {
			n++
		}
		for range n {
			l.leave()
		}
		return n
	}
	// work runs n operations at the same time, each of which gets the answer.
	work := func(n int, answer func()) {
		t.Helper()
		for range n {
			if err := l.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for range n {
			answer()
		}
		for range n {
			l.leave()
		}
	}
	busy := func() { l.throttle(0) }
	for _, step := range []struct {
		name   string
		n      int
		answer func()
		want   int
	}{
		{"nothing said", 64, l.accept, 1000},
		{"all too many", 64, busy, 32},
		{"again", 32, busy, 16},
		{"few of them accepted", 4, l.accept, 16},
		{"all accepted", 16, l.accept, 16}, // a little less than one more
		{"once more", 16, l.accept, 17},
		{"one of few too many", 5, busy, 2},
		{"the last one, too", 1, busy, 1},
		{"for ever", 1, busy, 1},
		{"and back", 1, l.accept, 2},
	} {
		work(step.n, step.answer)
		if got := room(); got != step.want {
			t.Fatalf("%s: room for %d operations, want %d", step.name, got, step.want)
		}
	}
}

// TestThrottledTakeTurns has more operations than there is room for.
func TestThrottledTakeTurns(t *testing.T) {
	l := NewLimits(0)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(l.enter(t.Context()))
	l.throttle(0)
	turns := make(chan int)
	for i := range 3 {
		go func() {
			if err := l.enter(t.Context()); err != nil {
				t.Error(err)
			}
			turns <- i
		}()
		for waiting := 0; waiting <= i; { // they come in this order
			l.mu.Lock()
			waiting = len(l.queue)
			l.mu.Unlock()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() { gone <- l.enter(ctx) }()
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of one that does not wait", err)
	}
	for want := range 3 {
		select {
		case got := <-turns:
			t.Fatalf("%d came while there was no room", got)
		default:
		}
		l.leave()
		if got := <-turns; got != want {
			t.Errorf("%d came before %d", got, want)
		}
	}
	l.leave()
	if l.active != 0 || len(l.queue) != 0 {
		t.Errorf("%d under way, %d waiting at the end", l.active, len(l.queue))
	}
}

// TestRetryAfter leaves a server alone for as long as it asks, with all stores.
func TestRetryAfter(t *testing.T) {
	now := time.Now()
	limits := NewLimits(0)
	limits.now = func() time.Time { return now }
	for _, c := range []struct {
		name string
		rest time.Duration
		want bool // the operation waits
	}{
		{"seconds", 7 * time.Second, true},
		{"hours", 7 * time.Hour, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			fault := error(&statusError{code: http.StatusServiceUnavailable, pause: c.rest})
			one := open(t, "mem://name", Options{Limits: limits, Fault: func(string, string) error {
				err := fault
				fault = nil
				return err
			}})
			other := open(t, "mem://name", Options{Limits: limits})
			pauses, others := impatient(one), impatient(other)
			err := one.Put(t.Context(), "k", nil)
			if !c.want {
				if !Passing(err) || len(*pauses) > 0 {
					t.Errorf("error %v, pauses %v", err, *pauses)
				}
				return
			}
			if err != nil || len(*pauses) != 2 || (*pauses)[1] != c.rest {
				t.Errorf("pauses %v, error %v", *pauses, err)
			}
			if err := other.Put(t.Context(), "k", nil); err != nil || len(*others) != 1 || (*others)[0] != c.rest {
				t.Errorf("another store: pauses %v, error %v", *others, err)
			}
			now = now.Add(c.rest)
			if err := other.Put(t.Context(), "k", nil); err != nil || len(*others) != 1 {
				t.Errorf("later: pauses %v, error %v", *others, err)
			}
			if diff := cmp.Diff(Traffic{Requests: 4, Retries: 1, Throttled: 1}, limits.Traffic()); diff != "" {
				t.Errorf("traffic (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAttemptsAfterAnOutage has a server out of reach for two minutes. The pauses between
// the default attempts of a job are as short as they may be. Enough attempts are left for
// a network that is still bad afterwards.
func TestAttemptsAfterAnOutage(t *testing.T) {
	const retries, outage, left = 10, 2 * time.Minute, 3
	var f failures
	after, total := 0, time.Duration(0)
	for range retries {
		f.next()
		if total += f.pause / 2; total > outage {
			after++
		}
	}
	t.Logf("%d retries take %v at least, and %d come after %v", retries, total, after, outage)
	if after < left {
		t.Errorf("%d retries after an outage of %v, want %d at least", after, outage, left)
	}
}

// TestOutageCountsApart has a server that is out of reach for all attempts but one, and
// that then answers another operation. The operation that waited has all its attempts
// again, and no more.
func TestOutageCountsApart(t *testing.T) {
	const retries = 4
	limits := NewLimits(0)
	attempts := 0
	client := func(fault func(op, key string) error) *Store {
		return open(t, "mem://bucket", Options{
			Limits: limits, Retries: retries, Fault: fault,
			Sleep: func(context.Context, time.Duration) error { return nil },
		})
	}
	other := client(nil)
	s := client(func(string, string) error {
		if attempts++; attempts > retries {
			if err := other.Put(t.Context(), "other", nil); err != nil {
				t.Error(err)
			}
		}
		return syscall.ECONNRESET
	})
	if err := s.Put(t.Context(), "k", nil); !Passing(err) {
		t.Errorf("error %v, want one that may pass", err)
	}
	if want := retries + retries + 1; attempts != want {
		t.Errorf("%d attempts, want %d", attempts, want)
	}
}
