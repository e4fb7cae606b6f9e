package store

import (
	"context"
	"net/http"
	"sync"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"
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

// newMemory opens a bucket of m. If m is nil, the bucket belongs to this driver alone.
func newMemory(at location, m *Memory) *bucket {
	shared := m != nil
	if m == nil {
		m = new(Memory)
	}
	blobs := m.bucket(at.host)
	return &bucket{at: at, blobs: blobs, shared: shared, uploader: memoryUploader{blobs}}
}

type memoryUploader struct{ blobs *blob.Bucket }

func (u memoryUploader) putWhole(ctx context.Context, key string, data []byte, when condition) (string, error) {
	err := u.blobs.WriteAll(ctx, key, data, &blob.WriterOptions{
		ContentType: objectType,
		IfNotExist:  when.absent,
	})
	if when.absent && gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return "", conflict(err)
	}
	return "", err
}

func (u memoryUploader) inOrder() bool { return true }

func (u memoryUploader) partSize(int) int { return 256 << 10 }

// sweep finds nothing: the memory of an earlier process went with it.
func (u memoryUploader) sweep(context.Context, string, requester) error { return nil }

func (u memoryUploader) start(_ context.Context, key string, _ condition) (upload, error) {
	return &memoryUpload{to: u, key: key}, nil
}

// memoryUpload collects an object's parts.
type memoryUpload struct {
	to   memoryUploader
	key  string
	data []byte
}

func (w *memoryUpload) part(_ context.Context, _ int, data []byte) error {
	w.data = append(w.data, data...)
	return nil
}

func (w *memoryUpload) complete(ctx context.Context, when condition) (string, error) {
	return w.to.putWhole(ctx, w.key, w.data, when)
}

func (w *memoryUpload) abort(context.Context) error {
	w.data = nil
	return nil
}

// answer gives "not found" the status that a server would send.
func (u memoryUploader) answer(err error) *statusError {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return &statusError{code: http.StatusNotFound, cause: err}
	}
	return nil
}

// version is always "": only this process changes objects in memory.
func (u memoryUploader) version(*blob.Attributes) string { return "" }

func (u memoryUploader) readVersion(*blob.Reader) string { return "" }

func (u memoryUploader) listedVersion(*blob.ListObject) string { return "" }
