package local

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// walk lists the objects of a directory in the order of their keys. It holds
// the entries of one directory for each level, not the whole tree.
type walk struct {
	root   string
	hidden map[string]bool // staging folders
	prefix string          // of the keys to list
	levels []level         // the innermost last; nil before the first page
}

// level is one directory, with the entries that are not yet listed.
type level struct {
	key     string // of the directory, "" for the root
	entries []entry
}

type entry struct {
	name string
	dir  bool
}

// sortKey sorts a directory to the place of the keys below it.
func (e entry) sortKey() string {
	if e.dir {
		return e.name + "/"
	}
	return e.name
}

func (d *Driver) List(prefix string) driver.Pager {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := &walk{root: d.root, prefix: prefix, hidden: map[string]bool{
		d.staging:                           true,
		filepath.Join(d.root, innerStaging): true,
	}}
	return w.next
}

// next returns the next objects, at least one, or driver.ErrEnd. After another error it cannot
// be called again; errors of a local file system are not retried.
func (w *walk) next(ctx context.Context) ([]driver.Info, error) {
	if w.levels == nil {
		top := strings.TrimSuffix(w.prefix[:strings.LastIndex(w.prefix, "/")+1], "/")
		entries, err := w.read(top)
		if err != nil {
			return nil, err
		}
		w.levels = []level{{key: top, entries: entries}}
	}
	var page []driver.Info
	for len(w.levels) > 0 && len(page) < driver.ListPage {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		last := &w.levels[len(w.levels)-1]
		if len(last.entries) == 0 {
			w.levels = w.levels[:len(w.levels)-1]
			continue
		}
		e := last.entries[0]
		key := path.Join(last.key, e.name)
		if e.dir {
			entries, err := w.read(key)
			if err != nil {
				return nil, err
			}
			last.entries = last.entries[1:]
			w.levels = append(w.levels, level{key: key, entries: entries})
			continue
		}
		last.entries = last.entries[1:]
		st, err := os.Stat(w.path(key))
		if errors.Is(err, fs.ErrNotExist) {
			if errors.Is(dangling(w.path(key), err), driver.ErrDangling) {
				page = append(page, driver.Info{Key: key, Dangling: true})
			}
			continue // or it was removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		if st.Mode().IsRegular() {
			page = append(page, driver.Info{Key: key, Size: st.Size(), ModTime: st.ModTime()})
		}
	}
	if len(page) == 0 {
		w.levels = []level{}
		return nil, driver.ErrEnd
	}
	return page, nil
}

func (w *walk) path(key string) string { return filepath.Join(w.root, filepath.FromSlash(key)) }

// read returns the sorted entries of a directory that can lead to a key with
// the prefix. An absent directory is empty, and so is a file in its place: no key is below
// the key of an object. A file in the place of the whole folder is an error.
func (w *walk) read(key string) ([]entry, error) {
	dir := w.path(key)
	found, err := readDir(dir)
	if errors.Is(err, fs.ErrNotExist) || key != "" && errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(found))
	for _, f := range found {
		e := entry{name: f.Name(), dir: f.IsDir()}
		full := path.Join(key, e.name)
		if e.dir && w.hidden[filepath.Join(dir, e.name)] {
			continue
		}
		if strings.HasPrefix(full, w.prefix) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.sortKey(), b.sortKey()) })
	return entries, nil
}

func (d *Driver) Folders(prefix string) driver.FolderPager {
	d.mu.Lock()
	defer d.mu.Unlock()
	hidden := []string{d.staging, filepath.Join(d.root, innerStaging)}
	return driver.OnePage(func() ([]string, error) {
		dir := filepath.Join(d.root, filepath.FromSlash(prefix))
		entries, err := readDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		var names []string
		for _, e := range entries {
			if e.IsDir() && !slices.Contains(hidden, filepath.Join(dir, e.Name())) && location.CheckKey(path.Join(prefix, e.Name())) == nil {
				names = append(names, e.Name())
			}
		}
		return names, nil
	})
}
