package local

import (
	"container/list"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

const (
	// A batch of waiting objects is full at this many files or bytes.
	batchFiles = 256
	batchBytes = 256 << 20
	// flushes is the number of files flushed at the same time.
	flushes = 16
)

// fileLimits bounds the files that one store keeps open.
type fileLimits struct {
	cached  int // open for reading
	waiting int // written and not yet published
	flushed int // files and folders that are flushed at the same time
}

// fileLimitsOf returns the limits of a store that may have share files open for each of
// the three purposes.
func fileLimitsOf(share int) fileLimits {
	return fileLimits{cached: min(64, share), waiting: min(batchFiles, share), flushed: min(flushes, share)}
}

// openFiles is a cache of open files, so that many small reads of one file open it once.
// It drops the file that was used least recently. A dropped file is closed when its last
// reader is done.
type openFiles struct {
	limit     int
	pastCache bool // files are dropped from the memory of the system when they are opened

	mu     sync.Mutex
	byName map[string]*list.Element // of *openFile
	order  *list.List               // the most recently used first
}

type openFile struct {
	name    string
	f       *os.File
	readers int
	dropped bool // no longer in the cache
}

func newOpenFiles(limit int) *openFiles {
	return &openFiles{limit: limit, byName: make(map[string]*list.Element), order: list.New()}
}

// open returns a file for reading at offsets. The caller calls release after
// its last read and does not close the file.
func (c *openFiles) open(name string) (f *os.File, release func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byName[name]; ok {
		c.order.MoveToFront(e)
		f, release := c.use(e)
		return f, release, nil
	}
	opened, err := openRegular(name)
	if err != nil {
		return nil, nil, err
	}
	if c.pastCache {
		dropCached(opened)
	}
	e := c.order.PushFront(&openFile{name: name, f: opened})
	c.byName[name] = e
	f, release = c.use(e)
	if c.order.Len() > c.limit {
		_ = c.drop(c.order.Back()) // only read
	}
	return f, release, nil
}

// use counts a reader. The caller holds mu.
func (c *openFiles) use(e *list.Element) (*os.File, func()) {
	o := e.Value.(*openFile)
	o.readers++
	return o.f, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if o.readers--; o.dropped && o.readers == 0 {
			_ = o.f.Close() // only read
		}
	}
}

// drop takes a file out of the cache. The caller holds mu.
func (c *openFiles) drop(e *list.Element) error {
	o := e.Value.(*openFile)
	c.order.Remove(e)
	delete(c.byName, o.name)
	o.dropped = true
	if o.readers == 0 {
		return o.f.Close()
	}
	return nil
}

// forget drops a file that is replaced or removed. It is called before that, because Windows replaces and removes no
// file that is open, and again afterwards.
func (c *openFiles) forget(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byName[name]; ok {
		_ = c.drop(e) // only read
	}
}

func (c *openFiles) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for c.order.Len() > 0 {
		errs = append(errs, c.drop(c.order.Front()))
	}
	return errors.Join(errs...)
}

// openRegular opens a regular file for reading. It looks at the file before it opens it,
// because opening a pipe would wait for a writer.
func openRegular(name string) (*os.File, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, dangling(name, err)
	}
	if !st.Mode().IsRegular() {
		return nil, irregular(name, st.Mode())
	}
	var f *os.File
	err = patiently(func() error {
		f, err = os.Open(name)
		return err
	})
	return f, err
}

// readDir returns the sorted entries of a folder.
func readDir(name string) (entries []fs.DirEntry, err error) {
	err = patiently(func() error {
		entries, err = os.ReadDir(name)
		return err
	})
	return entries, err
}

// irregular is the error for something that is no regular file. A folder counts as
// absent, as in a bucket; its error wraps syscall.EISDIR, too.
func irregular(name string, mode fs.FileMode) error {
	if mode.IsDir() {
		return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w (%w)", fs.ErrNotExist, syscall.EISDIR)}
	}
	return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("not a regular file (%v): %w", mode.Type(), fs.ErrInvalid)}
}

// dangling adds [driver.ErrDangling] to the error of a symbolic link whose target does not
// exist. Such an object counts as absent, as a folder does.
func dangling(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if to, noLink := os.Readlink(name); noLink == nil {
		return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w (%w, to %s: fetch that file, or remove the link)", fs.ErrNotExist, driver.ErrDangling, to)}
	}
	return err
}

// missing turns the error for a path below a regular file into fs.ErrNotExist.
func missing(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w (%w)", fs.ErrNotExist, err)
	}
	return err
}
