package hdf5

import (
	"container/list"
	"sync"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Shared is what files that are open at the same time have in common: caches
// of their metadata and chunk indexes, buffers, and the state of decoders. It
// is safe for concurrent use.
type Shared struct {
	buffers  *ndarray.Pool
	decoders decoders
	pages    cache // of []byte
	links    cache // of map[string]Link
	heaps    cache // of []byte, pages of global heaps
	indexes  cache // of chunkIndex

	collections cache // of *collection
}

// The bounds of a Shared whose limit is 0, and of its idle buffers, in bytes.
const (
	defaultShared = 64 << 20
	keptBuffers   = 32 << 20
)

// NewShared returns a Shared that keeps at most limit bytes of metadata, and as
// many of chunk indexes, or two indexes if those are larger, so that no array
// drops the index of the one that is read before or after it; 0 stands for 64 MiB.
// The links of groups that soft links lead through are kept in an eighth of it, or
// those of two groups, and in a thirty-second pages with elements of variable size,
// which are many and mostly looked at once.
func NewShared(limit int) *Shared {
	if limit <= 0 {
		limit = defaultShared
	}
	return &Shared{
		buffers: &ndarray.Pool{Keep: keptBuffers},
		pages:   cache{limit: limit, least: 1},
		indexes: cache{limit: limit, least: 2},
		links:   cache{limit: limit / 8, least: 2},

		collections: cache{limit: limit / 32, least: 1},
		heaps:       cache{limit: limit / 32, least: 1},
	}
}

// cache keeps what was used last. It is safe for concurrent use.
type cache struct {
	limit int // bytes
	least int // how many values it keeps even if they are larger

	mu      sync.Mutex
	kept    int // bytes
	entries map[cacheKey]*list.Element
	order   list.List // of cached; the last used first
}

// cacheKey names a page of a file, or the chunk index of the dataset or the links of
// the group whose header is at that address.
type cacheKey struct {
	file *File
	at   uint64
}

type cached struct {
	key   cacheKey
	value any
	bytes int
}

const cachedBytes = 256 // of memory for an entry beside its value

// get returns what is kept under a key, nil where there is nothing.
func (c *cache) get(key cacheKey) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).value
}

// put keeps a value of so many bytes, and drops those not used for longest.
func (c *cache) put(key cacheKey, value any, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] != nil {
		return
	}
	if c.entries == nil {
		c.entries = map[cacheKey]*list.Element{}
	}
	bytes += cachedBytes
	c.entries[key] = c.order.PushFront(&cached{key, value, bytes})
	c.kept += bytes
	for c.kept > c.limit && c.order.Len() > c.least {
		last := c.order.Remove(c.order.Back()).(*cached)
		delete(c.entries, last.key)
		c.kept -= last.bytes
	}
}
