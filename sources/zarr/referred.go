package zarr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/kerchunk"
)

// referred is the files behind a table of references: those of the table itself, and those
// that hold chunks. Each file is looked at once, and all reads are of the version that was
// seen then. It implements [store.ReferencedFiles].
type referred struct {
	places *kerchunk.Places
	opt    store.Options
	table  store.ReferenceTable

	mu    sync.Mutex
	sets  []*sources.FileSet
	files map[string]lookedAt // by the names that the table has for them
	byURL map[string]*sources.OpenFile
}

// lookedAt is a file, or why it cannot be read.
type lookedAt struct {
	file *sources.OpenFile
	err  error
}

func newReferred(table string, opt Options) *referred {
	return &referred{
		places: &kerchunk.Places{Table: table, Nothing: opt.Follow.Nothing, Follow: opt.Follow.Folders}, opt: opt.Store,
		files: map[string]lookedAt{}, byURL: map[string]*sources.OpenFile{},
	}
}

// look looks at files that a table names, unless that was done before. What is wrong with a
// file is reported when it is read.
func (r *referred) look(ctx context.Context, names ...string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var urls, of []string
	for _, name := range names {
		if _, known := r.files[name]; known {
			continue
		}
		url, err := r.places.URL(name)
		if err != nil {
			r.files[name] = lookedAt{err: err}
			continue
		}
		urls, of = append(urls, url), append(of, name)
	}
	if err := r.open(ctx, urls); err != nil {
		return err
	}
	for i, name := range of {
		f := r.byURL[urls[i]]
		r.files[name] = lookedAt{file: f, err: f.Err}
	}
	return nil
}

// open looks at files by their URLs. The caller holds the lock.
func (r *referred) open(ctx context.Context, urls []string) error {
	var unknown []string
	for _, url := range urls {
		if r.byURL[url] == nil {
			unknown = append(unknown, url)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	set, err := sources.OpenFiles(ctx, unknown, r.opt)
	if err != nil {
		return err
	}
	r.sets = append(r.sets, set)
	for _, url := range unknown {
		r.byURL[url] = set.Get(url)
	}
	return nil
}

// file returns a file that the table names.
func (r *referred) file(ctx context.Context, name string) (*sources.OpenFile, error) {
	r.mu.Lock()
	known, ok := r.files[name]
	r.mu.Unlock()
	if !ok {
		if err := r.look(ctx, name); err != nil {
			return nil, err
		}
		r.mu.Lock()
		known = r.files[name]
		r.mu.Unlock()
	}
	return known.file, known.err
}

// Read implements [store.ReferencedFiles].
func (r *referred) Read(ctx context.Context, name string, p []byte, off int64) error {
	f, err := r.file(ctx, name)
	if err != nil {
		return err
	}
	if off > f.Size-int64(len(p)) {
		return tooShort(f, off+int64(len(p)))
	}
	return f.Store.ReadRange(ctx, f.Key, p, off)
}

// tooShort is the error about a file that ends before a reference does.
func tooShort(f *sources.OpenFile, end int64) error {
	return fmt.Errorf("%s: the reference leads to bytes up to %d, but the file has %d (%w): the table was made for another file, so make it again", f.URL, end, f.Size, io.ErrUnexpectedEOF)
}

// Stat implements [store.ReferencedFiles].
func (r *referred) Stat(ctx context.Context, name string) (store.Info, error) {
	f, err := r.file(ctx, name)
	if err != nil {
		return store.Info{}, err
	}
	return store.Info{Size: f.Size, ModTime: f.ModTime, ETag: f.ETag, Changed: f.Changed}, nil
}

// check looks at all files to which the objects in a folder refer, and compares their sizes with
// the references. An error names the object and the file.
func (r *referred) check(ctx context.Context, folder string) error {
	type last struct { // the reference that leads farthest into a file
		key string
		end int64
	}
	ends, names := map[string]last{}, []string{}
	prefix := folder + "/"
	if folder == "" {
		prefix = ""
	}
	next := r.table.Pages(prefix)
	for {
		entries, err := next(ctx)
		if err != nil && !errors.Is(err, store.ErrEnd) {
			return err
		}
		for _, e := range entries {
			if e.URL == "" {
				continue
			}
			end := e.Off + max(e.Len, 0)
			was, known := ends[e.URL]
			if !known {
				names = append(names, e.URL)
			}
			if !known || end > was.end {
				ends[e.URL] = last{e.Key, end}
			}
		}
		if err != nil {
			break
		}
	}
	if err := r.look(ctx, names...); err != nil {
		return err
	}
	for _, name := range names {
		f, err := r.file(ctx, name)
		if err == nil && f.Size < ends[name].end {
			err = tooShort(f, ends[name].end)
		}
		if err != nil {
			return fmt.Errorf("%s refers to %s: %w", ends[name].key, store.Shown(name), err)
		}
	}
	return nil
}

// all yields the files that were looked at.
func (r *referred) all() iter.Seq[sources.File] {
	r.mu.Lock()
	sets := slices.Clone(r.sets)
	r.mu.Unlock()
	var files []sources.File
	for _, set := range sets {
		files = slices.AppendSeq(files, set.Files())
	}
	slices.SortFunc(files, func(a, b sources.File) int { return strings.Compare(a.URL+a.Query, b.URL+b.Query) })
	return slices.Values(files)
}

// changed looks at all files again. It returns an error that names one that has changed.
func (r *referred) changed(ctx context.Context) error {
	r.mu.Lock()
	sets := slices.Clone(r.sets)
	r.mu.Unlock()
	for _, set := range sets {
		if err := set.Changed(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *referred) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, set := range r.sets {
		errs = append(errs, set.Close())
	}
	return errors.Join(errs...)
}

// own returns a file of the table itself.
func (r *referred) own(ctx context.Context, url string) (*sources.OpenFile, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.open(ctx, []string{url}); err != nil {
		return nil, err
	}
	f := r.byURL[url]
	return f, f.Err
}
