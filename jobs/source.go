package jobs

import (
	"context"
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	"github.com/zmigrate/zmigrate/sources/raw"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// openSource opens what the job's source section names.
func openSource(ctx context.Context, j *Job, env Environment) (sources.Source, error) {
	opt := j.storeOptions(env)
	switch j.Source.Driver {
	case "raw":
		arrays := make([]raw.Array, 0, len(j.Source.Arrays))
		for _, a := range j.Source.Arrays {
			t, order, field, err := a.Type(env.Types)
			if err != nil {
				return nil, Problems{j.Problem(FieldPath("source", "arrays", a.Name, field), err.Error(), "")}
			}
			urls, err := expand(ctx, a.Locations, opt)
			if err != nil {
				return nil, fmt.Errorf("array %q: %w", a.Name, err)
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
		return netcdf.Open(ctx, urls, netcdf.Options{
			Store: opt, Concat: j.Source.Concat,
			CF: j.modeOf,
		})
	case "arrow":
		urls, err := expandBy(ctx, arrow.Expand, j.Source.Locations, opt)
		if err != nil {
			return nil, err
		}
		return arrow.Open(ctx, urls, arrow.Options{Store: opt, Rows: j.Source.Concat, Null: j.nullOf})
	case "zarr":
		return openZarr(ctx, j, env, opt)
	default:
		return nil, Problems{j.Problem("source.driver", fmt.Sprintf("no driver %q", j.Source.Driver), "")}
	}
}

// openZarr opens the one hierarchy of a job. Its name is no glob: a folder
// matches none.
func openZarr(ctx context.Context, j *Job, env Environment, opt store.Options) (sources.Source, error) {
	if len(j.Source.Locations) != 1 || j.Source.Concat != "" {
		return nil, Problems{j.Problem("source.url", fmt.Sprintf("a Zarr source is one hierarchy, the job names %d", len(j.Source.Locations)),
			"migrate one after the other, without concat")}
	}
	return zarr.Open(ctx, j.Source.Locations[0].URL, zarr.Options{
		Store: opt, Types: env.Types, Codecs: env.Codecs, CF: j.modeOf, AllChunks: j.Source.MissingChunks == "error",
		Kept: func(path string, t dtype.Type) bool { return j.keepsCodecs(path, t, env.Types) },
	})
}

// nullOf returns the value that takes the place of nulls in the column at a path:
// the fill_value of its array, nil where the job names none.
func (j *Job) nullOf(path string, t dtype.Type) (dtype.Scalar, error) {
	options, _ := j.Options(path)
	if options.FillValue == nil {
		return nil, nil
	}
	return t.ParseScalar(dtype.V3, options.FillValue)
}

// storeOptions are the job's habits towards stores.
func (j *Job) storeOptions(env Environment) store.Options {
	retries := j.Run.Retries
	if retries == 0 {
		retries = -1 // none, where the store's 0 means its default
	}
	return store.Options{
		Log: env.Log, Memory: env.Memory, Fault: env.Fault,
		Retries: retries, RequestsPerSecond: j.Run.PerSecond,
	}
}

// expand resolves globs, in the order in which the job names them.
func expand(ctx context.Context, locations []Location, opt store.Options) ([]string, error) {
	return expandBy(ctx, store.Glob, locations, opt)
}

// expandBy is expand with another way to resolve a location.
func expandBy(ctx context.Context, resolve func(context.Context, string, store.Options) ([]string, error), locations []Location, opt store.Options) ([]string, error) {
	var urls []string
	for _, l := range locations {
		found, err := resolve(ctx, l.URL, opt)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", l.Text, err)
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
