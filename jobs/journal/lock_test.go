package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

// clock is a time that moves when the test says so, or during a sleep.
type clock struct{ nanos atomic.Int64 }

func newClock() *clock { return new(clock) }

func (c *clock) now() time.Duration      { return time.Duration(c.nanos.Load()) }
func (c *clock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.advance(d)
	return ctx.Err()
}

// options returns the options of a process on another machine. The test triggers its
// heartbeats.
func options(c *clock, host string) (LockOptions, chan time.Time) {
	beats := make(chan time.Time)
	return LockOptions{
		TTL: time.Minute, Owner: Owner{ID: host, Host: host, Command: "run", PID: 1},
		Clock: c.now, Sleep: c.sleep, beats: beats,
	}, beats
}

func acquire(t *testing.T, st *store.Store, opt LockOptions) *Lock {
	t.Helper()
	l, err := Acquire(t.Context(), st, opt)
	must(t, err)
	t.Cleanup(func() { l.stop(); <-l.stopped })
	l.removing.Wait()
	return l
}

// logged is a log that may be read while the heartbeats of a lock write it.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// beaten makes a lock write a heartbeat, and waits for the proof.
func beaten(t *testing.T, l *Lock, beats chan<- time.Time) {
	t.Helper()
	l.mu.Lock()
	proved := l.proved
	l.mu.Unlock()
	beatUntil(t, l, beats, func() bool {
		select {
		case <-proved:
			return true
		default:
			return false
		}
	})
}

// beatUntil makes a lock write heartbeats until a condition holds.
func beatUntil(t *testing.T, l *Lock, beats chan<- time.Time, there func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !there(); {
		select {
		case beats <- time.Time{}: // again: a beat is dropped while another is being written
		case <-l.Lost():
			t.Fatal("the lock is lost")
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("no heartbeat")
		}
		runtime.Gosched()
	}
}

// lost makes a lock write heartbeats until it sees that it is lost.
func lost(t *testing.T, l *Lock, beats chan<- time.Time) {
	t.Helper()
	for deadline := time.After(time.Minute); ; {
		select {
		case beats <- time.Time{}:
		case <-l.Lost():
			return
		case <-deadline:
			t.Fatal("the lock was not reported lost")
		}
	}
}

func TestLockIsExclusive(t *testing.T) {
	st := open(t, "mem://n", store.Options{})
	c := newClock()
	optA, beatsA := options(c, "a")
	optB, _ := options(c, "b")
	if owner, _, err := Holder(t.Context(), st); owner != nil || err != nil {
		t.Errorf("a free lock is held by %v, %v", owner, err)
	}
	a := acquire(t, st, optA)
	for _, opt := range []LockOptions{optB, optA} {
		looks := 0
		opt.Sleep = func(ctx context.Context, d time.Duration) error {
			if looks++; looks == looksPerTTL/2 {
				beaten(t, a, beatsA)
			}
			return c.sleep(ctx, d)
		}
		_, err := Acquire(t.Context(), st, opt)
		if held, ok := errors.AsType[*HeldError](err); !ok || held.Owner.Host != "a" || looks != looksPerTTL/2 {
			t.Errorf("second, after %d looks: %v", looks, err)
		}
	}
	owner, heartbeat, err := Holder(t.Context(), st)
	if err != nil || owner == nil || owner.Host != "a" || heartbeat.Before(owner.Started) {
		t.Errorf("holder %v, %v, %v", owner, heartbeat, err)
	}
	must(t, a.Release(t.Context(), false))
	if owner, _, err := Holder(t.Context(), st); owner != nil || err != nil {
		t.Errorf("after release: %v, %v", owner, err)
	}
	b := acquire(t, st, optB)
	if b.number != 2 {
		t.Errorf("number %d was used again", b.number)
	}
	select {
	case <-a.Lost():
		t.Error("a released lock was lost")
	default:
	}
}

