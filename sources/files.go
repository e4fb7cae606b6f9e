package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"path/filepath"
	"strings"
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
	Err   error  // why the file cannot be read; then only File.URL is set
}

// FileSet is the files behind a source, without any data. It opens one store for each
// folder, however many files the folder holds. It is safe for concurrent use.
type FileSet struct {
	files  []*OpenFile
	byURL  map[string]*OpenFile
	stores map[string]*store.Store
}

// OpenFiles asks for the size and the identity of files, of several at the same time. If a
// file cannot be read, its OpenFile has the error, and OpenFiles returns none, because the
// file may not be needed. A URL that is given twice is one file. If opt has no request
// budget, the files share a new one. The caller closes the FileSet.
func OpenFiles(ctx context.Context, urls []string, opt store.Options) (*FileSet, error) {
	if opt.Limits == nil {
		opt.Limits = limits.New(0)
	}
	s := &FileSet{byURL: map[string]*OpenFile{}, stores: map[string]*store.Store{}}
	for _, u := range urls {
		if s.byURL[u] != nil {
			continue
		}
		f := &OpenFile{}
		if err := s.place(ctx, f, u, opt); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.files = append(s.files, f)
		s.byURL[u] = f
	}
	err := InParallel(ctx, len(s.files), func(ctx context.Context, i int) error {
		f := s.files[i]
		info, err := f.Store.Stat(ctx, f.Key)
		if err != nil {
			f.Err = err
			return ctx.Err()
		}
		f.Size, f.ModTime, f.ETag, f.Changed = info.Size, info.ModTime, info.ETag, info.Changed
		f.Store.Pin(info)
		if f.Head, err = f.Store.Head(ctx, f.Key); err != nil {
			f.Err = err
			return ctx.Err()
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// place sets the store and the key of a file. For the first file of a folder, it opens the
// store.
func (s *FileSet) place(ctx context.Context, f *OpenFile, u string, opt store.Options) error {
	dir, key, err := store.Split(u)
	if err != nil {
		return err
	}
	if s.stores[dir] == nil {
		opened, err := store.Open(ctx, dir, opt)
		if err != nil {
			return err
		}
		s.stores[dir] = opened
	}
	f.Store, f.Key = s.stores[dir], key
	f.Store.Expect(key)
	f.Query = f.Store.Query()
	base, _, _ := strings.Cut(f.Store.URL(), "?")
	if strings.Contains(base, "://") {
		f.URL = base + "/" + url.PathEscape(key)
	} else {
		f.URL = filepath.Join(f.Store.URL(), key)
	}
	return nil
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
// given, as [Source].Files does.
func (s *FileSet) Files() iter.Seq[File] {
	return func(yield func(File) bool) {
		for _, f := range s.files {
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
	return InParallel(ctx, len(s.files), func(ctx context.Context, i int) error {
		f := s.files[i]
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
