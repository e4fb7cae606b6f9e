package journal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

// failures is a log that passes on each heartbeat that failed.
type failures chan struct{}

func (f failures) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("could not be written")) {
		f <- struct{}{}
	}
	return len(line), nil
}

// TestUnprovedTime counts the heartbeats that fail until the run gives up, also after one
// that succeeds.
func TestUnprovedTime(t *testing.T) {
	for _, test := range []struct {
		ttl, step time.Duration
		beats     int // that fail before the run gives up
	}{
		{time.Minute, 10 * time.Second, 2 + 30},      // the first two fail in time
		{time.Minute, time.Hour, 10},                 // each counts as half of the time to live
		{10 * time.Minute, time.Hour, 2},             // each counts as half of unprovedTime
		{time.Minute, 30*time.Second - 1, 1 + 11},    // the first one fails in time
		{time.Minute, 30 * time.Second, 10},          // the first one is late
		{4 * time.Minute, 40 * time.Second, 2 + 8},   // the time that is left becomes 0 with the third
		{4 * time.Minute, 121 * time.Second, 3},      // each counts as half of the time to live
		{20 * time.Minute, 150 * time.Second, 3 + 2}, // each counts as half of unprovedTime
	} {
		failed := make(failures) // the log waits until the test takes what it says
		var broken atomic.Bool
		c := newClock()
		st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(op, _ string) error {
			if op == "put" && broken.Load() {
				c.advance(test.step)
				return errCrash
			}
			return nil
		}})
		c.advance(time.Hour)
		opt, beats := options(c, "a")
		opt.TTL, opt.Log = test.ttl, slog.New(slog.NewTextHandler(failed, nil))
		l := acquire(t, st, opt)
		for _, fails := range []int{test.beats - 1, test.beats, 0} {
			l.mu.Lock()
			proved := l.proved
			l.mu.Unlock()
			beats <- time.Time{}
			<-proved
			if l.mu.Lock(); l.hopeless != nil {
				t.Errorf("%+v: given up after a heartbeat that succeeded", test)
			}
			l.mu.Unlock()
			if fails == test.beats {
				fails++
			}
			broken.Store(true)
			for n := range fails {
				beats <- time.Time{} // is taken when the failure before is counted
				l.mu.Lock()
				hopeless := l.hopeless != nil
				l.mu.Unlock()
				if hopeless != (n == test.beats) {
					t.Errorf("%+v: given up after %d heartbeats: %v", test, n, hopeless)
				}
				for waits := true; waits; { // a heartbeat is dropped while another one is being written
					select {
					case beats <- time.Time{}:
						runtime.Gosched() // to the heartbeat
					case <-failed:
						waits = false
					}
				}
			}
			broken.Store(false)
		}
	}
}

