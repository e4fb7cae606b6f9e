package journal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
)

// parent is a context that counts its derived contexts that have not ended.
type parent struct {
	context.Context //nolint:containedctx // it is one
	done            chan struct{}
	children        atomic.Int64
}

func (p *parent) Done() <-chan struct{} { return p.done }

// AfterFunc is called by the package context for each derived context.
func (p *parent) AfterFunc(func()) func() bool {
	p.children.Add(1)
	return func() bool { p.children.Add(-1); return true }
}

// TestSeveralLocks changes an object under two locks. Both have to allow the change.
func TestSeveralLocks(t *testing.T) {
	for lose := range 2 {
		var all Locks
		for range 2 {
			opt, _ := options(newClock(), "a")
			all = append(all, acquire(t, open(t, "mem://n", store.Options{}), opt))
		}
		outer := &parent{Context: t.Context(), done: make(chan struct{})}
		ctx, leave, err := all.Enter(outer)
		must(t, errors.Join(err, all.Check(), all.Prove(t.Context())))
		must(t, ctx.Err())
		leave()
		if n := outer.children.Load(); ctx.Err() == nil || n != 0 {
			t.Errorf("after leaving: %v, and %d contexts", ctx.Err(), n)
		}
		ctx, leave, err = all.Enter(outer)
		must(t, err)
		all[lose].lose()
		<-ctx.Done()
		leave()
		if all.Check() == nil {
			t.Errorf("lock %d is lost, and a change is allowed", lose)
		}
		if _, _, err := all.Enter(outer); !errors.Is(err, ErrLost) || outer.children.Load() != 0 {
			t.Errorf("lock %d is lost: %v, and %d contexts", lose, err, outer.children.Load())
		}
		number := all[lose].number
		must(t, all[lose].st.Put(t.Context(), markerKey(number+1), []byte("{}")))
		if err := all.Prove(t.Context()); !errors.Is(err, ErrLost) {
			t.Errorf("lock %d is another run's: %v", lose, err)
		}
	}
	ctx, leave, err := (Locks{}).Enter(t.Context())
	must(t, errors.Join(err, ctx.Err()))
	leave()
}

// TestEnterSecondLock has a second lock that has to be proved first. While a change waits for that, the
// permission of the first lock ends. The change must wait on, and fail neither then nor later.
func TestEnterSecondLock(t *testing.T) {
	var gone atomic.Bool
	var all Locks
	var clocks []*clock
	var beats []chan time.Time
	for i := range 2 {
		c := newClock()
		opt, beat := options(c, "a")
		st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(op, _ string) error {
			if i == 1 && op == "put" && gone.Load() {
				return errCrash
			}
			return nil
		}})
		all, clocks, beats = append(all, acquire(t, st, opt)), append(clocks, c), append(beats, beat)
	}
	gone.Store(true)
	clocks[1].advance(time.Minute)
	outer := &parent{Context: t.Context(), done: make(chan struct{})}
	entered := make(chan error, 1)
	go func() {
		_, leave, err := all.Enter(outer)
		if err == nil {
			leave()
		}
		entered <- err
	}()
	for outer.children.Load() == 0 { // until the first lock allows the change
		runtime.Gosched()
	}
	clocks[0].advance(time.Minute)
	beats[0] <- time.Now() // ends the permission, and gives another
	beats[0] <- time.Now()
	gone.Store(false)
	beats[1] <- time.Now()
	must(t, <-entered)
	if n := outer.children.Load(); n != 0 {
		t.Errorf("%d contexts are left", n)
	}
}

