package references

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/sinks/kerchunk"
	"github.com/zmigrate/zmigrate/zarr"
)

// place is where a table is written.
type place interface {
	// objects counts the objects of the target that are in the way.
	objects(ctx context.Context) (int, error)
	// write begins a table. end completes the table, or gives it up if failed is not nil.
	write(ctx context.Context) (table kerchunk.Table, end func(failed error) error, err error)
	// compare is write for a table whose bytes are compared with those of the target. Then the
	// error of the table or of end is errOther if they differ.
	compare(ctx context.Context) (table kerchunk.Table, end func(failed error) error, err error)
	close() error
}

// file is the place of a table in JSON, which is one object.
type file struct {
	store *store.Store
	key   string
}

func (f file) objects(ctx context.Context) (int, error) {
	switch _, err := f.store.Stat(ctx, f.key); {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return 1, nil
}

func (f file) write(ctx context.Context) (kerchunk.Table, func(error) error, error) {
	w, err := f.store.NewWriter(ctx, f.key)
	if err != nil {
		return nil, nil, err
	}
	return kerchunk.JSON(w), func(failed error) error {
		if failed != nil {
			return errors.Join(failed, w.Abort())
		}
		if err := w.Close(); err != nil {
			return errors.Join(err, w.Abort())
		}
		return f.store.Sync(ctx)
	}, nil
}

func (f file) compare(ctx context.Context) (kerchunk.Table, func(error) error, error) {
	info, err := f.store.Stat(ctx, f.key)
	if err != nil {
		return nil, nil, err
	}
	c := &compared{ctx: ctx, from: f.store, key: f.key, size: info.Size}
	return kerchunk.JSON(c), func(failed error) error {
		if failed != nil {
			return failed
		}
		return c.end()
	}, nil
}

func (f file) close() error { return f.store.Close() }

// folder is the place of a table in Parquet. It is a table while it has .zmetadata.
type folder struct {
	store *store.Store
	keys  []string // of the objects that objects found
}

// objects implements [place]. Files of references without .zmetadata are what an interrupted
// run has left, and are not counted.
func (f *folder) objects(ctx context.Context) (int, error) {
	f.keys = nil
	table := false
	err := f.store.List(ctx, "", func(o store.Info) error {
		f.keys = append(f.keys, o.Key)
		table = table || o.Key == zarr.ConsolidatedKeyV2
		if _, is := kerchunk.RecordNumber(o.Key); !is && o.Key != zarr.ConsolidatedKeyV2 {
			return fmt.Errorf("%s: %w and holds %s, which belongs to no table of references: choose another place", f.store.URL(), run.ErrTargetExists, o.Key)
		}
		return nil
	})
	if errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%w: its path, or a part of its path, is a file: %w", run.ErrTargetExists, err)
	}
	if !table {
		return 0, err
	}
	return len(f.keys), err
}

// write implements [place]. The folder is no table from the beginning to the end.
func (f *folder) write(ctx context.Context) (kerchunk.Table, func(error) error, error) {
	if slices.Contains(f.keys, zarr.ConsolidatedKeyV2) {
		if err := f.remove(ctx, func(key string) bool { return key == zarr.ConsolidatedKeyV2 }); err != nil {
			return nil, nil, err
		}
	}
	made := map[string]bool{zarr.ConsolidatedKeyV2: true}
	var last []byte // the document, which appears when the source is known not to have changed
	table := kerchunk.Parquet(func(key string, data []byte) error {
		if key == zarr.ConsolidatedKeyV2 {
			last = bytes.Clone(data)
			return nil
		}
		made[key] = true
		return f.store.Put(ctx, key, data)
	})
	return table, func(failed error) error {
		if failed != nil {
			return failed
		}
		if err := f.remove(ctx, func(key string) bool { return !made[key] }); err != nil {
			return err
		}
		if err := f.store.Put(ctx, zarr.ConsolidatedKeyV2, last); err != nil {
			return err
		}
		return f.store.Sync(ctx)
	}, nil
}

// remove removes the objects that were in the folder and that which means. What has been put
// before is durable then.
func (f *folder) remove(ctx context.Context, which func(key string) bool) error {
	if err := f.store.Sync(ctx); err != nil {
		return err
	}
	for _, key := range f.keys {
		if !which(key) {
			continue
		}
		if err := f.store.Delete(ctx, key); err != nil {
			return err
		}
	}
	return f.store.Sync(ctx)
}

// compare implements [place].
func (f *folder) compare(ctx context.Context) (kerchunk.Table, func(error) error, error) {
	same := 0
	table := kerchunk.Parquet(func(key string, data []byte) error {
		if !slices.Contains(f.keys, key) {
			return errOther
		}
		c := &compared{ctx: ctx, from: f.store, key: key}
		info, err := f.store.Stat(ctx, key)
		if err != nil {
			return err
		}
		c.size = info.Size
		if _, err := c.Write(data); err != nil {
			return err
		}
		same++
		return c.end()
	})
	return table, func(failed error) error {
		if failed == nil && same != len(f.keys) {
			return errOther
		}
		return failed
	}, nil
}

func (f *folder) close() error { return f.store.Close() }
