package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// The first pause between two attempts is firstPause. Each next pause is pauseGrowth
// times as long, up to lastPause. Each is then shortened by up to a half at random. A
// run has to survive an outage of two minutes. Of the ten retries that a job has by
// default, three at least come after that time.
const (
	firstPause  = 100 * time.Millisecond
	pauseGrowth = 5
	lastPause   = time.Minute
	// longestRest is how long a server may ask to be left alone. If it asks for more, the
	// operation fails at once.
	longestRest = 5 * time.Minute
	// longestConnect is how long a connection to a server that has never answered is
	// tried. A wrong name or port is more likely than an outage. Two operations in a row
	// may take that long before a command fails.
	longestConnect = 6 * time.Second
)

// requests makes the requests of one store: within a request budget, counted, with retries,
// and with the permission of a guard.
type requests struct {
	at       location
	limits   *Limits       // the request budget
	attempts int           // at least 1
	patience time.Duration // the time of an attempt without bytes
	sleep    func(ctx context.Context, d time.Duration) error
	fault    func(op, key string) error // called before each attempt; may be nil
	guard    Guard                      // nil: everything is allowed
	log      *slog.Logger
	seen     sync.Map // keys of objects that exist

	made, repeated atomic.Int64 // attempts of all operations, and those after the first of each
}

// do runs one operation with size bytes to send or to copy. It waits for a place in the
// congestion window, counts, and repeats f while f fails with a transient error and
// retries are left. Retries during an outage, when the store answers no request at all,
// are counted separately. Otherwise an outage would use up the retries, and the first
// error after it would end the run.
func (r *requests) do(ctx context.Context, op, key string, size int, f func(context.Context) error) error {
	if err := r.limits.enter(ctx); err != nil {
		return r.pathError(op, key, err)
	}
	defer r.limits.leave()
	var failed struct{ silent, answered, doubted failures }
	answers := r.limits.answers.Load()
	began, slept := time.Now(), time.Duration(0)
	for {
		err := r.try(ctx, op, key, size, f)
		if errors.Is(err, errHeldUp) {
			continue // the next attempt waits until the guard allows it
		}
		never := r.neverReached(err)
		if ctx.Err() != nil && err != nil {
			return r.pathError(op, key, err)
		}
		rest, busy := throttling(err)
		if rest > longestRest {
			r.limits.throttle(0) // the operation fails, so nobody waits that long
		} else if busy {
			r.limits.throttle(rest)
		} else if err == nil || !transient(err) {
			r.limits.accept()
		}
		if err == nil {
			return nil
		}
		if !transient(err) && (failed.doubted.count >= mostDoubts || !r.doubtful(op, key, err)) {
			return r.pathError(op, key, err)
		}
		of := &failed.silent
		if now := r.limits.answers.Load(); now != answers {
			answers, of = now, &failed.answered
		}
		if !transient(err) {
			of = &failed.doubted
		}
		wait := of.next()
		if never && (of.count >= r.attempts || max(time.Since(began), slept) >= longestConnect) {
			return r.pathError(op, key, fmt.Errorf("%w; nothing at %s has ever answered: %s", err, r.at.server(), r.at.connectHint()))
		}
		if of.count >= r.attempts || rest > longestRest {
			return r.pathError(op, key, passingError{err})
		}
		r.log.WarnContext(ctx, "repeating a failed request", "op", op, "object", r.at.object(key),
			"attempt", failed.silent.count+failed.answered.count+failed.doubted.count, "pause", max(wait, rest), "error", err)
		if never {
			wait = min(wait, max(longestConnect-slept, 0))
		}
		if err := r.sleep(ctx, wait); err != nil {
			return r.pathError(op, key, err)
		}
		slept += wait
		r.repeated.Add(1)
		r.limits.retries.Add(1)
	}
}

// mostDoubts is how often an operation is retried after doubtful answers.
const mostDoubts = 2

