package draft

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/sources"
)

// files are the files or the hierarchy of a source.
type files struct {
	driver    *sources.Driver
	locations []string // as the job file has them
	urls      []string // all files, in natural order of their names
}

// find finds out what the locations of a command line are: files, globs, hierarchies, or one
// local folder of files.
func find(ctx context.Context, locations []string, env environment.Environment) (*files, error) {
	f := &files{locations: locations}
	opt := env.Stores(limits.New(0))
	first := locations[0]
	if glob := folderOfFiles(ctx, first, env); len(locations) == 1 && glob != "" {
		f.locations, first = []string{glob}, glob
	}
	list, err := store.Glob(ctx, first, opt)
	if err != nil {
		return nil, err
	}
	driver, _, err := env.KnownDrivers().Detect(ctx, list[0], opt)
	if err != nil || driver == nil {
		return nil, err
	}
	if driver.Declared {
		return nil, fmt.Errorf("%s: this is raw data, which does not say what it holds: write source.arrays with data_type and shape", first)
	}
	f.driver = driver
	for _, l := range f.locations {
		urls, err := driver.Resolve(ctx, l, opt)
		if err != nil {
			return nil, err
		}
		f.urls = append(f.urls, urls...)
	}
	if len(f.locations) > 1 {
		if glob := f.glob(ctx, opt); glob != "" {
			f.locations = []string{glob}
		}
	}
	return f, nil
}

// folderOfFiles returns a glob for the files of a local folder, or "" if the place is something
// else. Of several endings, the one that most files have counts.
func folderOfFiles(ctx context.Context, place string, env environment.Environment) string {
	if !store.Local(place) {
		return ""
	}
	dir := store.Resolved(place)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	if _, sure, err := env.KnownDrivers().Detect(ctx, place, env.Stores(limits.New(0))); err != nil || sure == sources.Certain {
		return ""
	}
	counts := map[string]int{}
	for _, e := range entries {
		if ending := filepath.Ext(e.Name()); e.Type().IsRegular() && ending != "" && !strings.HasPrefix(e.Name(), ".") {
			counts[ending]++
		}
	}
	best := ""
	for ending, n := range counts {
		if n > counts[best] || n == counts[best] && ending < best {
			best = ending
		}
	}
	if best == "" {
		return ""
	}
	return filepath.Join(place, "*"+best)
}

// glob returns a glob that stands for just the files, or "".
func (f *files) glob(ctx context.Context, opt store.Options) string {
	first, last := f.locations[0], f.locations[len(f.locations)-1]
	dir, name := path.Split(first)
	for _, l := range f.locations {
		if d, _ := path.Split(l); d != dir || strings.ContainsAny(l, "*?[") {
			return ""
		}
	}
	prefix, suffix := name, path.Ext(name)
	for _, l := range f.locations {
		_, n := path.Split(l)
		for !strings.HasPrefix(n, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
		if path.Ext(n) != suffix {
			suffix = ""
		}
	}
	// A part of a number says nothing: a_2001.nc and a_2002.nc are a_*.nc.
	prefix = strings.TrimRight(prefix, "0123456789")
	if _, n := path.Split(last); len(prefix)+len(suffix) > min(len(name), len(n)) {
		return ""
	}
	for _, glob := range []string{dir + prefix + "*" + suffix, dir + "*" + suffix} {
		list, err := store.Glob(ctx, glob, opt)
		if err == nil && slices.Equal(slashed(list), slashed(f.urls)) {
			return glob
		}
	}
	return ""
}

// slashed returns sorted paths and URLs with slashes, also on Windows.
func slashed(names []string) []string {
	list := slices.Sorted(slices.Values(names))
	for i, n := range list {
		list[i] = filepath.ToSlash(n)
	}
	return list
}

// relativeTo returns the locations as a job file in a folder has them.
func (f *files) relativeTo(dir string) []string {
	list := slices.Clone(f.locations)
	for i, l := range list {
		if !store.Local(l) || strings.Contains(l, "://") {
			continue
		}
		at, err := filepath.Abs(l)
		base, err2 := filepath.Abs(dir)
		if cmp.Or(err, err2) != nil {
			continue
		}
		if rel, err := filepath.Rel(base, at); err == nil && !filepath.IsAbs(l) {
			list[i] = filepath.ToSlash(rel)
		}
	}
	return list
}
