package journal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

const (
	locks       = "lock/"
	markerLimit = 64 << 10 // bytes
	defaultTTL  = 2 * time.Minute
)

// LockOptions are the settings of a lock.
type LockOptions struct {
	TTL   time.Duration    // age at which a heartbeat is stale; 0: two minutes
	Owner Owner            // usually ThisProcess
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: discard

	beats <-chan time.Time // when to write a heartbeat; nil: every third of TTL
}

// HeldError reports a lock that a live owner holds.
type HeldError struct {
	Owner     Owner
	Heartbeat time.Time
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("another run holds the lock of this job: %s (process %d on %s) since %s, last heard of at %s",
		e.Owner.Command, e.Owner.PID, e.Owner.Host,
		e.Owner.Started.Format(time.RFC3339), e.Heartbeat.Format(time.RFC3339))
}

// marker is the content of a numbered object of the lock.
type marker struct {
	Owner
	Nonce     string        `json:"nonce"` // tells two attempts of one process apart
	TTL       time.Duration `json:"ttl_ns"`
	Heartbeat time.Time     `json:"heartbeat"`
	Released  bool          `json:"released,omitempty"`
}

// stale tells whether the holder has given up or died.
func (m marker) stale(now time.Time, self Owner) bool {
	return m.Released || now.Sub(m.Heartbeat) > m.TTL || m.Gone(self)
}

// Lock is a held lock. A goroutine renews it until Release.
type Lock struct {
	st     *store.Store
	number int
	opt    LockOptions

	lost    chan struct{}
	stop    context.CancelFunc // ends the goroutine
	stopped chan struct{}      // closed when it has ended

	mu     sync.Mutex
	marker marker
}

// Acquire takes the lock of the checkpoint in st or returns a *HeldError. The
// lock outlives ctx; it ends with Release.
func Acquire(ctx context.Context, st *store.Store, opt LockOptions) (*Lock, error) {
	if opt.TTL <= 0 {
		opt.TTL = defaultTTL
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	highest, held, err := top(ctx, st)
	if err != nil {
		return nil, err
	}
	// Without its monotonic part: that clock stands still while a machine
	// sleeps, and the heartbeats of others have none.
	wall := opt.Now
	opt.Now = func() time.Time { return wall().Round(0) }
	now := opt.Now()
	if held != nil && !held.stale(now, opt.Owner) {
		return nil, &HeldError{Owner: held.Owner, Heartbeat: held.Heartbeat}
	}
	if held != nil && !held.Released {
		opt.Log.WarnContext(ctx, "taking over the lock of a run that has ended without releasing it",
			"host", held.Host, "pid", held.PID, "heartbeat", held.Heartbeat)
	}
	if opt.Owner.Started.IsZero() {
		opt.Owner.Started = now
	}
	l := &Lock{
		st: st, number: highest + 1, opt: opt,
		lost: make(chan struct{}), stopped: make(chan struct{}),
		marker: marker{Owner: opt.Owner, Nonce: rand.Text(), TTL: opt.TTL, Heartbeat: now},
	}
	if err := l.claim(ctx); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	go l.renew(running)
	return l, nil
}

// claim creates the marker and sees to it that it is the highest.
func (l *Lock) claim(ctx context.Context) error {
	data, err := json.Marshal(l.marker)
	if err != nil {
		return err
	}
	err = l.st.Create(ctx, markerKey(l.number), data)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return l.unlessHeld(ctx, err)
	}
	created := err == nil
	// Others may have taken, released and removed our number, and gone on to
	// the next, since we looked.
	numbers, err := list(ctx, l.st, locks, ".json")
	if err == nil && created && len(numbers) > 0 && numbers[len(numbers)-1] == l.number {
		return l.deleteAll(ctx, numbers[:len(numbers)-1])
	}
	if created {
		err = errors.Join(err, l.deleteAll(context.WithoutCancel(ctx), []int{l.number}))
	}
	if err != nil {
		return err
	}
	_, winner, err := top(ctx, l.st)
	if err != nil {
		return err
	}
	if winner == nil {
		winner = &l.marker
	}
	return &HeldError{Owner: winner.Owner, Heartbeat: winner.Heartbeat}
}

