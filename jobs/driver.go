package jobs

import (
	"context"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/sources/arrow"
)

// DriverOf returns the driver for a source that no job describes: zarr for a
// place that is named or described as a Zarr hierarchy, and for a zip archive,
// arrow for what begins as its files do, else netcdf. A place that cannot be
// looked at is for the driver to complain about.
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
	driver := "netcdf"
	for _, key := range []string{zarr.MetadataKey, zarr.ConsolidatedKeyV2, zarr.GroupKeyV2, zarr.ArrayKeyV2} {
		if _, err := st.Stat(ctx, key); err == nil {
			driver = "zarr"
			break
		}
	}
	_ = st.Close() // nothing was written
	if driver == "netcdf" && arrow.Recognises(ctx, url, opt) {
		return "arrow"
	}
	return driver
}
