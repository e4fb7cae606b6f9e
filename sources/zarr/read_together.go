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
	// keptTogether bounds the memory of reading together, unless the memory of the job is small.
	// A layoutShare of it is for the layout of windows, the rest for the bytes of spans. If it
	// does not suffice, a chunk is read alone.
	keptTogether = 40 << 20
	// layoutShare is the part of that memory that windows may take.
	layoutShare = 5
	// placeBytes, spanBytes and windowBytes are the memory of a place, of a span with its element
	// in a list, and of a window with its element and its entry in a map.
	placeBytes, spanBytes, windowBytes = 16, 144, 256
	// mostLayout is the memory of the largest window, without the names of files.
	mostLayout = windowBytes + windowChunks*placeBytes + windowChunks/2*spanBytes
	// freeWaste is how many bytes may be read in vain before reading together ends.
	freeWaste = 64 << 20
)

// together reads the chunks of references that lie beside each other in one file by one request.
// A window of an array is divided into spans of a file; the first chunk of a span that somebody
// wants makes the whole span be read, and the others find it in memory. A span is dropped when
// each of its chunks was read. If spans are mostly dropped before that, because chunks are read in
// another order than that of the file, reading together ends. It is safe for concurrent use.
type together struct {
	files      *referred
	table      store.ReferenceTable
	most       int // bounds bytes
	mostLayout int // bounds layout

	mu           sync.Mutex
	windows      map[windowOf]*window
	recent       *list.List // of *window; the most recently used first
	layout       int        // bytes that the windows take
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
	of     windowOf
	once   sync.Once
	places []place // by the number of a chunk within the window; nil: all are read alone
	spans  []*span // each has several chunks

	at    *list.Element // guarded by together.mu; nil: nobody will find the window again
	bytes int           // of memory; guarded by together.mu
}

// place says which bytes of a span are a chunk.
type place struct {
	span      *span // nil: the chunk is read alone
	off, size int32 // within the span
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

// newTogether returns what reads chunks together within most bytes of memory.
func newTogether(files *referred, most int) *together {
	layout := most / layoutShare
	return &together{most: most - layout, mostLayout: layout, files: files, table: files.table, windows: map[windowOf]*window{}, recent: list.New(), order: list.New()}
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
	if number %= windowChunks; number >= len(w.places) {
		return nil, false
	}
	p := w.places[number]
	if p.span == nil || int64(p.size) > most {
		return nil, false
	}
	bytes, ok := t.load(ctx, w, p.span)
	if !ok {
		return nil, false
	}
	data := room(int(p.size))
	copy(data, bytes[p.off:])
	t.taken(w, p.span, int(p.size))
	return data, true
}

// window returns a window, nil if nothing is read together any more or if there is too little
// memory for windows.
func (t *together) window(of windowOf) *window {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wasted > t.used+freeWaste || t.mostLayout < mostLayout {
		return nil
	}
	w := t.windows[of]
	if w != nil {
		t.recent.MoveToFront(w.at)
		return w
	}
	w = &window{of: of, bytes: mostLayout} // more than it will take
	t.windows[of] = w
	w.at = t.recent.PushFront(w)
	t.layout += w.bytes
	t.forget(w)
	return w
}

// forget drops the windows that have not been used for longest, until the others have room. It
// keeps one window. The bytes of spans that belonged to dropped windows go, too, unless somebody is
// reading them. The caller holds the lock.
func (t *together) forget(keep *window) {
	for at := t.recent.Back(); at != nil && t.layout > t.mostLayout; {
		w, before := at.Value.(*window), at.Prev()
		at = before
		if w == keep {
			continue
		}
		t.recent.Remove(w.at)
		w.at = nil
		delete(t.windows, w.of)
		t.layout -= w.bytes
		for _, s := range w.spans {
			t.drop(s)
		}
	}
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
	var places [windowChunks]place
	var spans []*span
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
			spans = append(spans, s)
		}
		s.end = max(s.end, end)
		s.chunks++
		s.left++
		places[c.number] = place{s, int32(c.Off - s.off), int32(c.Len)}
	}
	t.keep(w, places[:], slices.DeleteFunc(spans, func(s *span) bool { return s.chunks == 1 }))
}

// keep gives a window its spans, and counts what the window takes.
func (t *together) keep(w *window, places []place, spans []*span) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.at == nil {
		return // dropped meanwhile
	}
	bytes := windowBytes + len(w.of.array)
	if len(spans) > 0 {
		w.spans, w.places = slices.Clone(spans), slices.Clone(places)
		bytes += windowChunks*placeBytes + len(spans)*spanBytes
	}
	for i := range w.places {
		if s := w.places[i].span; s != nil && s.chunks == 1 {
			w.places[i] = place{}
		}
	}
	for i, s := range w.spans {
		if i == 0 || s.name != w.spans[i-1].name {
			bytes += len(s.name)
		}
	}
	t.layout += bytes - w.bytes
	w.bytes = bytes
	t.forget(w)
}

// load returns the bytes of a span of a window. It returns false if there is no memory for them, or if reading
// them failed.
func (t *together) load(ctx context.Context, w *window, s *span) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.data != nil {
		return s.data, true
	}
	if !t.enter(w, s) {
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

// enter reserves the memory of a span, unless its window has been dropped. It drops spans that
// nobody is reading, those first that have not been used for longest.
func (t *together) enter(w *window, s *span) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.at == nil {
		return false
	}
	size := int(s.end - s.off)
	for at := t.order.Back(); at != nil && t.bytes+size > t.most; {
		before := at.Prev()
		t.drop(at.Value.(*span))
		at = before
	}
	if t.bytes+size > t.most {
		return false
	}
	t.bytes += size
	s.at = t.order.PushFront(s)
	return true
}

// drop gives the memory of a span back, unless somebody is reading the span. The caller holds the
// lock.
func (t *together) drop(s *span) {
	if s.at == nil || !s.mu.TryLock() {
		return
	}
	t.leave(s)
	s.data = nil
	s.mu.Unlock()
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

// taken says that somebody has read a chunk of a span of a window.
func (t *together) taken(w *window, s *span, size int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used += int64(size)
	if s.at == nil {
		return
	}
	t.order.MoveToFront(s.at)
	if s.left--; s.left <= 0 || w.at == nil {
		t.drop(s)
	}
}
