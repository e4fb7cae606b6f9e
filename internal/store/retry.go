package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"syscall"
	"time"

	smithyhttp "github.com/aws/smithy-go/transport/http"
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
	// An attempt at a remote store may take attemptTime and the time for its
	// bytes at slowestRate bytes a second.
	attemptTime = time.Minute
	slowestRate = 128 << 10
)

// do runs one operation on size bytes: it waits for the budget, counts, and
// repeats f while it fails for a passing reason and attempts are left.
func (s *Store) do(ctx context.Context, op, key string, size int, f func(context.Context) error) error {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		err := s.try(ctx, op, key, size, f)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || !transient(err) {
			return s.pathError(op, key, err)
		}
		if attempt >= s.attempts {
			return s.pathError(op, key, passingError{err})
		}
		wait := pause/2 + rand.N(pause/2)
		s.log.WarnContext(ctx, "repeating a failed request", "op", op, "object", s.at.object(key),
			"attempt", attempt, "pause", wait, "error", err)
		if err := s.sleep(ctx, wait); err != nil {
			return s.pathError(op, key, err)
		}
		s.retries.Add(1)
		pause = min(2*pause, lastPause)
	}
}

// try is one attempt.
func (s *Store) try(ctx context.Context, op, key string, size int, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.limiter != nil {
		if err := s.limiter.Wait(ctx); err != nil {
			return err
		}
	}
	s.requests.Add(1)
	if s.fault != nil {
		if err := s.fault(op, key); err != nil {
			return err
		}
	}
	if !s.at.local() && s.at.scheme != "mem" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, attemptTime+time.Duration(size/slowestRate)*time.Second)
		defer cancel()
	}
	return f(ctx)
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

// Passing tells whether an error is of a store that all attempts found busy or
// out of reach, so that the same may succeed a little later.
func Passing(err error) bool {
	_, ok := errors.AsType[passingError](err)
	return ok
}

// passingError marks the error of the last attempt.
type passingError struct{ error }

func (e passingError) Unwrap() error { return e.error }

// transient tells whether the same request may succeed a little later: the
// server was busy or the connection broke. What the request itself is to blame
// for, and errors of the local file system, are not.
func transient(err error) bool {
	var short *shortError
	if errors.As(err, &short) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return false
	}
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		// A broken body comes with status 200.
		if code := response.HTTPStatusCode(); code >= 300 {
			return passingStatus(code)
		}
	}
	if status, ok := errors.AsType[*statusError](err); ok {
		return passingStatus(status.code)
	}
	var network net.Error
	return errors.As(err, &network) && network.Timeout() ||
		errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.EOF) ||
		errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.ECONNREFUSED) ||
		errors.Is(err, syscall.ECONNABORTED) ||
		errors.Is(err, syscall.EPIPE)
}

// passingStatus tells whether an HTTP status is that of a busy server.
func passingStatus(code int) bool {
	return code == 408 || code == 429 || code >= 500 && code != 501
}