// TestTakeoverOfSilentLock takes a lock over whose owner is silent for the time to live
// by the clock of the observer, and not a moment earlier. The owner's clock does not
// matter.
func TestTakeoverOfSilentLock(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"same clock": 0, "hours ahead": 5 * time.Hour, "years behind": -9e4 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			st := open(t, filepath.Join(t.TempDir(), "ckpt"), store.Options{})
			mine, hers := newClock(), newClock()
			optA, beatsA := options(mine, "a")
			optB, _ := options(hers, "b")
			optB.TTL = time.Second // the owner's TTL counts
			a := acquire(t, st, optA)
			must(t, a.rewrite(t.Context(), func(m *marker) { m.Heartbeat = time.Now().Add(ahead) }))
			hers.advance(time.Hour)
			b := acquire(t, st, optB)
			if d := hers.now() - time.Hour; d < time.Minute || d > time.Minute+2*time.Minute/looksPerTTL {
				t.Errorf("taken over after %v", d)
			}
			got := b.Before()
			if got.Dead == nil || got.Dead.Host != "a" || !got.Seen.After(got.Dead.Started.Add(ahead-time.Hour)) {
				t.Errorf("before: the owner %+v, seen %v", got.Dead, got.Seen)
			}
			if got.Dead, got.Seen = nil, (time.Time{}); got != (Before{Late: true}) {
				t.Errorf("before: %+v", got)
			}
			lost(t, a, beatsA)
			if _, _, err := a.Enter(t.Context()); !errors.Is(err, ErrLost) {
				t.Errorf("the old owner may write: %v", err)
			}
			must(t, a.Release(t.Context(), false))
			owner, _, err := Holder(t.Context(), st)
			if err != nil || owner == nil || owner.Host != "b" {
				t.Errorf("holder %v, %v", owner, err)
			}
			select {
			case <-b.Lost():
				t.Error("the new owner lost it too")
			default:
			}
		})
	}
}

// TestLastLook: the only heartbeat within the time to live comes just before the last
// look.
func TestLastLook(t *testing.T) {
	st := open(t, "mem://n", store.Options{})
	c := newClock()
	optA, beatsA := options(c, "a")
	optB, _ := options(c, "b")
	a := acquire(t, st, optA)
	optB.Sleep = func(ctx context.Context, d time.Duration) error {
		if err := c.sleep(ctx, d); err != nil || c.now() < time.Minute {
			return err
		}
		beaten(t, a, beatsA)
		return nil
	}
	if _, err := Acquire(t.Context(), st, optB); !isHeld(err) {
		t.Errorf("got %v", err)
	}
}

func isHeld(err error) bool {
	_, ok := errors.AsType[*HeldError](err)
	return ok
}

// TestHeartbeatDuringTakeover: a heartbeat arrives after the last look of the next owner
// and before its marker. The old owner may write a little longer, so the new owner waits.
// A heartbeat that arrives later proves nothing.
func TestHeartbeatDuringTakeover(t *testing.T) {
	for _, early := range []bool{true, false} {
		var memory store.Memory
		c := newClock()
		optA, beatsA := options(newClock(), "a")
		optB, _ := options(c, "b")
		var a, b *Lock
		var takes sync.Once
		other := open(t, "mem://n", store.Options{Memory: &memory, Fault: func(op, _ string) error {
			if op == "create" && early {
				takes.Do(func() { beaten(t, a, beatsA) })
			}
			return nil
		}})
		st := open(t, "mem://n", store.Options{Memory: &memory, Fault: func(op, _ string) error {
			if op == "put" && !early {
				takes.Do(func() { b = acquire(t, other, optB) })
			}
			return nil
		}})
		a = acquire(t, st, optA)
		if early {
			b = acquire(t, other, optB)
			if c.now() < 2*time.Minute {
				t.Errorf("the new owner began after %v", c.now())
			}
		}
		lost(t, a, beatsA)
		if early {
			continue
		}
		if c.now() > 2*time.Minute || a.marker.Beat != 1 || a.until != 0 {
			t.Errorf("after %v: %+v", c.now(), a.marker)
		}
		must(t, b.Check())
	}
}

