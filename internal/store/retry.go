package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"syscall"
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

// do runs one operation with size bytes to send or to copy. It waits for a place in the
// congestion window, counts, and repeats f while f fails with a transient error and
// retries are left. Retries during an outage, when the store answers no request at all,
// are counted separately. Otherwise an outage would use up the retries, and the first
// error after it would end the run.
func (s *Store) do(ctx context.Context, op, key string, size int, f func(context.Context) error) error {
	if err := s.limits.enter(ctx); err != nil {
		return s.pathError(op, key, err)
	}
	defer s.limits.leave()
	var failed struct{ silent, answered, doubted failures }
	answers := s.limits.answers.Load()
	began, slept := time.Now(), time.Duration(0)
	for {
		err := s.try(ctx, op, key, size, f)
		if errors.Is(err, errHeldUp) {
			continue // the next attempt waits until the guard allows it
		}
		never := s.neverReached(err)
		if ctx.Err() != nil && err != nil {
			return s.pathError(op, key, err)
		}
		rest, busy := throttling(err)
		if rest > longestRest {
			s.limits.throttle(0) // the operation fails, so nobody waits that long
		} else if busy {
			s.limits.throttle(rest)
		} else if err == nil || !transient(err) {
			s.limits.accept()
		}
		if err == nil {
			return nil
		}
		if !transient(err) && (failed.doubted.count >= mostDoubts || !s.doubtful(op, key, err)) {
			return s.pathError(op, key, err)
		}
		of := &failed.silent
		if now := s.limits.answers.Load(); now != answers {
			answers, of = now, &failed.answered
		}
		if !transient(err) {
			of = &failed.doubted
		}
		wait := of.next()
		if never && (of.count >= s.attempts || max(time.Since(began), slept) >= longestConnect) {
			return s.pathError(op, key, fmt.Errorf("%w; nothing at %s has ever answered: %s", err, s.at.server(), s.at.connectHint()))
		}
		if of.count >= s.attempts || rest > longestRest {
			return s.pathError(op, key, passingError{err})
		}
		s.log.WarnContext(ctx, "repeating a failed request", "op", op, "object", s.at.object(key),
			"attempt", failed.silent.count+failed.answered.count+failed.doubted.count, "pause", max(wait, rest), "error", err)
		if never {
			wait = min(wait, max(longestConnect-slept, 0))
		}
		if err := s.sleep(ctx, wait); err != nil {
			return s.pathError(op, key, err)
		}
		slept += wait
		s.retries.Add(1)
		s.limits.retries.Add(1)
	}
}

// mostDoubts is how often an operation is retried after doubtful answers.
const mostDoubts = 2

// doubtful tells whether a server's answer contradicts what is known: the object is
// missing or has changed, although it has been seen; or a condition is not met, although
// the request had none. Such an answer may come from a proxy, or from one machine of
// many, and so the request is retried.
func (s *Store) doubtful(op, key string, err error) bool {
	if s.at.local() || s.at.scheme == "mem" {
		return false
	}
	_, seen := s.seen.Load(key)
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
func (s *Store) neverReached(err error) bool {
	server := s.at.server()
	if dial, ok := errors.AsType[*net.OpError](err); !ok || dial.Op != "dial" {
		s.limits.reached.Store(server, true)
		return false
	}
	_, reached := s.limits.reached.Load(server)
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
func (s *Store) try(ctx context.Context, op, key string, size int, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.limits.request(ctx, s.sleep); err != nil {
		return err
	}
	s.requests.Add(1)
	if s.fault != nil {
		if err := s.fault(op, key); err != nil {
			return err
		}
	}
	return s.guarded(ctx, op, func(ctx context.Context) error {
		if !s.at.far() {
			return f(ctx)
		}
		return inTime(ctx, s.patience, size, f)
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

// transient tells whether the same request may succeed a little later: the
// server was busy or the connection broke. Errors that the request itself causes, and
// errors of the local file system, are not transient.
func transient(err error) bool {
	var short *shortError
	if errors.As(err, &short) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return false
	}
	if answer, ok := errors.AsType[*statusError](err); ok {
		return answer.transient()
	}
	if connection, ok := errors.AsType[connectionError](err); ok {
		return connection.transient()
	}
	for _, passing := range []error{
		context.DeadlineExceeded, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed,
		syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.EPIPE,
		syscall.ENETDOWN, syscall.ENETUNREACH, syscall.EHOSTUNREACH,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// throttling tells whether a server was too busy for a request, and how long the server
// wants to be left alone; 0 if it does not say.
func throttling(err error) (rest time.Duration, busy bool) {
	answer, ok := errors.AsType[*statusError](err)
	if !ok || answer.code != http.StatusTooManyRequests && answer.code != http.StatusServiceUnavailable {
		return 0, false
	}
	return answer.pause, true
}
