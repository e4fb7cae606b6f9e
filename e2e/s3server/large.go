package main

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"math/bits"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// largeFrom is the size from which on an object is large, in bytes.
const largeFrom = 64 << 10

// largeObjects stores the bodies of large objects as they come, each read into one buffer.
// gofakes3 would compute two MD5 of each, and that takes longer than all else that the
// server does. What gofakes3 stores in place of such an object is a token of a few bytes. So
// the ETag of a large object is the MD5 of its token. The clients see the object itself.
//
// The body of a deleted or replaced object stays in memory until the instance ends.
type largeObjects struct {
	*s3mem.Backend
	buffers *bufferPool

	mu     sync.Mutex
	bodies map[string][]byte // by the ETag of the token, without quotes
}

func newLargeObjects(buffers *bufferPool) *largeObjects {
	return &largeObjects{Backend: s3mem.New(), buffers: buffers, bodies: make(map[string][]byte)}
}

// taking returns a handler that stores the bodies of large objects, and hands all else to
// next.
func (l *largeObjects) taking(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLarge(r) {
			next.ServeHTTP(w, r)
			return
		}
		body := l.buffers.get(int(r.ContentLength))
		if _, err := io.ReadFull(r.Body, body); err != nil {
			l.buffers.put(body)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		l.mu.Lock()
		token := fmt.Appendf(nil, "large object %d", len(l.bodies))
		sum := md5.Sum(token)
		l.bodies[hex.EncodeToString(sum[:])] = body
		l.mu.Unlock()
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(token)), int64(len(token))
		r.Header.Set("Content-Length", strconv.Itoa(len(token)))
		next.ServeHTTP(w, r)
	})
}

// isLarge tells whether a request puts a large object whose body is the bytes of the object
// and nothing else.
func isLarge(r *http.Request) bool {
	query := r.URL.RawQuery
	return r.Method == http.MethodPut && (query == "" || query == "x-id=PutObject") && r.ContentLength >= largeFrom &&
		r.Header.Get("Content-MD5") == "" && !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-")
}

func (l *largeObjects) body(etag string) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	body, ok := l.bodies[etag]
	return body, ok
}

func (l *largeObjects) HeadObject(bucket, name string) (*gofakes3.Object, error) {
	object, err := l.Backend.HeadObject(bucket, name)
	if err != nil {
		return nil, err
	}
	if body, ok := l.body(hex.EncodeToString(object.Hash)); ok {
		object.Size = int64(len(body))
	}
	return object, nil
}

func (l *largeObjects) GetObject(bucket, name string, part *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	object, err := l.Backend.HeadObject(bucket, name)
	if err != nil {
		return nil, err
	}
	body, ok := l.body(hex.EncodeToString(object.Hash))
	if !ok {
		return l.Backend.GetObject(bucket, name, part)
	}
	object.Size = int64(len(body))
	if object.Range, err = part.Range(object.Size); err != nil {
		return nil, err
	}
	if at := object.Range; at != nil {
		body = body[at.Start : at.Start+at.Length]
	}
	object.Contents = io.NopCloser(bytes.NewReader(body))
	return object, nil
}

func (l *largeObjects) ListBucket(name string, prefix *gofakes3.Prefix, page gofakes3.ListBucketPage) (*gofakes3.ObjectList, error) {
	list, err := l.Backend.ListBucket(name, prefix, page)
	if err != nil {
		return nil, err
	}
	for _, c := range list.Contents {
		if body, ok := l.body(strings.Trim(c.ETag, `"`)); ok {
			c.Size = int64(len(body))
		}
	}
	return list, nil
}

// end gives the memory of all bodies back.
func (l *largeObjects) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, body := range l.bodies {
		l.buffers.put(body)
	}
	clear(l.bodies)
}

// bufferPool keeps the buffers of instances that have ended for later ones. New memory of
// the system would cost the time of clearing it.
type bufferPool struct {
	mu   sync.Mutex
	free map[int][][]byte // by capacity
}

// get returns a buffer of n bytes. Its capacity is one of eight between two powers of 2, so
// that objects of similar sizes can use each other's buffers.
func (p *bufferPool) get(n int) []byte {
	step := 1 << max(0, bits.Len(uint(n))-4)
	size := (n + step - 1) / step * step
	p.mu.Lock()
	defer p.mu.Unlock()
	if free := p.free[size]; len(free) > 0 {
		p.free[size] = free[:len(free)-1]
		return free[len(free)-1][:n]
	}
	return make([]byte, n, size)
}

func (p *bufferPool) put(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free[cap(b)] = append(p.free[cap(b)], b)
}
