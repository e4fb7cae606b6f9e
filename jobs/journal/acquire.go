package journal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

// Acquire takes the lock of the checkpoint in st, or returns a *HeldError. It trusts no
// clock but its own. It takes the lock over at once if the owner has released it, or was
// a process of this machine that has ended. Otherwise it watches the owner's heartbeat
// for the owner's time to live, and takes the lock over only if the heartbeat does not
// change in all that time. The lock outlives ctx; it ends with Release.
//
// Acquire calls opt.Reads once, and returns after it. If the lock was free when Acquire looked at
// it, or when opt.Seen did, Reads runs while Acquire takes the lock. No other run can have had the
// lock between that look and now, if Acquire has got it: the other run's marker would have the number
// that this run has taken, or there would be a higher one. Otherwise Reads runs when the lock is taken.
//
// The first marker of a lock is never removed. So if opt.Seen has seen no marker, and Acquire creates
// the first one, then nobody has had the lock before, and Acquire does not look for a higher marker.
// Earlier versions of this program did remove the first marker. So the caller calls Held while it
// makes its first change, and makes no other one before Held returns.
func Acquire(ctx context.Context, st *store.Store, opt LockOptions) (*Lock, error) {
	opt.complete()
	if opt.Seen.free() {
		number, m := opt.Seen.number, opt.Seen.marker
		before := Before{}
		if m != nil {
			before = Before{Late: m.Late, Others: m.Others}
		}
		l, err := take(ctx, st, opt, number, before, nil)
		if _, held := errors.AsType[*HeldError](err); !held {
			return l, err
		}
		opt.Seen = nil // it is out of date
	}
	number, before, watched, err := free(ctx, st, opt)
	if err != nil {
		return nil, err
	}
	return take(ctx, st, opt, number, before, watched)
}

// take takes the lock, whose highest marker has a number, see free.
func take(ctx context.Context, st *store.Store, opt LockOptions, number int, before Before, watched *marker) (*Lock, error) {
	began := opt.Clock()
	period, expire := context.WithCancel(context.WithoutCancel(ctx))
	l := &Lock{
		st: st, number: number + 1, opt: opt, before: before,
		lost: make(chan struct{}), stopped: make(chan struct{}), wanted: make(chan struct{}, 1), proved: make(chan struct{}),
		period: period, expire: expire, since: notYet, looked: -notYet, until: began + proofTime(opt.TTL),
		marker: marker{Owner: opt.Owner, Nonce: rand.Text(), TTL: opt.TTL, Heartbeat: time.Now().UTC(), Late: before.Late, Others: before.Others},
	}
	var reading sync.WaitGroup
	defer reading.Wait()
	inner, unread := context.WithCancel(ctx)
	if opt.Reads != nil && before.Dead == nil {
		reading.Go(func() { opt.Reads(inner) })
	}
	earlier, err := l.claim(ctx)
	if err != nil {
		unread()
		expire()
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	go l.renew(running)
	if err = l.outlast(ctx, watched); err != nil {
		unread()
		return nil, errors.Join(err, l.Release(context.WithoutCancel(ctx), false))
	}
	l.removing.Go(func() { l.deleteEarlier(running, earlier) }) // outlast has looked at one of them
	l.mu.Lock()
	l.since = opt.Clock()
	l.mu.Unlock()
	if opt.Reads != nil && before.Dead != nil {
		opt.Reads(ctx)
	}
	reading.Wait()
	unread()
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
	if created && l.number == 1 && l.opt.Seen.free() {
		return nil, nil // see Acquire
	}
	began := l.opt.Clock()
	// Since the last look other runs may have taken, released and removed this number,
	// and gone on to the next one.
	numbers, err := list(ctx, l.st, locks, ".json")
	if err == nil && created && len(numbers) > 0 && numbers[len(numbers)-1] == l.number {
		l.looked = began
		return numbers[:len(numbers)-1], nil
	}
	if created {
		err = errors.Join(err, l.withdraw(context.WithoutCancel(ctx)))
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

// withdraw takes the marker back that claim has created. The first marker stays, released.
func (l *Lock) withdraw(ctx context.Context) error {
	if l.number > 1 {
		return l.deleteAll(ctx, []int{l.number})
	}
	return l.rewriteIf(ctx, false, func(m *marker) { m.Released = true })
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

// deleteEarlier removes the markers that no longer count, except the first one, see Acquire. Those
// that are left, the next owner removes.
func (l *Lock) deleteEarlier(ctx context.Context, numbers []int) {
	err := l.deleteAll(ctx, slices.DeleteFunc(numbers, func(n int) bool { return n == 1 }))
	if err != nil {
		l.opt.Log.DebugContext(ctx, "earlier markers of the lock could not be removed", "error", err)
	}
}

func (l *Lock) deleteAll(ctx context.Context, numbers []int) error {
	for _, n := range numbers {
		if err := l.st.Delete(ctx, markerKey(n)); err != nil {
			return err
		}
	}
	return nil
}
