package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Open opens the files or hierarchies of the job's source section. r is the request
// with which the driver has opened them.
func Open(ctx context.Context, j *jobfile.Job, env environment.Environment, limits environment.Limits) (source sources.Source, r sources.Request, err error) {
	driver := j.Driver()
	if driver == nil {
		return nil, r, jobfile.Problems{j.Problem("source.driver", "names no driver that is known", "")}
	}
	r = sources.Request{
		Codecs: env.Codecs, Drivers: env.KnownDrivers(), Store: env.StoreOptions(j, limits.Source),
		Join: combining(j, env.Codecs.Types()), CF: modesOf(j), AllChunks: j.Source.MissingChunks == "error", NGFF: j.Source.NGFF != "keep", Follow: following(j), Fields: j.Source.Compound == "fields", SkipReferences: j.Source.References == "skip",
		Resident:   &sources.Resident{Memory: j.Run.Memory},
		Refer:      j.Target.References != "",
		Null:       func(path string, t dtype.Type) (dtype.Scalar, error) { return nullOf(j, path, t) },
		KeepChunks: func(path string) bool { return wantsStored(j, path) },
		KeepCodecs: func(path string, t dtype.Type) bool { return keepsCodecs(j, path, t, env.Codecs.Types()) },
	}
	if driver.Declared {
		r.Arrays, err = declaredArrays(ctx, j, env, r.Store)
	} else if r.URLs, r.From, err = resolve(ctx, driver, j.Source.Locations, r.Store); err == nil {
		err = j.CheckJoined(r.URLs)
		if len(r.URLs) > 1 && j.Target.Existing == "append" {
			r.Join.Time.Clock = targetClocks(ctx, j, env.StoreOptions(j, limits.Target), env)
		}
	}
	if err != nil {
		return nil, r, missing(j, err)
	}
	source, err = driver.Open(ctx, r)
	return source, r, store.ReadingRefused(missing(j, err))
}

// missing returns an error about a file that does not exist as a [jobfile.PlaceError], at
// the field that names the file. Other errors stay as they are.
func missing(j *jobfile.Job, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	about := func(p jobfile.Problem) error { return &jobfile.PlaceError{Problems: jobfile.Problems{p}, Err: err} }
	named := []fieldOfFiles{{"source.url", j.Source.Locations}}
	for _, a := range j.Source.Arrays {
		named = append(named, fieldOfFiles{jobfile.FieldPath("source", "arrays", a.Name, "url"), a.Locations})
	}
	for _, n := range named {
		for i, l := range n.locations {
			field := n.field
			if len(n.locations) > 1 {
				field = fmt.Sprintf("%s[%d]", field, i)
			}
			what, _ := os.Stat(store.Resolved(l.URL))
			switch {
			case !store.Local(l.URL) || what == nil:
				return about(j.Problem(field, err.Error(), Mistaken(l)))
			case what.IsDir():
				return about(j.Problem(field, fmt.Sprintf("%s: a folder, but the driver %s reads files", store.Shown(l.Text), j.Driver().Name), inFolder(l)))
			}
		}
	}
	return about(j.Problem("source.url", err.Error(), "")) // a file to which the source refers
}

// fieldOfFiles is a field of the job that names files.
type fieldOfFiles struct {
	field     string
	locations []jobfile.Location
}

// inFolder says how to read what a folder holds.
func inFolder(l jobfile.Location) string {
	at := store.Resolved(l.URL)
	for _, document := range []string{zarr.MetadataKey, zarr.GroupKeyV2, zarr.ArrayKeyV2} {
		if _, err := os.Stat(filepath.Join(at, document)); err == nil {
			return "it is a Zarr hierarchy, for driver: zarr"
		}
	}
	return fmt.Sprintf("name a file, or several by a glob such as %q", path.Join(l.Text, "*.nc"))
}

// Mistaken says what is wrong with the place of a source at which there is nothing, or "": a
// shell or another program would take it for something else, or its folder holds a file of
// nearly the same name.
func Mistaken(place jobfile.Location) string {
	switch {
	case place.Text == "-":
		return "standard input cannot be a source, because it is read in parts: write it to a file first"
	case strings.HasPrefix(place.Text, "~"):
		return jobfile.Unreplaced("~")
	case jobfile.Unreplaced(place.Text) != "":
		return jobfile.Unreplaced(place.Text)
	case !store.Local(place.URL):
		return ""
	}
	at := store.Resolved(place.URL)
	entries, _ := os.ReadDir(filepath.Dir(at)) // a folder that cannot be read has no hint
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return jobfile.DidYouMean(filepath.Base(at), names)
}

