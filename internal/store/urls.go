package store

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Sibling returns the URL of the folder beside the given one whose name is
// longer by the suffix: "s3://b/x.zarr?region=r" and ".zmigrate" give
// "s3://b/x.zarr.zmigrate?region=r". A whole bucket has no sibling.
func Sibling(url, suffix string) (string, error) {
	l, err := parse(url)
	switch {
	case err != nil:
		return "", err
	case l.local():
		if base := filepath.Base(l.path); base == "." || base == ".." || base == string(filepath.Separator) {
			if l.path, err = absolute(l.path); err != nil {
				return "", err
			}
		}
		l.path = filepath.Clean(l.path)
		if filepath.Dir(l.path) == l.path {
			return "", fmt.Errorf("%s has nothing beside it", l)
		}
		l.path += suffix
	case l.path != "":
		l.path += suffix
	case l.scheme == "mem":
		l.host += suffix
	default:
		return "", fmt.Errorf("%s is a whole bucket and has nothing beside it: use a prefix in it", l)
	}
	return l.full(), nil
}

// Same tells whether two stores are the same folder, even if their URLs are spelled
// differently. Links, and parameters that change nothing, count as a difference.
func (s *Store) Same(other *Store) bool {
	if s.Local() || other.Local() {
		return s.Local() && other.Local() && s.at.path == other.at.path
	}
	return s.at.String() == other.at.String()
}

// Split cuts the URL of one object into the URL of the object's folder and the key.
func Split(url string) (dir, key string, err error) {
	l, err := parse(url)
	if err != nil {
		return "", "", err
	}
	if strings.HasSuffix(strings.SplitN(url, "?", 2)[0], "/") || !l.local() && l.path == "" {
		return "", "", fmt.Errorf("%s is a folder, not one object", l)
	}
	if l.local() {
		key, l.path = filepath.Base(l.path), filepath.Dir(l.path)
	} else {
		parent, base := path.Split(l.path)
		key, l.path = base, strings.TrimSuffix(parent, "/")
	}
	if err := checkKey(key); err != nil {
		return "", "", fmt.Errorf("%s: %w", l, err)
	}
	return l.full(), key, nil
}

// Shown returns a URL for people to read, without the query of HTTP, which may be
// a secret. A URL that cannot be parsed is returned unchanged.
func Shown(url string) string {
	if l, err := parse(url); err == nil && l.hidden != "" {
		return l.String()
	}
	return url
}

// Far tells whether a URL names a place behind a network.
func Far(url string) bool {
	at, err := parse(url)
	return err == nil && at.far()
}

// Join resolves ref against the local folder base if ref is a relative bare
// path. URLs and absolute paths are returned unchanged.
func Join(base, ref string) (string, error) {
	l, err := parse(ref)
	if err != nil {
		return "", err
	}
	if l.scheme != "" || filepath.IsAbs(ref) || base == "" {
		return ref, nil
	}
	return location{path: filepath.Join(base, ref)}.full(), nil
}

// CheckURL returns an error for a URL or a path that no store can have. It opens
// nothing, and quotes nothing that may be a secret.
func CheckURL(url string) error {
	_, err := parse(url)
	return err
}

// CheckKey returns an error for a key that the provider of url is known to refuse or to
// change. It opens nothing.
func CheckKey(url, key string) error {
	l, err := parse(url)
	if err != nil {
		return nil // Open reports it
	}
	return l.checkKey(key)
}

// WriterBytes returns the memory in bytes that each Writer takes for an object of at
// most size bytes, in the store of a URL that is opened with parts as Options.Parts: all
// parts that are in memory at the same time. The parts of an object above 8 GB grow; it
// takes at least one of its last parts. A URL that cannot be opened takes none.
func WriterBytes(url string, parts, size int) int {
	at, err := parse(url)
	if err != nil {
		return 0
	}
	switch at.scheme {
	case "s3", "azblob":
		return PartBytes * min(max(parts, 1), 1+max(size-1, 0)/PartBytes)
	case "gs":
		return PartBytes
	default:
		return (*local)(nil).partSize(0) // and memory's is the same
	}
}

// Local tells whether a URL names a directory of this machine.
func Local(url string) bool {
	at, err := parse(url)
	return err == nil && at.local()
}

// Query returns a short digest of those parameters of an HTTP query that may say which
// object the URL names, "" if there are none. So it tells such URLs apart.
func (s *Store) Query() string { return s.at.digest() }
