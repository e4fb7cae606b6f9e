package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

// renew writes heartbeats until ctx ends or another owner has the lock. If no heartbeat
// can be written, the owner keeps the lock until another run takes it over. So a store
// that is out of reach for longer than TTL does not end the run; it only holds up the
// run's writes. After unprovedTime of failing heartbeats, the run gives up.
func (l *Lock) renew(ctx context.Context) {
	defer close(l.stopped)
	beats := l.opt.beats
	if beats == nil {
		t := time.NewTicker(max(l.opt.TTL/beatsPerTTL, time.Millisecond))
		defer t.Stop()
		beats = t.C
	}
	expiry := time.NewTimer(proofTime(l.opt.TTL))
	defer expiry.Stop()
	results := make(chan error, 1)
	writing := false
	var failing time.Duration // how long heartbeats have failed since the permission ended
	last := l.opt.Clock()     // the time of the last result
	begin := func() {
		if !writing {
			writing = true
			go func() { results <- l.beat(ctx) }()
		}
	}
	for {
		select {
		case <-ctx.Done():
			if writing {
				err := <-results
				l.opt.Log.DebugContext(ctx, "the last heartbeat of the lock has ended", "error", err)
			}
			return
		case <-beats:
			l.endPeriod(ctx)
			begin()
		case <-l.wanted:
			begin()
		case <-expiry.C:
			l.endPeriod(ctx)
		case err := <-results:
			writing = false
			now := l.opt.Clock()
			since := now - last
			last = now
			switch {
			case err == nil:
				failing = 0
				expiry.Reset(l.left())
			case errors.Is(err, ErrLost):
				l.opt.Log.ErrorContext(ctx, "another run has taken over the lock")
				l.lose()
				return
			case ctx.Err() == nil:
				l.opt.Log.WarnContext(ctx, "the heartbeat of the lock could not be written: nothing is changed until one can be, and after some time another run may take the lock over", "error", err)
				if l.left() > 0 {
					break
				}
				// A process that was stopped for hours has one heartbeat that took hours.
				failing += min(since, proofTime(l.opt.TTL), unprovedTime/2)
				if failing >= unprovedTime {
					l.giveUp(err)
				}
			}
		}
	}
}

// left is the time until the permission ends.
func (l *Lock) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.until-l.opt.Clock(), 0)
}

// endPeriod cancels the changes in flight if the owner has not proved itself in time.
func (l *Lock) endPeriod(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opt.Clock() < l.until || l.period.Err() != nil {
		return
	}
	l.opt.Log.WarnContext(ctx, "no heartbeat of the lock was written for too long: what is being written is held up until one is")
	l.expire()
}

// lose takes the permission back for good.
func (l *Lock) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = 0
	l.expire()
	close(l.lost)
}

// unprovedTime is how long heartbeats may fail, after the permission to write has ended,
// before writes that wait for one fail. It is longer than the outage that a run survives.
const unprovedTime = 5 * time.Minute

// giveUp lets the writes that wait for a proof fail, and all later ones.
func (l *Lock) giveUp(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hopeless == nil {
		l.hopeless = fmt.Errorf("%w: %s", ErrUnproved, cause.Error()) // not the cause itself, which is retried
		close(l.proved)                                               // those who wait look again
		l.proved = make(chan struct{})
	}
}

// ErrUnproved is the error of a run that could not write a heartbeat of its lock for too
// long. What is recorded stays valid.
var ErrUnproved = errors.New("no heartbeat of the lock could be written for minutes; run the job again when the place of the checkpoint can be reached")

// ErrLost is the error of a run whose lock another run has taken over.
var ErrLost = errors.New("another run has taken over the lock of this job; what is recorded stays valid")

// errUnproved is the error of a change while the owner of the lock has not proved
// itself for too long.
var errUnproved = errors.New("the heartbeat of the lock is too old: the lock has to be proved first")

