package store

import (
	"context"
	"net/http"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store/azure"
	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/gcs"
	web "github.com/zmigrate/zmigrate/internal/store/http"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/s3"
)

// Clients are the clients of buckets and servers, for several stores. Stores of folders of
// one bucket, with the same query in their URLs, share a client: credentials are looked for
// once, and connections are used by all of them. The zero value has no clients yet. Clients
// is safe for concurrent use. Whoever made it closes it, after the stores.
type Clients struct {
	mu      sync.Mutex
	buckets map[string]bucket.Client // by the URLs of the buckets, with queries
	server  *http.Client             // of all HTTP servers; nil: none was asked for
}

// bucket returns the driver of a folder in a bucket. A client that cannot be made is tried
// again for the next folder. With nil, each driver has a client of its own.
func (c *Clients) bucket(ctx context.Context, at location.Location) (*bucket.Bucket, error) {
	if c == nil {
		return newBucket(ctx, at)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	whole := at
	whole.Path = ""
	if client := c.buckets[whole.Full()]; client != nil {
		return &bucket.Bucket{At: at, Client: client}, nil
	}
	b, err := newBucket(ctx, at)
	if err != nil {
		return nil, err
	}
	if c.buckets == nil {
		c.buckets = map[string]bucket.Client{}
	}
	c.buckets[whole.Full()] = b.Client
	return b, nil
}

// newBucket returns the driver of a folder in a bucket, with a client of its own.
func newBucket(ctx context.Context, at location.Location) (*bucket.Bucket, error) {
	switch at.Scheme {
	case "s3":
		return s3.New(ctx, at)
	case "gs":
		return gcs.New(ctx, at)
	}
	return azure.New(ctx, at)
}

// web returns the client of HTTP servers, nil if each driver is to have its own.
func (c *Clients) web() *http.Client {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server == nil {
		c.server = web.NewClient()
	}
	return c.server
}

// Close closes the connections that no request uses. Those to buckets end by themselves. The
// Clients may be nil.
func (c *Clients) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil {
		c.server.CloseIdleConnections()
	}
}
