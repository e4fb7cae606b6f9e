package store

import (
	"context"
	"errors"
)

// driver reads and writes one kind of place. Keys have been checked; data is
// borrowed until return. The error of a missing object is fs.ErrNotExist. The error of
// a range that reaches beyond the end of the object is a *shortError.
type driver interface {
	reading
	writing
	close() error
}

// reading is the part of a driver that reads.
type reading interface {
	// read fills p with the bytes of an object from off on. If the object is known to be
	// another version than was, the error wraps ErrChanged.
	read(ctx context.Context, key string, p []byte, off int64, was Info) error
	// readAll reads an object of at most limit bytes into memory from room, or into
	// memory of its own. It returns the object's Version, "" if unknown.
	readAll(ctx context.Context, key string, limit int64, room func(size int) []byte) (data []byte, version string, err error)
	stat(ctx context.Context, key string) (Info, error)
	list(prefix string) pager
	// folders lists the folders directly in the folder that the prefix names. The prefix
	// is "" or ends with "/".
	folders(prefix string) folderPager
}

// writing is the part of a driver that writes.
type writing interface {
	// put returns the version of the stored object, "" if unknown. If the condition does
	// not hold, the error wraps fs.ErrExist. Drivers of places without conditions get
	// none.
	put(ctx context.Context, key string, data []byte, when condition) (version string, err error)
	create(ctx context.Context, key string, data []byte) error
	// begin starts an object that comes in parts. Nothing of the object is visible
	// before complete. The condition applies to complete.
	begin(ctx context.Context, key string, when condition) (upload, error)
	// inOrder tells whether parts have to be sent one after the other, in the order of
	// their numbers.
	inOrder() bool
	// partSize returns how many bytes part n of an upload has, counted from 0. The last
	// part may have fewer.
	partSize(n int) int
	delete(ctx context.Context, key string) error
	// clean removes what an earlier process left behind. It makes each of its
	// requests through do.
	clean(ctx context.Context, do requester) error
}

// upload is an object that is being sent in parts. Each call that failed may be
// repeated.
type upload interface {
	// part sends part n, counted from 0, which is not empty; data is borrowed.
	part(ctx context.Context, n int, data []byte) error
	// complete makes the parts an object, and returns what put returns. All parts have
	// been sent.
	complete(ctx context.Context, when condition) (version string, err error)
	// abort removes the parts, unless complete has succeeded.
	abort(ctx context.Context) error
}

// pager returns the next objects of a list in the order of their keys. It returns
// errEnd with the last objects or after them. After another error it may be called again
// for the same page.
type pager func(ctx context.Context) ([]Info, error)

var errEnd = errors.New("end of list")

// folderPager is a [pager] for the names of folders.
type folderPager func(ctx context.Context) ([]string, error)

// once returns a pager of a single page, which f returns.
func once(f func() ([]string, error)) folderPager {
	done := false
	return func(context.Context) ([]string, error) {
		if done {
			return nil, errEnd
		}
		names, err := f()
		done = err == nil
		return names, err
	}
}

// requester runs one request about an object, or about none (""), as every request of a
// Store runs: within the request budget, counted, and with retries.
type requester func(key string, f func(context.Context) error) error

// errUnlisted reports that unfinished uploads of a bucket cannot be listed.
var errUnlisted = errors.New("unfinished uploads are not looked for")
