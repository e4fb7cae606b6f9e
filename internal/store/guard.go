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
// job is one. It is safe for concurrent use.
type Guard interface {
	// Enter waits until changes are allowed. The context that it returns ends as
	// soon as they no longer are; leave releases it. The error is that of ctx, or
	// tells that changes will never be allowed again.
	Enter(ctx context.Context) (allowed context.Context, leave context.CancelFunc, err error)
	// Check fails where changes are not allowed. It makes no request.
	Check() error
	// Prove asks the place where the permission is kept whether it still holds. It
	// does not trust a clock.
	Prove(ctx context.Context) error
}

// Guard has every later change of an object ask a guard first: each attempt of a
// request, each piece of a request's body, and each file that a local store puts in
// its place. A request that is under way when the permission ends is cancelled, and
// repeated once the guard allows it again.
//
// In a bucket every put is then conditional, too: an object is created only where
// there is none, and replaced only if it is still the version that was there when
// the guard last proved its permission. A put that reaches the server late, after
// somebody else has replaced the object, fails there.
//
// Guard is called before the store is used by several goroutines.
func (s *Store) Guard(g Guard) { s.guard = g }

// guardKey is the key of the context's value that holds the Guard of a request.
type guardKey struct{}

// changesObjects are the operations that a guard is asked about. One that is missing
// here changes nothing that others see.
func changesObjects(op string) bool {
	switch op {
	case "put", "create", "delete", "open", "write", "close", "copy", "clean", "sync":
		return true
	}
	return false
}

// errHeldUp is the error of an attempt that ended because its guard no longer
// allowed it.
var errHeldUp = errors.New("the lock has to be proved first")

// guarded runs one attempt while the guard of the store allows it.
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

// permitted waits until the guard of an operation allows one more change.
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

// guardedRequest returns the request as it goes out under a guard: refused at once where
// the guard does not allow it, and with a body that ends with an error as soon as
// the guard no longer does. A process that was stopped in the middle of a body thus
// does not finish the request when it wakes.
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

// guardedBody is a body that a guard is asked about piece by piece.
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

// condition is what has to hold of an object for a put to take its place. The zero
// value is no condition.
type condition struct {
	absent  bool   // there is none
	version string // it has this version; "" for any
}

// conflict is the error of a condition that does not hold. It wraps fs.ErrExist.
func conflict(cause error) error { return fmt.Errorf("%w (%w)", fs.ErrExist, cause) }

// conditions tells whether puts of this store are conditional.
func (s *Store) conditions() bool {
	b, ok := s.driver.(*bucket)
	return ok && s.guard != nil && s.at.scheme != "mem" && !b.unconditional.Load()
}

// currentVersion finds the condition for an object that is to be replaced. The guard
// proves its permission after the version has been read: whoever takes the
// permission over replaces that version, and then the condition no longer holds.
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

// A condition is looked up anew for one object at most mostConflicts times, and at
// most mostRefusals times in a row while the object's version stays as it was.
//
// The guard keeps others away. So a conflict comes from an object that was there
// before, from a late put of an earlier owner, or from a put of this store itself whose
// answer was lost: a request that is cancelled may arrive nevertheless. On a slow
// network that happens to one object many times.
const (
	mostRefusals  = 3
	mostConflicts = 100
)

// conditionally calls put with the condition that holds: at first that there is no
// object, unless known says otherwise. A server that knows no conditions is left
// without.
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
