package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Create publishes one object under a free key: a hard link fails if the key is taken.
func (d *Driver) Create(ctx context.Context, key string, data []byte) error {
	w, err := d.stage(data)
	if err != nil {
		return err
	}
	defer w.discard()
	if err := w.f.Sync(); err != nil {
		return err
	}
	if err := d.lock(ctx); err != nil {
		return err
	}
	defer d.unlock()
	err = d.place(key, func(target string) error { return os.Link(w.f.Name(), target) })
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) {
		err = d.place(key, func(target string) error { return writeExclusive(target, data) })
	}
	if err != nil {
		return err
	}
	return d.syncDirs()
}

// writeExclusive is Create for file systems without hard links. A crash in the
// middle leaves a torn object.
func writeExclusive(target string, data []byte) error {
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(target)
	}
	return err
}

// ReadPastCache makes reads come from the disk, see the option PastCache of a store. It is
// called before the first read.
func (d *Driver) ReadPastCache() { d.files.pastCache = true }

func (d *Driver) Read(_ context.Context, key string, p []byte, off int64, _ driver.Info) error {
	f, release, err := d.files.open(d.path(key))
	if err != nil {
		return missing(err)
	}
	defer release()
	n, err := f.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		size := off + int64(n)
		if st, err := f.Stat(); err == nil {
			size = st.Size()
		}
		return &driver.ShortError{Off: off, Want: int64(len(p)), Size: size}
	}
	return err
}

func (d *Driver) ReadAll(_ context.Context, key string, limit int64, room func(int) []byte) ([]byte, string, error) {
	f, err := openRegular(d.path(key))
	if err != nil {
		return nil, "", missing(err)
	}
	if d.files.pastCache {
		dropCached(f)
	}
	defer f.Close() //nolint:errcheck // only read
	st, err := f.Stat()
	if err != nil {
		return nil, "", err
	}
	if st.Size() > limit {
		return nil, "", fmt.Errorf("%w: %d bytes, at most %d wanted", driver.ErrTooLarge, st.Size(), limit)
	}
	data := room(int(st.Size()))
	n, err := io.ReadFull(f, data)
	if err != nil && n < len(data) {
		return nil, "", &driver.ShortError{Want: st.Size(), Size: int64(n)}
	}
	return data, "", nil
}

func (d *Driver) Stat(_ context.Context, key string) (driver.Info, error) {
	st, err := os.Stat(d.path(key))
	if err != nil {
		return driver.Info{}, missing(dangling(d.path(key), err))
	}
	if !st.Mode().IsRegular() {
		return driver.Info{}, irregular(d.path(key), st.Mode())
	}
	return driver.Info{Key: key, Size: st.Size(), ModTime: st.ModTime(), Changed: changeTime(st)}, nil
}

// headBytes is how many bytes at the beginning of a file Head reads.
const headBytes = 64 << 10

func (d *Driver) Head(key string) (string, error) {
	f, err := openRegular(d.path(key))
	if err != nil {
		return "", missing(err)
	}
	defer f.Close() //nolint:errcheck // only read
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, headBytes)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Delete removes the file, and the directories that are empty without it: they hold no
// object. If there is no such file, Delete removes the directories on its path that are empty.
func (d *Driver) Delete(ctx context.Context, key string) error {
	if err := d.lock(ctx); err != nil {
		return err
	}
	defer d.unlock()
	d.mu.Lock()
	if w, ok := d.pending[key]; ok {
		delete(d.pending, key)
		w.discard()
	}
	d.mu.Unlock()
	target := d.path(key)
	if err := d.links.check(filepath.Dir(target)); err != nil {
		return err
	}
	st, err := os.Lstat(target)
	if err == nil && st.IsDir() {
		return nil // a folder is no object
	}
	if err == nil {
		d.files.forget(target)
		err = patiently(func() error { return os.Remove(target) })
	}
	if err = missing(err); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d.files.forget(target)
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := filepath.Dir(target)
	for ; dir != d.root; dir = filepath.Dir(dir) {
		// Rmdir fails for a symbolic link to a folder, as it should; os.Remove would remove it.
		if err := syscall.Rmdir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break
		}
		delete(d.unsynced, dir)
	}
	d.unsynced[dir] = true
	return nil
}

func (d *Driver) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.pending {
		w.discard()
	}
	if d.ready {
		d.removeStaging()
	}
	return d.files.close()
}
