package store

import (
	"context"
	"io/fs"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// directPart is the least bytes of a piece that is written to a file at once. A smaller piece
// is collected with others, because that takes less time than a call of the system.
const directPart = 64 << 10

// abortTime bounds how long Abort tries, because it is called on the way out.
const abortTime = 15 * time.Second

// Writer writes one object piece by piece. It collects the pieces in a buffer
// of one part, 8 MiB in a bucket and 256 KiB in other places, and sends each part
// when the next one begins. Large pieces of a local file are not collected. An object
// that fits into one part is sent as Put sends it. S3 and Azure take several parts at the
// same time, see Options. Their parts double in size every 1000 parts, because the number
// of parts is limited.
//
// The object appears as a whole with Close. After Abort nothing of the object stays, apart
// from a part that S3 stores late, see "Requests" of this package.
// One of the two must be called, and Abort may follow Close:
//
//	w, err := s.NewWriter(ctx, key)
//	…
//	defer w.Abort()
//	… w.Write(piece) …
//	return w.Close()
//
// A Writer serves one goroutine at a time. Any number of Writers of one Store
// work at the same time. Their errors are those of the Store.
type Writer struct {
	ctx    context.Context //nolint:containedctx // Write and Close have the signatures of package io
	store  *Store
	key    string
	buffer []byte        // the part that is being filled
	direct bool          // parts may have any size
	up     driver.Upload // nil before the first part is sent
	parts  int           // number of parts sent or being sent
	size   int64         // bytes of these parts
	err    error         // the error of every further call
	flight *flight       // nil: each part is sent before the next one is filled

	expected driver.Condition // the condition for replacing an older object
	version  string           // of the object, once it is stored
}

// NewWriter begins an object that comes in pieces. The object replaces an older one
// under the key. ctx governs all of the Writer's requests. The first request is made
// when there is a part to send.
func (s *Store) NewWriter(ctx context.Context, key string) (*Writer, error) {
	err := s.at.CheckKey(key)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, s.requests.PathError("open", key, err)
	}
	w := &Writer{ctx: ctx, store: s, key: key}
	_, w.direct = s.driver.(driver.Files)
	if s.parts > 1 && !s.driver.InOrder() {
		w.flight = newFlight(ctx, s.parts*s.driver.PartSize(0))
	}
	return w, nil
}

// Write adds the next piece, which is borrowed until Write returns. Every call after an
// error returns the same error; only Abort is of use then.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n := 0
	for n < len(p) {
		limit := w.store.driver.PartSize(w.parts)
		if len(w.buffer) == limit {
			if w.err = w.sendBuffer(); w.err != nil {
				return n, w.err
			}
			continue
		}
		if k := w.uncollected(len(p)-n, limit); k > 0 {
			if w.err = w.send(p[n : n+k]); w.err != nil {
				return n, w.err
			}
			n += k
			continue
		}
		if cap(w.buffer) < limit { // there is no buffer, or parts have grown
			if w.err = w.take(limit); w.err != nil {
				return n, w.err
			}
		}
		k := min(len(p)-n, limit-len(w.buffer))
		w.buffer = append(w.buffer, p[n:n+k]...)
		n += k
	}
	return n, nil
}

// uncollected returns how many of the next n bytes are sent as a part without being collected,
// at most limit. A part that is not the last has limit bytes, unless parts may have any size.
func (w *Writer) uncollected(n, limit int) int {
	switch {
	case w.flight != nil || len(w.buffer) > 0:
		return 0
	case w.direct && n >= directPart || n > limit:
		return min(n, limit)
	}
	return 0
}

// take gives the Writer a buffer for a part of size bytes.
func (w *Writer) take(size int) error {
	if w.flight != nil {
		if !w.flight.reserve(size) {
			if err := w.flight.wait(); err != nil {
				return err
			}
			return w.store.requests.PathError("write", w.key, w.ctx.Err())
		}
	}
	w.release()
	w.buffer = w.store.takeBuffer(size)
	return nil
}

