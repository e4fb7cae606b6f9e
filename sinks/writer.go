package sinks

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/zarr"
)

// Options are the settings of Create and Open. The zero value is usable.
type Options struct {
	// Attributes are those of the root group, for Create.
	Attributes zarr.Attributes
	// Codecs are the known codecs, and with them the data types; nil: the standard ones.
	Codecs *codecs.Registry
	// Memory bounds the bytes of chunks that the Writer holds beside the arrays of its
	// caller. Half of it is for chunks that are being encoded, and half for chunks that
	// were written in part and wait for the rest. One chunk may always be encoded, however
	// large it is. 0 stands for 256 MiB.
	Memory int
	// Unconsolidated makes Create leave consolidated metadata out of the root's document.
	Unconsolidated bool
	// Retries is the number of attempts after the first one for a request that fails
	// with a transient error. 0 means 3, a negative number none.
	Retries int
	// Log receives a line for each retry; nil discards the lines.
	Log *slog.Logger
}

// Writer writes the arrays of a Zarr v3 hierarchy: a new one of Create, or an existing one
// of Open. It is safe for concurrent use.
//
// Readers see nothing of a new hierarchy before Commit: until then, the place holds chunks
// and no document. Close gives up what was not committed, so that a program may defer it:
//
//	w, err := sinks.Create(ctx, "s3://bucket/climate.zarr", sinks.Options{})
//	…
//	defer w.Close()
//	a, err := w.CreateArray(ctx, "temperature", sinks.ArraySpec{Type: dtype.Float32, Shape: shape})
//	…
//	err = a.WriteRegion(ctx, values, start)
//	…
//	return w.Commit(ctx)
type Writer struct {
	store     *store.Store
	hierarchy *Hierarchy
	options   Options
	pool      *ndarray.Pool
	atOnce    int                 // objects of one region that are encoded at the same time
	flight    *semaphore.Weighted // bytes of chunks that are being encoded

	// working is held for reading while chunks are written, and by Commit for writing.
	working sync.RWMutex

	existing bool // there was a hierarchy; see Open

	mu      sync.Mutex // guards arrays, groups and changes
	arrays  map[string]*Array
	groups  map[string]zarr.Attributes // new ones
	changes map[string]zarr.Attributes // of groups of an existing hierarchy

	syncing  sync.Mutex // is held during a Sync
	unsynced unsynced

	closed    atomic.Bool
	waiting   atomic.Int64 // bytes of objects that wait
	waitQueue waitQueue
}

// unsynced holds the keys of objects that were stored since the last Sync. Reads do not
// see them before the next one.
type unsynced struct {
	mu   sync.Mutex
	keys map[string]struct{}
}

// mostUnsynced bounds the keys of unsynced, and with them their memory.
const mostUnsynced = 1 << 16

// waitQueue holds the objects that were written in part, the oldest first.
type waitQueue struct {
	mu      sync.Mutex
	objects list.List // of *object
}

// errEnough ends a list at its first object.
var errEnough = errors.New("seen enough")

// openWith opens the place of a hierarchy, and a Writer in it.
func openWith(ctx context.Context, url string, opt Options, open func(context.Context, *store.Store, Options) (*Writer, error)) (*Writer, error) {
	if err := store.Writable(url); err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, url, store.Options{Log: opt.Log, Retries: opt.Retries, Limits: limits.New(0)})
	if err != nil {
		return nil, err
	}
	w, err := open(ctx, st, opt)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return w, nil
}

// makeWriter returns a Writer without nodes.
func makeWriter(st *store.Store, opt Options) (*Writer, error) {
	if opt.Codecs == nil {
		opt.Codecs = standard.Registry(dtype.Standard())
	}
	if opt.Memory < 0 {
		return nil, fmt.Errorf("memory of %d bytes: want at least 1, or 0 for 256 MiB", opt.Memory)
	}
	opt.Memory = cmp.Or(opt.Memory, 256<<20)
	w := &Writer{
		store: st, hierarchy: New(st), options: opt,
		pool:   &ndarray.Pool{Keep: opt.Memory / 2},
		atOnce: runtime.GOMAXPROCS(0),
		arrays: map[string]*Array{}, groups: map[string]zarr.Attributes{}, changes: map[string]zarr.Attributes{},
	}
	w.flight = semaphore.NewWeighted(int64(w.half()))
	if !st.Local() {
		w.atOnce = max(w.atOnce, 16) // they wait for the server most of the time
	}
	return w, nil
}

// half returns the bytes of memory for chunks that are being encoded. Chunks that wait
// have as many.
func (w *Writer) half() int { return max(w.options.Memory/2, 1) }

// sync makes all stored objects visible to reads of this process, and durable.
func (w *Writer) sync(ctx context.Context) error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	return w.syncLocked(ctx)
}

// syncLocked is sync for a caller who holds w.syncing.
func (w *Writer) syncLocked(ctx context.Context) error {
	w.unsynced.mu.Lock()
	w.unsynced.keys = nil
	w.unsynced.mu.Unlock()
	return w.hierarchy.Sync(ctx) // after an error every Sync fails
}

