package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

// clock is a time that moves when told to.
type clock struct{ nanos atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.nanos.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.nanos.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

// options are those of a process on another machine, whose heartbeats the test
// triggers.
func options(c *clock, host string) (LockOptions, chan time.Time) {
	beats := make(chan time.Time)
	return LockOptions{TTL: time.Minute, Owner: Owner{ID: host, Host: host, Command: "run", PID: 1}, Now: c.now, beats: beats}, beats
}

func acquire(t *testing.T, st *store.Store, opt LockOptions) *Lock {
	t.Helper()
	l, err := Acquire(t.Context(), st, opt)
	must(t, err)
	t.Cleanup(func() { l.stop(); <-l.stopped })
	return l
}

func lost(t *testing.T, l *Lock) {
	t.Helper()
	select {
	case <-l.Lost():
	case <-time.After(10 * time.Second):
		t.Fatal("the lock was not reported lost")
	}
}

func TestLockIsExclusive(t *testing.T) {
	st := open(t, "mem://n", store.Options{})
	c := newClock()
	optA, _ := options(c, "a")
	optB, _ := options(c, "b")
	if owner, _, err := Holder(t.Context(), st); owner != nil || err != nil {
		t.Errorf("a free lock is held by %v, %v", owner, err)
	}
	a := acquire(t, st, optA)
	c.advance(time.Minute)
	for _, opt := range []LockOptions{optB, optA} {
		_, err := Acquire(t.Context(), st, opt)
		var held *HeldError
		if !errors.As(err, &held) || held.Owner.Host != "a" || held.Heartbeat != c.now().Add(-time.Minute) {
			t.Errorf("second: %v", err)
		}
	}
	owner, heartbeat, err := Holder(t.Context(), st)
	if err != nil || owner == nil || owner.Host != "a" || !owner.Started.Equal(heartbeat) {
		t.Errorf("holder %v, %v, %v", owner, heartbeat, err)
	}
	must(t, a.Release(t.Context()))
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

func TestTakeoverOfStaleLock(t *testing.T) {
	st := open(t, filepath.Join(t.TempDir(), "ckpt"), store.Options{})
	c := newClock()
	optA, beatsA := options(c, "a")
	optB, _ := options(c, "b")
	a := acquire(t, st, optA)
	c.advance(time.Minute + 1)
	b := acquire(t, st, optB)
	beatsA <- c.now()
	lost(t, a)
	must(t, a.Release(t.Context()))
	owner, _, err := Holder(t.Context(), st)
	if err != nil || owner == nil || owner.Host != "b" {
		t.Errorf("holder %v, %v", owner, err)
	}
	select {
	case <-b.Lost():
		t.Error("the new owner lost it too")
	default:
	}
}

func TestHeartbeatKeepsTheLock(t *testing.T) {
	st := open(t, "mem://n", store.Options{})
	c := newClock()
	optA, beatsA := options(c, "a")
	optB, _ := options(c, "b")
	acquire(t, st, optA)
	for range 5 {
		c.advance(40 * time.Second)
		for deadline := time.Now().Add(10 * time.Second); ; {
			select {
			case beatsA <- c.now(): // again, as a beat is left out while one is on its way
			default:
			}
			_, heartbeat, err := Holder(t.Context(), st)
			must(t, err)
			if heartbeat.Equal(c.now()) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("no heartbeat")
			}
		}
		var held *HeldError
		if _, err := Acquire(t.Context(), st, optB); !errors.As(err, &held) {
			t.Fatalf("taken over: %v", err)
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
				for seen := false; !seen; { // a beat is left out while one is on its way
					select {
					case beats <- c.now():
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
			for written := false; !written; {
				select {
				case beats <- c.now():
				case <-l.Lost():
					if !taken {
						t.Fatal("lost to nobody")
					}
					return
				}
				_, heartbeat, err := Holder(t.Context(), st)
				must(t, err)
				written = !taken && heartbeat.Equal(c.now())
			}
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
	}{
		"dead": {dead, true}, "recycled": {recycled, true}, "elsewhere": {elsewhere, false},
		"ourselves": {self, false}, "alive": {parent, false},
	} {
		t.Run(name, func(t *testing.T) {
			st := open(t, "mem://n", store.Options{})
			acquire(t, st, LockOptions{TTL: time.Hour, Owner: c.owner})
			l, err := Acquire(t.Context(), st, LockOptions{TTL: time.Hour, Owner: self})
			if (err == nil) != c.free {
				t.Errorf("error %v", err)
			}
			if err == nil {
				must(t, l.Release(t.Context()))
			}
		})
	}
}

// TestContenders lets ten stores of one folder race for a lock that was never
// held, for a stale one and for a released one.
func TestContenders(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ckpt")
	c := newClock()
	for round := range 6 {
		var mu sync.Mutex
		var winners []*Lock
		var wg sync.WaitGroup
		for i := range 10 {
			st := open(t, root, store.Options{})
			wg.Go(func() {
				opt, _ := options(c, string(rune('a'+i)))
				l, err := Acquire(t.Context(), st, opt)
				var held *HeldError
				if err != nil && !errors.As(err, &held) {
					t.Error(err)
				}
				if err == nil {
					mu.Lock()
					winners = append(winners, l)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(winners) != 1 {
			t.Fatalf("round %d: %d winners", round, len(winners))
		}
		if round%2 == 0 {
			must(t, winners[0].Release(t.Context()))
		} else {
			winners[0].stop()
			<-winners[0].stopped
			c.advance(time.Minute + 1)
		}
	}
}

// TestAcquireBehindTheOthers creates a number that was released and removed
// between looking and creating.
func TestAcquireBehindTheOthers(t *testing.T) {
	var m store.Memory
	other := open(t, "mem://n", store.Options{Memory: &m})
	c := newClock()
	optB, _ := options(c, "b")
	optC, _ := options(c, "c")
	overtake := true
	st := open(t, "mem://n", store.Options{Memory: &m, Fault: func(op, _ string) error {
		if op == "create" && overtake {
			overtake = false
			b := acquire(t, other, optB)
			must(t, b.Release(t.Context()))
			acquire(t, other, optC)
		}
		return nil
	}})
	optA, _ := options(c, "a")
	var held *HeldError
	if _, err := Acquire(t.Context(), st, optA); !errors.As(err, &held) || held.Owner.Host != "c" {
		t.Errorf("error %v", err)
	}
	if got := strings.Join(listed(t, st), " "); got != "lock/000002.json" {
		t.Errorf("markers %s", got)
	}
}

// TestAcquireWhileAnotherCleans loses what it was about to create to the cleaning
// of the one that has the lock by then.
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

// TestMarkerThatCannotBeRead has a store that lists a marker and does not have it.
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
