package jobs

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
)

// DriverOf returns the driver for a source that no job describes: zarr for a
// place that is named or described as a Zarr hierarchy, and for a zip archive,
// arrow for what begins as its files do, zarr again for other folders, which may
// have nodes without a root, else netcdf. What a local file begins with counts
// more than its name. A place that cannot be looked at is for the driver to
// complain about.
func DriverOf(ctx context.Context, url string, env plan.Environment) string {
	name, _, _ := strings.Cut(url, "?")
	name = strings.TrimRight(name, "/")
	opt := store.Options{Log: env.Log, Memory: env.Memory, Fault: env.Fault, Retries: -1}
	if strings.HasSuffix(name, ".zarr") || strings.HasSuffix(name, ".zip") {
		if !store.Local(url) {
			return "zarr"
		}
		first, _ := sources.Beginning(ctx, url, opt)
		return cmp.Or(sources.DriverOf(first), "zarr")
	}
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
	case isFolder(ctx, url, st):
		return "zarr"
	}
	return "netcdf"
}

// errEnough ends a listing.
var errEnough = errors.New("seen enough")

// isFolder reports whether there is a folder at a place, or for a store without folders
// an object below it.
func isFolder(ctx context.Context, url string, st *store.Store) bool {
	if store.Local(url) {
		info, err := os.Stat(store.Resolved(url))
		return err == nil && info.IsDir()
	}
	return errors.Is(st.List(ctx, "", func(store.Info) error { return errEnough }), errEnough)
}
