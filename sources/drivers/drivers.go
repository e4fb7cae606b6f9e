// Package drivers is the list of the formats that the program reads: one line for each.
// A program with a format of its own appends it:
//
//	jobs.Environment{Drivers: append(drivers.Standard(), mine)}
package drivers

import (
	"context"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/raw"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// Open opens what is at a URL, in any of these formats: a file, a glob of files, a folder
// or a hierarchy. The content tells the format. A program with codecs or formats of its own
// calls [sources.Drivers.Open] instead. The caller closes the source.
func Open(ctx context.Context, url string) (sources.Source, error) {
	return Standard().Open(ctx, url, sources.Request{})
}

// Standard returns a new list of all formats of this program.
func Standard() sources.Drivers {
	return sources.Drivers{
		raw.Driver(),
		netcdf.Driver(),
		arrow.Driver(),
		zarr.Driver(),
	}
}
