package limits

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

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
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

// Requests makes the requests of one store: within a request budget, counted, with retries,
// and with the permission of a guard.
type Requests struct {
	At       location.Location
	Limits   *Limits       // the request budget
	Attempts int           // 1 or less: no request is repeated
	Patience time.Duration // the time of an attempt without bytes
	Sleep    func(ctx context.Context, d time.Duration) error
	Fault    func(op, key string) error // called before each attempt; may be nil
	Guard    driver.Guard               // nil: everything is allowed
	Log      *slog.Logger
	Seen     sync.Map // keys of objects that exist

	Made, Repeated atomic.Int64 // attempts of all operations, and those after the first of each
}

// Do runs one operation with size bytes to send or to copy. It waits for a place in the
// congestion window, counts, and repeats f while f fails with a transient error and
// retries are left. Retries during an outage, when the store answers no request at all,
// are counted separately. Otherwise an outage would use up the retries, and the first
// error after it would end the run.
func (r *Requests) Do(ctx context.Context, op, key string, size int, f func(context.Context) error) error {
	if err := r.Limits.enter(ctx); err != nil {
		return r.PathError(op, key, err)
	}
	defer r.Limits.leave()
	var failed struct{ silent, answered, doubted failures }
	answers := r.Limits.answers.Load()
	began, slept := time.Now(), time.Duration(0)
	for {
		err := r.try(ctx, op, key, size, f)
		if errors.Is(err, errHeldUp) {
			continue // the next attempt waits until the guard allows it
		}
		never := r.neverReached(err)
		if ctx.Err() != nil && err != nil {
			return r.PathError(op, key, err)
		}
		rest, busy := throttling(err)
		if rest > longestRest {
			r.Limits.throttle(0) // the operation fails, so nobody waits that long
		} else if busy {
			r.Limits.throttle(rest)
		} else if err == nil || !driver.Transient(err) {
			r.Limits.accept()
		}
		if err == nil {
			return nil
		}
		if !driver.Transient(err) && (failed.doubted.count >= mostDoubts || !r.doubtful(op, key, err)) {
			return r.PathError(op, key, err)
		}
		of := &failed.silent
		if now := r.Limits.answers.Load(); now != answers {
			answers, of = now, &failed.answered
		}
		if !driver.Transient(err) {
			of = &failed.doubted
		}
		wait := of.next()
		if never && (of.count >= r.Attempts || max(time.Since(began), slept) >= longestConnect) {
			return r.PathError(op, key, fmt.Errorf("%w; nothing at %s has ever answered: %s", err, r.At.Server(), r.At.ConnectHint()))
		}
		if of.count >= r.Attempts || rest > longestRest {
			return r.PathError(op, key, passingError{err})
		}
		r.Log.WarnContext(ctx, "repeating a failed request", "op", op, "object", r.At.Object(key),
			"attempt", failed.silent.count+failed.answered.count+failed.doubted.count, "pause", max(wait, rest), "error", err)
		if never {
			wait = min(wait, max(longestConnect-slept, 0))
		}
		if err := r.Sleep(ctx, wait); err != nil {
			return r.PathError(op, key, err)
		}
		slept += wait
		r.Repeated.Add(1)
		r.Limits.retries.Add(1)
	}
}

// mostDoubts is how often an operation is retried after doubtful answers.
const mostDoubts = 2

// doubtful tells whether a server's answer contradicts what is known: the object is
// missing or has changed, although it has been seen; or a condition is not met, although
// the request had none. Such an answer may come from a proxy, or from one machine of
// many, and so the request is retried.
func (r *Requests) doubtful(op, key string, err error) bool {
	if r.At.Local() || r.At.Scheme == "mem" {
		return false
	}
	_, seen := r.Seen.Load(key)
	answer, _ := errors.AsType[*driver.StatusError](err)
	switch op {
	case "read", "stat":
		return seen && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, driver.ErrChanged)) ||
			answer != nil && answer.Code == http.StatusPreconditionFailed
	case "list", "put": // a genuine 404 names what is missing
		return answer != nil && answer.Code == http.StatusNotFound && answer.Name == ""
	}
	return false
}

// neverReached tells whether there has never been a connection to this server: neither
// in the attempt that ended with err nor before.
func (r *Requests) neverReached(err error) bool {
	server := r.At.Server()
	if dial, ok := errors.AsType[*net.OpError](err); !ok || dial.Op != "dial" {
		r.Limits.reached.Store(server, true)
		return false
	}
	_, reached := r.Limits.reached.Load(server)
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
func (r *Requests) try(ctx context.Context, op, key string, size int, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.Limits.request(ctx, r.Sleep); err != nil {
		return err
	}
	r.Made.Add(1)
	if r.Fault != nil {
		if err := r.Fault(op, key); err != nil {
			return err
		}
	}
	return r.guarded(ctx, op, func(ctx context.Context) error {
		if !r.At.Far() {
			return f(ctx)
		}
		return inTime(ctx, r.Patience, size, f)
	})
}

// Sleep waits, or returns early with the error of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
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
	answer, ok := errors.AsType[*driver.StatusError](err)
	if !ok || answer.Code != http.StatusTooManyRequests && answer.Code != http.StatusServiceUnavailable {
		return 0, false
	}
	return answer.Pause, true
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
func (r *Requests) guarded(ctx context.Context, op string, f func(context.Context) error) error {
	if r.Guard == nil || !changesObjects(op) {
		return f(ctx)
	}
	allowed, leave, err := r.Guard.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = f(driver.WithGuard(allowed, r.Guard))
	if err != nil && ctx.Err() == nil && (allowed.Err() != nil || r.Guard.Check() != nil) {
		return errHeldUp
	}
	return err
}

// PathError returns an error that names the operation and the object before the cause.
func (r *Requests) PathError(op, key string, err error) error {
	return &fs.PathError{Op: op, Path: r.At.Object(key), Err: cause(err)}
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
