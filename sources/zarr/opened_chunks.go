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
	// keptIndexes bounds the memory of opened chunks, most of which holds the indexes
	// of shards.
	keptIndexes = 8 << 20
	// entryBytes is the memory of an opened chunk besides its index.
	entryBytes = 512
)

// opened holds the chunks that were opened last, for reads of parts of them. It is safe
// for concurrent use.
type opened struct {
	presence *presence
	limit    int // bytes

	mu    sync.Mutex
	byKey map[string]*list.Element // values are *entry
	order *list.List               // the most recently used entry first
	bytes int
}

// entry is a chunk that is open or is being opened.
type entry struct {
	key   string
	bytes int

	mu     sync.Mutex
	done   bool
	object *codecs.Object // nil: the chunk is missing
}

func newOpened(p *presence) *opened {
	return &opened{presence: p, limit: keptIndexes, byKey: map[string]*list.Element{}, order: list.New()}
}

// forget closes all chunks.
func (o *opened) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byKey, o.order, o.bytes = map[string]*list.Element{}, list.New(), 0
}

// get returns the chunk with this key, or nil if the chunk is missing. It opens the
// chunk if it is not open, and asks checkVersion whether the version of the object is the
// expected one. If several callers want a chunk at once, one of them opens it.
func (o *opened) get(ctx context.Context, chain *codecs.Chain, key string, checkVersion func(version string) error) (*codecs.Object, error) {
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
		return checkVersion(info.Version)
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

// entry returns the entry of a key and adds one if there is none. Beyond the limit it
// drops the entries that have not been used for longest.
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

// input is an object of a store as a [codecs.Input]. All bytes are of the version that
// was opened.
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
