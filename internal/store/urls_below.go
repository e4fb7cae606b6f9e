package store

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
)

// Below returns the URLs of all objects below the folder that url names, at any depth,
// in the natural order of their paths. A folder that does not exist has none.
func Below(ctx context.Context, url string, opt Options) (urls []string, err error) {
	folder, err := parse(url)
	if err != nil {
		return nil, err
	}
	s, err := Open(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var keys []string
	err = s.List(ctx, "", func(info Info) error {
		keys = append(keys, info.Key)
		return nil
	})
	slices.SortFunc(keys, compareNatural)
	for _, key := range keys {
		object := folder
		if folder.local() {
			object.path = filepath.Join(folder.path, filepath.FromSlash(key))
		} else {
			object.path = path.Join(folder.path, key)
		}
		urls = append(urls, object.full())
	}
	return urls, err
}
