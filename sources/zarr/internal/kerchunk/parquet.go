package kerchunk

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store"
)

const (
	// openedBytes is the memory of such a file besides its references.
	openedBytes = 512
	// mostFiles bounds the files of an array that are looked for one after the other.
	mostFiles = 1 << 20
)

// RecordSize returns how many references a file holds, by the document .zmetadata of a table in
// Parquet. It is 0 if the document is not that of such a table.
func RecordSize(document []byte) int {
	var of struct {
		Size int `json:"record_size"`
	}
	if json.Unmarshal(document, &of) != nil || of.Size < 0 {
		return 0
	}
	return of.Size
}

// Documents returns the documents of the hierarchy that .zmetadata holds, by their keys.
func Documents(document []byte) (map[string]json.RawMessage, error) {
	var of struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(document, &of); err != nil {
		return nil, damaged("%v", err)
	}
	if of.Metadata == nil {
		return nil, damaged("no metadata")
	}
	return of.Metadata, nil
}

// Parquet returns a table in Parquet. documents are those of the hierarchy, by their keys, and
// size is what [RecordSize] returns, and kept bounds the memory for the files of references that
// were used last. read returns the contents of a file in the folder of the
// table; a file that does not exist is an error that wraps fs.ErrNotExist.
func Parquet(documents map[string]json.RawMessage, size, kept int, read func(ctx context.Context, key string) ([]byte, error)) (store.ReferenceTable, error) {
	t := &records{documents: documents, size: size, kept: kept, read: read, grids: map[string]grid{}, byKey: map[string]*list.Element{}, order: list.New()}
	for key, text := range documents {
		if err := checkKey(key); err != nil {
			return nil, err
		}
		t.keys = append(t.keys, key)
		if path.Base(key) != ".zarray" {
			continue
		}
		g, err := newGrid(text)
		if err != nil {
			return nil, fmt.Errorf("%.60q: %w", key, err)
		}
		name := strings.TrimSuffix(strings.TrimSuffix(key, ".zarray"), "/")
		t.grids[name] = g
		t.arrays = append(t.arrays, name)
	}
	slices.Sort(t.keys)
	slices.Sort(t.arrays)
	return t, nil
}

// grid is the chunks of an array.
type grid struct {
	counts    []int // along each dimension
	all       int
	separator string
}

func newGrid(document []byte) (grid, error) {
	var of struct {
		Shape     []int  `json:"shape"`
		Chunks    []int  `json:"chunks"`
		Separator string `json:"dimension_separator"`
	}
	g := grid{all: 1, separator: "."}
	if err := json.Unmarshal(document, &of); err != nil {
		return g, damaged("%v", err)
	}
	if len(of.Shape) != len(of.Chunks) {
		return g, damaged("a shape of %d dimensions and chunks of %d", len(of.Shape), len(of.Chunks))
	}
	if of.Separator != "" {
		g.separator = of.Separator
	}
	for k, extent := range of.Shape {
		chunk := of.Chunks[k]
		if extent < 0 || chunk < 1 && extent > 0 || extent > math.MaxInt/2 {
			return g, damaged("the shape %v in chunks of %v", of.Shape, of.Chunks)
		}
		count := 0
		if extent > 0 {
			count = (extent-1)/chunk + 1
		}
		if count > 0 && g.all > math.MaxInt/count {
			return g, damaged("the shape %v in chunks of %v", of.Shape, of.Chunks)
		}
		g.counts = append(g.counts, count)
		g.all *= count
	}
	return g, nil
}

// number returns the number of a chunk, by its key in the folder of the array.
func (g grid) number(key string) (int, bool) {
	if len(g.counts) == 0 {
		return 0, key == "0"
	}
	parts := strings.Split(key, g.separator)
	if len(parts) != len(g.counts) {
		return 0, false
	}
	n := 0
	for k, part := range parts {
		i, err := strconv.Atoi(part)
		if err != nil || i < 0 || i >= g.counts[k] || strconv.Itoa(i) != part {
			return 0, false
		}
		n = n*g.counts[k] + i
	}
	return n, true
}

// key is the inverse of number.
func (g grid) key(n int) string {
	if len(g.counts) == 0 {
		return "0"
	}
	parts := make([]string, len(g.counts))
	for k := len(parts) - 1; k >= 0; k-- {
		parts[k] = strconv.Itoa(n % g.counts[k])
		n /= g.counts[k]
	}
	return strings.Join(parts, g.separator)
}

