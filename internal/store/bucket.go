package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"gocloud.dev/blob"
)

// bucket is the driver of everything that gocloud.dev/blob reaches. Uploads go
// another way, because what a store needs of them (no copies, no retries
// inside, conditions, parts) differs from place to place.
type bucket struct {
	at     location
	blobs  *blob.Bucket
	shared bool                // blobs outlives the store
	raw    *blob.ReaderOptions // for bytes as they are stored; nil where they come so
	etags  etagKind
	// unconditional is set once the server has refused a put for its condition.
	unconditional atomic.Bool
	uploader
}

const (
	// PartBytes is the size of the first partsOfSize parts of an upload to an
	// object store. S3 wants 5 MiB at least, Google Cloud Storage multiples of
	// 256 KiB.
	PartBytes = 8 << 20
	// After every partsOfSize parts their size doubles: 10,000 parts, the most
	// that S3 takes, hold more than the 5 TiB that an object may have there.
	partsOfSize = 1000
	// lastDoubling keeps a part below the 4000 MiB of Azure and the 5 GiB of S3.
	lastDoubling = 8
)

// growingPart is the size of part n of an upload where their number is limited.
func growingPart(n int) int { return PartBytes << min(n/partsOfSize, lastDoubling) }

// objectType is the content type of everything that is stored.
const objectType = "application/octet-stream"

// uploader stores objects in a bucket. Keys are those of the bucket, with the
// store's prefix.
type uploader interface {
	// putWhole stores an object at once and returns its version. A condition that
	// does not hold is an error that wraps fs.ErrExist.
	putWhole(ctx context.Context, key string, data []byte, when condition) (version string, err error)
	// start is begin of a driver.
	start(ctx context.Context, key string, when condition) (upload, error)
	inOrder() bool
	partSize(n int) int
	// sweep aborts the uploads below the prefix that an earlier process left
	// behind; each request is made through do.
	sweep(ctx context.Context, prefix string, do requester) error
	// version is the Version of an object with these attributes, and readVersion
	// that of one whose bytes come; "" where the server does not tell it.
	version(a *blob.Attributes) string
	readVersion(r *blob.Reader) string
	// listedVersion is that of an object in a list.
	listedVersion(o *blob.ListObject) string
	// answer is what the server answered to a request that failed with err, nil
	// if it did not.
	answer(err error) *statusError
}

// summed is an uploader whose server tells a checksum of an object whose bytes come,
// which its client does not compare.
type summed interface {
	sums(r *blob.Reader) answerSums
}

// statSummed is one that tells a checksum of an object with these attributes.
type statSummed interface{ sum(a *blob.Attributes) Sum }

func (b *bucket) put(ctx context.Context, key string, data []byte, when condition) (string, error) {
	version, err := b.putWhole(ctx, b.at.key(key), data, when)
	return version, b.failed(err)
}

func (b *bucket) create(ctx context.Context, key string, data []byte) error {
	_, err := b.putWhole(ctx, b.at.key(key), data, condition{absent: true})
	return b.failed(err)
}

func (b *bucket) begin(ctx context.Context, key string, when condition) (upload, error) {
	up, err := b.start(ctx, b.at.key(key), when)
	if err != nil {
		return nil, b.failed(err)
	}
	return &bucketUpload{up, b}, nil
}

// bucketUpload is an upload whose errors are those of the bucket.
type bucketUpload struct {
	upload
	to *bucket
}

func (w *bucketUpload) part(ctx context.Context, n int, data []byte) error {
	return w.to.failed(w.upload.part(ctx, n, data))
}

func (w *bucketUpload) complete(ctx context.Context, when condition) (string, error) {
	version, err := w.upload.complete(ctx, when)
	return version, w.to.failed(err)
}

func (w *bucketUpload) abort(ctx context.Context) error {
	return w.to.failed(w.upload.abort(ctx))
}

// clean spares a store that is a whole bucket: others may upload there.
func (b *bucket) clean(ctx context.Context, do requester) error {
	if b.at.path == "" {
		return fmt.Errorf("the store is a whole bucket: %w", errUnlisted)
	}
	return b.sweep(ctx, b.at.key(""), func(key string, f func(context.Context) error) error {
		return do(key, func(ctx context.Context) error { return b.failed(f(ctx)) })
	})
}

