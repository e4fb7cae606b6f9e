package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
)

// Guard says whether its owner may change objects at this moment. The lock of a
// job is a Guard. A Guard is safe for concurrent use.
type Guard interface {
	// Enter waits until changes are allowed. The context that it returns ends as
	// soon as changes are no longer allowed; leave releases it. The error is that of
	// ctx, or says that changes will never be allowed again.
	Enter(ctx context.Context) (allowed context.Context, leave context.CancelFunc, err error)
	// Check fails where changes are not allowed. It makes no request.
	Check() error
	// Prove asks the place where the permission is kept whether the permission still
	// holds. It does not trust a clock.
	Prove(ctx context.Context) error
}

// Guard makes every later change of an object ask a guard first: each attempt of a
// request, each piece of a request's body, and each rename of a file to its key in a
// local store. If the permission ends during a request, the request is cancelled, and
// retried once the guard allows it again.
//
// In a bucket every put is then conditional, too. It creates an object only if there is
// none. It replaces an object only if the object's version is still the one that it had
// when the guard last proved its permission. A put may reach the server late, after
// another process has replaced the object. The server refuses such a put.
//
// Guard is called before the store is used by several goroutines.
func (s *Store) Guard(g Guard) { s.guard = g }

// guardKey is the key of the context's value that holds the Guard of a request.
type guardKey struct{}

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
func (s *Store) guarded(ctx context.Context, op string, f func(context.Context) error) error {
	if s.guard == nil || !changesObjects(op) {
		return f(ctx)
	}
	allowed, leave, err := s.guard.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = f(context.WithValue(allowed, guardKey{}, s.guard))
	if err != nil && ctx.Err() == nil && (allowed.Err() != nil || s.guard.Check() != nil) {
		return errHeldUp
	}
	return err
}

// permitted waits until the guard of the operation allows changes.
func permitted(ctx context.Context) error {
	g, ok := ctx.Value(guardKey{}).(Guard)
	if !ok || g.Check() == nil {
		return nil
	}
	_, leave, err := g.Enter(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	leave()
	return nil
}

// guardedRequest asks the guard, and returns the request to send: reading its body fails
// as soon as the guard no longer allows changes. So a process that was stopped in the
// middle of a body does not finish the request when it wakes.
func guardedRequest(r *http.Request) (*http.Request, error) {
	g, ok := r.Context().Value(guardKey{}).(Guard)
	if !ok || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r, nil
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	if r.Body == nil || r.Body == http.NoBody {
		return r, nil
	}
	out := r.WithContext(r.Context()) // a copy: a request belongs to its caller
	out.Body = &guardedBody{r.Body, g}
	return out, nil
}

// guardedBody asks the guard before each piece of a body.
type guardedBody struct {
	io.ReadCloser
	guard Guard
}

func (b *guardedBody) Read(p []byte) (int, error) {
	if err := b.guard.Check(); err != nil {
		return 0, err
	}
	return b.ReadCloser.Read(p)
}

// condition is what has to hold for a put to take effect. The zero value is no
// condition.
type condition struct {
	absent  bool   // no object has the key
	version string // the object has this version; "" for any
}

// conflict is the error of a condition that does not hold. It wraps fs.ErrExist.
func conflict(cause error) error { return fmt.Errorf("%w (%w)", fs.ErrExist, cause) }

// conditions tells whether puts of this store are conditional.
func (s *Store) conditions() bool {
	b, ok := s.driver.(*bucket)
	return ok && s.guard != nil && s.at.scheme != "mem" && !b.unconditional.Load()
}

// currentVersion returns the condition for replacing an object as it is now. First it
// reads the version, then the guard proves its permission. If another owner takes the
// permission over after that, it replaces this version, and the condition no longer
// holds.
func (s *Store) currentVersion(ctx context.Context, key string) (condition, error) {
	var now condition
	err := s.do(ctx, "stat", key, 0, func(ctx context.Context) error {
		info, err := s.driver.stat(ctx, key)
		now = condition{version: info.Version}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return condition{absent: true}, nil
	}
	if err == nil {
		err = s.guard.Prove(ctx)
	}
	return now, err
}

// After a conflict the condition is looked up again: at most mostConflicts times for
// one object, and at most mostRefusals times in a row while the object's version stays
// the same.
//
// The guard keeps other processes away. So a conflict has one of three reasons: the
// object existed before; a put of an earlier owner arrived late; or the answer to a put
// of this store was lost, because a cancelled request may still arrive. On a slow
// network the last one happens to one object many times.
const (
	mostRefusals  = 3
	mostConflicts = 100
)

// conditionally calls put with the condition known, and after a conflict with the
// condition that currentVersion finds. If the server knows no conditions, it calls put
// without one.
func (s *Store) conditionally(ctx context.Context, key string, known condition, put func(condition) error) error {
	if !s.conditions() {
		return put(condition{})
	}
	refusals := 0
	for range mostConflicts {
		err := put(known)
		if unknownCondition(err) {
			s.driver.(*bucket).unconditional.Store(true)
			s.log.WarnContext(ctx, "the server knows no conditional writes: a put of a run that has lost its lock could still arrive", "object", s.at.object(key))
			return put(condition{})
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		now, lookup := s.currentVersion(ctx, key)
		if lookup != nil {
			return lookup
		}
		if now != known {
			known, refusals = now, 0
		} else if refusals++; refusals == mostRefusals {
			return fmt.Errorf("%w: the server refuses the version that it tells itself", err)
		}
	}
	return s.pathError("put", key, fmt.Errorf("%w: its version has changed %d times meanwhile: another program writes to it", fs.ErrExist, mostConflicts))
}

// unknownCondition tells whether a server refuses a request because it does not
// know what the request's condition asks for.
func unknownCondition(err error) bool {
	answer, ok := errors.AsType[*statusError](err)
	return ok && answer.code == http.StatusNotImplemented
}
