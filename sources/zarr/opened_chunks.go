package zarr

import (
	"container/list"
	"context"
	"hash/crc32"
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
)

const (
	// keptIndexes bounds the memory of opened chunks, most of which is for the
	// indexes of shards.
	keptIndexes = 8 << 20
	// entryBytes is what an opened chunk takes beside its index.
	entryBytes = 512
)

// opened holds the chunks that were opened last, to be read in parts. It is
// safe for concurrent use.
type opened struct {
	presence *presence
	limit    int // bytes

	mu    sync.Mutex
	byKey map[string]*list.Element // of *entry
	order *list.List               // the most recently used first
	bytes int
}

// entry is a chunk that is being opened or was.
type entry struct {
	key   string
	bytes int

	mu     sync.Mutex
	done   bool
	object *codecs.Object // nil: there is no such chunk
}

func newOpened(p *presence) *opened {
	return &opened{presence: p, limit: keptIndexes, byKey: map[string]*list.Element{}, order: list.New()}
}

// get returns the chunk with this key, nil where there is none, and opens it if
// it is not open, unless hold has something against its version. Of several callers
// at once one opens it.
func (o *opened) get(ctx context.Context, chain *codecs.Chain, key string, hold func(version string) error) (*codecs.Object, error) {
	e := o.entry(key, entryBytes+chain.Kept())
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done {
		return e.object, nil
	}
	st := o.presence.store
	var info store.Info
	found, err := o.presence.read(ctx, key, func() (err error) {
		if info, err = st.Stat(ctx, key); err != nil {
			return err
		}
		return hold(info.Version)
	})
	if !found {
		e.done = err == nil
		return nil, err
	}
	object, err := chain.Open(ctx, input{st, info})
	if err != nil {
		return nil, err
	}
	e.object, e.done = object, true
	return object, nil
}

// entry returns the entry of a key, a new one if there is none, and drops those
// that were not used for longest beyond the limit.
func (o *opened) entry(key string, bytes int) *entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	if at, ok := o.byKey[key]; ok {
		o.order.MoveToFront(at)
		return at.Value.(*entry)
	}
	e := &entry{key: key, bytes: bytes}
	o.byKey[key] = o.order.PushFront(e)
	o.bytes += bytes
	for o.bytes > o.limit && o.order.Len() > 1 {
		last := o.order.Remove(o.order.Back()).(*entry)
		delete(o.byKey, last.key)
		o.bytes -= last.bytes
	}
	return e
}

// input is an object of a store as a [codecs.Input]. All of its bytes are of the version
// that it was opened as.
type input struct {
	store  *store.Store
	object store.Info
}

func (in input) Size() int64 { return in.object.Size }

// GapBytes implements [codecs.Gapped].
func (in input) GapBytes() int { return in.store.GapBytes() }

// Sum implements [codecs.Summed].
func (in input) Sum() (*crc32.Table, uint32) { return in.object.Sum.Table, in.object.Sum.Value }

func (in input) ReadAt(ctx context.Context, p []byte, off int64) error {
	return in.store.ReadOf(ctx, in.object, in.object.Key, p, off)
}
