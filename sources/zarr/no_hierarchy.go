package zarr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/kerchunk"
	"github.com/zmigrate/zmigrate/zarr"
)

// noHierarchy returns the error about a place without any document of Zarr. It describes
// what is in the place, judged by some of its objects.
func (s *source) noHierarchy(ctx context.Context) error {
	if s.referred != nil {
		return fmt.Errorf("%s: %w: %w: it holds no %s, %s or %s", s.store.URL(), zarr.ErrNotZarr, kerchunk.ErrNoTable, zarr.MetadataKey, zarr.ArrayKeyV2, zarr.GroupKeyV2)
	}
	const (
		most     = 10_000 // the most objects that are looked at
		describe = "attributes.json"
	)
	first, container, seen := "", "", 0
	err := s.store.List(ctx, "", func(o store.Info) error {
		if first == "" || o.Key < first {
			first = o.Key
		}
		if path.Base(o.Key) == describe && (container == "" || o.Key < container) {
			container = o.Key
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
	case container != "" && s.isN5(ctx, container):
		what += "; it is an N5 container: write it as Zarr first, with zarr-python 2 (zarr.N5Store and zarr.copy_store) or n5-zarr"
	default:
		what += fmt.Sprintf("; it holds %q: name files of other formats by themselves, or by a glob such as %s", first, path.Join(path.Dir(first), "*"+path.Ext(first)))
	}
	return fmt.Errorf("%s: %w: %s", s.store.URL(), zarr.ErrNotZarr, what)
}

// errEnough ends a listing.
var errEnough = errors.New("seen enough")

// isN5 reports whether a document belongs to N5, as that of a root or of an array.
func (s *source) isN5(ctx context.Context, key string) bool {
	text, err := s.store.ReadAll(ctx, key, zarr.MaxDocument)
	var of struct {
		Version   any   `json:"n5"`
		BlockSize []int `json:"blockSize"`
	}
	return err == nil && json.Unmarshal(text, &of) == nil && (of.Version != nil || of.BlockSize != nil)
}

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