// TestWatchedLockIsReleased watches an owner that releases the lock meanwhile.
func TestWatchedLockIsReleased(t *testing.T) {
	st := open(t, "mem://n", store.Options{})
	c := newClock()
	optA, _ := options(c, "a")
	optB, _ := options(c, "b")
	a := acquire(t, st, optA)
	optB.Sleep = func(ctx context.Context, d time.Duration) error {
		return errors.Join(c.sleep(ctx, d), a.Release(ctx, false))
	}
	if b := acquire(t, st, optB); b.Before().Late || c.now() > 10*time.Second {
		t.Errorf("after %v: %+v", c.now(), b.Before())
	}
}

// TestWatchIsInterrupted ends the context of an observer.
func TestWatchIsInterrupted(t *testing.T) {
	st := open(t, "mem://n", store.Options{})
	c := newClock()
	optA, _ := options(c, "a")
	optB, _ := options(c, "b")
	acquire(t, st, optA)
	ctx, cancel := context.WithCancel(t.Context())
	optB.Sleep = func(ctx context.Context, d time.Duration) error { cancel(); return ctx.Err() }
	if _, err := Acquire(ctx, st, optB); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	looks := 0
	optB.Sleep = func(context.Context, time.Duration) error {
		if looks++; looks > 1 {
			t.Fatal("it goes on")
		}
		return errCrash
	}
	if _, err := Acquire(t.Context(), st, optB); !errors.Is(err, errCrash) {
		t.Errorf("got %v", err)
	}
}

// TestPermissionEnds follows an owner that cannot prove itself. Half of the time to live
// after the beginning of its last proof, changes are refused, and changes in flight end.
// After the next proof the owner goes on.
func TestPermissionEnds(t *testing.T) {
	var broken atomic.Bool
	st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(op, _ string) error {
		if broken.Load() && op == "put" {
			return errCrash
		}
		return nil
	}})
	c := newClock()
	opt, beats := options(c, "a")
	l := acquire(t, st, opt)
	c.advance(20 * time.Second)
	beaten(t, l, beats)
	c.advance(30*time.Second - 1)
	held, leave, err := l.Enter(t.Context())
	must(t, err)
	defer leave()
	must(t, l.Check())
	if held.Err() != nil {
		t.Error("ended at once")
	}
	broken.Store(true)
	c.advance(1)
	if err := l.Check(); err == nil {
		t.Error("half of the time to live after the proof the owner may still write")
	}
	beats <- time.Time{}
	<-held.Done()
	entered := make(chan error, 1)
	go func() {
		again, leave, err := l.Enter(t.Context())
		if err == nil {
			err = again.Err()
			leave()
		}
		entered <- err
	}()
	select {
	case err := <-entered:
		t.Errorf("entered without a proof: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	broken.Store(false)
	beaten(t, l, beats)
	if err := <-entered; err != nil {
		t.Error(err)
	}
	must(t, l.Check())
	must(t, l.Release(t.Context(), false))
	if err := l.Check(); err == nil {
		t.Error("the owner may write after the release")
	}
	if _, _, err := l.Enter(t.Context()); err == nil {
		t.Error("entered after the release")
	}
}

// TestSlowProof has a heartbeat that takes so long that it proves nothing.
func TestSlowProof(t *testing.T) {
	c := newClock()
	var slow atomic.Bool
	st := open(t, "mem://n", store.Options{Fault: func(op, _ string) error {
		if slow.Load() && op == "put" {
			c.advance(30 * time.Second)
		}
		return nil
	}})
	opt, beats := options(c, "a")
	l := acquire(t, st, opt)
	slow.Store(true)
	beatUntil(t, l, beats, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.marker.Beat > 1 // so the proof of the beat before is known
	})
	if err := l.Check(); err == nil {
		t.Error("a heartbeat that took half of the time to live counts")
	}
}

