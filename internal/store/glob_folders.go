package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store/location"
)

// GlobFolders is [Glob] for folders: it returns the URLs of the folders that match a
// pattern. In a bucket a folder is the text of a key before a slash.
func GlobFolders(ctx context.Context, pattern string, opt Options) (urls []string, err error) {
	l, err := location.Parse(pattern)
	if err != nil {
		return nil, err
	}
	if l.Local() {
		l.Path = filepath.ToSlash(l.Path)
	}
	literal, rest := l.Path, ""
	if i := strings.IndexAny(l.Path, "*?["); i >= 0 {
		cut := strings.LastIndex(l.Path[:i], "/") + 1
		literal, rest = l.Path[:cut], strings.TrimRight(l.Path[cut:], "/")
	}
	if rest == "" || l.Local() && exists(l.Path) {
		return []string{pattern}, nil
	}
	if _, err := path.Match(rest, ""); err != nil {
		return nil, fmt.Errorf("%s: %w", l, err)
	}
	above := l
	above.Path = strings.TrimRight(literal, "/")
	switch {
	case !l.Local() || above.Path != filepath.VolumeName(above.Path):
	case literal == "":
		above.Path = "."
	default:
		above.Path += "/" // of the file system, or of a drive
	}
	s, err := Open(ctx, above.Full(), opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found := []string{""}
	for part := range strings.SplitSeq(rest, "/") {
		var below []string
		for _, folder := range found {
			names, err := s.Folders(ctx, folder)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				if ok, err := path.Match(part, name); ok && err == nil {
					below = append(below, path.Join(folder, name))
				}
			}
		}
		found = below
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no folder matches %s: %w", l, fs.ErrNotExist)
	}
	slices.SortFunc(found, CompareNatural)
	for _, folder := range found {
		at := l
		at.Path = path.Join(above.Path, folder)
		urls = append(urls, at.Full())
	}
	return urls, nil
}
