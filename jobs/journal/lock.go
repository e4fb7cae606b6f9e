package journal

import (
	"context"
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
	looksPerTTL = 24  // looks of an observer at the heartbeat
	freshPerTTL = 120 // see freshTime
)

func proofTime(ttl time.Duration) time.Duration  { return ttl / 2 }
func settleTime(ttl time.Duration) time.Duration { return ttl / 4 }

// freshTime is for how long a look at the markers counts as one that was just made: a second, if
// the time to live is two minutes. A request takes as long now and then.
func freshTime(ttl time.Duration) time.Duration { return ttl / freshPerTTL }

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
	// Seen, if not nil, saves Acquire its first look at the lock, if the lock was free then.
	Seen *Seen
	// Reads, if set, reads what depends on the lock, while Acquire takes it. What Reads has read
	// counts only if Acquire returns the lock, see Acquire.
	Reads func(ctx context.Context)
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

	removing  sync.WaitGroup // of earlier markers
	rewriting sync.Mutex     // held from reading the marker until it is written

	mu     sync.Mutex
	marker marker
	since  time.Duration // when the lock was taken, by opt.Clock; notYet before that
	looked time.Duration // when the last look began that found no higher marker, by opt.Clock
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

// Holder returns the owner of the lock, dead or alive, and the owner's last heartbeat.
// The owner is nil if the lock is free.
func Holder(ctx context.Context, st *store.Store) (*Owner, time.Time, error) {
	_, m, err := top(ctx, st)
	if err != nil || m == nil || m.Released {
		return nil, time.Time{}, err
	}
	return &m.Owner, m.Heartbeat, nil
}

// Seen is what somebody has seen of a lock. It saves a request of Acquire, and may be out of date.
type Seen struct {
	number int
	marker *marker // nil: there was none
}

// See looks at a lock.
func See(ctx context.Context, st *store.Store) (*Seen, error) {
	number, m, err := top(ctx, st)
	return &Seen{number, m}, err
}

// None reports whether the lock had no marker, as one that nobody has ever taken.
func (s *Seen) None() bool { return s != nil && s.marker == nil }

// free tells whether the lock was free.
func (s *Seen) free() bool { return s != nil && (s.marker == nil || s.marker.Released) }

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
