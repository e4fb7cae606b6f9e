package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// copier is an ability of an uploader: to have the server copy an object of a
// bucket that the same credentials reach at the same server.
type copier interface {
	// copyFrom copies an object, whose Key is that of its bucket, and returns
	// the CRC-32C of the copy; known is false where the server does not tell it.
	// One whose Version is another by now is not copied, which is an answer of
	// 404 or 412.
	copyFrom(ctx context.Context, bucket string, object Info, key string) (sum uint32, known bool, err error)
	// mostCopied is the most bytes of an object that can be copied so.
	mostCopied() int64
}

// CanCopy tells whether CopyFrom is worth a try for objects of another store:
// both are buckets of one provider, behind one endpoint, with one set of
// credentials. Azure copies nothing: it tells no CRC-32C of what it has copied, and
// wants a signature for the URL of an object that it copies at once.
func (s *Store) CanCopy(from *Store) bool {
	_, able := s.copier()
	_, objects := from.driver.(*bucket) // not members of an archive in one
	return able && objects && !s.noCopies.Load() && s.at.scheme == from.at.scheme && s.at.query.Encode() == from.at.query.Encode()
}

func (s *Store) copier() (copier, bool) {
	b, ok := s.driver.(*bucket)
	if !ok {
		return nil, false
	}
	c, ok := b.uploader.(copier)
	return c, ok
}

// CopyFrom has the server copy an object of another store, whose bytes never pass
// through this machine, in place of what is there under the key. It returns the
// CRC-32C of the copy as the server has computed it. Where ok is false the object
// has to be put: the server does not copy it, or does not tell the checksum. After
// such an answer CanCopy is false. The object is what Stat has told of it; one that
// has been replaced since is an error, unless its Version is "".
func (s *Store) CopyFrom(ctx context.Context, from *Store, object Info, key string) (sum uint32, ok bool, err error) {
	c, able := s.copier()
	if !able || !s.CanCopy(from) || object.Size > c.mostCopied() {
		return 0, false, nil
	}
	if err := from.at.checkKey(object.Key); err != nil {
		return 0, false, s.pathError("copy", object.Key, err)
	}
	name := from.at.object(object.Key)
	object.Key = from.at.key(object.Key)
	known := false
	err = s.onKey(ctx, "copy", key, int(object.Size), func(ctx context.Context) (err error) {
		sum, known, err = c.copyFrom(ctx, from.at.host, object, s.at.key(key))
		return s.driver.(*bucket).failed(err)
	})
	answer, refused := errors.AsType[*statusError](err)
	if refused && object.Version != "" && !answer.noBucket() && (answer.code == http.StatusPreconditionFailed || answer.code == http.StatusNotFound) {
		return 0, false, fmt.Errorf("%s is no longer what it was when it was opened: let nobody write to the source meanwhile: %w", name, err)
	}
	if refused && !answer.passing() {
		s.noCopies.Store(true)
		s.log.InfoContext(ctx, "the server does not copy objects itself: they are read and written", "reason", err)
		return 0, false, nil
	}
	if err == nil && !known {
		s.noCopies.Store(true)
		s.log.InfoContext(ctx, "the server does not tell the checksums of its copies: objects are read and written", "object", s.at.object(key))
	}
	return sum, known && err == nil, err
}

// otherSize reports a copy that has another size than the object.
func otherSize(got, want int64) error {
	return fmt.Errorf("the copy has %d bytes, the object %d: has somebody replaced it?", got, want)
}
