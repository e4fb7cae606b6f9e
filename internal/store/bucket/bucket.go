// Package bucket is the driver of all places that gocloud.dev/blob reaches. An [Uploader]
// has what differs from place to place.
package bucket

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

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// Bucket is a [driver.Driver]. An Uploader for each kind of place stores the objects,
// because uploads (without copies and inner retries, with conditions, in parts) differ from
// place to place.
type Bucket struct {
	At     location.Location
	Blobs  *blob.Bucket
	Shared bool                // blobs outlives the store
	Raw    *blob.ReaderOptions // makes reads return the bytes as they are stored; nil if they always do
	etags  remote.EtagKind
	// unconditional is set once the server has refused a put for its condition.
	unconditional atomic.Bool
	Uploader
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

// GrowingPart returns the size of part n of an upload whose number of parts is limited.
func GrowingPart(n int) int { return PartBytes << min(n/partsOfSize, lastDoubling) }

// ObjectType is the content type of all stored objects.
const ObjectType = "application/octet-stream"

// Uploader stores objects in a bucket. Keys are full keys in the bucket: they begin with
// the store's prefix.
type Uploader interface {
	// PutWhole stores an object in one request and returns its version. If the condition
	// does not hold, the error wraps fs.ErrExist.
	PutWhole(ctx context.Context, key string, data []byte, when driver.Condition) (version string, err error)
	// Start begins an object that comes in parts, as Begin of a driver does.
	Start(ctx context.Context, key string, when driver.Condition) (driver.Upload, error)
	InOrder() bool
	PartSize(n int) int
	// Sweep aborts the uploads below the prefix that an earlier process left
	// behind. It makes each request through do.
	Sweep(ctx context.Context, prefix string, do driver.Requester) error
	// Version, ReadVersion and ListedVersion return the Version of an object: after Stat,
	// while it is read, or in a list. It is "" if the server does not tell it.
	Version(a *blob.Attributes) string
	ReadVersion(r *blob.Reader) string
	ListedVersion(o *blob.ListObject) string
	// Answer returns the server's answer to a request that failed with err; nil if there
	// was none.
	Answer(err error) *driver.StatusError
}

// summed is an uploader whose server sends a checksum with the bytes of an object, and
// whose client does not compare it.
type summed interface {
	Sums(r *blob.Reader) remote.AnswerSums
}

// statSummed is an uploader whose server has a checksum in the attributes of an object.
type statSummed interface {
	Sum(a *blob.Attributes) driver.Sum
}

func (b *Bucket) Put(ctx context.Context, key string, data []byte, when driver.Condition) (string, error) {
	version, err := b.PutWhole(ctx, b.At.Key(key), data, when)
	return version, b.failed(err)
}

func (b *Bucket) Create(ctx context.Context, key string, data []byte) error {
	_, err := b.PutWhole(ctx, b.At.Key(key), data, driver.Condition{Absent: true})
	return b.failed(err)
}

func (b *Bucket) Begin(ctx context.Context, key string, when driver.Condition) (driver.Upload, error) {
	up, err := b.Start(ctx, b.At.Key(key), when)
	if err != nil {
		return nil, b.failed(err)
	}
	return &upload{up, b}, nil
}

// upload is an Upload of an Uploader. Its errors have passed through Bucket.failed.
type upload struct {
	driver.Upload
	to *Bucket
}

func (w *upload) Part(ctx context.Context, n int, data []byte) error {
	return w.to.failed(w.Upload.Part(ctx, n, data))
}

func (w *upload) Complete(ctx context.Context, when driver.Condition) (string, error) {
	version, err := w.Upload.Complete(ctx, when)
	return version, w.to.failed(err)
}

func (w *upload) Abort(ctx context.Context) error {
	return w.to.failed(w.Upload.Abort(ctx))
}

// Clean refuses to clean a whole bucket, because other programs may upload there.
func (b *Bucket) Clean(ctx context.Context, do driver.Requester) error {
	if b.At.Path == "" {
		return fmt.Errorf("the store is a whole bucket: %w", driver.ErrUnlisted)
	}
	return b.Sweep(ctx, b.At.Key(""), func(key string, f func(context.Context) error) error {
		return do(key, func(ctx context.Context) error { return b.failed(f(ctx)) })
	})
}

func (b *Bucket) Read(ctx context.Context, key string, p []byte, off int64, was driver.Info) (err error) {
	want := int64(len(p))
	r, err := b.Blobs.NewRangeReader(oneRead(ctx), b.At.Key(key), off, want, b.Raw)
	if err != nil {
		return b.rangeError(ctx, key, off, want, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := was.CheckVersion(b.ReadVersion(r), time.Time{}); err != nil {
		return err
	}
	if size := r.Size(); off > size-want {
		return &driver.ShortError{Off: off, Want: want, Size: size}
	}
	// The client's error about a checksum is ignored: some servers send the checksum of
	// the whole object with a part.
	if _, err := io.ReadFull(limits.Earning(ctx, r), p); err != nil {
		return driver.BrokenBody(want, err)
	}
	if summed, ok := b.Uploader.(summed); ok && r.Size() == want {
		return b.etags.Compare(p, summed.Sums(r))
	}
	return nil
}

// rangeError returns a *driver.ShortError if the range lies behind the end of the object, which
// a server may refuse.
func (b *Bucket) rangeError(ctx context.Context, key string, off, want int64, err error) error {
	if err = b.failed(err); errors.Is(err, fs.ErrNotExist) || driver.Transient(err) {
		return err
	}
	if info, statErr := b.Stat(ctx, key); statErr == nil && off >= info.Size {
		return &driver.ShortError{Off: off, Want: want, Size: info.Size}
	}
	return err
}

func (b *Bucket) ReadAll(ctx context.Context, key string, limit int64, room func(int) []byte) (data []byte, version string, err error) {
	r, err := b.Blobs.NewReader(oneRead(ctx), b.At.Key(key), b.Raw)
	if err != nil {
		return nil, "", b.failed(err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size := r.Size()
	if size < 0 {
		return nil, "", errors.New("the server does not tell the size of the object")
	}
	if size > limit {
		return nil, "", fmt.Errorf("%w: %d bytes, at most %d wanted", driver.ErrTooLarge, size, limit)
	}
	data = room(int(size))
	if err := remote.ReadBody(limits.Earning(ctx, r), data); err != nil {
		return nil, "", driver.BrokenBody(size, err)
	}
	if summed, ok := b.Uploader.(summed); ok {
		err = b.etags.Compare(data, summed.Sums(r))
	}
	return data, b.ReadVersion(r), err
}

func (b *Bucket) Stat(ctx context.Context, key string) (driver.Info, error) {
	a, err := b.Blobs.Attributes(ctx, b.At.Key(key))
	if err != nil {
		return driver.Info{}, b.failed(err)
	}
	info := driver.Info{Key: key, Size: a.Size, ModTime: a.ModTime, ETag: a.ETag, Version: b.Version(a)}
	if summed, ok := b.Uploader.(statSummed); ok {
		info.Sum = summed.Sum(a)
	}
	return info, nil
}

func (b *Bucket) List(prefix string) driver.Pager {
	base := b.At.Key("")
	opt := &blob.ListOptions{Prefix: base + prefix}
	token := blob.FirstPageToken
	return func(ctx context.Context) ([]driver.Info, error) {
		objects, next, err := b.listPage(ctx, token, opt)
		if err != nil {
			return nil, err
		}
		token = next
		page := make([]driver.Info, 0, len(objects))
		for _, o := range objects {
			key := strings.TrimPrefix(o.Key, base)
			if b.At.CheckKey(key) != nil {
				continue // a marker of a folder, or a name that is no key
			}
			page = append(page, driver.Info{Key: key, Size: o.Size, ModTime: o.ModTime, Version: b.ListedVersion(o)})
		}
		if len(token) == 0 {
			return page, driver.ErrEnd
		}
		return page, nil
	}
}

// listPage returns a page of a list. The client panics if the server's list lacks the time
// or the size of an object.
func (b *Bucket) listPage(ctx context.Context, token []byte, opt *blob.ListOptions) (objects []*blob.ListObject, next []byte, err error) {
	defer func() {
		if recover() != nil {
			err = driver.ConnectionError{Cause: errors.New("the server's list lacks the time or the size of an object")}
		}
	}()
	objects, next, err = b.Blobs.ListPage(ctx, token, driver.ListPage, opt)
	return objects, next, b.failed(err)
}

// remover is an uploader whose server deletes an object in one request, without an error
// if the object does not exist.
type remover interface {
	Remove(ctx context.Context, key string) error
}

func (b *Bucket) Delete(ctx context.Context, key string) error {
	remove := b.Blobs.Delete
	if r, ok := b.Uploader.(remover); ok {
		remove = r.Remove
	}
	err := b.failed(remove(ctx, b.At.Key(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (b *Bucket) Close() error {
	if b.Shared {
		return nil
	}
	return b.Blobs.Close()
}

// failed returns the error of a request without its URL, with the meaning of the
// server's answer and with a hint.
func (b *Bucket) failed(err error) error {
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if answer, ok := errors.AsType[*driver.StatusError](err); ok {
		return answer
	}
	if answer := b.Answer(err); answer != nil {
		return answer
	}
	return driver.WithoutURL(err)
}

// FirstRequest tells whether no request was made yet for the read that has this context,
// and counts this one. It is true for a context of another operation.
func FirstRequest(ctx context.Context) bool {
	made, ok := ctx.Value(readKey{}).(*atomic.Bool)
	return !ok || !made.Swap(true)
}

// readKey is the key of an *atomic.Bool in a context. It tells whether the request of a
// read has been made.
type readKey struct{}

// oneRead returns a context for a read that is to be a single request.
func oneRead(ctx context.Context) context.Context {
	return context.WithValue(ctx, readKey{}, new(atomic.Bool))
}

// Copier is an ability of an uploader: the server copies objects. The methods are those of
// [driver.ObjectServer], with the full key.
type Copier interface {
	CopyFrom(ctx context.Context, bucket string, object driver.Info, key string, when driver.Condition) (made driver.Copied, known bool, err error)
	MostCopied() int64
}

func (b *Bucket) MostCopied() int64 {
	if c, ok := b.Uploader.(Copier); ok {
		return c.MostCopied()
	}
	return -1
}

func (b *Bucket) CopyFrom(ctx context.Context, bucket string, object driver.Info, key string, when driver.Condition) (made driver.Copied, known bool, err error) {
	made, known, err = b.Uploader.(Copier).CopyFrom(ctx, bucket, object, b.At.Key(key), when)
	return made, known, b.failed(err)
}

// Conditional is false in memory, which one process has for itself.
func (b *Bucket) Conditional() bool { return b.At.Scheme != "mem" && !b.unconditional.Load() }

func (b *Bucket) DropConditions() { b.unconditional.Store(true) }

func (b *Bucket) Folders(prefix string) driver.FolderPager {
	base := b.At.Key("") + prefix
	opt := &blob.ListOptions{Prefix: base, Delimiter: "/"}
	token := blob.FirstPageToken
	return func(ctx context.Context) ([]string, error) {
		objects, next, err := b.listPage(ctx, token, opt)
		if err != nil {
			return nil, err
		}
		token = next
		var names []string
		for _, o := range objects {
			if name := location.FolderName(base, o.Key); o.IsDir && name != "" {
				names = append(names, name)
			}
		}
		if len(token) == 0 {
			return names, driver.ErrEnd
		}
		return names, nil
	}
}
