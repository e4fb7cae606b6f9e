package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

func (d *Driver) Put(ctx context.Context, key string, data []byte, _ driver.Condition) (string, error) {
	w, err := d.stage(data)
	if err != nil {
		return "", err
	}
	version, err := w.version()
	if err != nil {
		w.discard()
		return "", err
	}
	return version, d.join(ctx, key, w)
}

// join adds an object to the waiting batch, and publishes the batch if it is full.
func (d *Driver) join(ctx context.Context, key string, w staged) error {
	d.mu.Lock()
	if lost := d.lost; lost != nil {
		d.mu.Unlock()
		w.discard()
		return lost
	}
	if old, ok := d.pending[key]; ok {
		old.discard()
	}
	d.pending[key] = w
	full := d.full()
	d.mu.Unlock()
	if !full {
		return nil
	}
	return d.publishIf(ctx, d.full)
}

// largeObject is the size from which on the system is told to begin to write an object
// to the disk before its batch is full. Smaller objects wait, because a flush of many
// small files makes longer writes of them.
const largeObject = 1 << 20

// stage writes data to a new file in the staging folder.
func (d *Driver) stage(data []byte) (staged, error) {
	f, err := d.newFile()
	if err != nil {
		return staged{}, err
	}
	w := staged{f: f, size: int64(len(data))}
	if _, err := f.Write(data); err != nil {
		w.discard()
		return staged{}, err
	}
	if w.size >= largeObject {
		startWriteback(f, 0, w.size)
	}
	return w, nil
}

// PartSize is large enough to save a system call for each small piece, and small enough
// for the cache of the processor.
func (d *Driver) PartSize(int) int { return 256 << 10 }

func (d *Driver) InOrder() bool { return true }

func (d *Driver) Begin(_ context.Context, key string, _ driver.Condition) (driver.Upload, error) {
	f, err := d.newFile()
	if err != nil {
		return nil, err
	}
	return &upload{d: d, key: key, file: staged{f: f}}, nil
}

// upload is a staged object that grows.
type upload struct {
	d      *Driver
	key    string
	file   staged
	joined bool // the file is in the batch
}

// Part writes after the last part that succeeded, over bytes that a failed part may have
// left.
func (u *upload) Part(_ context.Context, _ int, data []byte) error {
	if _, err := u.file.f.WriteAt(data, u.file.size); err != nil {
		return err
	}
	begin := u.file.size &^ (largeObject - 1)
	u.file.size += int64(len(data))
	if end := u.file.size &^ (largeObject - 1); end > begin {
		startWriteback(u.file.f, begin, end-begin)
	}
	return nil
}

func (u *upload) Complete(ctx context.Context, _ driver.Condition) (string, error) {
	version, err := u.file.version()
	if err != nil {
		return "", err
	}
	u.joined = true
	return version, u.d.join(ctx, u.key, u.file)
}

// Abort takes the object out of the batch again if Complete put it there and
// then failed. If the batch is being published, the object stays in it.
func (u *upload) Abort(context.Context) error {
	d := u.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if u.joined {
		if w, ok := d.pending[u.key]; !ok || w.f != u.file.f {
			return nil
		}
		delete(d.pending, u.key)
	}
	u.file.discard()
	return nil
}

// newFile makes a file in the staging folder. Another process that closes its
// store may remove the folder while it is empty; then newFile makes the folder again.
func (d *Driver) newFile() (f *os.File, err error) {
	const attempts = 8
	for i := range attempts {
		err = patiently(func() error {
			dir, n, err := d.stagingDir(i > 0)
			if err == nil {
				name := filepath.Join(dir, fmt.Sprintf("%s%d", d.prefix, n))
				f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
			}
			return err
		})
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return f, err
}

// stagingDir returns the staging folder and a number for a new file in it. On the first
// call, or with again, it makes the root and the folder. If the folder cannot be
// written, or files cannot be renamed from there to the root, it takes a folder inside
// the root instead.
func (d *Driver) stagingDir(again bool) (dir string, n int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made++
	if d.ready && !again {
		return d.staging, d.made, nil
	}
	if err := d.mkdir(d.root); err != nil {
		return "", 0, err
	}
	inner := filepath.Join(d.root, innerStaging)
	if err = os.MkdirAll(d.staging, 0o777); err == nil && d.staging != inner {
		err = d.probe(inner)
	}
	if d.staging != inner && (errors.Is(err, syscall.EXDEV) || Unwritable(err)) {
		d.staging, d.own = inner, ""
		if err = noLink(inner); err == nil {
			err = os.MkdirAll(inner, 0o777)
		}
	}
	if err != nil {
		return "", 0, err
	}
	d.ready = true
	return d.staging, d.made, nil
}

// SameName makes a folder with one name and looks for it by the other.
func (d *Driver) SameName(a, b string) (bool, error) {
	dir, n, err := d.stagingDir(false)
	if err != nil {
		return false, err
	}
	probe := filepath.Join(dir, fmt.Sprintf("%snames%d", d.prefix, n))
	if err := os.MkdirAll(filepath.Join(probe, a), 0o777); err != nil {
		return false, err
	}
	_, err = os.Lstat(filepath.Join(probe, b))
	same := err == nil
	if err := os.RemoveAll(probe); err != nil {
		return false, err
	}
	return same, nil
}

// probe renames an empty folder from the staging folder to the root, to see whether
// files can be renamed the same way. If the two are on different file systems, it removes
// the staging folder. The names are unique, because other processes may probe at the
// same time.
func (d *Driver) probe(inner string) error {
	name := fmt.Sprintf("%s%d", d.prefix, d.made)
	probe, moved := filepath.Join(d.staging, name), inner+"-"+name
	if err := os.Mkdir(probe, 0o777); err != nil {
		return err
	}
	err := os.Rename(probe, moved)
	if err == nil {
		return os.Remove(moved)
	}
	_ = os.Remove(probe)
	if errors.Is(err, syscall.EXDEV) {
		d.removeStaging()
	}
	return err
}

// removeStaging removes the staging folder, and the parent made for it, if they are
// empty.
func (d *Driver) removeStaging() {
	_ = os.Remove(d.staging)
	if d.own != "" {
		_ = os.Remove(d.own)
	}
}

// Clean removes the files of other stores from the staging folders.
func (d *Driver) Clean(_ context.Context, do driver.Requester) error {
	return do("", func(context.Context) error { return d.emptyStaging() })
}

func (d *Driver) emptyStaging() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	inner := filepath.Join(d.root, innerStaging)
	for _, dir := range []string{d.staging, inner} {
		if dir == inner && noLink(inner) != nil {
			continue // a link leads to a folder that is not ours
		}
		entries, err := readDir(dir)
		if err != nil && !errors.Is(missing(err), fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), stagedPrefix) || strings.HasPrefix(e.Name(), d.prefix) {
				continue
			}
			if err := patiently(func() error { return os.Remove(filepath.Join(dir, e.Name())) }); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	// Remove empty folders of earlier probes and stores. A folder that another process
	// uses is not empty, or that process makes it again.
	entries, err := readDir(d.root)
	if err != nil && !errors.Is(missing(err), fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), innerStaging) && e.IsDir() {
			_ = os.Remove(filepath.Join(d.root, e.Name()))
		}
	}
	if !d.ready {
		d.removeStaging() // else Close does
	}
	return nil
}

// Unwritable tells whether an error says that nothing can be written to a path: the user may
// not write there, or it is no folder.
func Unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)
}
