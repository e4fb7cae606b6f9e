package plan

import (
	"context"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/drivers"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/raw"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// openSource opens what the job's source section names.
func openSource(ctx context.Context, j *jobfile.Job, env Environment, limits *limits.Limits) (sources.Source, error) {
	opt := env.StoreOptions(j, limits)
	switch j.Source.Driver {
	case "raw":
		arrays := make([]raw.Array, 0, len(j.Source.Arrays))
		for _, a := range j.Source.Arrays {
			t, order, field, err := a.Type(env.Types)
			if err != nil {
				return nil, jobfile.Problems{j.Problem(jobfile.FieldPath("source", "arrays", a.Name, field), err.Error(), "")}
			}
			urls, err := expand(ctx, a.Locations, opt)
			if err != nil {
				return nil, fmt.Errorf("array %q: %w", a.Name, err)
			}
			if err := j.CheckDistinct(jobfile.FieldPath("source", "arrays", a.Name, "url"), urls); err != nil {
				return nil, err
			}
			arrays = append(arrays, raw.Array{
				Name: a.Name, URLs: urls, Type: t, Order: order, Shape: a.Shape, FOrder: a.Order == "F",
				Offset: a.Offset, DimensionNames: names(a.DimensionNames), Attributes: a.Attributes,
				Stack: a.Stack, Concat: a.Concat,
			})
		}
		return raw.Open(ctx, arrays, raw.Options{Store: opt})
	case "netcdf":
		urls, err := expand(ctx, j.Source.Locations, opt)
		if err != nil {
			return nil, err
		}
		if err := j.CheckJoined(urls); err != nil {
			return nil, err
		}
		return netcdf.Open(ctx, urls, netcdf.Options{
			Store: opt, Combine: combining(j),
			CF: modesOf(j), Codecs: env.Codecs, Drivers: drivers.Standard(),
			Kept: func(path string) bool { return wantsStored(j, path) },
		})
	case "arrow":
		files, err := expandBy(ctx, arrow.Expand, j.Source.Locations, opt)
		if err != nil {
			return nil, err
		}
		urls := make([]string, len(files))
		for i, f := range files {
			urls[i] = f.URL
		}
		if err := j.CheckDistinct("source.url", urls); err != nil {
			return nil, err
		}
		return arrow.Open(ctx, files, arrow.Options{Store: opt, Combine: combining(j), Drivers: drivers.Standard(), Null: func(path string, t dtype.Type) (dtype.Scalar, error) {
			return nullOf(j, path, t)
		}})
	case "zarr":
		return openZarr(ctx, j, env, opt)
	default:
		return nil, jobfile.Problems{j.Problem("source.driver", fmt.Sprintf("no driver %q", j.Source.Driver), "")}
	}
}

// openZarr opens the hierarchies of a job. Globs match folders, or zip archives.
func openZarr(ctx context.Context, j *jobfile.Job, env Environment, opt store.Options) (sources.Source, error) {
	urls, err := expandBy(ctx, func(ctx context.Context, url string, opt store.Options) ([]string, error) {
		if name, _, _ := strings.Cut(url, "?"); strings.HasSuffix(name, ".zip") {
			return store.Glob(ctx, url, opt)
		}
		return store.GlobFolders(ctx, url, opt)
	}, j.Source.Locations, opt)
	if err == nil {
		err = j.CheckJoined(urls)
	}
	if err != nil {
		return nil, err
	}
	options := zarr.Options{
		Store: opt, Types: env.Types, Codecs: env.Codecs, CF: modesOf(j), AllChunks: j.Source.MissingChunks == "error",
		Drivers: drivers.Standard(),
		Kept:    func(path string, t dtype.Type) bool { return keepsCodecs(j, path, t, env.Types) },
	}
	how := combining(j)
	if len(urls) == 1 && how.Concat+how.Stack == "" {
		return zarr.Open(ctx, urls[0], options)
	}
	return zarr.OpenAll(ctx, urls, options, how)
}

// nullOf returns the value that takes the place of nulls in the column at a path:
// the fill_value of its array, nil where the job names none.
func nullOf(j *jobfile.Job, path string, t dtype.Type) (dtype.Scalar, error) {
	options, _ := j.Options(path)
	if options.FillValue == nil {
		return nil, nil
	}
	return t.ParseScalar(dtype.V3, options.FillValue)
}

// expand resolves globs, in the order in which the job names them.
func expand(ctx context.Context, locations []jobfile.Location, opt store.Options) ([]string, error) {
	return expandBy(ctx, store.Glob, locations, opt)
}

// expandBy is expand with another way to resolve a location.
func expandBy[T any](ctx context.Context, resolve func(context.Context, string, store.Options) ([]T, error), locations []jobfile.Location, opt store.Options) ([]T, error) {
	var urls []T
	for _, l := range locations {
		found, err := resolve(ctx, l.URL, opt)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", store.Shown(l.Text), err)
		}
		urls = append(urls, found...)
	}
	return urls, nil
}

func names(given []*string) []string {
	if given == nil {
		return nil
	}
	list := make([]string, len(given))
	for i, name := range given {
		if name != nil {
			list[i] = *name
		}
	}
	return list
}