// TestSettleLocks waits for requests of earlier owners, exactly as long as they may take.
func TestSettleLocks(t *testing.T) {
	settle := settleTime(time.Minute)
	of := func(late bool, passed time.Duration, slept *[]time.Duration, fail error) *Lock {
		return &Lock{since: time.Hour, before: Before{Late: late}, opt: LockOptions{
			TTL: time.Minute, Clock: func() time.Duration { return time.Hour + passed },
			Sleep: func(_ context.Context, d time.Duration) error { *slept = append(*slept, d); return fail },
		}}
	}
	for _, test := range []struct {
		first, second time.Duration // time that has passed; negative: no request is late
		fail          error
		want          []time.Duration
	}{
		{0, 0, nil, []time.Duration{settle, settle}}, {settle, settle - 1, nil, []time.Duration{1}}, {settle - 1, settle + 1, nil, []time.Duration{1}},
		{-1, 0, nil, []time.Duration{settle}}, {-1, -1, errCrash, nil}, {0, 0, errCrash, []time.Duration{settle}}, {settle, 0, errCrash, []time.Duration{settle}},
	} {
		var slept []time.Duration
		err := Locks{of(test.first >= 0, test.first, &slept, test.fail), of(test.second >= 0, test.second, &slept, test.fail)}.Settle(t.Context())
		if want := len(test.want) > 0; errors.Is(err, errCrash) != (want && test.fail != nil) {
			t.Errorf("%+v: error %v", test, err)
		}
		if diff := cmp.Diff(test.want, slept); diff != "" {
			t.Errorf("%+v (-want +slept):\n%s", test, diff)
		}
	}
}

// TestLocksBefore sums up Before of several locks.
func TestLocksBefore(t *testing.T) {
	for _, a := range []Before{{}, {Late: true}, {Late: true, Others: true}} {
		for _, b := range []Before{{}, {Late: true}, {Late: true, Others: true}} {
			got := Locks{{before: a}, {before: b}}.Before()
			if want := (Before{Late: a.Late || b.Late, Others: a.Others || b.Others}); got != want {
				t.Errorf("%+v and %+v: %+v", a, b, got)
			}
		}
	}
}

// TestEndPeriod cancels changes in flight when the time is over, and logs that once.
func TestEndPeriod(t *testing.T) {
	var log bytes.Buffer
	c := newClock()
	l := &Lock{until: 10, opt: LockOptions{Clock: c.now, Log: slog.New(slog.NewTextHandler(&log, nil))}}
	l.period, l.expire = context.WithCancel(t.Context())
	defer l.expire()
	for now, over := range map[time.Duration]bool{0: false, 9: false} {
		c.nanos.Store(int64(now))
		if l.endPeriod(t.Context()); (l.period.Err() != nil) != over || log.Len() > 0 {
			t.Errorf("at %d: %v, %s", now, l.period.Err(), log.String())
		}
	}
	for range 3 {
		c.nanos.Store(10)
		if l.endPeriod(t.Context()); l.period.Err() == nil || strings.Count(log.String(), "no heartbeat of the lock") != 1 {
			t.Errorf("the time is over: %v, %s", l.period.Err(), log.String())
		}
	}
}

// TestOneHeartbeatAtATime has a heartbeat that takes so long that others are due.
func TestOneHeartbeatAtATime(t *testing.T) {
	var puts atomic.Int64
	begun, end := make(chan struct{}, 10), make(chan struct{})
	st := open(t, "mem://n", store.Options{Fault: func(op, _ string) error {
		if op == "put" {
			puts.Add(1)
			begun <- struct{}{}
			<-end
		}
		return nil
	}})
	opt, beats := options(newClock(), "a")
	acquire(t, st, opt)
	beats <- time.Time{}
	<-begun
	for range 3 {
		beats <- time.Time{}
	}
	<-time.After(10 * time.Millisecond) // time in which another heartbeat must not begin
	if n := puts.Load(); n != 1 {
		t.Errorf("%d heartbeats at the same time", n)
	}
	close(end)
}

