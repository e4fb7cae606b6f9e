package kerchunk

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
)

// ErrDamaged is the cause of errors about tables that are not as they should be.
var ErrDamaged = errors.New("damaged table of references")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

const (
	// page is how many entries are listed at once.
	page = 1000
	// mostMemory bounds the memory of a table.
	mostMemory = 512 << 20
	// entryBytes is the memory of an entry, besides its key.
	entryBytes = 48
	// inlineBytes is the memory of an object within the table, besides its bytes and its entry.
	inlineBytes = 24
	// nameBytes is the memory of the name of a file, besides its text, and as much again with its
	// text while the table is being read.
	nameBytes = 48
)

// entry is a reference of a table in memory.
type entry struct {
	key    string
	file   int // number of the file; a negative one, -1-i, stands for inline text i
	off    int64
	length int64 // -1: the whole file
}

// memory is a table in memory.
type memory struct {
	entries []entry // sorted by their keys, without repetition, once they are complete
	names   []string
	inline  []string
	numbers map[string]int // of names; nil once the table is complete
	used    int            // bytes
}

// use counts bytes that the table takes.
func (t *memory) use(bytes int) error {
	if t.used += bytes; t.used > mostMemory {
		return fmt.Errorf("%w: a table that takes more than %d MiB of memory: write it as Parquet, which is read in parts", store.ErrTooLarge, mostMemory>>20)
	}
	return nil
}

// refer adds a reference to a file.
func (t *memory) refer(key, name string, off, length int64) error {
	n, known := t.numbers[name]
	if !known {
		n = len(t.names)
		t.names = append(t.names, name)
		t.numbers[name] = n
		if err := t.use(2 * (len(name) + nameBytes)); err != nil {
			return err
		}
	}
	return t.add(entry{key: key, file: n, off: off, length: length})
}

// hold adds an object with its bytes as a table spells them.
func (t *memory) hold(key, text string) error {
	data, err := contents(text)
	if err != nil {
		return damaged("%.60q: %v", key, err)
	}
	t.inline = append(t.inline, data)
	if err := t.use(len(data) + inlineBytes); err != nil {
		return err
	}
	return t.add(entry{key: key, file: -len(t.inline)})
}

// add adds an entry. VirtualiZarr calls the chunk of an array without dimensions "ARRAY/", and not
// "ARRAY/0".
func (t *memory) add(e entry) error {
	if strings.HasSuffix(e.key, "/") {
		e.key += "0"
	}
	if err := checkKey(e.key); err != nil {
		return err
	}
	t.entries = append(t.entries, e)
	return t.use(entryBytes + len(e.key))
}

// checkKey refuses a text that cannot be the key of an object.
func checkKey(key string) error {
	if err := store.CheckKey("x", key); err != nil {
		return damaged("%v", err)
	}
	return nil
}

// checkRange refuses the bytes of a file that cannot be.
func checkRange(off, length int64) error {
	if off < 0 || length < 0 || off > math.MaxInt64-length {
		return damaged("%d bytes at %d", length, off)
	}
	return nil
}

// contents returns the bytes of an object that a text in a table stands for.
func contents(text string) (string, error) {
	encoded, is := strings.CutPrefix(text, "base64:")
	if !is {
		return text, nil
	}
	encoded = strings.TrimRight(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == ' ' {
			return -1
		}
		return r
	}, encoded), "=")
	data, err := base64.RawStdEncoding.DecodeString(encoded)
	return string(data), err
}

// complete sorts the entries. Of several with one key the last counts.
func (t *memory) complete() {
	t.numbers = nil
	for _, name := range t.names {
		t.used -= len(name) + nameBytes
	}
	slices.Reverse(t.entries)
	slices.SortStableFunc(t.entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	t.entries = slices.CompactFunc(t.entries, func(a, b entry) bool { return a.key == b.key })
}

func (t *memory) search(key string) (int, bool) {
	return slices.BinarySearchFunc(t.entries, key, func(e entry, key string) int { return strings.Compare(e.key, key) })
}

func (t *memory) reference(e entry) store.Reference {
	if e.file < 0 {
		return store.Reference{Inline: []byte(t.inline[-1-e.file])}
	}
	return store.Reference{URL: t.names[e.file], Off: e.off, Len: e.length}
}

// Find implements [store.ReferenceTable].
func (t *memory) Find(_ context.Context, key string) (store.Reference, error) {
	i, ok := t.search(key)
	if !ok {
		return store.Reference{}, fs.ErrNotExist
	}
	return t.reference(t.entries[i]), nil
}

// Pages implements [store.ReferenceTable].
func (t *memory) Pages(prefix string) func(context.Context) ([]store.ReferenceEntry, error) {
	next, _ := t.search(prefix)
	return func(context.Context) ([]store.ReferenceEntry, error) {
		var list []store.ReferenceEntry
		for ; next < len(t.entries) && len(list) < page; next++ {
			e := t.entries[next]
			if !strings.HasPrefix(e.key, prefix) {
				return list, store.ErrEnd
			}
			list = append(list, store.ReferenceEntry{Key: e.key, Reference: t.reference(e)})
		}
		if next == len(t.entries) {
			return list, store.ErrEnd
		}
		return list, nil
	}
}

// Folders implements [store.ReferenceTable].
func (t *memory) Folders(_ context.Context, prefix string) ([]string, error) {
	var names []string
	for i, _ := t.search(prefix); i < len(t.entries) && strings.HasPrefix(t.entries[i].key, prefix); {
		name, _, inside := strings.Cut(t.entries[i].key[len(prefix):], "/")
		if !inside {
			i++
			continue
		}
		names = append(names, name)
		i, _ = t.search(prefix + name + "0") // the character behind the slash: skip the folder
	}
	return names, nil
}

// Inside returns the part of a table that lies in a folder.
func Inside(t store.ReferenceTable, folder string) store.ReferenceTable {
	if folder == "" {
		return t
	}
	return within{t, folder + "/"}
}

// within is a folder of a table.
type within struct {
	store.ReferenceTable
	prefix string
}

func (w within) Find(ctx context.Context, key string) (store.Reference, error) {
	return w.ReferenceTable.Find(ctx, w.prefix+key)
}

func (w within) Pages(prefix string) func(context.Context) ([]store.ReferenceEntry, error) {
	next := w.ReferenceTable.Pages(w.prefix + prefix)
	return func(ctx context.Context) ([]store.ReferenceEntry, error) {
		list, err := next(ctx)
		for i := range list {
			list[i].Key = strings.TrimPrefix(list[i].Key, w.prefix)
		}
		return list, err
	}
}

func (w within) Folders(ctx context.Context, prefix string) ([]string, error) {
	return w.ReferenceTable.Folders(ctx, path.Clean(w.prefix+prefix)+"/")
}
