package hdf5

import (
	"container/list"
	"sync"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Shared is what open files share: caches of their metadata and chunk indexes, buffers,
// and decoders. It is safe for concurrent use.
type Shared struct {
	buffers  *ndarray.Pool
	decoders decoders
	pages    cache // of []byte
	links    cache // of map[string]Link
	heaps    cache // of []byte, pages of global heaps
	indexes  cache // of chunkIndex

	collections cache // of *collection
}

// Limits, in bytes, of a Shared whose limit is 0, and of its idle buffers.
const (
	defaultShared = 64 << 20
	keptBuffers   = 32 << 20
)

// NewShared returns a Shared that keeps at most limit bytes of metadata; 0 stands for
// 64 MiB. It keeps as many bytes of chunk indexes, or two indexes if they are larger,
// so that two arrays that are read in turn do not drop each other's index. The links of
// groups through which soft links lead have an eighth of the limit, or room for two
// groups. Pages with elements of variable size have a thirty-second, because they are
// many and mostly used once.
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

// cache keeps the values that were used last. It is safe for concurrent use.
type cache struct {
	limit int // bytes
	least int // number of values that are kept even if they are larger

	mu      sync.Mutex
	kept    int // bytes
	entries map[cacheKey]*list.Element
	order   list.List // of cached; the most recently used first
}

// cacheKey identifies a page of a file, the chunk index of a dataset, or the links of a
// group. A dataset or group is identified by the address of its header.
type cacheKey struct {
	file *File
	at   uint64
}

type cached struct {
	key   cacheKey
	value any
	bytes int
}

const cachedBytes = 256 // bytes of memory for an entry besides its value

// get returns the value of a key, or nil if none is kept.
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

// put keeps a value of so many bytes. It drops the values that have not been used for
// longest.
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
