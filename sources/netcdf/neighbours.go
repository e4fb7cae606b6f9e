package netcdf

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/netcdf/hdf5"
)

// maxNeighbours bounds the HDF5 files that are open because others refer to them.
const maxNeighbours = 1 << 14

// neighbours opens the files to which a file refers. It implements [hdf5.Others].
type neighbours struct {
	source *source
	home   *home
	from   *sources.OpenFile // the file whose references they are
}

// home is the file of a source from which references lead to others.
type home struct {
	file *sources.OpenFile
	hdf5 *hdf5.File // nil until it is opened
}

// storeReader reads a file of a store.
type storeReader struct {
	file      *sources.OpenFile
	beginning []byte // the beginning of the file, which was read before
}

func (r *storeReader) ReadAt(ctx context.Context, p []byte, off int64) error {
	if end := off + int64(len(p)); end <= int64(len(r.beginning)) {
		copy(p, r.beginning[off:])
		return nil
	}
	return r.file.Store.ReadRange(ctx, r.file.Key, p, off)
}

// Least and most bytes of metadata that are read at once.
const (
	minPage = 64 << 10
	maxPage = 512 << 10
)

// openHDF5 opens an HDF5 file, which may refer to others.
func (s *source) openHDF5(ctx context.Context, r *storeReader, others *neighbours) (*hdf5.File, error) {
	gap := r.file.Store.GapBytes()
	return hdf5.Open(ctx, r, r.file.Size, hdf5.Options{Shared: s.shared, Gap: gap, Page: min(max(gap, minPage), maxPage), Others: others})
}

// Reader implements [hdf5.Others].
func (n *neighbours) Reader(ctx context.Context, name string) (hdf5.Reader, int64, error) {
	f, err := n.find(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	return &storeReader{file: f}, f.Size, nil
}

// File implements [hdf5.Others].
func (n *neighbours) File(ctx context.Context, name string) (*hdf5.File, error) {
	f, err := n.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if f == n.home.file && n.home.hdf5 != nil {
		return n.home.hdf5, nil
	}
	s := n.source
	s.mu.Lock()
	defer s.mu.Unlock()
	key := [2]*sources.OpenFile{n.home.file, f} // what a file may refer to depends on the home
	if known := s.opened[key]; known != nil {
		return known, nil
	}
	if len(s.opened) == maxNeighbours {
		return nil, fmt.Errorf("files refer to more than %d others: %w", maxNeighbours, errors.ErrUnsupported)
	}
	opened, err := s.openHDF5(ctx, &storeReader{file: f}, &neighbours{s, n.home, f})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.URL, err)
	}
	s.opened[key], s.places[opened] = opened, f
	return opened, nil
}

// find returns the file that has a name in another one. Names are relative to the folder of
// the file that has them. The result is in the folder of the source's file or below it, or
// in another folder that is allowed.
func (n *neighbours) find(ctx context.Context, name string) (*sources.OpenFile, error) {
	s := n.source
	if s.follow.Nothing {
		return nil, fmt.Errorf("source.follow is none, so no other file is read: %w", errors.ErrUnsupported)
	}
	target, err := n.target(name)
	if err != nil {
		return nil, err
	}
	store := n.home.file.Store
	if key, ok := below(store.URL(), target, store.Local()); ok {
		return s.files.Beside(ctx, n.home.file.Folder, key)
	}
	for _, folder := range s.follow.Folders {
		if key, ok := below(folder, target, store.Local()); ok {
			return s.files.Beside(ctx, folder, key)
		}
	}
	return nil, fmt.Errorf("%s is not in the folder of %s, and source.follow allows no folder that has it: %w", target, n.home.file.URL, errors.ErrUnsupported)
}

// target returns the path or URL of the file that has a name in n.from, without any
// query.
func (n *neighbours) target(name string) (string, error) {
	if n.from.Store.Local() {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(n.from.URL), name)
		}
		return filepath.Clean(name), nil
	}
	if strings.HasPrefix(name, "/") || strings.Contains(name, "://") {
		return "", fmt.Errorf("%.200q is an absolute name, but the file is at %s: %w", name, n.from.URL, errors.ErrUnsupported)
	}
	scheme, rest, _ := strings.Cut(n.from.URL, "://")
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return scheme + "://" + path.Join(path.Dir(rest), strings.Join(parts, "/")), nil
}

// below returns the key of a file in the store of a folder. It returns false if the file is
// not in the folder or below it.
func below(folder, target string, local bool) (key string, ok bool) {
	if local {
		folder = strings.TrimPrefix(folder, "file://")
		if strings.Contains(folder, "://") {
			return "", false
		}
		absolute, err := filepath.Abs(folder)
		if err != nil {
			return "", false
		}
		relative, err := filepath.Rel(absolute, target)
		return filepath.ToSlash(relative), err == nil && filepath.IsLocal(relative) && relative != "."
	}
	folder, _, _ = strings.Cut(folder, "?")
	rest, ok := strings.CutPrefix(target, strings.TrimSuffix(folder, "/")+"/")
	if !ok {
		return "", false
	}
	key, err := url.PathUnescape(rest)
	return key, err == nil && key != ""
}