// unlessHeld returns the error of a marker that could not be created, or says who
// was faster: whoever has the lock cleans the store of what others have begun to
// put there.
func (l *Lock) unlessHeld(ctx context.Context, failed error) error {
	number, m, err := top(ctx, l.st)
	if err != nil || number < l.number || m.stale(l.opt.Now(), l.opt.Owner) {
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

// renew writes heartbeats until ctx ends or another owner has the lock. While
// none can be written, the lock is its owner's as long as nobody takes it: a
// store that is out of reach for longer than TTL ends no run.
func (l *Lock) renew(ctx context.Context) {
	defer close(l.stopped)
	beats := l.opt.beats
	if beats == nil {
		t := time.NewTicker(l.opt.TTL / 3)
		defer t.Stop()
		beats = t.C
	}
	results := make(chan error, 1)
	writing := false
	for {
		select {
		case <-ctx.Done():
			if writing {
				err := <-results
				l.opt.Log.DebugContext(ctx, "the last heartbeat of the lock has ended", "error", err)
			}
			return
		case <-beats:
			if !writing {
				writing = true
				go func() { results <- l.beat(ctx) }()
			}
		case err := <-results:
			writing = false
			switch {
			case err == nil:
			case errors.Is(err, ErrLost):
				l.opt.Log.ErrorContext(ctx, "another run has taken over the lock")
				close(l.lost)
				return
			case ctx.Err() == nil:
				l.opt.Log.WarnContext(ctx, "the heartbeat of the lock could not be written: after some time another run may take it over", "error", err)
			}
		}
	}
}

// ErrLost is the error of a run whose lock another run has taken over.
var ErrLost = errors.New("another run has taken over the lock of this job; what is recorded stays valid")

// beat writes a heartbeat if no higher marker exists.
func (l *Lock) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.opt.TTL)
	defer cancel()
	return l.rewrite(ctx, func(m *marker) { m.Heartbeat = l.opt.Now() })
}

// rewrite changes the marker in the store, and then in memory.
func (l *Lock) rewrite(ctx context.Context, change func(*marker)) error {
	if err := l.Held(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	m := l.marker
	l.mu.Unlock()
	change(&m)
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := l.st.Put(ctx, markerKey(l.number), data); err != nil {
		return err
	}
	if err := l.st.Sync(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	l.marker = m
	l.mu.Unlock()
	return nil
}

// Held returns an error when another owner has taken the lock over: the moment
// before something is written that two owners must not both write.
func (l *Lock) Held(ctx context.Context) error {
	numbers, err := list(ctx, l.st, locks, ".json")
	if err != nil {
		return err
	}
	if len(numbers) > 0 && numbers[len(numbers)-1] > l.number {
		return ErrLost
	}
	return nil
}

// Lost is closed when another owner was seen to have taken over. One may when no
// heartbeat could be written for longer than TTL, so what two owners must not
// both write needs Held before it.
func (l *Lock) Lost() <-chan struct{} { return l.lost }

// Release gives the lock up, so that the next one need not wait for TTL. It
// needs a ctx that has not ended, also after an interruption. A lock that
// another owner has taken over is left alone.
func (l *Lock) Release(ctx context.Context) error {
	l.stop()
	select {
	case <-l.stopped:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := l.rewrite(ctx, func(m *marker) { m.Released = true })
	if errors.Is(err, ErrLost) {
		return nil
	}
	return err
}

// Holder tells who holds the lock, live or stale, and its last heartbeat. The
// owner is nil when nobody does.
func Holder(ctx context.Context, st *store.Store) (*Owner, time.Time, error) {
	_, m, err := top(ctx, st)
	if err != nil || m == nil || m.Released {
		return nil, time.Time{}, err
	}
	return &m.Owner, m.Heartbeat, nil
}

// top returns the highest marker; number 0 and nil when there is none.
func top(ctx context.Context, st *store.Store) (int, *marker, error) {
	for missing := 0; ; {
		numbers, err := list(ctx, st, locks, ".json")
		if err != nil || len(numbers) == 0 {
			return 0, nil, err
		}
		highest := numbers[len(numbers)-1]
		data, err := st.ReadAll(ctx, markerKey(highest), markerLimit)
		if errors.Is(err, fs.ErrNotExist) && highest != missing {
			missing = highest // removed by the holder of a higher one
			continue
		}
		if err != nil {
			return 0, nil, err
		}
		m := new(marker)
		if err := json.Unmarshal(data, m); err != nil {
			return 0, nil, fmt.Errorf("%s: %s is damaged: delete it if no run is at work: %w", st.URL(), markerKey(highest), err)
		}
		return highest, m, nil
	}
}

func markerKey(n int) string { return fmt.Sprintf("%s%06d.json", locks, n) }
