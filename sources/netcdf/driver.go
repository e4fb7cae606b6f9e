package netcdf

import (
	"context"

	"github.com/zmigrate/zmigrate/sources"
)

// Driver returns the driver of NetCDF files, and of other HDF5 files.
func Driver() sources.Driver {
	return sources.Driver{
		Name: "netcdf", Aliases: []string{"hdf5"}, Title: "NetCDF",
		Signatures: []sources.Signature{
			{Begins: "\x89HDF\r\n\x1a\n", What: "an HDF5 file, perhaps NetCDF-4"},
			{Begins: "CDF\x01", What: "a NetCDF file"},
			{Begins: "CDF\x02", What: "a NetCDF file"},
			{Begins: "CDF\x05", What: "a NetCDF file"},
		},
		// An HDF5 file may begin with a user block, which may hold anything.
		Detect: func(context.Context, *sources.Probe) sources.Confidence { return sources.Possible },
		Open:   openRequest,
		Traits: sources.Traits{Unlimited: true, Codecs: sources.CodecsOnRequest, CF: true, Follows: true, HDF5: true, Located: true},
	}
}

// pieces returns the pieces for a table of references, and none for other targets.
func pieces(r sources.Request) *sources.Pieces {
	if !r.Refer {
		return nil
	}
	p := &sources.Pieces{}
	if len(r.URLs) > 1 {
		p.Single = r.Join.Concat
	}
	return p
}

// openRequest opens the files of a request.
func openRequest(ctx context.Context, r sources.Request) (sources.Source, error) {
	return OpenAll(ctx, r.URLs, Options{Store: r.Store, Combine: r.Join, CF: r.CF, Kept: r.KeepChunks, Codecs: r.Codecs, Drivers: r.Drivers, Follow: r.Follow, Fields: r.Fields, SkipReferences: r.SkipReferences, Pieces: pieces(r), Resident: r.Resident})
}
