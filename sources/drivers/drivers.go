// Package drivers is the list of the formats that the program reads: one line for each.
// A program with a format of its own appends it:
//
//	jobs.Environment{Drivers: append(drivers.Standard(), mine)}
package drivers

import (
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/raw"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// Standard returns a new list of all of them.
func Standard() sources.Drivers {
	return sources.Drivers{
		raw.Driver(),
		netcdf.Driver(),
		arrow.Driver(),
		zarr.Driver(),
	}
}