func (b *bucket) read(ctx context.Context, key string, p []byte, off int64, was Info) (err error) {
	want := int64(len(p))
	r, err := b.blobs.NewRangeReader(oneRead(ctx), b.at.key(key), off, want, b.raw)
	if err != nil {
		return b.rangeError(ctx, key, off, want, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := was.checkVersion(b.readVersion(r), time.Time{}); err != nil {
		return err
	}
	if size := r.Size(); off > size-want {
		return &shortError{off: off, want: want, size: size}
	}
	// What clients say of the checksum is dropped: some servers send that of the whole
	// object with a part of it.
	if _, err := io.ReadFull(earning(ctx, r), p); err != nil {
		return brokenBody(want, err)
	}
	if summed, ok := b.uploader.(summed); ok && r.Size() == want {
		return b.etags.compare(p, summed.sums(r))
	}
	return nil
}

// rangeError tells a range behind the end of the object, which a server may
// refuse as such, from other failures.
func (b *bucket) rangeError(ctx context.Context, key string, off, want int64, err error) error {
	if err = b.failed(err); errors.Is(err, fs.ErrNotExist) || transient(err) {
		return err
	}
	if info, statErr := b.stat(ctx, key); statErr == nil && off >= info.Size {
		return &shortError{off: off, want: want, size: info.Size}
	}
	return err
}

func (b *bucket) readAll(ctx context.Context, key string, limit int64, room func(int) []byte) (data []byte, version string, err error) {
	r, err := b.blobs.NewReader(oneRead(ctx), b.at.key(key), b.raw)
	if err != nil {
		return nil, "", b.failed(err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size := r.Size()
	if size < 0 {
		return nil, "", errors.New("the server does not tell the size of the object")
	}
	if size > limit {
		return nil, "", fmt.Errorf("%w: %d bytes, at most %d wanted", ErrTooLarge, size, limit)
	}
	data = room(int(size))
	if err := readBody(earning(ctx, r), data); err != nil {
		return nil, "", brokenBody(size, err)
	}
	if summed, ok := b.uploader.(summed); ok {
		err = b.etags.compare(data, summed.sums(r))
	}
	return data, b.readVersion(r), err
}

func (b *bucket) stat(ctx context.Context, key string) (Info, error) {
	a, err := b.blobs.Attributes(ctx, b.at.key(key))
	if err != nil {
		return Info{}, b.failed(err)
	}
	info := Info{Key: key, Size: a.Size, ModTime: a.ModTime, ETag: a.ETag, Version: b.version(a)}
	if summed, ok := b.uploader.(statSummed); ok {
		info.Sum = summed.sum(a)
	}
	return info, nil
}

func (b *bucket) list(prefix string) pager {
	base := b.at.key("")
	opt := &blob.ListOptions{Prefix: base + prefix}
	token := blob.FirstPageToken
	return func(ctx context.Context) ([]Info, error) {
		objects, next, err := b.blobs.ListPage(ctx, token, listPage, opt)
		if err != nil {
			return nil, b.failed(err)
		}
		token = next
		page := make([]Info, 0, len(objects))
		for _, o := range objects {
			key := strings.TrimPrefix(o.Key, base)
			if b.at.checkKey(key) != nil {
				continue // a marker of a folder, or a foreign name that no call could take
			}
			page = append(page, Info{Key: key, Size: o.Size, ModTime: o.ModTime, Version: b.listedVersion(o)})
		}
		if len(token) == 0 {
			return page, errEnd
		}
		return page, nil
	}
}

// remover is an uploader whose server deletes what may not be there by one request.
type remover interface {
	remove(ctx context.Context, key string) error
}

func (b *bucket) delete(ctx context.Context, key string) error {
	remove := b.blobs.Delete
	if r, ok := b.uploader.(remover); ok {
		remove = r.remove
	}
	err := b.failed(remove(ctx, b.at.key(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (b *bucket) close() error {
	if b.shared {
		return nil
	}
	return b.blobs.Close()
}

// failed returns the error of a request without what it says of the URL, with
// what an answer means and with a hint.
func (b *bucket) failed(err error) error {
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if answer, ok := errors.AsType[*statusError](err); ok {
		return answer
	}
	if answer := b.answer(err); answer != nil {
		return answer
	}
	return withoutURL(err)
}

// readKey is the key of a context's value that tells whether the request of a
// read has been made, an *atomic.Bool.
type readKey struct{}

// oneRead is a context for a read that is to be one request.
func oneRead(ctx context.Context) context.Context {
	return context.WithValue(ctx, readKey{}, new(atomic.Bool))
}
