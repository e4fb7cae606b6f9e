// Package references is a place whose objects lie in other files: a table says for each key
// which bytes of which file are the object, or holds the bytes itself. The package knows
// neither how tables are stored nor how files are opened, see [Table] and [Files].
package references

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Kind names the kind of place in messages.
const Kind driver.ReadOnly = "a table of references"

// Reference says where the bytes of an object are.
type Reference struct {
	URL string // of the file; "": the bytes are Inline
	// Off is where the object begins in the file, and Len how many bytes it has. A negative
	// Len stands for all bytes of the file; then Off is 0.
	Off, Len int64
	Inline   []byte // nobody changes it
}

// Entry is an object and its reference.
type Entry struct {
	Key string
	Reference
}

// Table holds references by the keys of objects. It is safe for concurrent use.
type Table interface {
	// Find returns the reference of an object. If there is none, the error wraps
	// fs.ErrNotExist.
	Find(ctx context.Context, key string) (Reference, error)
	// Pages returns a function that returns the next entries whose keys begin with the
	// prefix. With the last of them, or after them, the error is [driver.ErrEnd].
	Pages(prefix string) func(ctx context.Context) ([]Entry, error)
	// Folders returns the names of the folders directly below the prefix, which is "" or
	// ends with "/".
	Folders(ctx context.Context, prefix string) ([]string, error)
}

// Files reads the files that references name. It decides which files may be read. It is safe
// for concurrent use.
type Files interface {
	// Read fills p with the bytes of a file from off on.
	Read(ctx context.Context, url string, p []byte, off int64) error
	// Stat describes a file. It returns the same each time.
	Stat(ctx context.Context, url string) (driver.Info, error)
}

// Driver is the driver of a table of references.
type Driver struct {
	driver.ReadOnly
	table Table
	files Files
}

// New returns the driver of a table.
func New(table Table, files Files) *Driver {
	return &Driver{ReadOnly: Kind, table: table, files: files}
}

// find returns the reference of an object and the object's size.
func (d *Driver) find(ctx context.Context, key string) (Reference, int64, error) {
	r, err := d.table.Find(ctx, key)
	switch {
	case err != nil:
		return r, 0, err
	case r.URL == "":
		return r, int64(len(r.Inline)), nil
	case r.Len >= 0:
		return r, r.Len, nil
	}
	info, err := d.files.Stat(ctx, r.URL)
	return r, info.Size, r.failed(err)
}

// failed returns the error of reading a file that a reference names. A file that is missing is
// not a missing object, for which a fill value would take its place.
func (r Reference) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the file that the reference names is missing: %v", err) //nolint:errorlint // see above
	}
	return fmt.Errorf("by reference: %w", err)
}

// fill fills p with the bytes of an object from off on.
func (d *Driver) fill(ctx context.Context, r Reference, p []byte, off int64) error {
	if r.URL == "" {
		copy(p, r.Inline[off:])
		return nil
	}
	if r.Off > math.MaxInt64-off-int64(len(p)) {
		return fmt.Errorf("a reference to %d bytes at %d: %w", r.Len, r.Off, fs.ErrInvalid)
	}
	return r.failed(d.files.Read(ctx, r.URL, p, r.Off+off))
}

func (d *Driver) Read(ctx context.Context, key string, p []byte, off int64, _ driver.Info) error {
	r, size, err := d.find(ctx, key)
	if err != nil {
		return err
	}
	if off > size-int64(len(p)) {
		return &driver.ShortError{Off: off, Want: int64(len(p)), Size: size}
	}
	return d.fill(ctx, r, p, off)
}

func (d *Driver) ReadAll(ctx context.Context, key string, limit int64, room func(int) []byte) ([]byte, string, error) {
	r, size, err := d.find(ctx, key)
	if err != nil {
		return nil, "", err
	}
	if size > limit {
		return nil, "", fmt.Errorf("%w: %d bytes, at most %d wanted", driver.ErrTooLarge, size, limit)
	}
	p := room(int(size))
	return p, "", d.fill(ctx, r, p, 0)
}

// Stat describes an object. Its times and its version are those of the file that holds it.
func (d *Driver) Stat(ctx context.Context, key string) (driver.Info, error) {
	r, size, err := d.find(ctx, key)
	if err != nil || r.URL == "" {
		return driver.Info{Key: key, Size: size}, err
	}
	info, err := d.files.Stat(ctx, r.URL)
	if err != nil {
		return driver.Info{}, r.failed(err)
	}
	return driver.Info{Key: key, Size: size, ModTime: info.ModTime, Changed: info.Changed, ETag: info.ETag}, nil
}

// List lists the keys of the table. The size of an object that is a whole file is not known, and
// 0 takes its place.
func (d *Driver) List(prefix string) driver.Pager {
	next := d.table.Pages(prefix)
	return func(ctx context.Context) ([]driver.Info, error) {
		entries, err := next(ctx)
		page := make([]driver.Info, len(entries))
		for i, e := range entries {
			page[i] = driver.Info{Key: e.Key, Size: max(e.Len, 0)}
			if e.URL == "" {
				page[i].Size = int64(len(e.Inline))
			}
		}
		return page, err
	}
}

func (d *Driver) Folders(prefix string) driver.FolderPager {
	done := false
	return func(ctx context.Context) ([]string, error) {
		if done {
			return nil, driver.ErrEnd
		}
		names, err := d.table.Folders(ctx, prefix)
		done = err == nil
		return names, err
	}
}

// Close does nothing: whoever made the table and the files closes them.
func (d *Driver) Close() error { return nil }
