package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// CanCopy tells whether CopyFrom may work for objects of another store: both are buckets
// of one provider, behind one endpoint, with one set of credentials. Azure cannot: it
// tells no CRC-32C of a copy, and wants a signature for the URL of the object.
func (s *Store) CanCopy(from *Store) bool {
	to, able := s.driver.(driver.ObjectServer)
	_, objects := from.driver.(driver.ObjectServer) // not an archive in a bucket
	return able && objects && to.MostCopied() >= 0 && !s.noCopies.Load() && s.at.Scheme == from.at.Scheme && s.at.Query.Encode() == from.at.Query.Encode()
}

// CopyFrom makes the server copy an object of another store to the key, and replaces an
// older object. The bytes never pass through this machine. If ok is false, the caller has
// to put the object: it is too large for a copy, or the server copies no objects, or the
// server does not tell the checksum of the copy. In the last two cases CanCopy is false
// from now on. object is what Stat has returned. If the object has been replaced since,
// that is an error, unless its Version is "".
func (s *Store) CopyFrom(ctx context.Context, from *Store, object Info, key string) (made Copied, ok bool, err error) {
	if !s.CanCopy(from) {
		return Copied{}, false, nil
	}
	to := s.driver.(driver.ObjectServer)
	if object.Size > to.MostCopied() {
		return Copied{}, false, nil
	}
	if err := from.at.CheckKey(object.Key); err != nil {
		return Copied{}, false, s.requests.PathError("copy", object.Key, err)
	}
	name := from.at.Object(object.Key)
	object.Key = from.at.Key(object.Key)
	known := false
	err = s.conditionally(ctx, key, driver.Condition{Absent: true}, func(when driver.Condition) error {
		if s.unconditionalCopies.Load() {
			when = driver.Condition{}
		}
		copied := func() error {
			return s.onKey(ctx, "copy", key, int(object.Size), func(ctx context.Context) (err error) {
				made, known, err = to.CopyFrom(ctx, from.at.Host, object, key, when)
				return err
			})
		}
		err := copied()
		if unknownCondition(err) && when != (driver.Condition{}) {
			s.unconditionalCopies.Store(true)
			when = driver.Condition{}
			err = copied()
		}
		return s.copyConflict(ctx, key, when, err)
	})
	answer, refused := errors.AsType[*driver.StatusError](err)
	if refused && object.Version != "" && !answer.NoBucket() && (answer.Code == http.StatusPreconditionFailed || answer.Code == http.StatusNotFound) {
		return Copied{}, false, fmt.Errorf("%s has changed since it was opened: let nobody write to the source while it is copied: %w", name, err)
	}
	if refused && !answer.Transient() {
		s.noCopies.Store(true)
		s.log.InfoContext(ctx, "the server does not copy objects itself: they are read and written", "reason", err)
		return Copied{}, false, nil
	}
	if err == nil && !known {
		s.noCopies.Store(true)
		s.log.InfoContext(ctx, "the server does not tell the checksums of its copies: objects are read and written", "object", s.at.Object(key))
	}
	return made, known && err == nil, err
}

// copyConflict turns the failure of a copy into a conflict if the condition for the key
// did not hold. It has to look, because the server gives the same answer if the object
// to copy has been replaced.
func (s *Store) copyConflict(ctx context.Context, key string, when driver.Condition, failed error) error {
	answer, refused := errors.AsType[*driver.StatusError](failed)
	if !refused || when == (driver.Condition{}) || answer.Code != http.StatusPreconditionFailed {
		return failed
	}
	now, err := s.currentVersion(ctx, key)
	if err == nil && now != when {
		return driver.Conflict(failed)
	}
	return failed
}