// records is a table in Parquet. It implements [store.ReferenceTable].
type records struct {
	documents map[string]json.RawMessage
	keys      []string // of the documents, sorted
	size      int      // references in a file
	kept      int      // bounds bytes
	grids     map[string]grid
	arrays    []string // paths, sorted
	read      func(ctx context.Context, key string) ([]byte, error)

	mu    sync.Mutex
	byKey map[string]*list.Element // values are *opened
	order *list.List               // the most recently used first
	bytes int
}

// opened is a file of references that is in memory or is being read.
type opened struct {
	key string

	mu     sync.Mutex
	record *record // nil: not read yet
	bytes  int     // that count in records.bytes
}

// open returns a file of references. A file that does not exist holds none.
func (t *records) open(ctx context.Context, array string, number int) (*record, error) {
	key := path.Join(array, "refs."+strconv.Itoa(number)+".parq")
	t.mu.Lock()
	at, known := t.byKey[key]
	if known {
		t.order.MoveToFront(at)
	} else {
		at = t.order.PushFront(&opened{key: key})
		t.byKey[key] = at
	}
	t.mu.Unlock()
	o := at.Value.(*opened)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.record != nil {
		return o.record, nil
	}
	r := &record{}
	data, err := t.read(ctx, key)
	if err == nil {
		if r, err = parseRecord(ctx, data); err != nil {
			err = fmt.Errorf("%s: %w", key, err)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	o.record = r
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byKey[key] == at {
		o.bytes = r.bytes + openedBytes
		t.bytes += o.bytes
	}
	for t.bytes > t.kept && t.order.Len() > 1 {
		last := t.order.Remove(t.order.Back()).(*opened)
		delete(t.byKey, last.key)
		t.bytes -= last.bytes
	}
	return r, nil
}

// Find implements [store.ReferenceTable].
func (t *records) Find(ctx context.Context, key string) (store.Reference, error) {
	if text, ok := t.documents[key]; ok {
		return store.Reference{Inline: text}, nil
	}
	for array := key; array != ""; {
		cut := max(strings.LastIndexByte(array, '/'), 0)
		array = array[:cut]
		g, ok := t.grids[array]
		if !ok {
			continue
		}
		n, ok := g.number(strings.TrimPrefix(key[cut:], "/"))
		if !ok {
			break
		}
		r, err := t.open(ctx, array, n/t.size)
		if err != nil {
			return store.Reference{}, err
		}
		if reference, ok := r.reference(n % t.size); ok {
			return reference, nil
		}
		break
	}
	return store.Reference{}, fs.ErrNotExist
}

// Pages implements [store.ReferenceTable]. The documents come first, then the chunks of one array
// after the other, in the order of their numbers.
func (t *records) Pages(prefix string) func(context.Context) ([]store.ReferenceEntry, error) {
	documents, array, number := t.keys, 0, 0
	return func(ctx context.Context) (entries []store.ReferenceEntry, err error) {
		for ; len(documents) > 0 && len(entries) < page; documents = documents[1:] {
			if key := documents[0]; strings.HasPrefix(key, prefix) {
				entries = append(entries, store.ReferenceEntry{Key: key, Reference: store.Reference{Inline: t.documents[key]}})
			}
		}
		for ; len(documents) == 0 && array < len(t.arrays); array, number = array+1, 0 {
			name := t.arrays[array]
			folder := name + "/"
			if name == "" {
				folder = ""
			}
			if !strings.HasPrefix(folder, prefix) && !strings.HasPrefix(prefix, folder) {
				continue
			}
			g := t.grids[name]
			if g.all/t.size > mostFiles {
				return nil, fmt.Errorf("%w: array %.60q has %d chunks, in more than %d files of references", store.ErrTooLarge, name, g.all, mostFiles)
			}
			for ; number < g.all; number++ {
				if len(entries) >= page {
					return entries, nil
				}
				r, err := t.open(ctx, name, number/t.size)
				if err != nil {
					return nil, err
				}
				if number%t.size >= r.rows() {
					number += t.size - number%t.size - 1 // to the next file
					continue
				}
				reference, ok := r.reference(number % t.size)
				if !ok {
					continue
				}
				if key := folder + g.key(number); strings.HasPrefix(key, prefix) {
					entries = append(entries, store.ReferenceEntry{Key: key, Reference: reference})
				}
			}
		}
		if len(documents) > 0 {
			return entries, nil
		}
		return entries, store.ErrEnd
	}
}

// Folders implements [store.ReferenceTable].
func (t *records) Folders(_ context.Context, prefix string) (names []string, err error) {
	for _, key := range t.keys {
		rest, inside := strings.CutPrefix(key, prefix)
		if name, _, deeper := strings.Cut(rest, "/"); inside && deeper && (len(names) == 0 || names[len(names)-1] != name) {
			names = append(names, name)
		}
	}
	return names, nil
}
