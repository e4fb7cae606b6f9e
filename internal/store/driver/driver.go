package driver

import (
	"context"
	"errors"
)

// Driver reads and writes one kind of place. Keys have been checked; data is
// borrowed until return. The error of a missing object is fs.ErrNotExist. The error of
// a range that reaches beyond the end of the object is a *ShortError.
type Driver interface {
	reading
	writing
	Close() error
}

// reading is the part of a driver that reads.
type reading interface {
	// Read fills p with the bytes of an object from off on. If the object is known to be
	// another version than was, the error wraps ErrChanged.
	Read(ctx context.Context, key string, p []byte, off int64, was Info) error
	// ReadAll reads an object of at most limit bytes into memory from room, or into
	// memory of its own. It returns the object's Version, "" if unknown.
	ReadAll(ctx context.Context, key string, limit int64, room func(size int) []byte) (data []byte, version string, err error)
	Stat(ctx context.Context, key string) (Info, error)
	List(prefix string) Pager
	// Folders lists the folders directly in the folder that the prefix names. The prefix
	// is "" or ends with "/".
	Folders(prefix string) FolderPager
}

// writing is the part of a driver that writes.
type writing interface {
	// Put returns the version of the stored object, "" if unknown. If the condition does
	// not hold, the error wraps fs.ErrExist. Drivers of places without conditions get
	// none.
	Put(ctx context.Context, key string, data []byte, when Condition) (version string, err error)
	Create(ctx context.Context, key string, data []byte) error
	// Begin starts an object that comes in parts. Nothing of the object is visible
	// before Complete. The condition applies to Complete.
	Begin(ctx context.Context, key string, when Condition) (Upload, error)
	// InOrder tells whether parts have to be sent one after the other, in the order of
	// their numbers.
	InOrder() bool
	// PartSize returns how many bytes part n of an upload has, counted from 0. The last
	// part may have fewer.
	PartSize(n int) int
	Delete(ctx context.Context, key string) error
	// Clean removes what an earlier process left behind. It makes each of its
	// requests through do.
	Clean(ctx context.Context, do Requester) error
}

// Upload is an object that is being sent in parts. Each call that failed may be
// repeated.
type Upload interface {
	// Part sends part n, counted from 0, which is not empty; data is borrowed.
	Part(ctx context.Context, n int, data []byte) error
	// Complete makes the parts an object, and returns what Put returns. All parts have
	// been sent.
	Complete(ctx context.Context, when Condition) (version string, err error)
	// Abort removes the parts, unless Complete has succeeded.
	Abort(ctx context.Context) error
}

// Pager returns the next objects of a list in the order of their keys. It returns
// ErrEnd with the last objects or after them. After another error it may be called again
// for the same page.
type Pager func(ctx context.Context) ([]Info, error)

// ListPage is how many objects a page of a list has at most.
const ListPage = 1000

// ErrEnd says that a list has ended.
var ErrEnd = errors.New("end of list")

// FolderPager is a [Pager] for the names of folders.
type FolderPager func(ctx context.Context) ([]string, error)

// OnePage returns a pager of a single page, which f returns.
func OnePage(f func() ([]string, error)) FolderPager {
	done := false
	return func(context.Context) ([]string, error) {
		if done {
			return nil, ErrEnd
		}
		names, err := f()
		done = err == nil
		return names, err
	}
}

// Requester runs one request about an object, or about none (""), as every request of a
// Store runs: within the request budget, counted, and with retries.
type Requester func(key string, f func(context.Context) error) error

// ErrUnlisted reports that unfinished uploads of a bucket cannot be listed.
var ErrUnlisted = errors.New("unfinished uploads are not looked for")
