package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// What places tell of objects, and what a lock promises: see package driver.
type (
	Info   = driver.Info
	Copied = driver.Copied
	Guard  = driver.Guard
)

// Errors of places.
var (
	ErrTooLarge = driver.ErrTooLarge
	ErrChanged  = driver.ErrChanged
	ErrNoList   = driver.ErrNoList
	ErrDangling = driver.ErrDangling
)

// Stats counts what a Store has done since it was opened.
type Stats struct {
	Requests     int64 // attempts of all operations
	Retries      int64 // attempts after the first of an operation
	BytesRead    int64
	BytesWritten int64
}

// Store is an opened folder of objects. It is safe for concurrent use. The caller of
// Open closes it, after the last other call.
//
// Errors are *fs.PathError values that name the operation and the object. They
// wrap fs.ErrNotExist for a missing object, and fs.ErrExist if Create finds an object
// under its key.
type Store struct {
	at       location.Location
	driver   driver.Driver
	requests *limits.Requests
	log      *slog.Logger
	parts    int         // most parts of a Writer in memory
	buffers  sync.Pool   // of *[]byte: buffers of Writers that are idle
	noCopies atomic.Bool // the server copies no objects, or tells no checksum of a copy
	// unconditionalCopies is set once the server has refused a copy for its condition.
	unconditionalCopies atomic.Bool
	pinned              sync.Map // of Info, by keys
	referring           bool     // the objects lie in other files, see OpenReferences

	bytesRead, bytesWritten atomic.Int64
}

// URL names the store in messages and reports: an absolute path or a URL
// without secrets.
func (s *Store) URL() string { return s.at.String() }

// Local tells whether the store is a directory of this machine.
func (s *Store) Local() bool { return s.at.Local() && !s.referring }

// GapBytes is how many useless bytes are cheaper to read than one request more.
func (s *Store) GapBytes() int {
	if s.Local() {
		return 8 << 10
	}
	return 256 << 10
}

// Stats returns the counts so far.
func (s *Store) Stats() Stats {
	return Stats{s.requests.Made.Load(), s.requests.Repeated.Load(), s.bytesRead.Load(), s.bytesWritten.Load()}
}

// VersionOf returns the version of an object that List or Stat has returned. It is the
// ETag, the generation, or the time at which a file was written; "" if unknown.
func (s *Store) VersionOf(info Info) string {
	if s.Local() {
		return driver.FileVersion(info.ModTime)
	}
	return info.Version
}

// Stat describes the object.
func (s *Store) Stat(ctx context.Context, key string) (Info, error) {
	var info Info
	err := s.onKey(ctx, "stat", key, 0, func(ctx context.Context) (err error) {
		info, err = s.driver.Stat(ctx, key)
		return err
	})
	return info, err
}

// Head returns a digest of the first 64 KiB of a local file. It is "" for a remote
// object, whose server tells its version.
func (s *Store) Head(ctx context.Context, key string) (string, error) {
	files, ok := s.driver.(driver.Files)
	if !ok {
		return "", nil
	}
	var digest string
	err := s.onKey(ctx, "head", key, 0, func(context.Context) (err error) {
		digest, err = files.Head(key)
		return err
	})
	return digest, err
}

// SameName tells whether two names in one folder name the same object. In a local store
// they may, because some file systems ignore case or the Unicode form of a name.
func (s *Store) SameName(ctx context.Context, a, b string) (same bool, err error) {
	files, ok := s.driver.(driver.Files)
	if !ok || a == b {
		return a == b, nil
	}
	err = s.onKey(ctx, "create", a, 0, func(context.Context) (err error) {
		same, err = files.SameName(a, b)
		return err
	})
	return same, err
}

// List calls f for every object whose key begins with the prefix, in the
// lexical order of the keys, and returns the first error of f unchanged. A
// prefix may end in the middle of a part of a key; "" lists everything. A
// folder that does not exist is empty.
func (s *Store) List(ctx context.Context, prefix string, f func(Info) error) error {
	return s.ListWithLinks(ctx, prefix, func(info Info) error {
		if info.Dangling {
			return nil
		}
		return f(info)
	})
}

// ListWithLinks is List, and calls f also for symbolic links that lead nowhere, see [Info]. Reading such an object fails.
func (s *Store) ListWithLinks(ctx context.Context, prefix string, f func(Info) error) error {
	if err := s.at.CheckPrefix(prefix); err != nil {
		return s.requests.PathError("list", prefix, err)
	}
	next := s.driver.List(prefix)
	for {
		var page []Info
		err := s.requests.Do(ctx, "list", prefix, 0, func(ctx context.Context) (err error) {
			page, err = next(ctx)
			return err
		})
		end := errors.Is(err, driver.ErrEnd)
		if err != nil && !end {
			return err
		}
		for _, info := range page {
			if err := f(info); err != nil {
				return err
			}
		}
		if end {
			return nil
		}
	}
}

// Delete removes the object, if it exists, and a Put of it that still waits.
func (s *Store) Delete(ctx context.Context, key string) error {
	return s.onKey(ctx, "delete", key, 0, func(ctx context.Context) error {
		return s.driver.Delete(ctx, key)
	})
}

// Close drops Puts that no Sync has covered, and releases everything. The caller closes
// or aborts all Writers first.
func (s *Store) Close() error {
	if err := s.driver.Close(); err != nil {
		return s.requests.PathError("close", "", err)
	}
	return nil
}

// onKey checks the key, and runs an operation on one object as [limits.Requests.Do] does.
func (s *Store) onKey(ctx context.Context, op, key string, size int, f func(context.Context) error) error {
	if err := s.at.CheckKey(key); err != nil {
		return s.requests.PathError(op, key, err)
	}
	return s.requests.Do(ctx, op, key, size, f)
}

// Check reads all of a member of an archive and compares its checksum, unless that was
// done before. It is for callers that will read all of a member in parts, which the
// store does not compare, see [Store.ReadRange]. It does nothing for objects that are not
// in an archive.
func (s *Store) Check(ctx context.Context, key string) error {
	place, ok := s.driver.(driver.Checker)
	if !ok {
		return nil
	}
	return s.onKey(ctx, "read", key, 0, func(ctx context.Context) error { return place.Check(ctx, key) })
}