// TestEnterEndsWithItsContext waits for a proof that does not come.
func TestEnterEndsWithItsContext(t *testing.T) {
	st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(op, _ string) error {
		if op == "put" {
			return errCrash
		}
		return nil
	}})
	c := newClock()
	opt, _ := options(c, "a")
	l := acquire(t, st, opt)
	c.advance(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, _, err := (Locks{l}).Enter(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestEnterGivesUp has a store that is gone for good: after some minutes of heartbeats that
// fail, a write that waits for a proof fails. A process that was stopped for hours waits for
// its next heartbeats, and goes on if the store is back.
func TestEnterGivesUp(t *testing.T) {
	var gone atomic.Bool
	st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(op, _ string) error {
		if op == "put" && gone.Load() {
			return errCrash
		}
		return nil
	}})
	c := newClock()
	opt, beats := options(c, "a")
	l := acquire(t, st, opt)
	gone.Store(true)
	c.advance(10 * time.Hour)
	beats <- time.Now() // one failure, whose time is that of the pause
	entered := make(chan error, 1)
	enter := func() {
		_, leave, err := l.Enter(t.Context())
		if err == nil {
			leave()
		}
		entered <- err
	}
	go enter()
	woke := c.now()
	var err error
	for try, waits := 0, true; waits; try++ {
		if try == 1_000_000 {
			t.Fatal("the write waits for good")
		}
		c.advance(proofTime(opt.TTL))
		runtime.Gosched() // to the write: two others that talk to each other leave it no time
		select {
		case err = <-entered:
			waits = false
		case beats <- time.Now():
		}
	}
	if !errors.Is(err, ErrUnproved) {
		t.Errorf("got %v", err)
	}
	if waited := c.now() - woke; waited < unprovedTime-2*proofTime(opt.TTL) {
		t.Errorf("given up after %v", waited)
	}
	gone.Store(false)
	beaten(t, l, beats)
	if enter(); <-entered != nil {
		t.Error("a write behind a proof fails")
	}
}

// TestHeldIsCertain: Held fails if the store cannot be listed.
func TestHeldIsCertain(t *testing.T) {
	var broken atomic.Bool
	st := open(t, "mem://n", store.Options{Retries: -1, Fault: func(op, _ string) error {
		if broken.Load() && op == "list" {
			return errCrash
		}
		return nil
	}})
	opt, _ := options(newClock(), "a")
	l := acquire(t, st, opt)
	must(t, l.Held(t.Context()))
	broken.Store(true)
	if err := l.Held(t.Context()); !errors.Is(err, errCrash) {
		t.Errorf("held: %v", err)
	}
	if err := (Locks{l}).Prove(t.Context()); !errors.Is(err, errCrash) {
		t.Errorf("proved: %v", err)
	}
}

// TestBefore looks at Before through chains of owners.
func TestBefore(t *testing.T) {
	const gone, silent, released, late, replans = "gone", "silent", "released", "late", "replans,"
	for _, c := range []struct {
		remote bool
		chain  string // how each owner ends, and how the last one begins
		passed time.Duration
		want   Before
	}{
		{true, "", 0, Before{}},
		{true, released, 0, Before{}},
		{true, replans + released, 0, Before{}},
		{false, late, 0, Before{}}, // a local store
		{true, late, 0, Before{Late: true}},
		{true, gone, 0, Before{Late: true}},
		{false, gone, 0, Before{}},
		{false, silent, 0, Before{Late: true}},
		{true, silent, 0, Before{Late: true}},
		{true, gone + " " + released, 0, Before{Late: true}},
		{true, gone + " " + released, 15 * time.Second, Before{}},
		{true, gone + " " + gone, 0, Before{Late: true}},
		{true, gone + " " + replans + gone, 0, Before{Late: true, Others: true}},
		{true, late + " " + replans + late, 0, Before{Late: true, Others: true}},
		{true, gone + " " + replans + released, 0, Before{Late: true, Others: true}},
		{true, gone + " " + replans + released, 15 * time.Second, Before{}},
		{true, gone + " " + replans + gone + " " + gone + " " + released, 0, Before{Late: true, Others: true}},
	} {
		st, clock := open(t, "mem://n", store.Options{}), newClock()
		self := ThisProcess("run")
		for i, end := range strings.Fields(c.chain) {
			opt, _ := options(clock, "other")
			opt.Remote = c.remote
			how := strings.TrimPrefix(end, replans)
			if how == gone {
				opt.Owner = self
				opt.Owner.ID = fmt.Sprint("an earlier process with our number, ", i)
			}
			l := acquire(t, st, opt)
			if how != end {
				must(t, l.Replan(t.Context()))
			}
			clock.advance(c.passed)
			switch how {
			case released, late:
				must(t, l.Release(t.Context(), how == late))
			default:
				l.stop()
			}
		}
		l := acquire(t, st, LockOptions{Owner: self, Remote: c.remote, Clock: clock.now, Sleep: clock.sleep})
		if got := (Locks{l}).Before(); got != c.want {
			t.Errorf("remote: %v, %q, %v each: %+v, want %+v", c.remote, c.chain, c.passed, got, c.want)
		}
		began := clock.now()
		must(t, (Locks{l}).Settle(t.Context()))
		if waited := clock.now() - began; (waited >= 30*time.Second) != c.want.Late {
			t.Errorf("remote: %v, %q: waited %v", c.remote, c.chain, waited)
		}
	}
}

