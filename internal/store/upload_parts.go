package store

import (
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// flight is the parts of one upload that are in flight at the same time, each in a buffer
// of its own. Together with the one that is being filled, these buffers take no more than
// most bytes. A single buffer may be larger than most; then it is alone.
type flight struct {
	ctx   context.Context //nolint:containedctx // the Writer's; it ends with the first part that fails
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

// reserve waits until there is room for one more buffer of size bytes. It returns false
// if a part has failed or the Writer's context has ended.
func (f *flight) reserve(size int) bool {
	return f.ctx.Err() == nil && f.room.Acquire(f.ctx, f.taken(size)) == nil
}

// taken returns how many bytes of the room a buffer takes.
func (f *flight) taken(size int) int64 { return int64(min(size, f.most)) }

// send begins to send the part in a buffer whose bytes are reserved, and returns. done
// gets the buffer back when the part has been sent. It never gets the buffer of a part
// that failed, because the client may still read from that buffer.
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

// stop cancels all parts, and waits until nothing is sent any more.
func (f *flight) stop() {
	if f == nil {
		return
	}
	f.end()
	_ = f.group.Wait() // the errors are those of cancelled parts
}
