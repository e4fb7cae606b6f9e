package zarr

import (
	"cmp"
	"container/list"
	"context"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store"
)

const (
	// windowChunks is how many chunks of an array, which follow each other in C order, may be
	// read together.
	windowChunks = 128
	// alone is the size from which on a chunk is read alone: one request more costs less.
	alone = 512 << 10
	// mostSpan bounds the bytes that one request reads for several chunks.
	mostSpan = 2 << 20
	// keptSpans bounds the memory of all bytes that were read for several chunks, unless the
	// memory of the job is small. If it does not suffice, a chunk is read alone.
	keptSpans = 32 << 20
	// mostWindows bounds the windows whose layout is remembered.
	mostWindows = 1024
	// freeWaste is how many bytes may be read in vain before reading together ends.
	freeWaste = 64 << 20
)

// together reads the chunks of references that lie beside each other in one file by one request.
// A window of an array is divided into spans of a file; the first chunk of a span that somebody
// wants makes the whole span be read, and the others find it in memory. A span is dropped when
// each of its chunks was read. If spans are mostly dropped before that, because chunks are read in
// another order than that of the file, reading together ends. It is safe for concurrent use.
type together struct {
	files *referred
	table store.ReferenceTable
	most  int // bounds bytes

	mu           sync.Mutex
	windows      map[windowOf]*window
	order        *list.List // of *span that are in memory or being read; the most recently used first
	bytes        int        // of these
	used, wasted int64      // bytes that somebody wanted, and that nobody did
}

// windowOf names a window.
type windowOf struct {
	array  string
	number int
}

// window says which chunks of a window belong to which span.
type window struct {
	once  sync.Once
	spans map[int]*span // by the number of a chunk within the window; none: it is read alone
	refs  map[int]store.Reference
}

// span is a part of a file with several chunks.
type span struct {
	name     string
	off, end int64
	chunks   int

	at   *list.Element // guarded by together.mu; nil: not in memory
	left int           // chunks that nobody has read; guarded by together.mu

	mu   sync.Mutex
	data []byte
}

func newTogether(files *referred, most int) *together {
	return &together{most: most, files: files, table: files.table, windows: map[windowOf]*window{}, order: list.New()}
}

// chunksOf are the chunks of an array, by their numbers in C order.
type chunksOf struct {
	array string
	count int
	key   func(number int) string
}

// read returns a chunk of at most most bytes in memory from room. It returns false if the chunk
// has to be read alone, for instance because reading failed: then the error is that of the chunk.
func (t *together) read(ctx context.Context, of chunksOf, number int, most int64, room func(int) []byte) ([]byte, bool) {
	w := t.window(windowOf{of.array, number / windowChunks})
	if w == nil {
		return nil, false
	}
	w.once.Do(func() { t.divide(ctx, of, number/windowChunks*windowChunks, w) })
	s, r := w.spans[number%windowChunks], w.refs[number%windowChunks]
	if s == nil || r.Len > most {
		return nil, false
	}
	bytes, ok := t.load(ctx, s)
	if !ok {
		return nil, false
	}
	data := room(int(r.Len))
	copy(data, bytes[r.Off-s.off:])
	t.taken(s, int(r.Len))
	return data, true
}

// window returns a window, nil if nothing is read together any more.
func (t *together) window(of windowOf) *window {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wasted > t.used+freeWaste {
		return nil
	}
	w := t.windows[of]
	if w == nil {
		if len(t.windows) == mostWindows {
			clear(t.windows)
		}
		w = &window{}
		t.windows[of] = w
	}
	return w
}

// divide finds the spans of a window that begins with a chunk. A window that cannot be divided has
// none.
func (t *together) divide(ctx context.Context, of chunksOf, first int, w *window) {
	type chunk struct {
		number int
		store.Reference
	}
	var list []chunk
	for n := range min(windowChunks, of.count-first) {
		r, err := t.table.Find(ctx, of.key(first+n))
		if err != nil || r.URL == "" || r.Len <= 0 || r.Len >= alone {
			continue
		}
		list = append(list, chunk{n, r})
	}
	slices.SortFunc(list, func(x, y chunk) int {
		return cmp.Or(cmp.Compare(x.URL, y.URL), cmp.Compare(x.Off, y.Off), cmp.Compare(x.Len, y.Len), x.number-y.number)
	})
	w.spans, w.refs = map[int]*span{}, map[int]store.Reference{}
	var s *span
	var gap int64
	for _, c := range list {
		end := c.Off + c.Len
		if s == nil || s.name != c.URL {
			f, err := t.files.file(ctx, c.URL)
			gap = -1 // nothing is read together from a file of this machine
			if err == nil && !f.Store.Local() {
				gap = int64(f.Store.GapBytes())
			}
			s = nil
		}
		if gap < 0 {
			continue
		}
		if s == nil || c.Off-s.end > gap || end-s.off > mostSpan {
			s = &span{name: c.URL, off: c.Off, end: end}
		}
		s.end = max(s.end, end)
		s.chunks++
		s.left++
		w.spans[c.number], w.refs[c.number] = s, c.Reference
	}
	for n, s := range w.spans {
		if s.chunks == 1 {
			delete(w.spans, n)
		}
	}
}

// load returns the bytes of a span. It returns false if there is no memory for them, or if reading
// them failed.
func (t *together) load(ctx context.Context, s *span) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.data != nil {
		return s.data, true
	}
	if !t.enter(s) {
		return nil, false
	}
	f, err := t.files.file(ctx, s.name)
	if err == nil && s.end > f.Size {
		err = tooShort(f, s.end)
	}
	data := make([]byte, s.end-s.off)
	if err == nil {
		err = f.Store.ReadRange(ctx, f.Key, data, s.off)
	}
	if err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.leave(s)
		return nil, false
	}
	s.data = data
	return data, true
}

// enter reserves the memory of a span. It drops spans that nobody is reading, those first that
// have not been used for longest.
func (t *together) enter(s *span) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	size := int(s.end - s.off)
	for at := t.order.Back(); at != nil && t.bytes+size > t.most; {
		old, before := at.Value.(*span), at.Prev()
		if old.mu.TryLock() {
			t.leave(old)
			old.data = nil
			old.mu.Unlock()
		}
		at = before
	}
	if t.bytes+size > t.most {
		return false
	}
	t.bytes += size
	s.at = t.order.PushFront(s)
	return true
}

// leave gives the memory of a span back. The caller holds the lock.
func (t *together) leave(s *span) {
	if s.at == nil {
		return
	}
	t.order.Remove(s.at)
	s.at = nil
	size := int(s.end - s.off)
	t.bytes -= size
	if s.left > 0 {
		t.wasted += int64(size) * int64(s.left) / int64(s.chunks)
	}
	s.left = s.chunks // if it is read again
}

// taken says that somebody has read a chunk of a span.
func (t *together) taken(s *span, size int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used += int64(size)
	if s.at == nil {
		return
	}
	t.order.MoveToFront(s.at)
	if s.left--; s.left > 0 || !s.mu.TryLock() {
		return
	}
	t.leave(s)
	s.data = nil
	s.mu.Unlock()
}