// stored notes that an object was stored or removed.
func (w *Writer) stored(ctx context.Context, key string) error {
	w.unsynced.mu.Lock()
	if w.unsynced.keys == nil {
		w.unsynced.keys = map[string]struct{}{}
	}
	w.unsynced.keys[key] = struct{}{}
	full := len(w.unsynced.keys) >= mostUnsynced
	w.unsynced.mu.Unlock()
	if full {
		return w.sync(ctx)
	}
	return nil
}

// show makes sure that a read finds an object which this Writer has stored.
func (w *Writer) show(ctx context.Context, key string) error {
	w.syncing.Lock() // a Sync that is under way may make the object visible
	defer w.syncing.Unlock()
	w.unsynced.mu.Lock()
	_, hidden := w.unsynced.keys[key]
	w.unsynced.mu.Unlock()
	if hidden {
		return w.syncLocked(ctx)
	}
	return nil
}

// Close releases what the Writer holds. What was not committed is lost: its chunks may
// stay in the store, but no document mentions them.
// Later writes are errors.
func (w *Writer) Close() error {
	w.closed.Store(true)
	return w.store.Close()
}

// usable refuses what a Writer cannot do after Close: its values would be lost.
func (w *Writer) usable() error {
	if w.closed.Load() {
		return fmt.Errorf("%s: the Writer is closed: %w", w.store.URL(), fs.ErrClosed)
	}
	return nil
}

// Array is an array of a Writer. It is safe for concurrent use.
type Array struct {
	writer *Writer
	path   string
	chunks *ArrayWriter
	chain  *codecs.Chain  // of a stored object
	shards *codecs.Shards // nil if a stored object is a chunk
	cell   *codecs.Chain  // of an inner chunk, or of the stored object if shards is nil
	extent []int          // the shape of a stored object
	meta   zarr.Array     // without its grid
	// known is the shape that an existing array had when it was opened; nil for a new
	// array. If an object lies beyond this shape, and this Writer has not stored it, an
	// interrupted program has left it. Such an object counts as absent.
	known []int

	mu      sync.Mutex // guards what follows
	shape   []int      // is replaced when the array grows
	objects map[string]*object
	there   bitset // numbers, in the grid, of the objects that this Writer has stored
	// document is the committed document of an array of an existing hierarchy; nil: there
	// is none yet.
	document  []byte
	committed []int           // the shape in document
	changes   zarr.Attributes // of the attributes in document
}

// lookInside sets the fields that follow from the chain of a stored object.
func (a *Array) lookInside() {
	a.meta.Codecs, a.cell = a.chain.Specs(), a.chain
	if s, ok := a.chain.InnerChunks(); ok {
		a.shards, a.cell = s, s.Inner()
	}
}

// Path returns the path of the array below the root.
func (a *Array) Path() string { return a.path }

// Shape returns the array's present shape. Append makes it longer.
func (a *Array) Shape() []int { return slices.Clone(a.grid().Shape) }

// grid returns the present grid of stored objects.
func (a *Array) grid() zarr.Grid {
	a.mu.Lock()
	defer a.mu.Unlock()
	return zarr.Grid{Shape: a.shape, Chunk: a.extent}
}

// Metadata returns the present metadata: data type, grid, codecs, fill value, dimension
// names and attributes. The caller does not modify what it refers to.
func (a *Array) Metadata() *zarr.Array {
	a.mu.Lock()
	defer a.mu.Unlock()
	meta := a.meta
	meta.Grid = zarr.Grid{Shape: a.shape, Chunk: a.extent}
	return &meta
}

// object is a stored object that is being written: a chunk or a shard. It consists of
// cells, each encoded on its own: the inner chunks of a shard, or the chunk itself. One
// goroutine at a time works on it.
type object struct {
	array *Array
	key   string // below the array
	index []int

	// mu is held by the goroutine that works on the object. It guards what follows.
	mu      sync.Mutex
	cells   map[int]cell // those written since the object was last stored
	written int          // elements written since then; those written twice count twice
	bytes   int          // memory of the cells
	old     *oldObject   // what is stored under the key; nil: nobody has looked

	// The mutex of the array guards these.
	users int  // goroutines that work on the object or wait for it
	waits bool // it has cells

	// The mutex of the queue guards the place of the object in it; nil: it is not there.
	queued *list.Element
}

// cell is a part of an object that was written. Without values and data it holds only the
// fill value.
type cell struct {
	values *ndarray.Array // of a cell that was written in part
	data   []byte         // of a cell that is encoded
	bytes  int            // memory of both; put sets it
}

// oldObject is what the store has under the key of an object.
type oldObject struct {
	in     codecs.Input // nil: there is no object
	places []codecs.Place
}

// storedObject reads an object of the store.
type storedObject struct {
	from *Array
	key  string
	size int64
}

// Size implements [codecs.Input].
func (s storedObject) Size() int64 { return s.size }

// ReadAt implements [codecs.Input].
func (s storedObject) ReadAt(ctx context.Context, p []byte, off int64) error {
	return s.from.writer.store.ReadRange(ctx, s.key, p, off)
}
