package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Before manyFlushes files or more are flushed, the whole file system is flushed: each
// single flush makes a file system such as ext4 write its journal.
const manyFlushes = 16

// full tells whether a put must publish the batch. The caller holds mu.
func (d *Driver) full() bool {
	size := int64(0)
	for _, w := range d.pending {
		size += w.size
	}
	return len(d.pending) >= d.limits.waiting || size >= batchBytes
}

func (d *Driver) Sync(ctx context.Context) error {
	return d.publishIf(ctx, func() bool { return true })
}

// publishIf makes every waiting object durable and visible, if condition is still true
// after earlier batches are done; it is called with mu held. A batch that has been
// taken is published even if ctx ends.
func (d *Driver) publishIf(ctx context.Context, condition func() bool) error {
	if err := d.lock(ctx); err != nil {
		return err
	}
	defer d.unlock()
	d.mu.Lock()
	if !condition() {
		defer d.mu.Unlock()
		return d.lost
	}
	batch := d.pending
	d.pending = make(map[string]staged)
	d.mu.Unlock()

	err := d.publish(ctx, batch)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost == nil {
		d.lost = err
	}
	return d.lost
}

// publish flushes the files, renames them to their keys, and flushes the
// directories. A file that fails is removed, and publish goes on with the others. It
// returns the first error. The caller holds the token of the tree.
func (d *Driver) publish(ctx context.Context, batch map[string]staged) error {
	keys := slices.Sorted(maps.Keys(batch))
	if len(keys) >= manyFlushes {
		flushAll(batch[keys[0]].f)
	}
	errs := make([]error, len(keys), len(keys)+1)
	var g errgroup.Group
	g.SetLimit(d.limits.flushed)
	for i, key := range keys {
		g.Go(func() error {
			f := batch[key].f
			errs[i] = errors.Join(f.Sync(), f.Close())
			return nil
		})
	}
	_ = g.Wait() // the functions keep their errors in errs
	for i, key := range keys {
		name := batch[key].f.Name()
		if errs[i] == nil {
			errs[i] = driver.Permitted(ctx)
		}
		if errs[i] == nil {
			errs[i] = d.place(key, func(target string) error { return os.Rename(name, target) })
		}
		if errs[i] != nil {
			_ = os.Remove(name)
			errs[i] = fmt.Errorf("object %s is lost: %w", key, errs[i])
		}
	}
	errs = append(errs, d.syncDirs())
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// place calls f to bring an object to the path of its key. If the folders of the path do
// not exist, it makes them. The caller holds the token of the tree.
func (d *Driver) place(key string, f func(target string) error) error {
	target := d.path(key)
	dir := filepath.Dir(target)
	if err := d.links.check(dir); err != nil {
		return err
	}
	d.files.forget(target)
	err := patiently(func() error { return f(target) })
	d.mu.Lock()
	defer d.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) {
		if err := patiently(func() error { return d.mkdir(dir) }); err != nil {
			return err
		}
		err = patiently(func() error { return f(target) })
	}
	if err != nil {
		return err
	}
	d.unsynced[dir] = true
	d.files.forget(target)
	return nil
}

// mkdir makes the folder and its parents, and notes which folders changed in unsynced.
// The caller holds mu.
func (d *Driver) mkdir(dir string) error {
	st, err := os.Stat(dir)
	if err == nil && !st.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := d.mkdir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d.unsynced[parent] = true
	return nil
}

// syncDirs flushes every changed directory. Directories that fail stay in unsynced.
func (d *Driver) syncDirs() error {
	d.mu.Lock()
	dirs := slices.Sorted(maps.Keys(d.unsynced))
	clear(d.unsynced)
	d.mu.Unlock()
	if len(dirs) >= manyFlushes {
		if f, err := os.Open(d.root); err == nil {
			flushAll(f)
			_ = f.Close()
		}
	}
	var g errgroup.Group
	g.SetLimit(d.limits.flushed)
	for _, dir := range dirs {
		g.Go(func() error {
			err := syncDir(dir)
			if err != nil {
				d.mu.Lock()
				d.unsynced[dir] = true
				d.mu.Unlock()
			}
			return err
		})
	}
	return g.Wait()
}

// syncDir flushes one directory. It returns no error if the file system cannot flush
// directories, or if the directory has been removed since. Windows cannot flush directories.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