// TestWantedProof: a change that finds its permission ended asks for a heartbeat at once.
func TestWantedProof(t *testing.T) {
	c := newClock()
	opt, _ := options(c, "a")
	l := acquire(t, open(t, "mem://n", store.Options{}), opt)
	c.advance(time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, leave, err := l.Enter(ctx)
	must(t, err)
	leave()
}

// TestPermissionEndsByItself: a change in flight ends with the permission, without another
// heartbeat, also after one that has succeeded.
func TestPermissionEndsByItself(t *testing.T) {
	beats := make(chan time.Time)
	l := acquire(t, open(t, "mem://n", store.Options{}), LockOptions{TTL: 40 * time.Millisecond, Owner: Owner{Host: "a"}, beats: beats})
	beaten(t, l, beats)
	held, leave, err := l.Enter(t.Context())
	must(t, err)
	defer leave()
	select {
	case <-held.Done():
	case <-time.After(time.Minute):
		t.Error("the change goes on")
	}
}

// TestDefaultsOfLock takes a lock with no option set.
func TestDefaultsOfLock(t *testing.T) {
	var opt LockOptions
	opt.complete()
	if now := time.Now(); opt.TTL != 2*time.Minute || opt.Log == nil || opt.Owner.Started.After(now) || opt.Owner.Started.Before(now.Add(-time.Hour)) || opt.Owner.Started.Location() != time.UTC {
		t.Errorf("%+v", opt)
	}
	l, err := Acquire(t.Context(), open(t, "mem://n", store.Options{}), LockOptions{})
	must(t, err)
	must(t, l.Check())
	must(t, l.Settle(t.Context()))
	must(t, l.Release(t.Context(), false))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := opt.Sleep(ended, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if id := NewRun(); !regexp.MustCompile(`^[0-9a-z]{12}$`).MatchString(id) || id == NewRun() {
		t.Errorf("a run is %s", id)
	}
}

// TestMarkerWithoutTTL watches a marker that does not tell its time to live for two minutes.
func TestMarkerWithoutTTL(t *testing.T) {
	for text, want := range map[string]time.Duration{`{"host":"a"}`: 2 * time.Minute, `{"host":"a","ttl_ns":-1}`: 2 * time.Minute, `{"host":"a","ttl_ns":1}`: time.Millisecond} {
		st := open(t, "mem://n", store.Options{})
		must(t, st.Put(t.Context(), markerKey(1), []byte(text)))
		c := newClock()
		opt, _ := options(c, "b")
		acquire(t, st, opt)
		if c.now() != want {
			t.Errorf("%s: taken over after %v", text, c.now())
		}
	}
}

// TestSame: every difference between two looks at a marker is a sign of life.
func TestSame(t *testing.T) {
	m := marker{Nonce: "n", Beat: 1, Heartbeat: time.Unix(1, 0)}
	for i, change := range []func(*marker){
		func(m *marker) { m.Heartbeat = m.Heartbeat.UTC() }, func(m *marker) { m.Nonce = "m" }, func(m *marker) { m.Beat++ }, func(m *marker) { m.Heartbeat = time.Unix(2, 0) },
		func(m *marker) { m.Nonce, m.Beat = "m", 2 }, func(m *marker) { m.Heartbeat, m.Beat = time.Unix(2, 0), 2 },
	} {
		other := m
		change(&other)
		if m.same(&other) != (i == 0) || other.same(&m) != (i == 0) {
			t.Errorf("change %d: the same is %v", i, m.same(&other))
		}
	}
}

// TestSettledByHeartbeat: requests of earlier owners are over a quarter of the time to live
// after the lock was taken. A heartbeat from then on says so, and Release.
func TestSettledByHeartbeat(t *testing.T) {
	for _, after := range []time.Duration{15*time.Second - 1, 15 * time.Second} {
		for _, release := range []bool{false, true} {
			st := open(t, "mem://n", store.Options{})
			c := newClock()
			c.advance(time.Hour)
			opt, beats := options(c, "a")
			must(t, st.Put(t.Context(), markerKey(1), []byte(`{"released":true,"late":true,"others":true}`)))
			l := acquire(t, st, opt)
			if got := l.Before(); got != (Before{Late: true, Others: true}) || got.Dead != nil {
				t.Errorf("before: %+v", got)
			}
			c.advance(after)
			if release {
				must(t, l.Release(t.Context(), true)) // late changes of a local store are none
			} else {
				beaten(t, l, beats)
			}
			_, m, err := top(t.Context(), st)
			must(t, err)
			if want := after < 15*time.Second; m.Late != want || m.Others != want || m.Released != release {
				t.Errorf("after %v, released %v: %+v", after, release, m)
			}
		}
	}
}

// TestTakeoverCountsFromTheEnd: the lock of a silent owner, who then wrote a heartbeat, is
// taken when that owner has noticed. The time for late requests begins then, also for
// heartbeats of the new owner that come before.
func TestTakeoverCountsFromTheEnd(t *testing.T) {
	var memory store.Memory
	other := open(t, "mem://n", store.Options{Memory: &memory})
	c := newClock()
	optA, beatsA := options(c, "a")
	optB, beatsB := options(c, "b")
	a := acquire(t, other, optA)
	st := open(t, "mem://n", store.Options{Memory: &memory, Fault: func(op, _ string) error {
		if op == "create" {
			beaten(t, a, beatsA)
		}
		return nil
	}})
	optB.Sleep = func(ctx context.Context, d time.Duration) error {
		if d == time.Minute { // it is the wait for a, in which b proves itself
			c.advance(30 * time.Second)
			beatsB <- time.Time{}
			for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
				if number, m, err := top(ctx, other); err != nil || number != 2 || m.Beat > 0 || time.Now().After(deadline) {
					break
				}
			}
			d = 30 * time.Second
		}
		return c.sleep(ctx, d)
	}
	var log logged
	optB.Log = slog.New(slog.NewTextHandler(&log, nil))
	b := acquire(t, st, optB)
	for _, part := range []string{"if its heartbeat does not change, this run takes the lock over", "host=a", "within=1m0s", "taking over the lock of a run that has ended"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log lacks %q: %s", part, log.String())
		}
	}
	if b.since != c.now() || c.now() < 2*time.Minute {
		t.Errorf("since %v, it is %v", b.since, c.now())
	}
	if _, m, err := top(t.Context(), other); err != nil || !m.Late || m.Beat != 1 {
		t.Errorf("requests of a may still arrive: %+v, %v", m, err)
	}
	began := c.now()
	if must(t, b.Settle(t.Context())); c.now()-began != 15*time.Second {
		t.Errorf("settled after %v", c.now()-began)
	}
}

