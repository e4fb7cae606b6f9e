package store

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store/location"
)

// Sibling returns the URL of the folder beside the given one whose name is
// longer by the suffix: "s3://b/x.zarr?region=r" and ".zmigrate" give
// "s3://b/x.zarr.zmigrate?region=r". A whole bucket has no sibling.
func Sibling(url, suffix string) (string, error) {
	l, err := location.Parse(url)
	switch {
	case err != nil:
		return "", err
	case l.Local():
		if base := filepath.Base(l.Path); base == "." || base == ".." || base == string(filepath.Separator) {
			if l.Path, err = location.Absolute(l.Path); err != nil {
				return "", err
			}
		}
		l.Path = filepath.Clean(l.Path)
		if filepath.Dir(l.Path) == l.Path {
			return "", fmt.Errorf("%s has nothing beside it", l)
		}
		l.Path += suffix
	case l.Path != "":
		l.Path += suffix
	case l.Scheme == "mem":
		l.Host += suffix
	default:
		return "", fmt.Errorf("%s is a whole bucket and has nothing beside it: use a prefix in it", l)
	}
	return l.Full(), nil
}

// Folder returns the URL of a folder inside the given one. name may have slashes.
func Folder(url, name string) (string, error) {
	l, err := location.Parse(url)
	if err != nil {
		return "", err
	}
	if l.Local() {
		l.Path = filepath.Join(l.Path, filepath.FromSlash(name))
	} else {
		l.Path = path.Join(l.Path, name)
	}
	return l.Full(), nil
}

// Same tells whether two stores are the same folder, even if their URLs are spelled
// differently. Links, and parameters that change nothing, count as a difference.
func (s *Store) Same(other *Store) bool {
	if s.Local() && other.Local() { // by a path or a file URL
		return s.at.Path == other.at.Path
	}
	return s.at.String() == other.at.String()
}

// Split cuts the URL of one object into the URL of the object's folder and the key.
func Split(url string) (dir, key string, err error) {
	l, err := location.Parse(url)
	if err != nil {
		return "", "", err
	}
	if name, _, _ := strings.Cut(url, "?"); strings.HasSuffix(name, "/") || !l.Local() && l.Path == "" {
		return "", "", fmt.Errorf("%s is a folder, not one object", l)
	}
	if l.Local() {
		key, l.Path = filepath.Base(l.Path), filepath.Dir(l.Path)
	} else {
		parent, base := path.Split(l.Path)
		key, l.Path = base, strings.TrimSuffix(parent, "/")
	}
	if err := location.CheckKey(key); err != nil {
		return "", "", fmt.Errorf("%s: %w", l, err)
	}
	return l.Full(), key, nil
}

// Shown returns a URL for people to read, without the query of HTTP, which may be
// a secret. A URL that cannot be parsed is returned unchanged.
func Shown(url string) string {
	if l, err := location.Parse(url); err == nil && l.Hidden != "" {
		return l.String()
	}
	return url
}

// Far tells whether a URL names a place behind a network.
func Far(url string) bool {
	at, err := location.Parse(url)
	return err == nil && at.Far()
}

// LocalPath returns the absolute path of a place in the file system of this machine. For other
// places, it returns false.
func LocalPath(url string) (string, bool) {
	at, err := location.Parse(url)
	if err != nil || !at.Local() {
		return "", false
	}
	path, err := location.Absolute(at.Path)
	return path, err == nil
}

// Join resolves ref against the local folder base if ref is a relative bare
// path. URLs and absolute paths are returned unchanged.
func Join(base, ref string) (string, error) {
	l, err := location.Parse(ref)
	if err != nil {
		return "", err
	}
	if l.Scheme != "" || filepath.IsAbs(ref) || base == "" {
		return ref, nil
	}
	return location.Location{Path: filepath.Join(base, ref)}.Full(), nil
}

// CheckURL returns an error for a URL or a path that no store can have. It opens
// nothing, and quotes nothing that may be a secret.
func CheckURL(url string) error {
	_, err := location.Parse(url)
	return err
}

// FilePath returns the path of this system that the path of a file URL means.
func FilePath(path string) string { return location.FromURL(path, runtime.GOOS) }

// CheckKey returns an error for a key that the provider of url is known to refuse or to
// change. It opens nothing.
func CheckKey(url, key string) error {
	l, err := location.Parse(url)
	if err != nil {
		return nil // Open reports it
	}
	return l.CheckKey(key)
}

// Local tells whether a URL names a directory of this machine.
func Local(url string) bool {
	at, err := location.Parse(url)
	return err == nil && at.Local()
}

// Query returns a short digest of those parameters of an HTTP query that may say which
// object the URL names, "" if there are none. So it tells such URLs apart.
func (s *Store) Query() string { return s.at.Digest() }
