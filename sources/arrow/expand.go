package arrow

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
)

// File is a file of a table.
type File struct {
	URL string
	// Keys are columns that have one value in the whole file: the folders of the
	// form name=value above it.
	Keys []Key
}

// Expand returns the files that a location names: those that match a glob, and
// of a folder all in it and below it but for what writers leave beside the data,
// whose names begin with "_" or ".". They are in the natural order of their
// paths. A location that is no folder is returned as it is.
//
// Folders called name=value below the location, or that match a part of the glob,
// are keys of the files in them, as Hive partitions tables.
func Expand(ctx context.Context, url string, opt store.Options) ([]File, error) {
	urls, err := store.Glob(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	if len(urls) != 1 || urls[0] != url || isFile(ctx, url, opt) {
		return withKeys(urls, globbed(url)), nil
	}
	below, err := store.Below(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	above := len(parts(url))
	below = slices.DeleteFunc(below, func(file string) bool {
		return slices.ContainsFunc(parts(file)[above:], func(part string) bool {
			return strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".")
		})
	})
	if len(below) == 0 {
		return []File{{URL: url}}, nil
	}
	return withKeys(below, above), nil
}

// parts are those of the path of a URL, but for empty ones and ".".
func parts(url string) []string {
	name, _, _ := strings.Cut(url, "?")
	return slices.DeleteFunc(strings.Split(name, "/"), func(part string) bool { return part == "" || part == "." })
}

// globbed is the number of the first part of a location that is a glob, if any of
// them is: each stands for one part.
func globbed(url string) int {
	all := strings.Split(url, "/")
	if i := slices.IndexFunc(all, func(part string) bool { return strings.ContainsAny(part, "*?[") }); i >= 0 {
		return len(parts(strings.Join(all[:i], "/")))
	}
	return len(parts(url))
}

func isFile(ctx context.Context, url string, opt store.Options) bool {
	_, found := sources.Beginning(ctx, url, opt)
	return found
}

// Recognises reports whether a location holds what Open reads, as far as its
// first file tells: by how it begins, or by its name where that tells nothing.
func Recognises(ctx context.Context, url string, opt store.Options) bool {
	files, err := Expand(ctx, url, opt)
	if err != nil || len(files) == 0 {
		return false
	}
	if first, ok := sources.Beginning(ctx, files[0].URL, opt); ok {
		if driver := sources.DriverOf(first); driver != "" {
			return driver == "arrow"
		}
	}
	name, _, _ := strings.Cut(files[0].URL, "?")
	return slices.Contains([]string{".parquet", ".arrow", ".arrows", ".feather"}, path.Ext(name))
}