// beat writes a heartbeat if there is no higher marker. The owner counts its time from
// the moment before the first request, observers count from a later moment. After the
// heartbeat there must still be no higher marker. Otherwise the heartbeat proves nothing:
// the run that took the lock over just before has not seen it.
func (l *Lock) beat(ctx context.Context) error {
	began := l.opt.Clock()
	ctx, cancel := context.WithTimeout(ctx, proofTime(l.opt.TTL))
	defer cancel()
	err := l.rewrite(ctx, func(m *marker) {
		m.Heartbeat = time.Now().UTC()
		m.Beat++
		settled := l.unsettled(began) <= 0
		m.Late, m.Others = m.Late && !settled, m.Others && !settled
	})
	if err == nil {
		err = l.Held(ctx)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = max(l.until, began+proofTime(l.opt.TTL))
	if l.opt.Clock() >= l.until {
		return nil // the heartbeat took so long that it proves nothing
	}
	if l.period.Err() != nil {
		l.period, l.expire = context.WithCancel(context.WithoutCancel(ctx))
	}
	l.hopeless = nil
	close(l.proved)
	l.proved = make(chan struct{})
	return nil
}

// rewrite changes the marker in the store, and then in memory, if there is no higher marker.
func (l *Lock) rewrite(ctx context.Context, change func(*marker)) error {
	return l.rewriteIf(ctx, true, change)
}

// rewriteIf is rewrite. Unless it looks for a higher marker, the caller knows that there is
// none.
func (l *Lock) rewriteIf(ctx context.Context, looks bool, change func(*marker)) error {
	l.rewriting.Lock() // of two rewrites at the same time one would be lost
	defer l.rewriting.Unlock()
	if looks {
		if err := l.Held(ctx); err != nil {
			return err
		}
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

// Enter implements [store.Guard]: it waits until the owner has proved itself.
func (l *Lock) Enter(ctx context.Context) (context.Context, context.CancelFunc, error) {
	for {
		l.mu.Lock()
		period, proved, allowed, hopeless := l.period, l.proved, l.opt.Clock() < l.until, l.hopeless
		if !allowed {
			l.expire()
		}
		l.mu.Unlock()
		if hopeless != nil && !allowed {
			return nil, nil, hopeless
		}
		select {
		case <-l.lost:
			return nil, nil, ErrLost
		default:
		}
		if allowed && period.Err() == nil {
			inner, cancel := context.WithCancel(ctx)
			end := context.AfterFunc(period, cancel)
			return inner, func() { end(); cancel() }, nil
		}
		select {
		case l.wanted <- struct{}{}:
		default:
		}
		select {
		case <-proved:
		case <-l.lost:
		case <-l.stopped:
			select {
			case <-l.lost:
				return nil, nil, ErrLost
			default:
				return nil, nil, errUnproved // the lock was released
			}
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// Check implements [store.Guard].
func (l *Lock) Check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opt.Clock() >= l.until {
		return errUnproved
	}
	return nil
}

// Prove implements [store.Guard].
func (l *Lock) Prove(ctx context.Context) error { return l.Held(ctx) }

// Held returns an error if another owner has taken the lock over, if the owner's marker has
// been removed, or if the store cannot tell. It is called directly before a write that two
// owners must not both make.
func (l *Lock) Held(ctx context.Context) error {
	began := l.opt.Clock()
	numbers, err := list(ctx, l.st, locks, ".json")
	if err != nil {
		return err
	}
	if len(numbers) == 0 || numbers[len(numbers)-1] != l.number {
		return ErrLost
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looked = max(l.looked, began)
	return nil
}

// HeldLately is Held. In a remote store, it makes no request if a look that was begun a moment ago,
// see freshTime, has found the lock held: no other run can take over a lock whose owner may write.
// Only a machine that was halted since, and its clock with it, could tell the difference. The
// conditions of puts keep the writes of such a machine out.
func (l *Lock) HeldLately(ctx context.Context) error {
	l.mu.Lock()
	now := l.opt.Clock()
	fresh := now < l.until && now-l.looked < freshTime(l.opt.TTL)
	l.mu.Unlock()
	if fresh && !l.st.Local() {
		return nil
	}
	return l.Held(ctx)
}

// Written returns when the owner's marker was written last, by the clock of the store; the zero
// time if the store does not tell.
func (l *Lock) Written(ctx context.Context) (time.Time, error) {
	o, err := l.st.Stat(ctx, markerKey(l.number))
	return o.ModTime, err
}

// Lost returns a channel that is closed when another owner has been seen to have the
// lock.
func (l *Lock) Lost() <-chan struct{} { return l.lost }

// Before tells what to expect from earlier owners.
func (l *Lock) Before() Before {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.before
}

// Inherit says that requests of processes that worked without this lock may still arrive:
// others tells that some of them may belong to another plan than the checkpoint's. Inherit
// also tells later owners so.
func (l *Lock) Inherit(ctx context.Context, others bool) error {
	l.mu.Lock()
	l.before.Late, l.before.Others = true, l.before.Others || others
	l.since = l.opt.Clock()
	l.mu.Unlock()
	return l.rewrite(ctx, func(m *marker) { m.Late, m.Others = true, m.Others || others })
}

// Replan says that the owner begins another plan than the checkpoint's. Requests that may
// still arrive then belong to another plan. Replan also tells later owners so.
func (l *Lock) Replan(ctx context.Context) error {
	l.mu.Lock()
	l.before.Others = l.before.Late
	late := l.before.Late
	l.mu.Unlock()
	if !late {
		return nil
	}
	return l.rewrite(ctx, func(m *marker) { m.Others = true })
}

// unsettled is the time for which requests of earlier owners may still arrive.
func (l *Lock) unsettled(now time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.since - now + settleTime(l.opt.TTL)
}

// Settle waits until requests of earlier owners have arrived or never will: until a
// quarter of TTL has passed since the lock was taken. Without such requests it returns
// at once.
func (l *Lock) Settle(ctx context.Context) error {
	if !l.Before().Late {
		return nil
	}
	if left := l.unsettled(l.opt.Clock()); left > 0 {
		return l.opt.Sleep(ctx, left)
	}
	return nil
}

// Release gives the lock up, so that the next owner need not watch it. late tells
// that requests of this owner may still arrive. ctx must not have ended, also after an
// interruption. If another owner has taken the lock over, Release does nothing. While enough of
// the permission to write is left, nobody can have done so, and Release does not look.
func (l *Lock) Release(ctx context.Context, late bool) error {
	l.stop()
	select {
	case <-l.stopped:
	case <-ctx.Done():
		return ctx.Err()
	}
	l.removing.Wait()
	defer l.end()
	err := l.rewriteIf(ctx, l.left() < settleTime(l.opt.TTL), func(m *marker) {
		m.Released = true
		settled := l.unsettled(l.opt.Clock()) <= 0
		m.Late, m.Others = late && l.opt.Remote || m.Late && !settled, m.Others && !settled
	})
	if errors.Is(err, ErrLost) {
		return nil
	}
	return err
}

// end takes the permission back.
func (l *Lock) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = 0
	l.expire()
}

// Locks are several locks that one run holds. All of them have to allow a change.
type Locks []*Lock

var _ store.Guard = Locks(nil)

// Enter implements [store.Guard].
func (l Locks) Enter(ctx context.Context) (context.Context, context.CancelFunc, error) {
	for {
		allowed, leave, err := l.enter(ctx)
		// The permission of a lock may end while a later lock is waited for.
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.Canceled) {
			return allowed, leave, err
		}
	}
}

// enter enters the locks in turn. If the permission of one ends before a later one allows the change, the
// error is that of its context.
func (l Locks) enter(ctx context.Context) (context.Context, context.CancelFunc, error) {
	leave := func() {}
	for _, lock := range l {
		inner, next, err := lock.Enter(ctx)
		if err != nil {
			leave()
			return nil, nil, err
		}
		outer := leave
		ctx, leave = inner, func() { next(); outer() }
	}
	return ctx, leave, nil
}

// Check implements [store.Guard].
func (l Locks) Check() error {
	for _, lock := range l {
		if err := lock.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Prove implements [store.Guard].
func (l Locks) Prove(ctx context.Context) error {
	for _, lock := range l {
		if err := lock.Prove(ctx); err != nil {
			return err
		}
	}
	return nil
}

// HeldLately calls HeldLately of each lock.
func (l Locks) HeldLately(ctx context.Context) error {
	for _, lock := range l {
		if err := lock.HeldLately(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Before tells what to expect from earlier owners of any of the locks.
func (l Locks) Before() (before Before) {
	for _, lock := range l {
		one := lock.Before()
		before.Late = before.Late || one.Late
		before.Others = before.Others || one.Others
	}
	return before
}

// Inherit calls Inherit of each lock.
func (l Locks) Inherit(ctx context.Context, others bool) error {
	for _, lock := range l {
		if err := lock.Inherit(ctx, others); err != nil {
			return err
		}
	}
	return nil
}

// Replan calls Replan of each lock.
func (l Locks) Replan(ctx context.Context) error {
	for _, lock := range l {
		if err := lock.Replan(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Settle calls Settle of each lock.
func (l Locks) Settle(ctx context.Context) error {
	for _, lock := range l {
		if err := lock.Settle(ctx); err != nil {
			return err
		}
	}
	return nil
}
