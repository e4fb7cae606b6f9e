// Package memory keeps objects in memory, for tests and for small programs.
package memory

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// Memory holds buckets in memory by the name in their mem:// URL. Stores opened
// with the same Memory see the same objects. The zero value is empty and ready
// to use. A Memory is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	buckets map[string]*objects
}

func (m *Memory) bucket(name string) *objects {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.buckets[name]
	if !ok {
		if m.buckets == nil {
			m.buckets = make(map[string]*objects)
		}
		b = &objects{kept: make(map[string]object)}
		m.buckets[name] = b
	}
	return b
}

// New opens a bucket of m. If m is nil, the bucket belongs to this driver alone.
func New(at location.Location, m *Memory) *bucket.Bucket {
	if m == nil {
		return &bucket.Bucket{At: at, Client: owned{new(Memory).bucket(at.Host)}}
	}
	return &bucket.Bucket{At: at, Client: m.bucket(at.Host)}
}

// owned are the objects of a bucket that belongs to one driver.
type owned struct{ *objects }

// Close drops the objects.
func (b owned) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept, b.closed = nil, true
	return nil
}

// objects are the objects of a bucket.
type objects struct {
	mu     sync.Mutex
	kept   map[string]object
	closed bool
}

// enter locks the objects, unless the operation has ended or they are closed.
func (b *objects) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return fs.ErrClosed
	}
	return nil
}

// object is an object. Nobody changes its bytes.
type object struct {
	data []byte
	when time.Time
}

func (o object) info(key string) driver.Info {
	return driver.Info{Key: key, Size: int64(len(o.data)), ModTime: o.when}
}

func (b *objects) find(ctx context.Context, key string) (object, error) {
	if err := b.enter(ctx); err != nil {
		return object{}, err
	}
	defer b.mu.Unlock()
	found, ok := b.kept[key]
	if !ok {
		// The status that a server would send.
		return found, &driver.StatusError{Code: http.StatusNotFound, Cause: fs.ErrNotExist}
	}
	return found, nil
}

func (b *objects) Head(ctx context.Context, key string) (driver.Info, error) {
	found, err := b.find(ctx, key)
	if err != nil {
		return driver.Info{}, err
	}
	info := found.info("")
	info.ETag = fmt.Sprintf(`"%x-%x"`, found.when.UnixNano(), len(found.data))
	return info, nil
}

func (b *objects) Get(ctx context.Context, key string, off, n int64) (*bucket.Object, error) {
	found, err := b.find(ctx, key)
	if err != nil {
		return nil, err
	}
	size := int64(len(found.data))
	data := found.data[min(off, size):]
	if n >= 0 {
		data = data[:min(n, int64(len(data)))]
	}
	return &bucket.Object{Body: io.NopCloser(bytes.NewReader(data)), Size: size}, nil
}

// ListPage implements [bucket.Client]. The token is the last key of the page before.
func (b *objects) ListPage(ctx context.Context, prefix string, folders bool, token string) (page bucket.Page, err error) {
	if err := b.enter(ctx); err != nil {
		return page, err
	}
	defer b.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(b.kept)) {
		if key <= token || !strings.HasPrefix(key, prefix) {
			continue
		}
		name, _, inside := strings.Cut(key[len(prefix):], "/")
		folder, inside := prefix+name+"/", folders && inside
		if n := len(page.Folders); inside && n > 0 && page.Folders[n-1] == folder {
			token = key
			continue
		}
		if len(page.Objects)+len(page.Folders) == driver.ListPage {
			page.Next = token
			break
		}
		if token = key; inside {
			page.Folders = append(page.Folders, folder)
		} else {
			page.Objects = append(page.Objects, b.kept[key].info(key))
		}
	}
	return page, nil
}

func (b *objects) Remove(ctx context.Context, key string) error {
	if err := b.enter(ctx); err != nil {
		return err
	}
	defer b.mu.Unlock()
	delete(b.kept, key)
	return nil
}

func (b *objects) PutWhole(ctx context.Context, key string, data []byte, when driver.Condition) (string, error) {
	return "", b.keep(ctx, key, bytes.Clone(data), when)
}

// keep makes data an object.
func (b *objects) keep(ctx context.Context, key string, data []byte, when driver.Condition) error {
	if err := b.enter(ctx); err != nil {
		return err
	}
	defer b.mu.Unlock()
	if _, ok := b.kept[key]; ok && when.Absent {
		return driver.Conflict(fs.ErrExist)
	}
	b.kept[key] = object{data: data, when: time.Now()}
	return nil
}

func (b *objects) InOrder() bool { return true }

func (b *objects) PartSize(int) int { return 256 << 10 }

// Sweep finds nothing: the memory of an earlier process went with it.
func (b *objects) Sweep(context.Context, string, driver.Requester) error { return nil }

func (b *objects) Start(_ context.Context, key string, _ driver.Condition) (driver.Upload, error) {
	return &upload{to: b, key: key}, nil
}

// upload collects an object's parts.
type upload struct {
	to   *objects
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

// Answer returns nil: there is no server.
func (b *objects) Answer(error) *driver.StatusError { return nil }