// TestLockOutlastsAnOutage keeps a lock whose heartbeats fail for longer than its
// time to live, unless another run has taken it over.
func TestLockOutlastsAnOutage(t *testing.T) {
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprintf("taken over=%v", taken), func(t *testing.T) {
			var memory store.Memory
			var broken atomic.Bool
			failed := make(chan struct{}, 1)
			st := open(t, "mem://n", store.Options{Memory: &memory, Retries: -1, Fault: func(op, _ string) error {
				if broken.Load() && op == "put" {
					select {
					case failed <- struct{}{}:
					default:
					}
					return errCrash
				}
				return nil
			}})
			c := newClock()
			opt, beats := options(c, "a")
			l := acquire(t, st, opt)
			broken.Store(true)
			for range 3 {
				c.advance(time.Minute)
				for seen := false; !seen; { // a beat is dropped while another is being written
					select {
					case beats <- time.Time{}:
					case <-failed:
						seen = true
					}
				}
			}
			if taken {
				other, _ := options(c, "b")
				acquire(t, open(t, "mem://n", store.Options{Memory: &memory}), other)
			}
			broken.Store(false)
			if !taken {
				beaten(t, l, beats)
				must(t, l.Check())
				return
			}
			lost(t, l, beats)
		})
	}
}

func TestLockOfDeadProcess(t *testing.T) {
	self := ThisProcess("run")
	if !self.sameMachine(self) {
		t.Skip("this system has no /proc: only the time to live counts")
	}
	if again := ThisProcess("run"); again.ID != self.ID {
		t.Errorf("two identities of one process: %s, %s", self.ID, again.ID)
	}
	child := exec.Command("true")
	must(t, child.Run())
	dead := self
	dead.ID, dead.PID = "dead", child.ProcessState.Pid()
	recycled := self
	recycled.ID = "an earlier process with our number"
	elsewhere := dead
	elsewhere.Boot = "another"
	parent := self
	parent.ID, parent.PID = "parent", 1
	for name, c := range map[string]struct {
		owner Owner
		free  bool
		watch bool // the owner has to be watched for the time to live
	}{
		"dead": {dead, true, false}, "recycled": {recycled, true, false}, "elsewhere": {elsewhere, true, true},
		"ourselves": {self, false, false}, "alive": {parent, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			st := open(t, "mem://n", store.Options{})
			clock := newClock()
			acquire(t, st, LockOptions{TTL: time.Hour, Owner: c.owner, Clock: clock.now})
			l, err := Acquire(t.Context(), st, LockOptions{TTL: time.Hour, Owner: self, Clock: clock.now, Sleep: clock.sleep})
			if (err == nil) != c.free || (clock.now() >= time.Hour) != c.watch {
				t.Errorf("after %v: %v", clock.now(), err)
			}
			if err == nil {
				must(t, l.Release(t.Context(), false))
			}
		})
	}
}

