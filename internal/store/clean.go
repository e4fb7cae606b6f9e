package store

import (
	"context"
	"errors"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Clean removes what an earlier process that was killed left behind: files in
// the staging folder of a local store, and the unfinished uploads below the
// prefix of one in a bucket. What this Store is about to write stays. The
// caller sees to it that no other process writes to the same store, by holding
// the job's lock.
//
// Uploads are left to the bucket's lifecycle rules, with a line in the log, when
// the store is a whole bucket, in which they may be another program's, and when
// the server or its permissions do not allow listing them.
func (s *Store) Clean(ctx context.Context) error {
	err := s.driver.Clean(ctx, func(key string, f func(context.Context) error) error {
		return s.requests.Do(ctx, "clean", key, 0, f)
	})
	if errors.Is(err, driver.ErrUnlisted) {
		s.log.InfoContext(ctx, "uploads that a killed run may have left are not removed; a lifecycle rule of the bucket can do that", "reason", err)
		return nil
	}
	return err
}