// TestAcquireFails fails an operation of taking the lock. Afterwards the lock is not held.
func TestAcquireFails(t *testing.T) {
	for name, test := range map[string]struct {
		op, key string
		skip    int64 // how many such operations succeed before
	}{
		"the first look":  {"list", "", 0},
		"the second look": {"list", "", 1},
		"reading":         {"read", markerKey(2), 0},
		"creating":        {"create", markerKey(3), 0},
	} {
		var memory store.Memory
		c := newClock()
		optA, _ := options(c, "a")
		other := open(t, "mem://n", store.Options{Memory: &memory})
		for range 2 {
			must(t, acquire(t, other, optA).Release(t.Context(), false))
		}
		skip := test.skip
		st := open(t, "mem://n", store.Options{Memory: &memory, Retries: -1, Fault: func(op, key string) error {
			if op != test.op || test.key != "" && key != test.key {
				return nil
			}
			if skip--; skip == -1 {
				return errCrash
			}
			return nil
		}})
		optB, _ := options(c, "b")
		if _, err := Acquire(t.Context(), st, optB); !errors.Is(err, errCrash) {
			t.Errorf("%s: got %v", name, err)
		}
		if owner, _, err := Holder(t.Context(), other); owner != nil || err != nil {
			t.Errorf("%s: held by %v, %v", name, owner, err)
		}
	}
}

// TestEarlierMarkersStay fails to remove the marker of an earlier owner. The next owner removes it.
func TestEarlierMarkersStay(t *testing.T) {
	fails := true
	st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(op, _ string) error {
		if op == "delete" && fails {
			return errCrash
		}
		return nil
	}})
	c := newClock()
	opt, _ := options(c, "a")
	for range 3 {
		must(t, acquire(t, st, opt).Release(t.Context(), false))
	}
	if got := strings.Join(listed(t, st), " "); got != "lock/000001.json lock/000002.json lock/000003.json" {
		t.Errorf("markers %s", got)
	}
	fails = false
	must(t, acquire(t, st, opt).Release(t.Context(), false))
	if got := strings.Join(listed(t, st), " "); got != "lock/000001.json lock/000004.json" {
		t.Errorf("markers %s", got)
	}
}

// TestWinnerCannotBeRead: another run has taken the lock meanwhile, and its marker cannot
// be read.
func TestWinnerCannotBeRead(t *testing.T) {
	var memory store.Memory
	other := open(t, "mem://n", store.Options{Memory: &memory})
	c := newClock()
	optA, _ := options(c, "a")
	optB, _ := options(c, "b")
	overtake := true
	st := open(t, "mem://n", store.Options{Memory: &memory, Retries: -1, Fault: func(op, key string) error {
		if op == "create" && overtake {
			overtake = false
			must(t, acquire(t, other, optB).Release(t.Context(), false))
			acquire(t, other, optB)
		}
		if op == "read" && key == markerKey(2) {
			return errCrash
		}
		return nil
	}})
	if _, err := Acquire(t.Context(), st, optA); !errors.Is(err, errCrash) {
		t.Errorf("got %v", err)
	}
}

// TestWatchFails fails a look at a silent owner.
func TestWatchFails(t *testing.T) {
	var memory store.Memory
	c := newClock()
	optA, _ := options(c, "a")
	acquire(t, open(t, "mem://n", store.Options{Memory: &memory}), optA)
	looks := 0
	st := open(t, "mem://n", store.Options{Memory: &memory, Retries: -1, Fault: func(op, _ string) error {
		if op == "list" {
			if looks++; looks == 3 {
				return errCrash
			}
		}
		return nil
	}})
	optB, _ := options(c, "b")
	if _, err := Acquire(t.Context(), st, optB); !errors.Is(err, errCrash) {
		t.Errorf("got %v", err)
	}
}

// TestMarkerIsRemoved reads a marker that is removed between the list and the read. The
// next list finds the marker that counts.
func TestMarkerIsRemoved(t *testing.T) {
	removed := false
	st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(op, _ string) error {
		if op == "read" && !removed {
			removed = true
			return fs.ErrNotExist
		}
		return nil
	}})
	opt, _ := options(newClock(), "a")
	acquire(t, st, opt)
	if owner, _, err := Holder(t.Context(), st); err != nil || owner == nil || owner.Host != "a" || !removed {
		t.Errorf("held by %v, %v", owner, err)
	}
}
