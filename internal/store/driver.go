package store

import (
	"context"
	"errors"
)

// driver is what a kind of place must do. Keys have been checked; data is
// borrowed until return. Missing objects are fs.ErrNotExist, and an object
// that ends before a range does is a *shortError.
type driver interface {
	reading
	writing
	close() error
}

// reading is what a driver does for a place that is read.
type reading interface {
	// read fills p with the bytes from off on of an object. One that is another by
	// now than was, as far as that is known, is an error that wraps ErrChanged.
	read(ctx context.Context, key string, p []byte, off int64, was Info) error
	// readAll reads an object of at most limit bytes, into memory from room or
	// of its own, and returns which Version it is; "" where that is not known.
	readAll(ctx context.Context, key string, limit int64, room func(size int) []byte) (data []byte, version string, err error)
	stat(ctx context.Context, key string) (Info, error)
	list(prefix string) pager
	// folders lists those directly in the folder whose keys begin with the
	// prefix, which is "" or ends with "/".
	folders(prefix string) folderPager
}

// writing is what a driver does for a place that is written to, too.
type writing interface {
	// put returns the version of the object that it has stored, "" where nothing
	// tells it. A condition that does not hold is an error that wraps fs.ErrExist;
	// drivers of places without conditions are given none.
	put(ctx context.Context, key string, data []byte, when condition) (version string, err error)
	create(ctx context.Context, key string, data []byte) error
	// begin starts an object that comes in parts; nothing of it is visible
	// before complete, to which the condition applies.
	begin(ctx context.Context, key string, when condition) (upload, error)
	// inOrder tells whether the parts have to be sent one after the other, by
	// their numbers, and not at the same time.
	inOrder() bool
	// partSize is how many bytes part n of an upload has, counted from 0,
	// unless it is the last, which may have fewer.
	partSize(n int) int
	delete(ctx context.Context, key string) error
	// clean removes what an earlier process left behind, and makes each of its
	// requests through do.
	clean(ctx context.Context, do requester) error
}

// upload is an object on its way. A part that failed may be sent again, and so
// may the other calls be repeated.
type upload interface {
	// part sends part n, counted from 0, which is not empty; data is borrowed.
	part(ctx context.Context, n int, data []byte) error
	// complete is what put is for a whole object. All parts have been sent.
	complete(ctx context.Context, when condition) (version string, err error)
	// abort removes what was sent, unless complete has done its work.
	abort(ctx context.Context) error
}

// pager returns the next objects of a list in the order of their keys, and
// errEnd with or after the last ones. After another error it may be called again
// for the same page.
type pager func(ctx context.Context) ([]Info, error)

var errEnd = errors.New("end of list")
