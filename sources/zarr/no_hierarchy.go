package zarr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/kerchunk"
	"github.com/zmigrate/zmigrate/zarr"
)

// noHierarchy returns the error about a place without any document of Zarr. It describes
// what is in the place, judged by some of its objects.
func (s *source) noHierarchy(ctx context.Context) error {
	if s.referred != nil {
		return fmt.Errorf("%s: %w: %w: it holds no %s, %s or %s", s.store.URL(), zarr.ErrNotZarr, kerchunk.ErrNoTable, zarr.MetadataKey, zarr.ArrayKeyV2, zarr.GroupKeyV2)
	}
	const most = 10_000 // the most objects that are looked at
	seen := 0
	firsts := map[string]store.Info{} // the first object for each ending of names
	err := s.store.List(ctx, "", func(o store.Info) error {
		if first, found := firsts[path.Ext(o.Key)]; !found || o.Key < first.Key {
			firsts[path.Ext(o.Key)] = o
		}
		if seen++; seen == most {
			return errEnough
		}
		return nil
	})
	what := fmt.Sprintf("there is no %s, %s or %s in it or below", zarr.MetadataKey, zarr.ArrayKeyV2, zarr.GroupKeyV2)
	switch {
	case err != nil && !errors.Is(err, errEnough):
	case seen == 0 && s.store.Local():
		if _, err := os.Stat(store.Resolved(s.store.URL())); err == nil {
			what += "; the folder is empty"
		} else {
			what += "; there is no such folder"
		}
	case seen == 0:
		what += ", nor anything else"
	default:
		first := s.example(ctx, slices.Collect(maps.Values(firsts)))
		what += fmt.Sprintf("; it holds %q: name files of other formats by themselves, or by a glob such as %s", first, path.Join(path.Dir(first), "*"+path.Ext(first)))
	}
	return fmt.Errorf("%s: %w: %s", s.store.URL(), zarr.ErrNotZarr, what)
}

// example returns the key of the first file that a driver reads, judged by its beginning, or of
// the first file if there is none among a few.
func (s *source) example(ctx context.Context, files []store.Info) string {
	const few = 8
	slices.SortFunc(files, func(a, b store.Info) int { return cmp.Compare(a.Key, b.Key) })
	for _, o := range files[:min(len(files), few)] {
		beginning := make([]byte, min(o.Size, sources.Head))
		if err := s.store.ReadRange(ctx, o.Key, beginning, 0); err != nil {
			continue
		}
		if _, ok := s.options.Drivers.Reads(beginning); ok {
			return o.Key
		}
	}
	return files[0].Key
}

// nothingThere returns the error about a place without any document of Zarr on a server that
// cannot be listed. Mostly the URL is wrong.
func (s *source) nothingThere(ctx context.Context) error {
	what := ""
	if _, found := sources.Beginning(ctx, s.url, s.options.Store); !found {
		what = "no file at this URL, and "
	}
	return fmt.Errorf("%s: there is %sno %s, %s or %s below it: correct the URL, or name one array of the hierarchy, because %w", s.store.URL(), what, zarr.MetadataKey, zarr.GroupKeyV2, zarr.ArrayKeyV2, store.ErrNoList)
}

// errEnough ends a listing.
var errEnough = errors.New("seen enough")

// notAFile returns an error if the place is a local file, because a hierarchy is a folder
// or a zip archive.
func (s *source) notAFile(ctx context.Context) error {
	if s.referred != nil || !store.Local(s.url) {
		return nil
	}
	first, found := sources.Beginning(ctx, s.url, s.options.Store)
	if !found {
		return nil
	}
	return fmt.Errorf("%s: a file, but a Zarr hierarchy is a folder or a zip archive: %s", store.Shown(s.url), s.options.Drivers.WhatIs(first))
}
