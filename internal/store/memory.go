package store

import (
	"context"
	"fmt"
	"io/fs"
	"sync"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"
)

// Memory holds buckets in memory by the name in their mem:// URL. Stores opened
// with the same Memory see the same objects. The zero value is empty and ready
// to use, also concurrently.
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

// newMemory opens a bucket of m, or one of its own without m.
func newMemory(at location, m *Memory) *bucket {
	shared := m != nil
	if m == nil {
		m = new(Memory)
	}
	blobs := m.bucket(at.host)
	upload := func(ctx context.Context, key string, data []byte, exclusive bool) error {
		err := blobs.WriteAll(ctx, key, data, &blob.WriterOptions{
			ContentType: "application/octet-stream",
			IfNotExist:  exclusive,
		})
		if exclusive && gcerrors.Code(err) == gcerrors.FailedPrecondition {
			return fmt.Errorf("%w (%w)", fs.ErrExist, err)
		}
		return err
	}
	return &bucket{at: at, blobs: blobs, shared: shared, upload: upload}
}
