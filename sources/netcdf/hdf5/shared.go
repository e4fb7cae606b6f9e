package hdf5

import (
	"container/list"
	"sync"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Shared is what files that are open at the same time have in common: a cache
// of their metadata and chunk indexes, buffers, and the state of decoders. It
// is safe for concurrent use.
type Shared struct {
	buffers  *ndarray.Pool
	decoders decoders

	mu      sync.Mutex
	limit   int // bytes
	kept    int // bytes
	entries map[cacheKey]*list.Element
	order   list.List // of cached; the last used first
}

// The bounds of a Shared whose limit is 0, and of its idle buffers, in bytes.
const (
	defaultShared = 64 << 20
	keptBuffers   = 32 << 20
)

// NewShared returns a Shared that keeps at most limit bytes of metadata and
// chunk indexes, or one index if that is larger; 0 stands for 64 MiB.
func NewShared(limit int) *Shared {
	if limit <= 0 {
		limit = defaultShared
	}
	s := &Shared{limit: limit, buffers: &ndarray.Pool{Keep: keptBuffers}, entries: map[cacheKey]*list.Element{}}
	s.order.Init()
	return s
}

// cacheKey names a page of a file, or the chunk index of the dataset whose
// header is at that address.
type cacheKey struct {
	file  *File
	at    uint64
	index bool
}

type cached struct {
	key   cacheKey
	value any // []byte or chunkIndex
	bytes int
}

// get returns what is kept under a key, nil where there is nothing.
func (s *Shared) get(key cacheKey) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[key]
	if e == nil {
		return nil
	}
	s.order.MoveToFront(e)
	return e.Value.(*cached).value
}

// put keeps a value of so many bytes, and drops those not used for longest.
func (s *Shared) put(key cacheKey, value any, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[key] != nil {
		return
	}
	s.entries[key] = s.order.PushFront(&cached{key, value, bytes})
	s.kept += bytes
	for s.kept > s.limit && s.order.Len() > 1 {
		s.drop(s.order.Back())
	}
}

func (s *Shared) drop(e *list.Element) {
	c := s.order.Remove(e).(*cached)
	delete(s.entries, c.key)
	s.kept -= c.bytes
}