// TestOutlastFails: without a look at the marker of the silent owner the lock is not taken.
// If the marker is gone, so is its owner.
func TestOutlastFails(t *testing.T) {
	for _, failure := range []error{errCrash, fs.ErrNotExist} {
		var memory store.Memory
		c := newClock()
		optA, _ := options(c, "a")
		optB, _ := options(c, "b")
		acquire(t, open(t, "mem://n", store.Options{Memory: &memory}), optA)
		created := false
		st := open(t, "mem://n", store.Options{Memory: &memory, Retries: -1, Fault: func(op, key string) error {
			if created = created || op == "create"; created && op == "read" && key == markerKey(1) {
				return failure
			}
			return nil
		}})
		l, err := Acquire(t.Context(), st, optB)
		if gone := errors.Is(failure, fs.ErrNotExist); (err == nil) != gone || !gone && !errors.Is(err, errCrash) {
			t.Errorf("%v: got %v", failure, err)
		}
		if err == nil {
			must(t, l.Release(t.Context(), false))
		}
	}
}

// TestHeldWithoutMarkers: an owner whose marker was removed has lost the lock, because others
// cannot see it any more.
func TestHeldWithoutMarkers(t *testing.T) {
	st := open(t, "mem://n", store.Options{})
	opt, _ := options(newClock(), "a")
	l := acquire(t, st, opt)
	must(t, l.Held(t.Context()))
	must(t, st.Delete(t.Context(), markerKey(1)))
	if err := l.Held(t.Context()); !errors.Is(err, ErrLost) {
		t.Errorf("without a marker: got %v", err)
	}
	must(t, st.Put(t.Context(), markerKey(2), []byte("{}")))
	if err := l.Held(t.Context()); !errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
}

// TestLostIsLogged: the log tells of a lock that is lost.
func TestLostIsLogged(t *testing.T) {
	var log bytes.Buffer
	st := open(t, "mem://n", store.Options{})
	opt, beats := options(newClock(), "a")
	opt.Log = slog.New(slog.NewTextHandler(&log, nil))
	l := acquire(t, st, opt)
	must(t, st.Put(t.Context(), markerKey(2), []byte("{}")))
	lost(t, l, beats)
	<-l.stopped
	if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "another run has taken over the lock") {
		t.Error(log.String())
	}
}

// TestReplanLocks tells later owners of each lock of another plan, if requests may be late.
func TestReplanLocks(t *testing.T) {
	var all Locks
	var stores []*store.Store
	for _, late := range []string{"true", "false", "true"} {
		st := open(t, "mem://n", store.Options{Retries: -1})
		must(t, st.Put(t.Context(), markerKey(1), []byte(`{"released":true,"late":`+late+`}`)))
		opt, _ := options(newClock(), "a")
		all, stores = append(all, acquire(t, st, opt)), append(stores, st)
	}
	must(t, all.Replan(t.Context()))
	for i, st := range stores {
		_, m, err := top(t.Context(), st)
		must(t, err)
		if want := i != 1; m.Others != want || all[i].Before().Others != want {
			t.Errorf("lock %d: %+v", i, m)
		}
	}
	must(t, stores[0].Put(t.Context(), markerKey(3), []byte("{}")))
	if err := all.Replan(t.Context()); !errors.Is(err, ErrLost) {
		t.Errorf("got %v", err)
	}
}

// TestFreshHeartbeat: an owner without earlier ones expects no late requests, at once.
func TestFreshHeartbeat(t *testing.T) {
	opt, beats := options(newClock(), "a")
	l := acquire(t, open(t, "mem://n", store.Options{}), opt)
	beaten(t, l, beats)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.marker.Late || l.marker.Others {
		t.Errorf("%+v", l.marker)
	}
}

// TestRewrite changes the marker only for the owner of the lock, and keeps what is durable.
func TestRewrite(t *testing.T) {
	failing := ""
	st := open(t, t.TempDir(), store.Options{Retries: -1, Fault: func(op, _ string) error {
		if op == failing {
			return errCrash
		}
		return nil
	}})
	opt, _ := options(newClock(), "a")
	l := acquire(t, st, opt)
	change := func(m *marker) { m.Beat = 7 }
	failing = "sync"
	if err := l.rewrite(t.Context(), change); !errors.Is(err, errCrash) || l.marker.Beat != 0 {
		t.Errorf("not durable: %v, %+v", err, l.marker)
	}
	// Another run has the lock.
	var memory store.Memory
	puts := 0
	st = open(t, "mem://n", store.Options{Memory: &memory, Fault: func(op, key string) error {
		if op == "put" && key == markerKey(1) {
			puts++
		}
		return nil
	}})
	l = acquire(t, st, opt)
	must(t, l.rewrite(t.Context(), change))
	must(t, st.Put(t.Context(), markerKey(2), []byte("{}")))
	if err := l.rewrite(t.Context(), change); !errors.Is(err, ErrLost) || puts != 1 {
		t.Errorf("another run's: %v, %d times changed", err, puts)
	}
}

