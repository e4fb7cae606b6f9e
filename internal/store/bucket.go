package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// bucket is the driver of everything that gocloud.dev/blob reaches. Uploads go
// another way, because what a store needs of them (no copies, no retries
// inside, conditions, parts) differs from place to place.
type bucket struct {
	at     location
	blobs  *blob.Bucket
	shared bool // blobs outlives the store
	uploader
}

// uploader stores objects in a bucket. Keys are those of the bucket, with the
// store's prefix.
type uploader interface {
	// whole stores an object at once. With exclusive it returns an error that
	// wraps fs.ErrExist when there is one.
	whole(ctx context.Context, key string, data []byte, exclusive bool) error
	// start is begin of a driver.
	start(ctx context.Context, key string) (upload, error)
	partSize(n int) int
	// sweep aborts the uploads below the prefix that an earlier process left
	// behind; each request is made through do.
	sweep(ctx context.Context, prefix string, do requester) error
}

func (b *bucket) put(ctx context.Context, key string, data []byte) error {
	return absent(b.whole(ctx, b.at.key(key), data, false))
}

func (b *bucket) create(ctx context.Context, key string, data []byte) error {
	return absent(b.whole(ctx, b.at.key(key), data, true))
}

func (b *bucket) begin(ctx context.Context, key string) (upload, error) {
	up, err := b.start(ctx, b.at.key(key))
	return up, absent(err)
}

// clean spares a store that is a whole bucket: others may upload there.
func (b *bucket) clean(ctx context.Context, do requester) error {
	if b.at.path == "" {
		return fmt.Errorf("the store is a whole bucket: %w", errUnlisted)
	}
	return b.sweep(ctx, b.at.key(""), do)
}

// sync has nothing to do: an acknowledged upload is durable.
func (b *bucket) sync(context.Context) error { return nil }

func (b *bucket) read(ctx context.Context, key string, p []byte, off int64) (err error) {
	want := int64(len(p))
	r, err := b.blobs.NewRangeReader(ctx, b.at.key(key), off, want, nil)
	if err != nil {
		return b.rangeError(ctx, key, off, want, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if size := r.Size(); off > size-want {
		return &shortError{off: off, want: want, size: size}
	}
	if _, err := io.ReadFull(r, p); err != nil {
		return fmt.Errorf("body of %d bytes: %w", want, err)
	}
	return nil
}

// rangeError tells a range behind the end of the object, which a server may
// refuse as such, from other failures.
func (b *bucket) rangeError(ctx context.Context, key string, off, want int64, err error) error {
	if err = absent(err); errors.Is(err, fs.ErrNotExist) || transient(err) {
		return err
	}
	if info, statErr := b.stat(ctx, key); statErr == nil && off >= info.Size {
		return &shortError{off: off, want: want, size: info.Size}
	}
	return err
}

func (b *bucket) readAll(ctx context.Context, key string, limit int64) (data []byte, err error) {
	r, err := b.blobs.NewReader(ctx, b.at.key(key), nil)
	if err != nil {
		return nil, absent(err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size := r.Size()
	if size < 0 {
		return nil, errors.New("the server does not tell the size of the object")
	}
	if size > limit {
		return nil, fmt.Errorf("%w: %d bytes, at most %d wanted", ErrTooLarge, size, limit)
	}
	data = make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("body of %d bytes: %w", size, err)
	}
	return data, nil
}

func (b *bucket) stat(ctx context.Context, key string) (Info, error) {
	a, err := b.blobs.Attributes(ctx, b.at.key(key))
	if err != nil {
		return Info{}, absent(err)
	}
	return Info{Key: key, Size: a.Size, ModTime: a.ModTime, ETag: a.ETag}, nil
}

func (b *bucket) list(prefix string) pager {
	base := b.at.key("")
	opt := &blob.ListOptions{Prefix: base + prefix}
	token := blob.FirstPageToken
	return func(ctx context.Context) ([]Info, error) {
		if len(token) == 0 {
			return nil, errEnd
		}
		objects, next, err := b.blobs.ListPage(ctx, token, listPage, opt)
		if err != nil {
			return nil, absent(err)
		}
		token = next
		page := make([]Info, 0, len(objects))
		for _, o := range objects {
			key := strings.TrimPrefix(o.Key, base)
			if checkKey(key) != nil {
				continue // a marker of a folder, or a foreign name that no call could take
			}
			page = append(page, Info{Key: key, Size: o.Size, ModTime: o.ModTime})
		}
		return page, nil
	}
}

func (b *bucket) delete(ctx context.Context, key string) error {
	err := absent(b.blobs.Delete(ctx, b.at.key(key)))
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

// absent makes "not found" fs.ErrNotExist, and leaves other errors alone.
func absent(err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return fmt.Errorf("%w (%w)", fs.ErrNotExist, err)
	}
	return err
}
