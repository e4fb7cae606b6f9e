package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// MostAtOnce is how many calls [InParallel] makes at the same time.
const MostAtOnce = 16

// OpenFile is a file of a [FileSet].
type OpenFile struct {
	File
	Store *store.Store
	Key   string // of the file in Store
	// Folder is the URL of Store, with all that opening it takes.
	Folder string
	Err    error // why the file cannot be read; then only File.URL is set
}

// FileSet is the files behind a source, without any data. It opens one store for each
// folder, however many files the folder holds, and one client for each bucket. It is safe for
// concurrent use.
type FileSet struct {
	files  []*OpenFile // that were given
	byURL  map[string]*OpenFile
	stores map[string]*store.Store // by their folders
	opt    store.Options
	// clients are those of opt if the caller gave none: one for each bucket.
	clients *store.Clients

	mu     sync.Mutex           // guards what follows, and stores
	given  map[placed]*OpenFile // files, if any has been asked for
	beside map[placed]*besideFile
	opened []*OpenFile // those of beside whose identity is known
}

// placed is a key in a folder.
type placed struct{ folder, key string }

// besideFile is a file that was opened because another one refers to it.
type besideFile struct {
	once sync.Once
	OpenFile
}

// OpenFiles asks for the size and the identity of files, of several at the same time. If a
// file cannot be read, its OpenFile has the error, and OpenFiles returns none, because the
// file may not be needed. A URL that is given twice is one file. If opt has no request
// budget, the files share a new one. The caller closes the FileSet.
func OpenFiles(ctx context.Context, urls []string, opt store.Options) (*FileSet, error) {
	if opt.Limits == nil {
		opt.Limits = limits.New(0)
	}
	var clients *store.Clients
	if opt.Clients == nil {
		clients = &store.Clients{}
		opt.Clients = clients
	}
	s := &FileSet{clients: clients, byURL: map[string]*OpenFile{}, stores: map[string]*store.Store{}, opt: opt, beside: map[placed]*besideFile{}}
	for _, u := range urls {
		if s.byURL[u] != nil {
			continue
		}
		f := &OpenFile{}
		dir, key, err := store.Split(u)
		if err == nil {
			err = s.place(ctx, f, dir, key)
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.files = append(s.files, f)
		s.byURL[u] = f
	}
	err := InParallel(ctx, len(s.files), func(ctx context.Context, i int) error {
		s.files[i].identify(ctx)
		return ctx.Err()
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// identify asks for the size and the identity of a file. It sets Err if that fails.
func (f *OpenFile) identify(ctx context.Context) {
	info, err := f.Store.Stat(ctx, f.Key)
	if err == nil {
		f.Size, f.ModTime, f.ETag, f.Changed = info.Size, info.ModTime, info.ETag, info.Changed
		f.Store.Pin(info)
		f.Head, err = f.Store.Head(ctx, f.Key)
	}
	f.Err = err
}

// place sets the store and the key of a file in a folder. For the first file of a folder,
// it opens the store.
func (s *FileSet) place(ctx context.Context, f *OpenFile, dir, key string) error {
	if s.stores[dir] == nil {
		opened, err := store.Open(ctx, dir, s.opt)
		if err != nil {
			return err
		}
		s.stores[dir] = opened
	}
	f.Store, f.Key, f.Folder = s.stores[dir], key, dir
	f.Store.Expect(key)
	f.Query = f.Store.Query()
	base, _, _ := strings.Cut(f.Store.URL(), "?")
	if strings.Contains(base, "://") {
		names := strings.Split(key, "/")
		for i := range names {
			names[i] = url.PathEscape(names[i])
		}
		f.URL = base + "/" + strings.Join(names, "/")
	} else {
		f.URL = filepath.Join(f.Store.URL(), key)
	}
	return nil
}

// Beside returns the file with a key in a folder. It is for files that nobody has named, but
// to which files of the set refer. They count as files of the source from then on. In a
// local folder, a file that symbolic links lead out of the folder is refused. If the file
// cannot be read, Beside returns the error.
func (s *FileSet) Beside(ctx context.Context, folder, key string) (*OpenFile, error) {
	s.mu.Lock()
	if s.given == nil {
		s.given = map[placed]*OpenFile{}
		for _, f := range s.files {
			s.given[placed{f.Folder, f.Key}] = f
		}
	}
	if f := s.given[placed{folder, key}]; f != nil {
		s.mu.Unlock()
		return f, f.Err
	}
	f := s.beside[placed{folder, key}]
	if f == nil {
		f = &besideFile{}
		if err := s.place(ctx, &f.OpenFile, folder, key); err != nil {
			s.mu.Unlock()
			return nil, err
		}
		s.beside[placed{folder, key}] = f
	}
	s.mu.Unlock()
	f.once.Do(func() {
		if f.Err = f.within(); f.Err == nil {
			f.identify(ctx)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opened = append(s.opened, &f.OpenFile)
	})
	return &f.OpenFile, f.Err
}

// within refuses a local file if symbolic links lead it out of its folder.
func (f *OpenFile) within() error {
	if !f.Store.Local() {
		return nil
	}
	to, err := filepath.EvalSymlinks(f.URL)
	if err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(f.Store.URL())
	if err != nil {
		return err
	}
	if relative, err := filepath.Rel(root, to); err != nil || !filepath.IsLocal(relative) {
		return fmt.Errorf("%s: a symbolic link leads to %s, outside of %s: %w", f.URL, to, root, errors.ErrUnsupported)
	}
	return nil
}

// all lists the files, those that were given first. The others follow in the order of
// their URLs.
func (s *FileSet) all() []*OpenFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	others := slices.Clone(s.opened)
	slices.SortFunc(others, func(a, b *OpenFile) int { return strings.Compare(a.URL, b.URL) })
	return slices.Concat(s.files, others)
}

// Get returns a file by the URL that it was opened with.
func (s *FileSet) Get(url string) *OpenFile { return s.byURL[url] }

// Names returns the URLs of files without credentials. urls are the URLs that the files
// were opened with.
func (s *FileSet) Names(urls []string) []string {
	names := make([]string, len(urls))
	for i, u := range urls {
		names[i] = s.byURL[u].URL
	}
	return names
}

// Files lists the files that can be read, in the order in which they were
// given, as [Source].Files does. Those of Beside follow.
func (s *FileSet) Files() iter.Seq[File] {
	return func(yield func(File) bool) {
		for _, f := range s.all() {
			if f.Err == nil && !yield(f.File) {
				return
			}
		}
	}
}

// ErrChanged is the cause of an error about a file that changed while it was
// read.
var ErrChanged = store.ErrChanged

// Changed is [Source].Changed.
func (s *FileSet) Changed(ctx context.Context) error {
	files := s.all()
	return InParallel(ctx, len(files), func(ctx context.Context, i int) error {
		f := files[i]
		if f.Err != nil {
			return nil
		}
		info, err := f.Store.Stat(ctx, f.Key)
		if err == nil && info.ETag != f.ETag { // perhaps a stray answer, so ask once more
			info, err = f.Store.Stat(ctx, f.Key)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %w", ErrChanged, err)
		}
		if err != nil {
			return err
		}
		if info.Size != f.Size || !info.ModTime.Equal(f.ModTime) || info.ETag != f.ETag {
			return fmt.Errorf("%s: %w", f.URL, ErrChanged)
		}
		is := File{Changed: info.Changed}
		if !is.Touched(f.File) {
			return nil
		}
		if is.Head, err = f.Store.Head(ctx, f.Key); err != nil {
			return err
		}
		if is.Edited(f.File) {
			return fmt.Errorf("%s, which was edited and whose modification time was set back: %w", f.URL, ErrChanged)
		}
		return nil
	})
}

// Close closes all stores.
func (s *FileSet) Close() error {
	var errs []error
	for _, opened := range s.stores {
		errs = append(errs, opened.Close())
	}
	s.clients.Close()
	return errors.Join(errs...)
}

// InParallel calls f for every i from 0 to n-1, [MostAtOnce] of them at the same time. After
// an error, no further call begins. InParallel returns the first error when all calls have
// ended.
func InParallel(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	return InParallelUpTo(ctx, MostAtOnce, n, f)
}

// InParallelUpTo is [InParallel] with at most atOnce calls at the same time. The calls
// begin in the order of i. One goroutine makes many calls: its stack grows once, and not for
// each call.
func InParallelUpTo(ctx context.Context, atOnce, n int, f func(ctx context.Context, i int) error) error {
	g, inner := errgroup.WithContext(ctx)
	var begun atomic.Int64
	for range min(atOnce, n) {
		g.Go(func() error {
			for inner.Err() == nil {
				i := int(begun.Add(1)) - 1
				if i >= n {
					break
				}
				if err := f(inner, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
