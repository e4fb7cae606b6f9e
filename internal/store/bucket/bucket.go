// Package bucket is the driver of all places that keep objects in buckets. A [Client] has
// what differs from place to place.
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

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// Bucket is a [driver.Driver].
type Bucket struct {
	At    location.Location
	etags remote.EtagKind
	// unconditional is set once the server has refused a put for its condition.
	unconditional atomic.Bool
	Client
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

// Client makes the requests about the objects of a bucket, each of them once. Keys are full
// keys in the bucket: they begin with the store's prefix.
type Client interface {
	reading
	writing
	// Answer returns the server's answer to a request that failed with err; nil if there
	// was none.
	Answer(err error) *driver.StatusError
}

// reading is the part of a client that reads.
type reading interface {
	// Head describes an object. The Key of the result is empty.
	Head(ctx context.Context, key string) (driver.Info, error)
	// Get begins to read n bytes of an object from off on, or the whole object if n is
	// negative. The bytes are those that are stored. The caller closes the body.
	Get(ctx context.Context, key string, off, n int64) (*Object, error)
	// ListPage returns the page of a list that a token names, "" the first one. In a list of
	// folders, the part of a key that follows the prefix ends with its first "/".
	ListPage(ctx context.Context, prefix string, folders bool, token string) (Page, error)
}

// writing is the part of a client that writes.
type writing interface {
	// PutWhole stores an object in one request and returns its version. If the condition
	// does not hold, the error wraps fs.ErrExist.
	PutWhole(ctx context.Context, key string, data []byte, when driver.Condition) (version string, err error)
	// Start begins an object that comes in parts, as Begin of a driver does.
	Start(ctx context.Context, key string, when driver.Condition) (driver.Upload, error)
	InOrder() bool
	PartSize(n int) int
	// Remove deletes an object. An object that does not exist may be an error.
	Remove(ctx context.Context, key string) error
	// Sweep aborts the uploads below the prefix that an earlier process left
	// behind. It makes each request through do.
	Sweep(ctx context.Context, prefix string, do driver.Requester) error
}

// Object is an object, or a part of one, that is being read.
type Object struct {
	Body    io.ReadCloser
	Size    int64  // of the whole object; negative if the server does not tell it
	Version string // "" if the server does not tell it
	// Sums are the checksums of the whole object that the client itself does not compare.
	Sums remote.AnswerSums
}

// Page is a page of a list: objects under their full keys, or folders under names that end
// with "/", and the token of the next page, "" after the last one.
type Page struct {
	Objects []driver.Info
	Folders []string
	Next    string
}

// Incomplete is the error of a list that lacks the time or the size of an object.
func Incomplete() error {
	return driver.ConnectionError{Cause: errors.New("the server's list lacks the time or the size of an object")}
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

// upload is an Upload of a Client. Its errors have passed through Bucket.failed.
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
	object, err := b.Get(ctx, b.At.Key(key), off, want)
	if err != nil {
		return b.rangeError(ctx, key, off, want, err)
	}
	defer func() { err = errors.Join(err, object.Body.Close()) }()
	if err := was.CheckVersion(object.Version, time.Time{}); err != nil {
		return err
	}
	if object.Size >= 0 && off > object.Size-want {
		return &driver.ShortError{Off: off, Want: want, Size: object.Size}
	}
	// The client's error about a checksum is ignored: some servers send the checksum of
	// the whole object with a part.
	if _, err := io.ReadFull(limits.Earning(ctx, object.Body), p); err != nil {
		return driver.BrokenBody(want, err)
	}
	if object.Size == want {
		return b.etags.Compare(p, object.Sums)
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
	object, err := b.Get(ctx, b.At.Key(key), 0, -1)
	if err != nil {
		return nil, "", b.failed(err)
	}
	defer func() { err = errors.Join(err, object.Body.Close()) }()
	size := object.Size
	if size < 0 {
		return nil, "", errors.New("the server does not tell the size of the object")
	}
	if size > limit {
		return nil, "", fmt.Errorf("%w: %d bytes, at most %d wanted", driver.ErrTooLarge, size, limit)
	}
	data = room(int(size))
	if err := remote.ReadBody(limits.Earning(ctx, object.Body), data); err != nil {
		return nil, "", driver.BrokenBody(size, err)
	}
	return data, object.Version, b.etags.Compare(data, object.Sums)
}

func (b *Bucket) Stat(ctx context.Context, key string) (driver.Info, error) {
	info, err := b.Head(ctx, b.At.Key(key))
	if err != nil {
		return driver.Info{}, b.failed(err)
	}
	info.Key = key
	return info, nil
}

func (b *Bucket) List(prefix string) driver.Pager {
	base := b.At.Key("")
	var token string
	return func(ctx context.Context) ([]driver.Info, error) {
		page, err := b.ListPage(ctx, base+prefix, false, token)
		if err != nil {
			return nil, b.failed(err)
		}
		token = page.Next
		infos := page.Objects[:0]
		for _, info := range page.Objects {
			if info.Key = strings.TrimPrefix(info.Key, base); b.At.CheckKey(info.Key) == nil {
				infos = append(infos, info) // neither a marker of a folder nor a name that is no key
			}
		}
		if token == "" {
			return infos, driver.ErrEnd
		}
		return infos, nil
	}
}

func (b *Bucket) Delete(ctx context.Context, key string) error {
	err := b.failed(b.Remove(ctx, b.At.Key(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Close closes the client, if it has something to close. A client that several
// folders share has nothing. Connections end by themselves.
func (b *Bucket) Close() error {
	if c, ok := b.Client.(io.Closer); ok {
		return c.Close()
	}
	return nil
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

// Copier is an ability of a client: the server copies objects. The methods are those of
// [driver.ObjectServer], with the full key.
type Copier interface {
	CopyFrom(ctx context.Context, bucket string, object driver.Info, key string, when driver.Condition) (made driver.Copied, known bool, err error)
	MostCopied() int64
}

func (b *Bucket) MostCopied() int64 {
	if c, ok := b.Client.(Copier); ok {
		return c.MostCopied()
	}
	return -1
}

func (b *Bucket) CopyFrom(ctx context.Context, bucket string, object driver.Info, key string, when driver.Condition) (made driver.Copied, known bool, err error) {
	made, known, err = b.Client.(Copier).CopyFrom(ctx, bucket, object, b.At.Key(key), when)
	return made, known, b.failed(err)
}

// Conditional is false in memory, which one process has for itself.
func (b *Bucket) Conditional() bool { return b.At.Scheme != "mem" && !b.unconditional.Load() }

func (b *Bucket) DropConditions() { b.unconditional.Store(true) }

func (b *Bucket) Folders(prefix string) driver.FolderPager {
	base := b.At.Key("") + prefix
	var token string
	return func(ctx context.Context) ([]string, error) {
		page, err := b.ListPage(ctx, base, true, token)
		if err != nil {
			return nil, b.failed(err)
		}
		token = page.Next
		var names []string
		for _, folder := range page.Folders {
			if name := location.FolderName(base, folder); name != "" {
				names = append(names, name)
			}
		}
		if token == "" {
			return names, driver.ErrEnd
		}
		return names, nil
	}
}
