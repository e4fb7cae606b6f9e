package arrow

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
)

// Expand returns the files that a location names: those that match a glob, and
// of a folder all in it and below it but for what writers leave beside the data,
// whose names begin with "_" or ".". They are in the natural order of their
// paths. A location that is no folder is returned as it is.
func Expand(ctx context.Context, url string, opt store.Options) ([]string, error) {
	urls, err := store.Glob(ctx, url, opt)
	if err != nil || len(urls) != 1 || urls[0] != url || isFile(ctx, url, opt) {
		return urls, err
	}
	below, err := store.Below(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	base, _, _ := strings.Cut(url, "?")
	below = slices.DeleteFunc(below, func(file string) bool {
		name, _, _ := strings.Cut(file, "?")
		return slices.ContainsFunc(strings.Split(strings.TrimPrefix(name, base), "/"), func(part string) bool {
			return strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".")
		})
	})
	if len(below) == 0 {
		return urls, nil
	}
	return below, nil
}

func isFile(ctx context.Context, url string, opt store.Options) bool {
	_, found := head(ctx, url, opt)
	return found
}

// head returns the first bytes of a file, and false when there is none.
func head(ctx context.Context, url string, opt store.Options) ([]byte, bool) {
	folder, key, err := store.Split(url)
	if err != nil {
		return nil, false
	}
	s, err := store.Open(ctx, folder, opt)
	if err != nil {
		return nil, false
	}
	defer s.Close() //nolint:errcheck // nothing was written
	info, err := s.Stat(ctx, key)
	if err != nil {
		return nil, false
	}
	first := make([]byte, min(info.Size, 8))
	if err := s.ReadRange(ctx, key, first, 0); err != nil {
		return nil, false
	}
	return first, true
}

// Recognises reports whether a location holds what Open reads, as far as its
// first file tells: a file by how it begins, others than files by their names.
func Recognises(ctx context.Context, url string, opt store.Options) bool {
	urls, err := Expand(ctx, url, opt)
	if err != nil || len(urls) == 0 {
		return false
	}
	if first, ok := head(ctx, urls[0], opt); ok {
		for _, magic := range []string{parquetMagic, ipcMagic, featherMagic, "\xff\xff\xff\xff"} {
			if bytes.HasPrefix(first, []byte(magic)) {
				return true
			}
		}
	}
	name, _, _ := strings.Cut(urls[0], "?")
	return slices.Contains([]string{".parquet", ".arrow", ".arrows", ".feather"}, path.Ext(name))
}