// doubtful tells whether a server's answer contradicts what is known: the object is
// missing or has changed, although it has been seen; or a condition is not met, although
// the request had none. Such an answer may come from a proxy, or from one machine of
// many, and so the request is retried.
func (r *requests) doubtful(op, key string, err error) bool {
	if r.at.local() || r.at.scheme == "mem" {
		return false
	}
	_, seen := r.seen.Load(key)
	answer, _ := errors.AsType[*statusError](err)
	switch op {
	case "read", "stat":
		return seen && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrChanged)) ||
			answer != nil && answer.code == http.StatusPreconditionFailed
	case "list", "put": // a genuine 404 names what is missing
		return answer != nil && answer.code == http.StatusNotFound && answer.name == ""
	}
	return false
}

// neverReached tells whether there has never been a connection to this server: neither
// in the attempt that ended with err nor before.
func (r *requests) neverReached(err error) bool {
	server := r.at.server()
	if dial, ok := errors.AsType[*net.OpError](err); !ok || dial.Op != "dial" {
		r.limits.reached.Store(server, true)
		return false
	}
	_, reached := r.limits.reached.Load(server)
	return !reached
}

// failures counts the failures of one operation that are of one kind.
type failures struct {
	count int
	pause time.Duration // before the last attempt
}

// next counts a failure, and returns the pause after it.
func (f *failures) next() time.Duration {
	f.count++
	f.pause = max(firstPause, min(pauseGrowth*f.pause, lastPause))
	return f.pause/2 + rand.N(f.pause/2)
}

// try makes one attempt.
func (r *requests) try(ctx context.Context, op, key string, size int, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.limits.request(ctx, r.sleep); err != nil {
		return err
	}
	r.made.Add(1)
	if r.fault != nil {
		if err := r.fault(op, key); err != nil {
			return err
		}
	}
	return r.guarded(ctx, op, func(ctx context.Context) error {
		if !r.at.far() {
			return f(ctx)
		}
		return inTime(ctx, r.patience, size, f)
	})
}

// sleep waits, or returns early with the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Passing tells whether an operation failed because every attempt ended with a transient
// error. The same operation may succeed a little later.
func Passing(err error) bool {
	_, ok := errors.AsType[passingError](err)
	return ok
}

// passingError marks the error of the last attempt.
type passingError struct{ error }

func (e passingError) Unwrap() error { return e.error }

// throttling tells whether a server was too busy for a request, and how long the server
// wants to be left alone; 0 if it does not say.
func throttling(err error) (rest time.Duration, busy bool) {
	answer, ok := errors.AsType[*statusError](err)
	if !ok || answer.code != http.StatusTooManyRequests && answer.code != http.StatusServiceUnavailable {
		return 0, false
	}
	return answer.pause, true
}

// changesObjects tells whether an operation asks the guard. All other operations change
// nothing that other processes see.
func changesObjects(op string) bool {
	switch op {
	case "put", "create", "delete", "open", "write", "close", "copy", "clean", "sync":
		return true
	}
	return false
}

// errHeldUp is the error of an attempt that ended because the guard no longer allowed
// changes.
var errHeldUp = errors.New("the lock has to be proved first")

// guarded runs one attempt, and cancels it when the guard no longer allows it.
func (r *requests) guarded(ctx context.Context, op string, f func(context.Context) error) error {
	if r.guard == nil || !changesObjects(op) {
		return f(ctx)
	}
	allowed, leave, err := r.guard.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = f(context.WithValue(allowed, guardKey{}, r.guard))
	if err != nil && ctx.Err() == nil && (allowed.Err() != nil || r.guard.Check() != nil) {
		return errHeldUp
	}
	return err
}

// pathError returns an error that names the operation and the object before the cause.
func (r *requests) pathError(op, key string, err error) error {
	return &fs.PathError{Op: op, Path: r.at.object(key), Err: cause(err)}
}

// cause strips the path that an error of the os package carries, because the
// store names the object itself.
func cause(err error) error {
	switch e := err.(type) { //nolint:errorlint // only the outermost layer is replaced
	case *fs.PathError:
		return e.Err
	default:
		return err
	}
}
