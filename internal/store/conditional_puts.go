package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

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
func (s *Store) Guard(g Guard) { s.requests.Guard = g }

// conditions tells whether puts of this store are conditional.
func (s *Store) conditions() bool {
	b, ok := s.driver.(driver.ObjectServer)
	return ok && s.requests.Guard != nil && b.Conditional()
}

// currentVersion returns the condition for replacing an object as it is now. First it
// reads the version, then the guard proves its permission. If another owner takes the
// permission over after that, it replaces this version, and the condition no longer
// holds.
func (s *Store) currentVersion(ctx context.Context, key string) (driver.Condition, error) {
	var now driver.Condition
	err := s.requests.Do(ctx, "stat", key, 0, func(ctx context.Context) error {
		info, err := s.driver.Stat(ctx, key)
		now = driver.Condition{Version: info.Version}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return driver.Condition{Absent: true}, nil
	}
	if err == nil {
		err = s.requests.Guard.Prove(ctx)
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
func (s *Store) conditionally(ctx context.Context, key string, known driver.Condition, put func(driver.Condition) error) error {
	if !s.conditions() {
		return put(driver.Condition{})
	}
	refusals := 0
	for range mostConflicts {
		err := put(known)
		if unknownCondition(err) {
			s.driver.(driver.ObjectServer).DropConditions()
			s.log.WarnContext(ctx, "the server knows no conditional writes: a put of a run that has lost its lock could still arrive", "object", s.at.Object(key))
			return put(driver.Condition{})
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
			return fmt.Errorf("%w: the server refuses a condition with the version that it has returned itself", err)
		}
	}
	return s.requests.PathError("put", key, fmt.Errorf("%w: its version has changed %d times meanwhile: another program writes to it", fs.ErrExist, mostConflicts))
}

// unknownCondition tells whether a server refuses a request because it does not
// know what the request's condition asks for.
func unknownCondition(err error) bool {
	answer, ok := errors.AsType[*driver.StatusError](err)
	return ok && answer.Code == http.StatusNotImplemented
}
