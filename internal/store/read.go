package store

import (
	"context"
	"fmt"
	"io/fs"
	"math"
)

// ReadRange fills p with the bytes of the object from off on. If the object ends
// earlier, the error wraps io.ErrUnexpectedEOF and gives the object's size. A
// local store may keep the file open for later reads. If another process replaces the
// object, these reads may return the old bytes. The checksum of a member of an archive
// is compared, except for a part of a member behind a network.
func (s *Store) ReadRange(ctx context.Context, key string, p []byte, off int64) error {
	return s.ReadOf(ctx, s.pin(key), key, p, off)
}

// ReadOf is ReadRange for callers that keep the Info of an object themselves. It treats
// the object as if it were pinned with was, which Stat has returned.
func (s *Store) ReadOf(ctx context.Context, was Info, key string, p []byte, off int64) error {
	if off < 0 || off > math.MaxInt64-int64(len(p)) {
		return s.requests.PathError("read", key, fmt.Errorf("range of %d bytes at %d: %w", len(p), off, fs.ErrInvalid))
	}
	if len(p) == 0 {
		return nil
	}
	err := s.onKey(ctx, "read", key, 0, func(ctx context.Context) error {
		return s.driver.Read(ctx, key, p, off, was)
	})
	if err == nil {
		s.bytesRead.Add(int64(len(p)))
	}
	return err
}

// ReadAll returns the whole object as it is now, or an error that wraps
// ErrTooLarge if it has more than limit bytes.
func (s *Store) ReadAll(ctx context.Context, key string, limit int64) ([]byte, error) {
	data, _, err := s.ReadInto(ctx, key, limit, allocate)
	return data, err
}

func allocate(size int) []byte { return make([]byte, size) }

// ReadInto is ReadAll into memory of the caller: room returns the memory for an object
// of that size. Each attempt calls room again. The result may lie in other memory, if
// that saves a copy. The version is that of an Info; "" if the answer does not tell it.
func (s *Store) ReadInto(ctx context.Context, key string, limit int64, room func(size int) []byte) (data []byte, version string, err error) {
	err = s.onKey(ctx, "read", key, 0, func(ctx context.Context) (err error) {
		data, version, err = s.driver.ReadAll(ctx, key, limit, room)
		return err
	})
	s.bytesRead.Add(int64(len(data)))
	return data, version, err
}
