package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gocloud.dev/blob"
)

// Folders returns the names of the folders directly in a folder, "" for the
// store's own, in lexical order: what the keys below have up to their next "/".
// On a local disk empty folders count, too. Where folders hold many objects it
// is a List that skips them. A folder that does not exist has none.
func (s *Store) Folders(ctx context.Context, folder string) ([]string, error) {
	prefix := ""
	if folder != "" {
		prefix = folder + "/"
	}
	if err := s.at.checkPrefix(prefix); err != nil {
		return nil, s.pathError("list", folder, err)
	}
	var names []string
	next := s.driver.folders(prefix)
	for {
		var page []string
		err := s.do(ctx, "list", folder, 0, func(ctx context.Context) (err error) {
			page, err = next(ctx)
			return err
		})
		names = append(names, page...)
		if errors.Is(err, errEnd) {
			slices.Sort(names)
			return slices.Compact(names), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// folderPager returns the next names of folders, and errEnd with or after the
// last ones. After another error it may be called again for the same page.
type folderPager func(ctx context.Context) ([]string, error)

// folderName is the name of the folder that a key which begins with the prefix
// is in or stands for, "" for an object that is in no folder.
func folderName(prefix, key string) string {
	name, _, inside := strings.Cut(strings.TrimPrefix(key, prefix), "/")
	if !inside || checkKey(prefix+name) != nil {
		return "" // or a foreign name that no call could take
	}
	return name
}

func (b *bucket) folders(prefix string) folderPager {
	base := b.at.key("") + prefix
	opt := &blob.ListOptions{Prefix: base, Delimiter: "/"}
	token := blob.FirstPageToken
	return func(ctx context.Context) ([]string, error) {
		objects, next, err := b.blobs.ListPage(ctx, token, listPage, opt)
		if err != nil {
			return nil, b.failed(err)
		}
		token = next
		var names []string
		for _, o := range objects {
			if name := folderName(base, o.Key); o.IsDir && name != "" {
				names = append(names, name)
			}
		}
		if len(token) == 0 {
			return names, errEnd
		}
		return names, nil
	}
}

func (d *local) folders(prefix string) folderPager {
	d.mu.Lock()
	defer d.mu.Unlock()
	hidden := []string{d.staging, filepath.Join(d.root, innerStaging)}
	return once(func() ([]string, error) {
		dir := filepath.Join(d.root, filepath.FromSlash(prefix))
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		var names []string
		for _, e := range entries {
			if e.IsDir() && !slices.Contains(hidden, filepath.Join(dir, e.Name())) && checkKey(path.Join(prefix, e.Name())) == nil {
				names = append(names, e.Name())
			}
		}
		return names, nil
	})
}

func (z *zipped) folders(prefix string) folderPager {
	return once(func() ([]string, error) {
		var names []string
		for _, m := range z.members {
			key, inside := strings.CutPrefix(m.key, z.prefix+prefix)
			if name := folderName("", key); inside && name != "" && (len(names) == 0 || names[len(names)-1] != name) {
				names = append(names, name)
			}
		}
		return names, nil
	})
}

func (w *web) folders(string) folderPager {
	return func(context.Context) ([]string, error) { return nil, ErrNoList }
}

// once is a pager of the one page that f returns.
func once(f func() ([]string, error)) folderPager {
	done := false
	return func(context.Context) ([]string, error) {
		if done {
			return nil, errEnd
		}
		names, err := f()
		done = err == nil
		return names, err
	}
}
