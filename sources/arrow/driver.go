package arrow

import (
	"context"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/sources"
)

// Driver returns the driver of Arrow IPC files and streams, and of Parquet files.
func Driver() sources.Driver {
	return sources.Driver{
		Name: "arrow", Aliases: []string{"parquet", "feather"}, Title: "Arrow or Parquet",
		Signatures: signatures(), Detect: detect, Expand: locate, Open: openRequest,
		Traits: sources.Traits{Rows: true, CF: true},
	}
}

func signatures() []sources.Signature {
	return []sources.Signature{
		{Begins: parquetMagic, What: "a Parquet file"},
		{Begins: encryptedMagic, What: "an encrypted Parquet file"},
		{Begins: ipcMagic, What: "an Arrow IPC file"},
		{Begins: featherMagic, What: "a Feather file of version 1"},
		{Begins: "\xff\xff\xff\xff", What: "an Arrow IPC stream"},
	}
}

// openRequest opens the files of a request, with the keys in the names of their folders.
func openRequest(ctx context.Context, r sources.Request) (sources.Source, error) {
	files := make([]File, len(r.URLs))
	for i, url := range r.URLs {
		files[i] = withKeys(url, above(r.From[i], url))
	}
	return OpenAll(ctx, files, Options{Store: r.Store, Combine: r.Join, Null: r.Null, CF: r.CF, Resident: r.Resident, Drivers: r.Drivers})
}

// detect judges a folder by its first file. If the first bytes of a file do not tell its
// format, its name may.
func detect(ctx context.Context, p *sources.Probe) sources.Confidence {
	first := p
	if _, found := p.Beginning(ctx); !found {
		if below := data(p.URL, p.Below(ctx)); len(below) > 0 {
			first = p.At(below[0])
		}
	}
	if first.Begins(ctx, signatures()) {
		return sources.Certain
	}
	if slices.Contains([]string{".parquet", ".arrow", ".arrows", ".feather"}, path.Ext(first.Name())) {
		return sources.Likely
	}
	return sources.No
}
