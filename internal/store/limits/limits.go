// Package limits says how many requests are made, when, and how often. [Limits] is a request
// budget, which stores share. [Requests] makes the requests of one store within a budget: it
// counts them, bounds the time of each attempt, and repeats those that failed with a transient
// error. [Descriptors] is how many files and connections a process may have open.
package limits

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Limits paces the requests of all remote stores that are opened with it, in two ways.
// A token bucket bounds requests per second. A congestion window bounds operations in
// flight: it opens at the first 429 or 503, shrinks by one for every two such answers,
// and grows by one for each window of successes. So when all operations in flight are
// refused, half as many are tried next. A server may say how long it wants to
// rest; all stores leave it alone for so long. Limits is safe for concurrent use.
type Limits struct {
	rate *rate.Limiter // nil: no bound
	now  func() time.Time

	mu     sync.Mutex
	window float64         // the most operations in flight, at least 1
	active int             // operations in flight
	queue  []chan struct{} // operations that wait, in the order in which they came
	rest   time.Time       // no request before this time

	requests, retries, throttled atomic.Int64
	answers                      atomic.Int64 // successes and errors other than 429 and 503
	reached                      sync.Map     // servers to which a connection was ever made

	Whole *WholeObjects // objects that servers without ranges sent whole
}

// Traffic counts the requests of all stores that share a Limits.
type Traffic struct {
	Requests  int64 `json:"sent"`      // all requests, retries included
	Retries   int64 `json:"retries"`   // requests that repeat a failed one
	Throttled int64 `json:"throttled"` // requests to which a server answered that it is too busy
}

// Plus returns the counts of both together.
func (t Traffic) Plus(other Traffic) Traffic {
	return Traffic{t.Requests + other.Requests, t.Retries + other.Retries, t.Throttled + other.Throttled}
}

// New returns limits of perSecond requests a second; 0 means no bound. The token
// bucket holds the requests of a tenth of a second.
func New(perSecond float64) *Limits {
	l := &Limits{now: time.Now, window: math.Inf(1), Whole: NewWholeObjects()}
	if perSecond > 0 {
		l.rate = rate.NewLimiter(rate.Limit(perSecond), int(max(1, min(perSecond/10, 1e6))))
	}
	return l
}

// Traffic returns the counts so far.
func (l *Limits) Traffic() Traffic {
	return Traffic{l.requests.Load(), l.retries.Load(), l.throttled.Load()}
}

// enter waits until the congestion window has room for one more operation. The
// operation keeps its place while it pauses between two attempts; leave gives the place
// up.
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

// admit lets waiting operations in while the window has room. The mutex is held.
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

// throttle takes note of an answer that the server is too busy. rest is how long the
// server wants to rest, 0 where it does not say.
func (l *Limits) throttle(rest time.Duration) {
	l.throttled.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.window = max(1, min(l.window, float64(l.active))-0.5)
	if until := l.now().Add(rest); rest > 0 && until.After(l.rest) {
		l.rest = until
	}
}

// accept takes note of any other answer.
func (l *Limits) accept() {
	l.answers.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if float64(l.active+1) > l.window { // a window that is not full has not been tried
		l.window += 1 / l.window
		l.admit()
	}
}
