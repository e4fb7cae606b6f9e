package store

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"

	"github.com/zmigrate/zmigrate/internal/store/location"
)

// Below returns the URLs of all objects below the folder that url names, at any depth,
// in the natural order of their paths. A folder that does not exist has none.
func Below(ctx context.Context, url string, opt Options) (urls []string, err error) {
	s, err := Open(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	folder, _ := location.Parse(url) // Open has returned the error
	var keys []string
	err = s.List(ctx, "", func(info Info) error {
		keys = append(keys, info.Key)
		return nil
	})
	slices.SortFunc(keys, CompareNatural)
	for _, key := range keys {
		object := folder
		if folder.Local() {
			object.Path = filepath.Join(folder.Path, filepath.FromSlash(key))
		} else {
			object.Path = path.Join(folder.Path, key)
		}
		urls = append(urls, object.Full())
	}
	return urls, err
}