// targetClocks returns a function that reads the clock of an existing array, given the path
// of the array in the source. If the existing array cannot be read, there is no clock; the
// plan says why when it opens the target.
func targetClocks(ctx context.Context, j *jobfile.Job, opt store.Options, env environment.Environment) func(path string) (sources.Clock, bool) {
	read := func(name string) (clock sources.Clock, ok bool) {
		st, err := store.Open(ctx, j.Target.URL, opt)
		if err != nil {
			return clock, false
		}
		defer st.Close() //nolint:errcheck // only read
		text, err := st.ReadAll(ctx, path.Join(name, zarr.MetadataKey), zarr.MaxDocument)
		if err != nil {
			return clock, false
		}
		meta, err := zarr.ParseArray(text, env.Codecs.Types())
		if err != nil {
			return clock, false
		}
		return sources.Clock{Attributes: meta.Attributes, Type: meta.Type}, true
	}
	type answer struct {
		clock sources.Clock
		ok    bool
	}
	known := map[string]answer{}
	return func(source string) (sources.Clock, bool) {
		a, asked := known[source]
		if !asked {
			o, _ := j.Options(source)
			target := zarr.CleanPath(source)
			if name := cmp.Or(o.Rename, j.Dimensions[path.Base(source)]); name != "" {
				target = path.Join(path.Dir(target), name)
			}
			a.clock, a.ok = read(target)
			known[source] = a
		}
		return a.clock, a.ok
	}
}

// declaredArrays returns the arrays that the job describes.
func declaredArrays(ctx context.Context, j *jobfile.Job, env environment.Environment, opt store.Options) ([]sources.DeclaredArray, error) {
	arrays := make([]sources.DeclaredArray, 0, len(j.Source.Arrays))
	for _, a := range j.Source.Arrays {
		t, order, field, err := a.Type(env.Codecs.Types())
		if err != nil {
			return nil, jobfile.Problems{j.Problem(jobfile.FieldPath("source", "arrays", a.Name, field), err.Error(), "")}
		}
		urls, _, err := resolve(ctx, j.Driver(), a.Locations, opt)
		if err != nil {
			return nil, fmt.Errorf("array %q: %w", a.Name, err)
		}
		if err := j.CheckDistinct(jobfile.FieldPath("source", "arrays", a.Name, "url"), urls); err != nil {
			return nil, err
		}
		arrays = append(arrays, sources.DeclaredArray{
			Name: a.Name, URLs: urls, Type: t, Order: order, Shape: a.Shape, FOrder: a.Order == "F",
			Offset: a.Offset, DimensionNames: jobfile.Names(a.DimensionNames), Attributes: a.Attributes,
			Stack: a.Stack, Concat: a.Concat,
		})
	}
	return arrays, nil
}

// resolve returns the URLs that locations name, in the order of the job. from has, for each
// URL, the URL of its location.
func resolve(ctx context.Context, driver *sources.Driver, locations []jobfile.Location, opt store.Options) (urls, from []string, err error) {
	for _, l := range locations {
		found, err := driver.Resolve(ctx, l.URL, opt)
		if err != nil {
			return nil, nil, err
		}
		for _, url := range found {
			urls, from = append(urls, url), append(from, l.URL)
		}
	}
	return urls, from, nil
}

// nullOf returns the value that takes the place of nulls in the column at a path. It is the
// fill_value that the job gives the array, or nil if the job gives none.
func nullOf(j *jobfile.Job, path string, t dtype.Type) (dtype.Scalar, error) {
	options, _ := j.Options(path)
	if options.FillValue == nil {
		return nil, nil
	}
	return t.ParseScalar(dtype.V3, options.FillValue)
}

// following returns which files may be read because files of the source refer to them.
func following(j *jobfile.Job) sources.Following {
	f := sources.Following{Nothing: j.Source.Follow.Nothing}
	for _, l := range j.Source.Follow.Folders {
		f.Folders = append(f.Folders, l.URL)
	}
	return f
}
