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
	// Keys are columns with one value in the whole file, from folders of the form
	// name=value above it.
	Keys []Key
}

// Expand returns the files that a location names. A glob names the files that match it.
// A folder names all files in it and below it, except those beginning with "_" or ".",
// which writers leave beside the data. The files are in the natural order of their
// paths. A location that is neither is returned unchanged.
//
// Folders called name=value are keys of the files in them, as in tables partitioned by
// Hive, if they lie below the location or match a part of the glob.
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

// parts returns the parts of the path of a URL, except empty ones and ".".
func parts(url string) []string {
	name, _, _ := strings.Cut(url, "?")
	return slices.DeleteFunc(strings.Split(name, "/"), func(part string) bool { return part == "" || part == "." })
}

// globbed returns the index of the first part of a location that is a glob, if there is
// one. Each part of the glob stands for one part of a path.
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

// Recognises reports whether a location holds files that Open reads. It judges by the
// beginning of the first file, and by its name if the beginning tells nothing.
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
