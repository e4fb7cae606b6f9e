package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// CanCopy tells whether CopyFrom may work for objects of another store: both are buckets
// of one provider, behind one endpoint, with one set of credentials. Azure cannot: it
// tells no CRC-32C of a copy, and wants a signature for the URL of the object.
func (s *Store) CanCopy(from *Store) bool {
	to, able := s.driver.(objectServer)
	_, objects := from.driver.(objectServer) // not an archive in a bucket
	return able && objects && to.mostCopied() >= 0 && !s.noCopies.Load() && s.at.scheme == from.at.scheme && s.at.query.Encode() == from.at.query.Encode()
}

// CopyFrom makes the server copy an object of another store to the key, and replaces an
// older object. The bytes never pass through this machine. ok is false if the server
// does not copy the object, or does not tell the checksum: then the caller has to put
// the object, and CanCopy is false from now on. object is what Stat has returned. If the
// object has been replaced since, that is an error, unless its Version is "".
func (s *Store) CopyFrom(ctx context.Context, from *Store, object Info, key string) (made Copied, ok bool, err error) {
	if !s.CanCopy(from) {
		return Copied{}, false, nil
	}
	to := s.driver.(objectServer)
	if object.Size > to.mostCopied() {
		return Copied{}, false, nil
	}
	if err := from.at.checkKey(object.Key); err != nil {
		return Copied{}, false, s.requests.pathError("copy", object.Key, err)
	}
	name := from.at.object(object.Key)
	object.Key = from.at.key(object.Key)
	known := false
	err = s.conditionally(ctx, key, condition{absent: true}, func(when condition) error {
		if s.unconditionalCopies.Load() {
			when = condition{}
		}
		copied := func() error {
			return s.onKey(ctx, "copy", key, int(object.Size), func(ctx context.Context) (err error) {
				made, known, err = to.copyFrom(ctx, from.at.host, object, key, when)
				return err
			})
		}
		err := copied()
		if unknownCondition(err) && when != (condition{}) {
			s.unconditionalCopies.Store(true)
			when = condition{}
			err = copied()
		}
		return s.copyConflict(ctx, key, when, err)
	})
	answer, refused := errors.AsType[*statusError](err)
	if refused && object.Version != "" && !answer.noBucket() && (answer.code == http.StatusPreconditionFailed || answer.code == http.StatusNotFound) {
		return Copied{}, false, fmt.Errorf("%s is no longer what it was when it was opened: let nobody write to the source meanwhile: %w", name, err)
	}
	if refused && !answer.transient() {
		s.noCopies.Store(true)
		s.log.InfoContext(ctx, "the server does not copy objects itself: they are read and written", "reason", err)
		return Copied{}, false, nil
	}
	if err == nil && !known {
		s.noCopies.Store(true)
		s.log.InfoContext(ctx, "the server does not tell the checksums of its copies: objects are read and written", "object", s.at.object(key))
	}
	return made, known && err == nil, err
}

// copyConflict turns the failure of a copy into a conflict if the condition for the key
// did not hold. It has to look, because the server gives the same answer if the object
// to copy has been replaced.
func (s *Store) copyConflict(ctx context.Context, key string, when condition, failed error) error {
	answer, refused := errors.AsType[*statusError](failed)
	if !refused || when == (condition{}) || answer.code != http.StatusPreconditionFailed {
		return failed
	}
	now, err := s.currentVersion(ctx, key)
	if err == nil && now != when {
		return conflict(failed)
	}
	return failed
}