// TestContenders lets ten stores of one folder race for a lock that was never
// held, for a silent one and for a released one.
func TestContenders(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ckpt")
	var mu sync.Mutex
	var winners []*Lock
	var beats []chan time.Time
	for round := range 6 {
		winners, beats = nil, nil
		var wg sync.WaitGroup
		for i := range 10 {
			st := open(t, root, store.Options{})
			wg.Go(func() {
				opt, beat := options(newClock(), string(rune('a'+i)))
				own := opt.Sleep
				opt.Sleep = func(ctx context.Context, d time.Duration) error {
					number, _, err := top(ctx, st)
					if err != nil || number <= round {
						return errors.Join(err, own(ctx, d))
					}
					// Another contender has won, and writes heartbeats as soon as it knows.
					mu.Lock()
					defer mu.Unlock()
					if len(winners) > 0 {
						beaten(t, winners[0], beats[0])
					}
					return nil
				}
				l, err := Acquire(t.Context(), st, opt)
				if err != nil && !isHeld(err) {
					t.Error(err)
				}
				if err == nil {
					mu.Lock()
					winners, beats = append(winners, l), append(beats, beat)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(winners) != 1 {
			t.Fatalf("round %d: %d winners", round, len(winners))
		}
		if round%2 == 0 {
			must(t, winners[0].Release(t.Context(), false))
		} else {
			winners[0].stop()
			<-winners[0].stopped
		}
	}
}

// TestAcquireBehindTheOthers creates a marker whose number was used, released and removed
// since the last look.
func TestAcquireBehindTheOthers(t *testing.T) {
	var m store.Memory
	other := open(t, "mem://n", store.Options{Memory: &m})
	c := newClock()
	optB, _ := options(c, "b")
	optC, _ := options(c, "c")
	must(t, acquire(t, other, optB).Release(t.Context(), false))
	overtake := true
	st := open(t, "mem://n", store.Options{Memory: &m, Fault: func(op, _ string) error {
		if op == "create" && overtake {
			overtake = false
			b := acquire(t, other, optB)
			must(t, b.Release(t.Context(), false))
			acquire(t, other, optC)
		}
		return nil
	}})
	optA, _ := options(c, "a")
	var held *HeldError
	if _, err := Acquire(t.Context(), st, optA); !errors.As(err, &held) || held.Owner.Host != "c" {
		t.Errorf("error %v", err)
	}
	if got := strings.Join(listed(t, st), " "); got != "lock/000001.json lock/000003.json" {
		t.Errorf("markers %s", got)
	}
}

// TestAcquireWhileAnotherCleans: the run that has taken the lock meanwhile removes the
// staged file of another contender's marker.
func TestAcquireWhileAnotherCleans(t *testing.T) {
	for _, faster := range []bool{true, false} {
		var m store.Memory
		other := open(t, "mem://n", store.Options{Memory: &m})
		c := newClock()
		optA, _ := options(c, "a")
		optB, _ := options(c, "b")
		st := open(t, "mem://n", store.Options{Memory: &m, Fault: func(op, _ string) error {
			if op != "create" {
				return nil
			}
			if faster {
				acquire(t, other, optB)
			}
			return errCrash
		}})
		var held *HeldError
		if _, err := Acquire(t.Context(), st, optA); errors.As(err, &held) != faster || errors.Is(err, errCrash) == faster {
			t.Errorf("faster: %v: %v", faster, err)
		}
	}
}

func TestDamagedMarker(t *testing.T) {
	st := open(t, "mem://n", store.Options{})
	must(t, st.Put(t.Context(), "lock/000003.json", []byte("{")))
	if _, err := Acquire(t.Context(), st, LockOptions{}); err == nil || !strings.Contains(err.Error(), "000003.json is damaged") {
		t.Errorf("error %v", err)
	}
}

// TestMarkerThatCannotBeRead has a store that lists a marker that does not exist.
func TestMarkerThatCannotBeRead(t *testing.T) {
	dir, reads := t.TempDir(), 0
	st := open(t, dir, store.Options{Retries: -1, Fault: func(op, key string) error {
		if op == "read" && strings.HasPrefix(key, locks) {
			if reads++; reads > 100 {
				return errors.New("asked for again and again")
			}
			return fs.ErrNotExist
		}
		return nil
	}})
	if err := errors.Join(st.Put(t.Context(), markerKey(7), []byte("{}")), st.Sync(t.Context())); err != nil {
		t.Fatal(err)
	}
	_, err := Acquire(t.Context(), st, LockOptions{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), markerKey(7)) {
		t.Errorf("got %v", err)
	}
}
