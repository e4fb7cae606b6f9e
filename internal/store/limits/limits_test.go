package limits

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestThrottling gives Limits the answers of servers, and looks at how many operations
// enter then.
func TestThrottling(t *testing.T) {
	l := New(0)
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
	l := New(0)
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

// TestRate: one request a second is a bound, and so is less; 0 is none.
func TestRate(t *testing.T) {
	for perSecond, bound := range map[float64]bool{0: false, 0.5: true, 1: true, 100: true} {
		if got := New(perSecond).rate; (got != nil) != bound {
			t.Errorf("%v requests a second: %v", perSecond, got)
		}
	}
}
