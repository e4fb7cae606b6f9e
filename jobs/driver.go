package jobs

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources/arrow"
)

// DriverOf returns the driver for a source that no job describes: zarr for a
// place that is named or described as a Zarr hierarchy, and for a zip archive,
// arrow for what begins as its files do, zarr again for a folder whose nodes have
// no root, else netcdf. A place that cannot be looked at is for the driver to
// complain about.
func DriverOf(ctx context.Context, url string, env Environment) string {
	name, _, _ := strings.Cut(url, "?")
	name = strings.TrimRight(name, "/")
	if strings.HasSuffix(name, ".zarr") || strings.HasSuffix(name, ".zip") {
		return "zarr"
	}
	opt := store.Options{Log: env.Log, Memory: env.Memory, Fault: env.Fault, Retries: -1}
	st, err := store.Open(ctx, url, opt)
	if err != nil {
		return "netcdf"
	}
	defer st.Close() //nolint:errcheck // nothing was written
	for _, key := range []string{zarr.MetadataKey, zarr.ConsolidatedKeyV2, zarr.GroupKeyV2, zarr.ArrayKeyV2} {
		if _, err := st.Stat(ctx, key); err == nil {
			return "zarr"
		}
	}
	switch {
	case arrow.Recognises(ctx, url, opt):
		return "arrow"
	case holdsNodes(ctx, st):
		return "zarr"
	}
	return "netcdf"
}

// errEnough ends a listing.
var errEnough = errors.New("seen enough")

// holdsNodes reports whether a document of a Zarr node is among the first objects
// below a place.
func holdsNodes(ctx context.Context, st *store.Store) (found bool) {
	left := 10_000
	_ = st.List(ctx, "", func(o store.Info) error { // a place that has no list has no nodes
		left--
		found = slices.Contains([]string{zarr.MetadataKey, zarr.GroupKeyV2, zarr.ArrayKeyV2}, path.Base(o.Key))
		if found || left == 0 {
			return errEnough
		}
		return nil
	})
	return found
}
