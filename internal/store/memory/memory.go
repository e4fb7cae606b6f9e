// Package memory keeps objects in memory, for tests and for small programs.
package memory

import (
	"context"
	"net/http"
	"sync"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// Memory holds buckets in memory by the name in their mem:// URL. Stores opened
// with the same Memory see the same objects. The zero value is empty and ready
// to use. A Memory is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	buckets map[string]*blob.Bucket
}

func (m *Memory) bucket(name string) *blob.Bucket {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.buckets[name]
	if !ok {
		if m.buckets == nil {
			m.buckets = make(map[string]*blob.Bucket)
		}
		b = memblob.OpenBucket(&memblob.Options{NoMD5: true})
		m.buckets[name] = b
	}
	return b
}

// New opens a bucket of m. If m is nil, the bucket belongs to this driver alone.
func New(at location.Location, m *Memory) *bucket.Bucket {
	shared := m != nil
	if m == nil {
		m = new(Memory)
	}
	blobs := m.bucket(at.Host)
	return &bucket.Bucket{At: at, Blobs: blobs, Shared: shared, Uploader: uploader{blobs}}
}

type uploader struct{ blobs *blob.Bucket }

func (u uploader) PutWhole(ctx context.Context, key string, data []byte, when driver.Condition) (string, error) {
	err := u.blobs.WriteAll(ctx, key, data, &blob.WriterOptions{
		ContentType: bucket.ObjectType,
		IfNotExist:  when.Absent,
	})
	if when.Absent && gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return "", driver.Conflict(err)
	}
	return "", err
}

func (u uploader) InOrder() bool { return true }

func (u uploader) PartSize(int) int { return 256 << 10 }

// Sweep finds nothing: the memory of an earlier process went with it.
func (u uploader) Sweep(context.Context, string, driver.Requester) error { return nil }

func (u uploader) Start(_ context.Context, key string, _ driver.Condition) (driver.Upload, error) {
	return &upload{to: u, key: key}, nil
}

// upload collects an object's parts.
type upload struct {
	to   uploader
	key  string
	data []byte
}

func (w *upload) Part(_ context.Context, _ int, data []byte) error {
	w.data = append(w.data, data...)
	return nil
}

func (w *upload) Complete(ctx context.Context, when driver.Condition) (string, error) {
	return w.to.PutWhole(ctx, w.key, w.data, when)
}

func (w *upload) Abort(context.Context) error {
	w.data = nil
	return nil
}

// Answer gives "not found" the status that a server would send.
func (u uploader) Answer(err error) *driver.StatusError {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return &driver.StatusError{Code: http.StatusNotFound, Cause: err}
	}
	return nil
}

// Version is always "": only this process changes objects in memory.
func (u uploader) Version(*blob.Attributes) string { return "" }

func (u uploader) ReadVersion(*blob.Reader) string { return "" }

func (u uploader) ListedVersion(*blob.ListObject) string { return "" }
