package store

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Limits bounds the requests of all remote stores that are opened with it: to
// so many a second and, once a server has said that it is too busy, to so many at
// the same time. Two such answers take one from that number, and as many other
// answers as it is large add one to it, so the stores together find what the
// servers take: when all that is under way comes to nothing, half as much is tried
// next. Before the first such answer there is no bound. A server that says how
// long it wants to rest is left alone by all of the stores for so long. Limits is
// safe for concurrent use.
type Limits struct {
	rate *rate.Limiter // nil: no bound
	now  func() time.Time

	mu     sync.Mutex
	window float64         // operations that may be under way, at least 1
	active int             // those that are
	queue  []chan struct{} // of those that wait, in the order in which they came
	rest   time.Time       // no request before

	requests, retries, throttled atomic.Int64
	answers                      atomic.Int64 // that were none of a busy server
	met                          sync.Map     // servers that were ever connected to

	whole *wholes // what servers without ranges sent
}

// Traffic counts the requests of all stores that share a Limits.
type Traffic struct {
	Requests  int64 `json:"sent"`      // repeated ones included
	Retries   int64 `json:"retries"`   // those of them that repeated a failed one
	Throttled int64 `json:"throttled"` // those that a server was too busy for
}

// Plus returns the counts of both together.
func (t Traffic) Plus(other Traffic) Traffic {
	return Traffic{t.Requests + other.Requests, t.Retries + other.Retries, t.Throttled + other.Throttled}
}

// NewLimits returns limits of so many requests a second; 0 means no bound.
// Requests that were not made earlier may be made up for within a tenth of a
// second.
func NewLimits(perSecond float64) *Limits {
	l := &Limits{now: time.Now, window: math.Inf(1), whole: newWholes()}
	if perSecond > 0 {
		l.rate = rate.NewLimiter(rate.Limit(perSecond), int(max(1, min(perSecond/10, 1e6))))
	}
	return l
}

// Traffic returns the counts so far.
func (l *Limits) Traffic() Traffic {
	return Traffic{l.requests.Load(), l.retries.Load(), l.throttled.Load()}
}

// enter waits until one more operation may be under way. It keeps its place
// while it pauses between two attempts; leave gives it up.
func (l *Limits) enter(ctx context.Context) error {
	l.mu.Lock()
	if len(l.queue) == 0 && float64(l.active+1) <= l.window {
		l.active++
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	l.queue = append(l.queue, turn)
	l.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, waiting := range l.queue {
		if waiting == turn {
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			return ctx.Err()
		}
	}
	l.active-- // the turn had come
	l.admit()
	return ctx.Err()
}

func (l *Limits) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active--
	l.admit()
}

// admit lets those in that there is room for. The mutex is held.
func (l *Limits) admit() {
	for len(l.queue) > 0 && float64(l.active+1) <= l.window {
		close(l.queue[0])
		l.queue = l.queue[1:]
		l.active++
	}
}

// request waits until a request may be made, by sleeping with sleep, and
// counts it.
func (l *Limits) request(ctx context.Context, sleep func(context.Context, time.Duration) error) error {
	l.mu.Lock()
	rest := l.rest.Sub(l.now())
	l.mu.Unlock()
	if rest > 0 {
		if err := sleep(ctx, rest); err != nil {
			return err
		}
	}
	if l.rate != nil {
		if err := l.rate.Wait(ctx); err != nil {
			return err
		}
	}
	l.requests.Add(1)
	return nil
}

// throttle takes note of a server that is too busy, and wants to rest for some
// time, if that is not 0.
func (l *Limits) throttle(rest time.Duration) {
	l.throttled.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.window = max(1, min(l.window, float64(l.active))-0.5)
	if until := l.now().Add(rest); rest > 0 && until.After(l.rest) {
		l.rest = until
	}
}

// accept takes note of a request that a server had the time for.
func (l *Limits) accept() {
	l.answers.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if float64(l.active+1) > l.window { // of what is not used nothing is known
		l.window += 1 / l.window
		l.admit()
	}
}
