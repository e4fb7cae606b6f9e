package store

import (
	"context"
	"errors"
	"io/fs"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Put stores data under the key, and replaces an older object. The object is
// visible and durable after the next Sync at the latest; data is borrowed until
// Put returns. Of two Puts of one key at the same time either may win.
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	_, err := s.PutVersion(ctx, key, data)
	return err
}

// PutVersion is Put, and returns the version of the stored object, as [Store.VersionOf]
// returns it for an object in a list; "" if unknown.
func (s *Store) PutVersion(ctx context.Context, key string, data []byte) (version string, err error) {
	err = s.conditionally(ctx, key, driver.Condition{Absent: true}, func(when driver.Condition) error {
		return s.onKey(ctx, "put", key, len(data), func(ctx context.Context) (err error) {
			version, err = s.driver.Put(ctx, key, data, when)
			return err
		})
	})
	if err == nil {
		s.bytesWritten.Add(int64(len(data)))
	}
	return version, err
}

// Create stores data under a key that must be free. If the key is taken, the error wraps
// fs.ErrExist. Of several calls at the same time exactly one succeeds. The
// object is visible and durable on return. A server has to know conditional writes for
// that (If-None-Match of S3 and Azure).
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	attempt := 0
	err := s.onKey(ctx, "create", key, len(data), func(ctx context.Context) error {
		attempt++
		err := s.driver.Create(ctx, key, data)
		if attempt > 1 && errors.Is(err, fs.ErrExist) {
			// The answer to an earlier attempt may have been lost. If the object
			// holds data, that attempt has stored it.
			same, readErr := s.holds(ctx, key, data)
			switch {
			case same:
				return nil
			case driver.Transient(readErr):
				return readErr
			}
		}
		return err
	})
	if err == nil {
		s.bytesWritten.Add(int64(len(data)))
	}
	return err
}

// holds tells whether the object's bytes are exactly data.
func (s *Store) holds(ctx context.Context, key string, data []byte) (bool, error) {
	got, _, err := s.driver.ReadAll(ctx, key, int64(len(data)), allocate)
	return err == nil && string(got) == string(data), err
}

// Sync returns when every Put and Delete that returned before it was called is
// visible and durable. An error means that objects are lost.
func (s *Store) Sync(ctx context.Context) error {
	files, ok := s.driver.(driver.Files)
	if !ok {
		return ctx.Err() // remote Puts and Deletes are durable on return
	}
	return s.requests.Do(ctx, "sync", "", 0, files.Sync)
}
