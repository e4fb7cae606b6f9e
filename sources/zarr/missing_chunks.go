package zarr

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"syscall"

	"github.com/zmigrate/zmigrate/internal/store"
)

const (
	// freeRechecks is how many missing chunks are asked for a second time, however few
	// chunks are found.
	freeRechecks = 1024
	// presenceTries is how often a chunk is read if the server says in turn that it is
	// missing and that it exists.
	presenceTries = 3
)

// errContradiction reports a server that contradicts itself.
var errContradiction = errors.New("the server says that the object is not there, and right after that it exists: the fill value must not take its place; run again")

// presence tells missing chunks, which stand for the fill value, from chunks that a
// server only fails to find. It is safe for concurrent use.
type presence struct {
	store            *store.Store
	found, rechecked atomic.Int64 // how many chunks
}

// read calls f, which reads the object, and reports whether the object is there. If f
// does not find a remote object, read asks for it with another kind of request. When
// many more chunks are missing than found, it asks only for as many missing chunks as
// were found.
func (p *presence) read(ctx context.Context, key string, f func() error) (bool, error) {
	for range presenceTries {
		err := f()
		if err == nil {
			p.found.Add(1)
			return true, nil
		}
		if !absent(err) {
			return false, err
		}
		if p.store.Local() || p.rechecked.Add(1) > freeRechecks+p.found.Load() {
			return false, nil
		}
		if _, err := p.store.Stat(ctx, key); absent(err) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return false, errContradiction
}

// absent reports whether an error of the store says that an object is missing. A folder in
// the place of an object is another error, and so is a link that leads nowhere, as git-annex
// leaves it for an object that has not been fetched.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.EISDIR) && !errors.Is(err, store.ErrDangling)
}
