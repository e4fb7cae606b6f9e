package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
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

	bytesRead, bytesWritten atomic.Int64
}

// URL names the store in messages and reports: an absolute path or a URL
// without secrets.
func (s *Store) URL() string { return s.at.String() }

// Local tells whether the store is a directory of this machine.
func (s *Store) Local() bool { return s.at.Local() }

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

// VersionOf returns the version of an object that List or Stat has returned. It is the
// ETag, the generation, or the time at which a file was written; "" if unknown.
func (s *Store) VersionOf(info Info) string {
	if s.Local() {
		return driver.FileVersion(info.ModTime)
	}
	return info.Version
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

// ReadRange fills p with the bytes of the object from off on. If the object ends
// earlier, the error wraps io.ErrUnexpectedEOF and gives the object's size. A
// local store may keep the file open for later reads. If another process replaces the
// object, these reads may return the old bytes. The checksum of a member of an archive
// is compared, except for a part of a member behind a network.
func (s *Store) ReadRange(ctx context.Context, key string, p []byte, off int64) error {
	return s.ReadOf(ctx, s.pin(key), key, p, off)
}

// ReadOf is ReadRange of an object whose version has to be that of was, which Stat has
// returned, as if the object were pinned.
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