// TestHeartbeatOfLostLock: a heartbeat that another run has overtaken proves nothing.
func TestHeartbeatOfLostLock(t *testing.T) {
	var memory store.Memory
	other := open(t, "mem://n", store.Options{Memory: &memory})
	st := open(t, "mem://n", store.Options{Memory: &memory, Fault: func(op, _ string) error {
		if op == "put" {
			return other.Put(t.Context(), markerKey(2), []byte("{}"))
		}
		return nil
	}})
	c := newClock()
	opt, _ := options(c, "a")
	l := acquire(t, st, opt)
	until := l.until
	c.advance(time.Second)
	if err := l.beat(t.Context()); !errors.Is(err, ErrLost) || l.until != until {
		t.Errorf("got %v, allowed until %v instead of %v", err, l.until, until)
	}
}

// TestEndOfPermission: nothing is allowed from the moment on at which the permission ends,
// and after the release.
func TestEndOfPermission(t *testing.T) {
	broken := false
	st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(op, _ string) error {
		if broken && op == "put" {
			return errCrash
		}
		return nil
	}})
	c := newClock()
	opt, _ := options(c, "a")
	l := acquire(t, st, opt)
	held, leave, err := l.Enter(t.Context())
	must(t, err)
	defer leave()
	must(t, l.Release(t.Context(), false))
	if l.Check() == nil {
		t.Error("changes are allowed after the release")
	}
	select {
	case <-held.Done():
	case <-time.After(time.Minute):
		t.Error("a change goes on after the release")
	}
	l = acquire(t, st, opt)
	broken = true
	c.advance(l.until)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.Enter(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("at the end: %v", err)
	}
	if err := l.Release(t.Context(), false); !errors.Is(err, errCrash) {
		t.Errorf("a release that cannot be written: %v", err)
	}
}

// TestReleaseDuringHeartbeat: Release waits for a heartbeat that is being written, unless
// its context ends.
func TestReleaseDuringHeartbeat(t *testing.T) {
	begun, end := make(chan struct{}, 10), make(chan struct{})
	st := open(t, "mem://n", store.Options{Fault: func(op, _ string) error {
		if op == "put" {
			begun <- struct{}{}
			<-end
		}
		return nil
	}})
	opt, beats := options(newClock(), "a")
	l := acquire(t, st, opt)
	beats <- time.Time{}
	<-begun
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Release(ended, false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(end)
	must(t, l.Release(t.Context(), false))
}

// TestHeartbeatsByThemselves: without being asked, an owner writes heartbeats.
func TestHeartbeatsByThemselves(t *testing.T) {
	begun := make(chan struct{}, 100)
	st := open(t, "mem://n", store.Options{Fault: func(op, _ string) error {
		if op == "put" {
			select {
			case begun <- struct{}{}:
			default:
			}
		}
		return nil
	}})
	l := acquire(t, st, LockOptions{TTL: 60 * time.Millisecond})
	for range 2 {
		select {
		case <-begun:
		case <-time.After(time.Minute):
			t.Fatal("no heartbeat")
		}
	}
	must(t, l.Release(t.Context(), false))
}

// TestMarkerIsTaken: the marker that a run has created is removed by others at once.
func TestMarkerIsTaken(t *testing.T) {
	var memory store.Memory
	other := open(t, "mem://n", store.Options{Memory: &memory})
	created := false
	st := open(t, "mem://n", store.Options{Memory: &memory, Fault: func(op, _ string) error {
		if created && op == "list" {
			return other.Delete(t.Context(), markerKey(1))
		}
		created = created || op == "create"
		return nil
	}})
	opt, _ := options(newClock(), "a")
	if _, err := Acquire(t.Context(), st, opt); !isHeld(err) {
		t.Errorf("got %v", err)
	}
	opt.Owner.Started = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) // JSON has no such time
	if _, err := Acquire(t.Context(), other, opt); err == nil || len(listed(t, other)) > 0 {
		t.Errorf("got %v, there are %q", err, listed(t, other))
	}
}

// TestHolderCannotBeRead: Holder fails with the store.
func TestHolderCannotBeRead(t *testing.T) {
	st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(string, string) error { return errCrash }})
	if owner, _, err := Holder(t.Context(), st); !errors.Is(err, errCrash) || owner != nil {
		t.Errorf("got %v, %v", owner, err)
	}
}

// TestClocks: time does not go backwards, and does not stand still.
func TestClocks(t *testing.T) {
	for name, now := range map[string]func() time.Duration{"machine": uptime, "process": sinceStart} {
		first := now()
		<-time.After(time.Millisecond)
		if d := now() - first; first <= 0 || d < time.Millisecond || d > time.Hour {
			t.Errorf("the clock of the %s: %v after %v", name, d, first)
		}
	}
}
