package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/input"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// Node is a group or an array of a source or target, for [Inspect].
type Node = sources.Node

// DriverOf returns the name of the driver for a source that no job describes. It looks at the
// source once, without retries. If the server of the source fails, the driver is a guess;
// opening the source then makes the retries and returns the error.
func DriverOf(ctx context.Context, url string, env Environment) (string, error) {
	opt := env.Stores(limits.New(0))
	opt.Retries = -1
	driver, _, err := env.KnownDrivers().Detect(ctx, url, opt)
	if driver == nil {
		return "", err
	}
	return driver.Name, nil
}

// Inspect lists the nodes of whatever lies at a URL, groups before what they
// hold: a Zarr hierarchy, or files that one of the drivers reads.
// Arrays of Zarr v2 are shown in the terms of v3.
func Inspect(ctx context.Context, url string, env Environment) (format string, nodes []Node, err error) {
	driver, sure, err := env.KnownDrivers().Detect(ctx, url, env.Stores(limits.New(0)))
	if err != nil && driver != nil { // the server's
		return "", nil, store.ReadingRefused(err)
	}
	var source sources.Source
	if err == nil {
		source, err = inspected(ctx, driver, url, env)
	}
	switch {
	case err != nil && isNothing(ctx, url, env):
		return "", nil, nothingAt(url)
	case driver != nil && err != nil && sure < sources.Certain && !errors.Is(err, fs.ErrPermission):
		return "", nil, fmt.Errorf("none of the drivers %s reads it: %w", env.KnownDrivers().Detecting(), err)
	case err != nil:
		return "", nil, store.ReadingRefused(err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if o, ok := source.(sources.Outlined); ok {
		format, nodes = o.Outline(ctx)
		return format, nodes, nil
	}
	return driver.Title, sources.Nodes(ctx, source), nil
}

// inspected opens the source at a URL: one file or hierarchy, or all files of a table. The
// value of nulls does not matter, because no elements are shown. Several files have the
// details of the first one.
func inspected(ctx context.Context, driver *sources.Driver, url string, env Environment) (sources.Source, error) {
	r := sources.Request{
		URLs: []string{url}, From: []string{url},
		Codecs: env.Codecs, Drivers: env.KnownDrivers(), Store: env.Stores(limits.New(0)),
		Null: func(_ string, t dtype.Type) (dtype.Scalar, error) { return t.Default(), nil },
	}
	if driver.Rows {
		var err error
		if r.URLs, err = driver.Resolve(ctx, url, r.Store); err != nil {
			return nil, err
		}
		r.From = make([]string, len(r.URLs))
		for i := range r.From {
			r.From[i] = url
		}
	}
	all, err := driver.Open(ctx, r)
	if err != nil || len(r.URLs) < 2 {
		return all, err
	}
	many := manyFiles{Source: all, count: len(r.URLs)}
	r.URLs, r.From = r.URLs[:1], r.From[:1]
	if many.first, err = driver.Open(ctx, r); err != nil {
		return nil, errors.Join(err, all.Close())
	}
	for f := range many.first.Files() {
		many.name = f.URL
	}
	return many, nil
}

// isNothing reports whether there is no file at a place, and nothing below it as far as
// that can be listed.
func isNothing(ctx context.Context, url string, env Environment) bool {
	if _, file := sources.Beginning(ctx, url, env.Stores(limits.New(0))); file {
		return false
	}
	st, err := store.Open(ctx, url, env.Stores(limits.New(0)))
	if err != nil {
		return false
	}
	defer st.Close() //nolint:errcheck // nothing was written
	return st.List(ctx, "", func(store.Info) error { return errEnough }) == nil
}

// errEnough ends a listing.
var errEnough = errors.New("seen enough")

// nothingAt is the error about a place where there is nothing.
func nothingAt(url string) error {
	url = store.Shown(url)
	what, hint, mistaken := "no such file, folder or object", "", input.Mistaken(jobfile.Location{Text: url, URL: url})
	switch {
	case url == "-":
		return errors.New("-: " + mistaken)
	case mistaken != "":
		hint = " (" + mistaken + ")"
	}
	if store.Local(url) {
		at := store.Resolved(url)
		if _, err := os.Stat(at); err == nil {
			return fmt.Errorf("%s: the folder is empty", url)
		}
		if _, err := os.Lstat(at); err == nil {
			return fmt.Errorf("%s: a link that leads to nothing; make the link anew, or name the file itself", url)
		}
		what = "no such file or folder"
	}
	return fmt.Errorf("%s: %s%s; name a path, or a URL such as s3://bucket/data.zarr?region=eu-west-1", url, what, hint)
}
