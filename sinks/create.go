package sinks

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
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

// Create begins a new hierarchy at a URL: a local folder, s3://, gs:// or azblob://. The
// place must be empty; otherwise the error wraps fs.ErrExist. Create writes nothing.
func Create(ctx context.Context, url string, opt Options) (*Writer, error) {
	return openWith(ctx, url, opt, newWriter)
}

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

// errEnough ends a list at its first object.
var errEnough = errors.New("seen enough")

// newWriter returns the Writer of a new hierarchy.
func newWriter(ctx context.Context, st *store.Store, opt Options) (*Writer, error) {
	var first string
	err := st.List(ctx, "", func(o store.Info) error {
		first = o.Key
		return errEnough
	})
	switch {
	case errors.Is(err, errEnough):
		return nil, fmt.Errorf("%s: %w: it holds %q; remove what is there, choose another place, or use Open", st.URL(), fs.ErrExist, first)
	case err != nil:
		return nil, err
	}
	w, err := makeWriter(st, opt)
	if err == nil {
		w.groups[""] = opt.Attributes
	}
	return w, err
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

// CreateGroup adds a group with attributes. Groups above arrays need no call; without
// one they have no attributes.
func (w *Writer) CreateGroup(ctx context.Context, p string, attributes zarr.Attributes) error {
	if err := w.vacant(ctx, p, "group"); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, exists := w.groups[p]; exists {
		return fmt.Errorf("group %q: %w; SetAttributes changes its attributes", p, fs.ErrExist)
	}
	if err := w.free(p, "group"); err != nil {
		return err
	}
	w.groups[p] = attributes
	return nil
}

// free refuses a path that a new node cannot have: an invalid path, the path of an array,
// or a path below an array. kind is "array" or "group", for messages.
func (w *Writer) free(p, kind string) error {
	err := zarr.CheckPath(p)
	if err == nil {
		err = store.CheckKey(w.store.URL(), path.Join(p, zarr.MetadataKey))
	}
	if err != nil {
		return fmt.Errorf("%s %q: %w", kind, p, err)
	}
	for above, more := p, true; more; above, more = zarr.Parent(above) {
		if w.arrays[above] == nil {
			continue
		}
		if above == p {
			return fmt.Errorf("%s %q: %w: there is an array; choose another path", kind, p, fs.ErrExist)
		}
		return fmt.Errorf("%s %q: %q is an array and holds no nodes", kind, p, above)
	}
	return nil
}

// add adds an array.
func (w *Writer) add(a *Array) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.free(a.path, "array"); err != nil {
		return err
	}
	for below := range w.arrays {
		if a.path == "" || strings.HasPrefix(below, a.path+"/") {
			return fmt.Errorf("array %q: the array %q lies below it", a.path, below)
		}
	}
	for below := range w.groups {
		if below != "" && (below == a.path || a.path == "" || strings.HasPrefix(below, a.path+"/")) {
			return fmt.Errorf("array %q: the group %q lies there", a.path, below)
		}
	}
	w.arrays[a.path] = a
	return nil
}

// Commit makes everything that was written before visible to readers, and durable. It
// waits for calls of WriteRegion, Append and WriteFrom that have begun. Chunks become
// durable first. Then come the documents of the arrays, those of the groups, and last the
// root's. After an error Commit may be called again. After Commit a program may go on
// writing, and commit again.
func (w *Writer) Commit(ctx context.Context) error {
	w.working.Lock()
	defer w.working.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	for o := w.oldest(); o != nil; o = w.oldest() {
		if err := o.array.flush(ctx, o); err != nil {
			return err
		}
	}
	if err := w.sync(ctx); err != nil {
		return err
	}
	if w.existing {
		return w.commitChanges(ctx)
	}
	arrays := make(map[string]*zarr.Array, len(w.arrays))
	g, below := errgroup.WithContext(ctx)
	g.SetLimit(w.atOnce)
	for p, a := range w.arrays {
		meta := a.Metadata()
		if arrays[p] = meta; p != "" {
			g.Go(func() error { return w.hierarchy.PutArray(below, p, meta) })
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return w.hierarchy.Finish(ctx, arrays, w.groups, nil, !w.options.Unconsolidated)
}

// Close releases what the Writer holds. What was not committed is lost: its chunks may
// stay in the store, but no document mentions them.
func (w *Writer) Close() error { return w.store.Close() }

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

// oldest removes an object from the queue and returns it locked: the oldest one on which
// no other goroutine works. It returns nil if there is none. The caller unlocks the object.
func (w *Writer) oldest() *object {
	w.waitQueue.mu.Lock()
	defer w.waitQueue.mu.Unlock()
	for e := w.waitQueue.objects.Front(); e != nil; e = e.Next() {
		o := e.Value.(*object)
		if o.mu.TryLock() {
			w.waitQueue.objects.Remove(e)
			o.queued = nil
			return o
		}
	}
	return nil
}

// shrink stores waiting objects, the oldest first, until the objects that still wait are
// within the bound of memory.
func (w *Writer) shrink(ctx context.Context) error {
	for w.waiting.Load() > int64(w.half()) {
		o := w.oldest()
		if o == nil {
			return nil // other goroutines work on all of them, and will come here, too
		}
		if err := o.array.flush(ctx, o); err != nil {
			return err
		}
	}
	return nil
}
