package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store/location"
)

// Glob returns the URLs of the objects that match a pattern with *, ? and
// [...] in the parts of its path, as path.Match defines them, in the natural
// order of their names (x2 before x10). No match is an error that wraps
// fs.ErrNotExist. A pattern without these characters, or one that is the name
// of an existing local file, returns itself. In a URL "?" begins the query
// and cannot be used. In a bucket, Glob lists all objects whose keys begin with the text
// before the first such character.
func Glob(ctx context.Context, pattern string, opt Options) ([]string, error) {
	l, err := location.Parse(pattern)
	if err != nil {
		return nil, err
	}
	if !strings.ContainsAny(l.Path, "*?[") || l.Local() && exists(l.Path) {
		return []string{pattern}, nil
	}
	if _, err := path.Match(filepath.ToSlash(l.Path), ""); err != nil {
		return nil, fmt.Errorf("%s: %w", l, err)
	}
	var paths []string
	if l.Local() {
		paths, err = globLocal(l.Path)
	} else {
		paths, err = globBucket(ctx, l, opt)
	}
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%w: nothing matches %s", fs.ErrNotExist, l)
	}
	slices.SortFunc(paths, CompareNatural)
	urls := make([]string, len(paths))
	for i, p := range paths {
		found := l
		found.Path = p
		urls[i] = found.Full()
	}
	return urls, nil
}

// globLocal returns the matching paths that are not folders.
func globLocal(pattern string) ([]string, error) {
	paths, err := filepath.Glob(pattern)
	return slices.DeleteFunc(paths, func(p string) bool {
		st, err := os.Stat(p)
		return err == nil && st.IsDir()
	}), err
}

// globBucket returns the matching paths in a bucket.
func globBucket(ctx context.Context, l location.Location, opt Options) (paths []string, err error) {
	literal := l.Path[:strings.IndexAny(l.Path, "*?[")]
	dir, prefix := path.Split(literal)
	folder := l
	folder.Path = strings.TrimSuffix(dir, "/")
	s, err := Open(ctx, folder.Full(), opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	err = s.List(ctx, prefix, func(info Info) error {
		full := folder.Key(info.Key)
		matched, err := path.Match(l.Path, full)
		if matched {
			paths = append(paths, full)
		}
		return err
	})
	return paths, err
}

// CompareNatural compares names, as the natural order has them: runs of digits count as
// numbers, so x2 comes before x10.
func CompareNatural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		nx, ny := digits(x), digits(y)
		if nx > 0 && ny > 0 {
			p, q := strings.TrimLeft(x[:nx], "0"), strings.TrimLeft(y[:ny], "0")
			if c := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); c != 0 {
				return c
			}
			x, y = x[nx:], y[ny:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits returns the length of the decimal number at the beginning of s.
func digits(s string) int {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return i
		}
	}
	return len(s)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
