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

// Folders returns the names of the folders directly in a folder, in lexical order. ""
// is the folder of the store. A folder in a bucket is the text of a key before its next
// "/". On a local disk empty folders count, too. Folders does not list the objects in
// the folders, which may be many. A folder that does not exist has none.
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

// folderPager is a [pager] for the names of folders.
type folderPager func(ctx context.Context) ([]string, error)

// folderName returns the name of the folder, below the prefix, that holds a key or that
// the key stands for. It is "" for an object directly below the prefix.
func folderName(prefix, key string) string {
	name, _, inside := strings.Cut(strings.TrimPrefix(key, prefix), "/")
	if !inside || checkKey(prefix+name) != nil {
		return "" // or a name that is no key
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

// once returns a pager of a single page, which f returns.
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
