package journal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

const (
	locks       = "lock/"
	markerLimit = 64 << 10 // bytes
	defaultTTL  = 2 * time.Minute
)

// All times of a lock are fractions of its time to live (TTL). An owner proves itself
// every TTL/beatsPerTTL. From TTL/2 after its last proof on it changes nothing. Another
// run may take the lock over a whole TTL after it first saw that proof. It finishes no
// target before another TTL/4 has passed. So the last requests of the old owner have
// three quarters of the TTL to arrive.
const (
	beatsPerTTL = 6
	looksPerTTL = 24 // looks of an observer at the heartbeat
)

func proofTime(ttl time.Duration) time.Duration  { return ttl / 2 }
func settleTime(ttl time.Duration) time.Duration { return ttl / 4 }

// LockOptions are the settings of a lock.
type LockOptions struct {
	// TTL is how long a heartbeat has to stay unchanged before another run takes the lock
	// over; 0: two minutes.
	TTL   time.Duration
	Owner Owner        // usually ThisProcess
	Log   *slog.Logger // nil: discard
	// Remote tells that the lock guards remote stores. Their requests may arrive after
	// the process that sent them has ended.
	Remote bool
	// Clock returns the time since a moment of the past, suspension included. Sleep waits
	// for a time by this clock. Both are meant for tests; nil: the clock of the machine.
	Clock func() time.Duration
	Sleep func(ctx context.Context, d time.Duration) error

	beats <-chan time.Time // when to write a heartbeat; nil: beatsPerTTL in each TTL
}

