package zarr

import (
	"context"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/kerchunk"
	"github.com/zmigrate/zmigrate/sources/zarr/n5"
	"github.com/zmigrate/zmigrate/zarr"
)

// Driver returns the driver of Zarr hierarchies, of v2 and v3, of tables of references to them, and of
// N5.
func Driver() sources.Driver {
	return sources.Driver{
		Name: "zarr", Aliases: []string{"n5"}, Title: "Zarr",
		Signatures: signatures(), Detect: detect, Expand: expand, Open: openRequest,
		Traits: sources.Traits{Codecs: sources.CodecsByDefault, MissingChunks: true, NGFF: true, Follows: true, CF: true},
	}
}

func signatures() []sources.Signature {
	return []sources.Signature{
		{Begins: "PK\x03\x04", What: "a zip archive, which is read as a Zarr hierarchy if its name ends with .zip"},
		{Begins: "PK\x05\x06", What: "an empty zip archive"},
		{Begins: "{", What: "a JSON text, which is read as a table of references"},
	}
}

// openRequest opens the hierarchies of a request.
func openRequest(ctx context.Context, r sources.Request) (sources.Source, error) {
	options := Options{
		Store: r.Store, Codecs: r.Codecs, CF: r.CF, Kept: r.KeepCodecs, AllChunks: r.AllChunks, NGFF: r.NGFF, Drivers: r.Drivers, Follow: r.Follow, Resident: r.Resident,
	}
	if len(r.URLs) == 1 && r.Join.Dimension() == "" {
		return Open(ctx, r.URLs[0], options)
	}
	return OpenAll(ctx, r.URLs, options, r.Join)
}

// expand returns the hierarchies that a location names. A glob matches folders, or zip
// archives or tables of references in JSON if its name says so.
func expand(ctx context.Context, location string, opt store.Options) ([]string, error) {
	if name, _, _ := strings.Cut(location, "?"); strings.HasSuffix(name, ".zip") || namesTable(name) {
		return store.Glob(ctx, location, opt)
	}
	return store.GlobFolders(ctx, location, opt)
}

// detect judges a place by its name and by the documents in it. A local file with a name of
// Zarr may be something else, so the name alone makes detect only likely to be right. A
// folder may have nodes below it but no document, so any folder is possible.
func detect(ctx context.Context, p *sources.Probe) sources.Confidence {
	if name := p.Name(); strings.HasSuffix(name, ".zarr") || strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, ".n5") {
		if !p.Local() {
			return sources.Certain
		}
		if _, file := p.Beginning(ctx); file {
			return sources.Likely
		}
		return sources.Certain
	}
	if p.Holds(ctx, zarr.MetadataKey, zarr.ConsolidatedKeyV2, zarr.GroupKeyV2, zarr.ArrayKeyV2) {
		return sources.Certain
	}
	if p.Holds(ctx, n5.Key) {
		return sources.Likely
	}
	first, file := p.Beginning(ctx)
	if file && kerchunk.Compressed(first) {
		first, file = p.BeginningOf(ctx, kerchunk.Beginning)
	}
	switch {
	case file && kerchunk.Begins(first):
		return sources.Likely // a table of references; a signature makes it certain, but not behind spaces
	case !file && p.IsFolder(ctx):
		return sources.Possible
	}
	return sources.No
}
