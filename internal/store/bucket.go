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

// bucket is the driver of every place that gocloud.dev/blob reaches. An uploader for
// each place stores objects, because uploads (without copies and inner retries, with
// conditions, in parts) differ from place to place.
type bucket struct {
	at     location
	blobs  *blob.Bucket
	shared bool                // blobs outlives the store
	raw    *blob.ReaderOptions // makes reads return the bytes as they are stored; nil if they always do
	etags  etagKind
	// unconditional is set once the server has refused a put for its condition.
	unconditional atomic.Bool
	uploader
}

const (
	// PartBytes is the size of the first partsOfSize parts of an upload to an
	// object store. A part has to be at least 5 MiB for S3, and a multiple of 256 KiB for
	// Google Cloud Storage.
	PartBytes = 8 << 20
	// After every partsOfSize parts the size of parts doubles. S3 takes 10,000 parts.
	// Together they hold more than the 5 TiB that an object in S3 may have.
	partsOfSize = 1000
	// lastDoubling keeps a part below the 4000 MiB of Azure and the 5 GiB of S3.
	lastDoubling = 8
)

// growingPart returns the size of part n of an upload whose number of parts is limited.
func growingPart(n int) int { return PartBytes << min(n/partsOfSize, lastDoubling) }

// objectType is the content type of all stored objects.
const objectType = "application/octet-stream"

// uploader stores objects in a bucket. Keys are full keys in the bucket: they begin with
// the store's prefix.
type uploader interface {
	// putWhole stores an object in one request and returns its version. If the condition
	// does not hold, the error wraps fs.ErrExist.
	putWhole(ctx context.Context, key string, data []byte, when condition) (version string, err error)
	// start begins an object that comes in parts, as begin of a driver does.
	start(ctx context.Context, key string, when condition) (upload, error)
	inOrder() bool
	partSize(n int) int
	// sweep aborts the uploads below the prefix that an earlier process left
	// behind. It makes each request through do.
	sweep(ctx context.Context, prefix string, do requester) error
	// version, readVersion and listedVersion return the Version of an object that was
	// looked at, is being read, or is in a list; "" if the server does not tell it.
	version(a *blob.Attributes) string
	readVersion(r *blob.Reader) string
	listedVersion(o *blob.ListObject) string
	// answer returns the server's answer to a request that failed with err; nil if there
	// was none.
	answer(err error) *statusError
}

// summed is an uploader whose server sends a checksum with the bytes of an object, and
// whose client does not compare it.
type summed interface {
	sums(r *blob.Reader) answerSums
}

// statSummed is an uploader whose server has a checksum in the attributes of an object.
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

// bucketUpload is an upload whose errors have passed through the bucket's failed.
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

// clean refuses to clean a whole bucket, because other programs may upload there.
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
	// The client's error about a checksum is ignored: some servers send the checksum of
	// the whole object with a part.
	if _, err := io.ReadFull(earning(ctx, r), p); err != nil {
		return brokenBody(want, err)
	}
	if summed, ok := b.uploader.(summed); ok && r.Size() == want {
		return b.etags.compare(p, summed.sums(r))
	}
	return nil
}

// rangeError returns a *shortError if the range lies behind the end of the object, which
// a server may refuse.
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
				continue // a marker of a folder, or a name that is no key
			}
			page = append(page, Info{Key: key, Size: o.Size, ModTime: o.ModTime, Version: b.listedVersion(o)})
		}
		if len(token) == 0 {
			return page, errEnd
		}
		return page, nil
	}
}

// remover is an uploader whose server deletes an object in one request, without an error
// if the object does not exist.
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

// failed returns the error of a request without its URL, with the meaning of the
// server's answer and with a hint.
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

// readKey is the key of an *atomic.Bool in a context. It tells whether the request of a
// read has been made.
type readKey struct{}

// oneRead returns a context for a read that is to be a single request.
func oneRead(ctx context.Context) context.Context {
	return context.WithValue(ctx, readKey{}, new(atomic.Bool))
}

// copier is an ability of an uploader: the server copies objects. The methods are those of
// objectServer, with the full key.
type copier interface {
	copyFrom(ctx context.Context, bucket string, object Info, key string, when condition) (made Copied, known bool, err error)
	mostCopied() int64
}

func (b *bucket) mostCopied() int64 {
	if c, ok := b.uploader.(copier); ok {
		return c.mostCopied()
	}
	return -1
}

func (b *bucket) copyFrom(ctx context.Context, bucket string, object Info, key string, when condition) (made Copied, known bool, err error) {
	made, known, err = b.uploader.(copier).copyFrom(ctx, bucket, object, b.at.key(key), when)
	return made, known, b.failed(err)
}

// conditional is false in memory, which one process has for itself.
func (b *bucket) conditional() bool { return b.at.scheme != "mem" && !b.unconditional.Load() }

func (b *bucket) dropConditions() { b.unconditional.Store(true) }

func (b *bucket) folders(prefix string) folderPager {
	base := b.at.key("") + prefix
	opt := &blob.ListOptions{Prefix: base, Delimiter: "/"}
	token := blob.FirstPageToken
	return func(ctx context.Context) ([]string, error) {
		objects, next, err := b.blobs.ListPage(ctx, token, listPage, opt)
		if err != nil {
			return nil, b.failed(err)
		}
		token = next
		var names []string
		for _, o := range objects {
			if name := folderName(base, o.Key); o.IsDir && name != "" {
				names = append(names, name)
			}
		}
		if len(token) == 0 {
			return names, errEnd
		}
		return names, nil
	}
}