func (opt *LockOptions) complete() {
	if opt.TTL <= 0 {
		opt.TTL = defaultTTL
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Clock == nil {
		opt.Clock = uptime
	}
	if opt.Sleep == nil {
		opt.Sleep = limits.Sleep
	}
	if opt.Owner.Started.IsZero() {
		opt.Owner.Started = time.Now().UTC()
	}
}

// HeldError reports a lock that a live owner holds.
type HeldError struct {
	Owner     Owner
	Heartbeat time.Time
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("another run holds the lock of this job: %s (%sprocess %d on %s) since %s, with its last heartbeat at %s by its clock",
		e.Owner.Command, e.Owner.runText(), e.Owner.PID, e.Owner.Host,
		e.Owner.Started.Format(time.RFC3339), e.Heartbeat.Format(time.RFC3339))
}

// marker is the content of a numbered object of the lock.
type marker struct {
	Owner
	Nonce     string        `json:"nonce"` // tells two attempts of one process apart
	TTL       time.Duration `json:"ttl_ns"`
	Heartbeat time.Time     `json:"heartbeat"`      // by the clock of the owner, for people
	Beat      int           `json:"beat,omitempty"` // counts the heartbeats
	Released  bool          `json:"released,omitempty"`
	// Late tells that requests of this owner, or of an earlier one, may still arrive.
	Late bool `json:"late,omitempty"`
	// Others tells that some of these requests may belong to another plan than the
	// checkpoint's.
	Others bool `json:"others,omitempty"`
}

// same tells whether there was no heartbeat between two looks at a marker.
func (m *marker) same(other *marker) bool {
	return m.Nonce == other.Nonce && m.Beat == other.Beat && m.Heartbeat.Equal(other.Heartbeat)
}

// Lock is a held lock. A goroutine renews it until Release. The lock is the guard of the
// stores that its owner changes, see [store.Guard]. It is safe for concurrent use.
type Lock struct {
	st     *store.Store
	number int
	opt    LockOptions
	before Before

	lost    chan struct{}      // closed when another owner has taken the lock over
	stop    context.CancelFunc // ends the goroutine
	stopped chan struct{}      // closed when the goroutine has ended
	wanted  chan struct{}      // asks the goroutine for a heartbeat at once

	rewriting sync.Mutex // held from reading the marker until it is written

	mu     sync.Mutex
	marker marker
	since  time.Duration // when the lock was taken, by opt.Clock; notYet before that
	until  time.Duration // when the permission ends, by opt.Clock
	proved chan struct{} // closed with the next proof
	// hopeless is the error of writes after unprovedTime without a proof; nil before.
	hopeless error
	period   context.Context    //nolint:containedctx // ends when until has passed
	expire   context.CancelFunc // ends period
}

// notYet is a moment that never comes. While Acquire waits for an earlier owner, no time
// for late requests has passed, and heartbeats are written already.
const notYet time.Duration = math.MaxInt64 / 2

// Before tells what to expect from earlier owners of a lock.
type Before struct {
	// Late is set if requests of an earlier owner may still arrive.
	Late bool
	// Others is set if some of these requests may belong to another plan than the
	// checkpoint's.
	Others bool
	// Dead is the owner that has not released the lock, and Seen the time of its last
	// heartbeat, by its own clock. nil: the lock was released, or there was no owner.
	Dead *Owner
	Seen time.Time
}

// Acquire takes the lock of the checkpoint in st, or returns a *HeldError. It trusts no
// clock but its own. It takes the lock over at once if the owner has released it, or was
// a process of this machine that has ended. Otherwise it watches the owner's heartbeat
// for the owner's time to live, and takes the lock over only if the heartbeat does not
// change in all that time. The lock outlives ctx; it ends with Release.
func Acquire(ctx context.Context, st *store.Store, opt LockOptions) (*Lock, error) {
	opt.complete()
	number, before, watched, err := free(ctx, st, opt)
	if err != nil {
		return nil, err
	}
	began := opt.Clock()
	period, expire := context.WithCancel(context.WithoutCancel(ctx))
	l := &Lock{
		st: st, number: number + 1, opt: opt, before: before,
		lost: make(chan struct{}), stopped: make(chan struct{}), wanted: make(chan struct{}, 1), proved: make(chan struct{}),
		period: period, expire: expire, since: notYet, until: began + proofTime(opt.TTL),
		marker: marker{Owner: opt.Owner, Nonce: rand.Text(), TTL: opt.TTL, Heartbeat: time.Now().UTC(), Late: before.Late, Others: before.Others},
	}
	earlier, err := l.claim(ctx)
	if err != nil {
		expire()
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	go l.renew(running)
	if err = l.outlast(ctx, watched); err == nil {
		err = l.deleteAll(ctx, earlier)
	}
	if err != nil {
		return nil, errors.Join(err, l.Release(context.WithoutCancel(ctx), false))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since = opt.Clock()
	return l, nil
}

// outlast looks at the marker of a silent owner once more. If there was a heartbeat
// after the last look, that owner may write a little longer. Its next heartbeat will find
// that the lock is lost. outlast waits until then.
func (l *Lock) outlast(ctx context.Context, watched *marker) error {
	if watched == nil {
		return nil
	}
	m, err := read(ctx, l.st, l.number-1)
	if errors.Is(err, fs.ErrNotExist) || err == nil && m.same(watched) {
		return nil
	}
	if err != nil {
		return err
	}
	return l.opt.Sleep(ctx, max(watched.TTL, m.TTL))
}

// free waits until the lock may be taken. It returns the highest number that was used
// and, if the owner was silent, the owner's marker. The error is a *HeldError if the
// owner is alive.
func free(ctx context.Context, st *store.Store, opt LockOptions) (number int, before Before, watched *marker, err error) {
	for {
		number, held, err := top(ctx, st)
		if err != nil || held == nil {
			return number, Before{}, nil, err
		}
		if held.Released {
			return number, Before{Late: held.Late, Others: held.Others}, nil, nil
		}
		// Requests of a process that has ended may still arrive. Its changes of a local
		// folder are over.
		before := Before{Late: true, Others: held.Others, Dead: &held.Owner, Seen: held.Heartbeat}
		switch gone := held.Gone(opt.Owner); {
		case gone:
			before.Late = opt.Remote || held.Late
		case held.sameMachine(opt.Owner):
			return 0, Before{}, nil, &HeldError{Owner: held.Owner, Heartbeat: held.Heartbeat}
		default:
			silent, err := watch(ctx, st, number, held, opt)
			if err != nil {
				return 0, Before{}, nil, err
			}
			if !silent {
				continue // the lock was released, or has another owner
			}
			watched = held
		}
		opt.Log.WarnContext(ctx, "taking over the lock of a run that has ended without releasing it",
			"ended_run", held.Run, "host", held.Host, "pid", held.PID, "heartbeat", held.Heartbeat)
		return number, before, watched, nil
	}
}

// watch looks at a marker for its owner's time to live. silent is true if there was no
// heartbeat. The error is a *HeldError if there was one. Only the clock of the observer
// counts. The first look ended before that time begins, and the last look begins when
// that time is over.
func watch(ctx context.Context, st *store.Store, number int, seen *marker, opt LockOptions) (silent bool, err error) {
	ttl := seen.TTL
	if ttl <= 0 {
		ttl = defaultTTL
	}
	opt.Log.WarnContext(ctx, "the lock is that of a run which cannot be seen from here: if its heartbeat does not change, this run takes the lock over",
		"other_run", seen.Run, "host", seen.Host, "pid", seen.PID, "within", ttl)
	for began := opt.Clock(); ; {
		if err := opt.Sleep(ctx, max(ttl/looksPerTTL, time.Millisecond)); err != nil {
			return false, err
		}
		over := opt.Clock()-began >= ttl
		now, m, err := top(ctx, st)
		switch {
		case err != nil:
			return false, err
		case now != number || m.Released:
			return false, nil
		case !m.same(seen):
			return false, &HeldError{Owner: m.Owner, Heartbeat: m.Heartbeat}
		case over:
			return true, nil
		}
	}
}

// claim creates the marker, and makes sure that it has the highest number. It returns
// the numbers of earlier markers, which no longer count.
func (l *Lock) claim(ctx context.Context) (earlier []int, err error) {
	data, err := json.Marshal(l.marker)
	if err != nil {
		return nil, err
	}
	err = l.st.Create(ctx, markerKey(l.number), data)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, l.unlessHeld(ctx, err)
	}
	created := err == nil
	// Since the last look other runs may have taken, released and removed this number,
	// and gone on to the next one.
	numbers, err := list(ctx, l.st, locks, ".json")
	if err == nil && created && len(numbers) > 0 && numbers[len(numbers)-1] == l.number {
		return numbers[:len(numbers)-1], nil
	}
	if created {
		err = errors.Join(err, l.deleteAll(context.WithoutCancel(ctx), []int{l.number}))
	}
	if err != nil {
		return nil, err
	}
	_, winner, err := top(ctx, l.st)
	if err != nil {
		return nil, err
	}
	if winner == nil {
		winner = &l.marker
	}
	return nil, &HeldError{Owner: winner.Owner, Heartbeat: winner.Heartbeat}
}

// unlessHeld returns the error of a marker that could not be created. If another run was
// faster, it returns a *HeldError: that run may have removed the staged file of this
// marker, because the owner of the lock cleans the store.
func (l *Lock) unlessHeld(ctx context.Context, failed error) error {
	number, m, err := top(ctx, l.st)
	if err != nil || number < l.number || m.Released {
		return failed
	}
	return &HeldError{Owner: m.Owner, Heartbeat: m.Heartbeat}
}

func (l *Lock) deleteAll(ctx context.Context, numbers []int) error {
	for _, n := range numbers {
		if err := l.st.Delete(ctx, markerKey(n)); err != nil {
			return err
		}
	}
	return nil
}

// Holder returns the owner of the lock, dead or alive, and the owner's last heartbeat.
// The owner is nil if the lock is free.
func Holder(ctx context.Context, st *store.Store) (*Owner, time.Time, error) {
	_, m, err := top(ctx, st)
	if err != nil || m == nil || m.Released {
		return nil, time.Time{}, err
	}
	return &m.Owner, m.Heartbeat, nil
}

// top returns the marker with the highest number; 0 and nil if there is none.
func top(ctx context.Context, st *store.Store) (int, *marker, error) {
	for missing := 0; ; {
		numbers, err := list(ctx, st, locks, ".json")
		if err != nil || len(numbers) == 0 {
			return 0, nil, err
		}
		highest := numbers[len(numbers)-1]
		m, err := read(ctx, st, highest)
		if errors.Is(err, fs.ErrNotExist) && highest != missing {
			missing = highest // removed by the owner of a higher marker
			continue
		}
		if err != nil {
			return 0, nil, err
		}
		return highest, m, nil
	}
}

// read reads the marker with a number.
func read(ctx context.Context, st *store.Store, number int) (*marker, error) {
	data, err := st.ReadAll(ctx, markerKey(number), markerLimit)
	if err != nil {
		return nil, err
	}
	m := new(marker)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %s is damaged: delete it if no run is at work: %w", st.URL(), markerKey(number), err)
	}
	return m, nil
}

func markerKey(n int) string { return fmt.Sprintf("%s%06d.json", locks, n) }
