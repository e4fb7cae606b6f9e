package store

import (
	"context"
	"errors"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Clean removes what a killed process has left behind: files in the staging folder of a
// local store, and unfinished uploads below the prefix of a store in a bucket. What this
// Store is about to write stays. The caller holds the job's lock, so that no other process
// writes to the same store.
//
// Clean leaves uploads to the bucket's lifecycle rules, and logs that, in two cases: if
// the store is a whole bucket, where uploads may be those of another program; and if the
// server, or its permissions, do not allow listing uploads.
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
