package store

import (
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// flight are the parts of an upload that are on their way at the same time, in
// buffers of their own. These and the one that is being filled take no more than
// most bytes together, unless that is less than one.
type flight struct {
	ctx   context.Context //nolint:containedctx // that of a Writer; it ends with the first part that fails
	end   context.CancelFunc
	group *errgroup.Group
	room  *semaphore.Weighted
	most  int
}

func newFlight(ctx context.Context, most int) *flight {
	ctx, end := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(ctx)
	return &flight{ctx, end, group, semaphore.NewWeighted(int64(most)), most}
}

// reserve waits until there is room for one more buffer of so many bytes. There is
// none after a part has failed, or the Writer's context has ended.
func (f *flight) reserve(size int) bool {
	return f.ctx.Err() == nil && f.room.Acquire(f.ctx, f.taken(size)) == nil
}

// taken is what of the room a buffer takes.
func (f *flight) taken(size int) int64 { return int64(min(size, f.most)) }

// send sends the part in a buffer for which there was room, and does not wait.
// done gets the buffer back, unless the part fails: a client may still read what it
// did not send.
func (f *flight) send(buffer []byte, part func(ctx context.Context, data []byte) error, done func(buffer []byte)) {
	f.group.Go(func() error {
		err := part(f.ctx, buffer)
		if err == nil {
			done(buffer)
		}
		f.room.Release(f.taken(cap(buffer)))
		return err
	})
}

// wait waits for all parts and returns the error of the first that failed.
func (f *flight) wait() error {
	if f == nil {
		return nil
	}
	return f.group.Wait()
}

// stop has the parts given up, and waits until nothing is sent any more.
func (f *flight) stop() {
	if f == nil {
		return
	}
	f.end()
	_ = f.group.Wait() // of parts that nobody wants
}
