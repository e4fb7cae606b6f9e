package arrow

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
)

// Expand returns the files that a location names. A glob names the files that match it.
// A folder names all files in it and below it, except those beginning with "_" or ".",
// which writers leave beside the data. The files are in the natural order of their
// paths. A location that is neither is returned unchanged.
//
// Folders called name=value are keys of the files in them, as in tables partitioned by
// Hive, if they lie below the location or match a part of the glob.
func Expand(ctx context.Context, url string, opt store.Options) ([]File, error) {
	urls, err := locate(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	files := make([]File, len(urls))
	for i, u := range urls {
		files[i] = withKeys(u, above(url, u))
	}
	return files, nil
}

// locate is Expand without keys.
func locate(ctx context.Context, url string, opt store.Options) ([]string, error) {
	urls, err := store.Glob(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	if len(urls) != 1 || urls[0] != url || isFile(ctx, url, opt) {
		return urls, nil
	}
	below, err := store.Below(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	if below = data(url, below); len(below) == 0 {
		return []string{url}, nil
	}
	return below, nil
}

// data returns those of the files below a folder that hold data.
func data(folder string, below []string) []string {
	above := len(parts(folder))
	return slices.DeleteFunc(below, func(file string) bool {
		return slices.ContainsFunc(parts(file)[above:], func(part string) bool {
			return strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".")
		})
	})
}

// above returns how many parts of a file's path belong to the location that names the file.
// If the location is a folder, these are the parts of the folder. If it is a glob, these
// are the parts before the first part with a special character. Each part of a glob stands
// for one part of a path.
func above(location, file string) int {
	location, file = filepath.ToSlash(location), filepath.ToSlash(file)
	name, _, _ := strings.Cut(location, "?")
	if strings.HasPrefix(file, strings.TrimRight(name, "/")+"/") {
		return len(parts(location))
	}
	all := strings.Split(location, "/")
	if i := slices.IndexFunc(all, func(part string) bool { return strings.ContainsAny(part, "*?[") }); i >= 0 {
		return len(parts(strings.Join(all[:i], "/")))
	}
	return len(parts(location))
}

func isFile(ctx context.Context, url string, opt store.Options) bool {
	_, found := sources.Beginning(ctx, url, opt)
	return found
}