// sendBuffer sends the part in the buffer. If several parts may be in flight, it hands
// the buffer over and returns at once.
func (w *Writer) sendBuffer() error {
	if w.flight == nil {
		err := w.send(w.buffer)
		w.buffer = w.buffer[:0]
		return err
	}
	number, err := w.next(w.buffer)
	if err != nil {
		return err
	}
	w.flight.send(w.buffer, func(ctx context.Context, part []byte) error {
		return w.sendPart(ctx, number, part)
	}, w.store.giveBuffer)
	w.buffer = nil
	return nil
}

// send sends the next part, which is borrowed.
func (w *Writer) send(part []byte) error {
	number, err := w.next(part)
	if err != nil {
		return err
	}
	return w.sendPart(w.ctx, number, part)
}

// next counts the next part, and begins the object before the first part.
func (w *Writer) next(part []byte) (number int, err error) {
	if w.up == nil {
		if w.store.conditions() { // some servers want the condition at the beginning
			if w.expected, err = w.store.currentVersion(w.ctx, w.key); err != nil {
				return 0, err
			}
		}
		err := w.store.requests.Do(w.ctx, "open", w.key, 0, func(ctx context.Context) (err error) {
			w.up, err = w.store.driver.Begin(ctx, w.key, w.expected)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	number = w.parts
	w.parts++
	w.size += int64(len(part))
	return number, nil
}

func (w *Writer) sendPart(ctx context.Context, number int, part []byte) error {
	err := w.store.requests.Do(ctx, "write", w.key, len(part), func(ctx context.Context) error {
		return w.up.Part(ctx, number, part)
	})
	if err == nil {
		w.store.bytesWritten.Add(int64(len(part)))
	}
	return err
}

// Close completes the object. As after Put, the object is visible and durable after the
// next Sync at the latest. When Close fails, the object may exist or not, but never in
// part.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	defer w.flight.stop()
	if w.err = w.finish(); w.err != nil {
		return w.err
	}
	w.up = nil
	w.release()
	w.err = w.store.requests.PathError("write", w.key, fs.ErrClosed)
	return nil
}

func (w *Writer) finish() error {
	if w.up == nil {
		var err error
		w.version, err = w.store.PutVersion(w.ctx, w.key, w.buffer)
		return err
	}
	if len(w.buffer) > 0 { // it is empty if the last piece was not collected
		if err := w.sendBuffer(); err != nil {
			return err
		}
	}
	if err := w.flight.wait(); err != nil {
		return err
	}
	return w.store.conditionally(w.ctx, w.key, w.expected, func(when driver.Condition) error {
		return w.store.requests.Do(w.ctx, "close", w.key, int(w.size), func(ctx context.Context) (err error) {
			w.version, err = w.up.Complete(ctx, when)
			return err
		})
	})
}

// Version returns the version of the object that Close has stored, see
// [Store.PutVersion].
func (w *Writer) Version() string { return w.version }

// Abort gives the object up, also when the Writer's context has ended. After a Close
// that succeeded, Abort does nothing. If Abort fails, Clean removes the parts later.
func (w *Writer) Abort() error {
	w.flight.stop()
	w.release()
	if w.err == nil {
		w.err = w.store.requests.PathError("write", w.key, fs.ErrClosed)
	}
	if w.up == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), abortTime)
	defer cancel()
	if err := w.store.requests.Do(ctx, "abort", w.key, 0, w.up.Abort); err != nil {
		return err
	}
	w.up = nil
	return nil
}

// release gives the buffer back.
func (w *Writer) release() {
	w.store.giveBuffer(w.buffer)
	w.buffer = nil
}

// takeBuffer returns an empty buffer for a part. Buffers of the size of a first part are
// pooled, larger buffers are left to the garbage collector.
func (s *Store) takeBuffer(size int) []byte {
	if size == s.driver.PartSize(0) {
		if buffer, ok := s.buffers.Get().(*[]byte); ok {
			return (*buffer)[:0]
		}
	}
	return make([]byte, 0, size)
}

// giveBuffer takes a buffer back, or nil.
func (s *Store) giveBuffer(buffer []byte) {
	if cap(buffer) == s.driver.PartSize(0) {
		s.buffers.Put(&buffer)
	}
}
