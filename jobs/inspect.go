package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/drivers"
	"github.com/zmigrate/zmigrate/sources/netcdf"
	zarrsource "github.com/zmigrate/zmigrate/sources/zarr"
)

// Node is a group or an array of a source or target, for [Inspect].
type Node struct {
	Path           string          `json:"path"`
	Kind           string          `json:"kind"` // "group" or "array"
	DataType       json.RawMessage `json:"data_type,omitempty"`
	Shape          []int           `json:"shape,omitzero"`
	ChunkShape     []int           `json:"chunk_shape,omitzero"` // not of uneven chunks
	FillValue      json.RawMessage `json:"fill_value,omitempty"`
	Codecs         []codecs.Spec   `json:"codecs,omitempty"`
	DimensionNames DimensionNames  `json:"dimension_names,omitempty"`
	Unlimited      []string        `json:"unlimited,omitempty"` // dimensions that may become longer
	Attributes     zarr.Attributes `json:"attributes"`
	// Details are what tools of the format tell beside all that.
	Details []sources.Detail `json:"details,omitempty"`
	// Problem says why the node cannot be read; of the other fields only the
	// details may be there then.
	Problem string `json:"problem,omitempty"`
}

// DimensionNames are those of an array. One that is empty stands for a dimension
// without a name, which is null in JSON.
type DimensionNames []string

// MarshalJSON implements [json.Marshaler].
func (names DimensionNames) MarshalJSON() ([]byte, error) {
	list := make([]*string, len(names))
	for i := range names {
		if names[i] != "" {
			list[i] = &names[i]
		}
	}
	return json.Marshal(list)
}

// Inspect lists the nodes of whatever lies at a URL, groups before what they
// hold: a Zarr hierarchy, or files that one of the drivers reads.
// Arrays of Zarr v2 are shown in the terms of v3.
func Inspect(ctx context.Context, url string, env plan.Environment) (format string, nodes []Node, err error) {
	opt := store.Options{Log: env.Log, Memory: env.Memory, Fault: env.Fault}
	if name, _, _ := strings.Cut(url, "?"); strings.HasSuffix(name, ".zip") && store.Local(url) {
		if driver := DriverOf(ctx, url, env); driver != "zarr" { // no archive, in spite of its name
			return inspectBy(ctx, url, driver, nil, env)
		}
	}
	st, err := store.Open(ctx, url, opt)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	text, err := st.ReadAll(ctx, zarr.MetadataKey, zarr.MaxDocument)
	if err == nil {
		nodes, err = inspectZarr(ctx, st, text, env.Types)
		return "Zarr v3", nodes, err
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) { // a signature may be for one file
		return "", nil, err
	}
	return inspectBy(ctx, url, DriverOf(ctx, url, env), st, env)
}

// inspectBy lists the nodes of what a driver reads. A Zarr hierarchy is in a store.
func inspectBy(ctx context.Context, url, driver string, st *store.Store, env plan.Environment) (format string, nodes []Node, err error) {
	opt := store.Options{Log: env.Log, Memory: env.Memory, Fault: env.Fault}
	format = "NetCDF"
	var source sources.Source
	zarrs := driver == "zarr"
	switch {
	case driver == "arrow":
		format = "Arrow or Parquet"
		source, err = inspectArrow(ctx, url, opt)
	case !zarrs:
		source, err = netcdf.Open(ctx, []string{url}, netcdf.Options{Store: opt, Drivers: drivers.Standard()})
		zarrs = errors.Is(err, fs.ErrNotExist) && st != nil // no file: a folder, or nothing
	}
	if zarrs {
		format = "Zarr"
		source, err = zarrsource.Open(ctx, url, zarrsource.Options{Store: opt, Types: env.Types, Codecs: env.Codecs, Drivers: drivers.Standard()})
	}
	if err != nil && zarrs && isEmpty(ctx, st) {
		return "", nil, nothingAt(url)
	}
	if err != nil {
		return "", nil, fmt.Errorf("neither a Zarr hierarchy nor a file that is known: %w", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	return format, inspectSource(ctx, source), nil
}

// nothingAt is the error about a place where there is nothing.
func nothingAt(url string) error {
	url = store.Shown(url)
	what, hint := "no such file, folder or object", ""
	if store.Local(url) {
		at := store.Resolved(url)
		if _, err := os.Stat(at); err == nil {
			return fmt.Errorf("%s: the folder is empty", url)
		}
		if _, err := os.Lstat(at); err == nil {
			return fmt.Errorf("%s: a link that leads to nothing; make it anew, or name what it should lead to", url)
		}
		what = "no such file or folder"
		var names []string
		if entries, err := os.ReadDir(filepath.Dir(at)); err == nil {
			for _, e := range entries {
				names = append(names, e.Name())
			}
		}
		if hint = jobfile.DidYouMean(filepath.Base(at), names); hint != "" {
			hint = " (" + hint + ")"
		}
	}
	return fmt.Errorf("%s: %s%s; what is to be shown is a path, or a URL such as s3://bucket/data.zarr?region=eu-west-1", url, what, hint)
}

// isEmpty reports whether there is no object below a place, as far as it can be
// listed.
func isEmpty(ctx context.Context, st *store.Store) bool {
	return st.List(ctx, "", func(store.Info) error { return errEnough }) == nil
}

// inspectArrow opens files whose columns are to be described: nulls do not
// matter.
func inspectArrow(ctx context.Context, url string, opt store.Options) (sources.Source, error) {
	files, err := arrow.Expand(ctx, url, opt)
	if err != nil {
		return nil, err
	}
	anything := func(_ string, t dtype.Type) (dtype.Scalar, error) { return t.Default(), nil }
	how := arrow.Options{Store: opt, Null: anything, Drivers: drivers.Standard()}
	all, err := arrow.Open(ctx, files, how)
	if err != nil || len(files) < 2 {
		return all, err
	}
	first, err := arrow.Open(ctx, files[:1], how)
	if err != nil {
		return nil, errors.Join(err, all.Close())
	}
	many := manyFiles{Source: all, first: first, count: len(files)}
	for f := range first.Files() {
		many.name = f.URL
	}
	return many, nil
}

// inspectSource lists what a driver reads.
func inspectSource(ctx context.Context, source sources.Source) (nodes []Node) {
	details := func(path string) []sources.Detail {
		d, ok := source.(sources.Detailed)
		if !ok {
			return nil
		}
		list, err := d.Details(ctx, path)
		if err != nil {
			list = append(list, sources.Detail{Name: "problem", Text: err.Error()})
		}
		return list
	}
	for _, g := range source.Groups() {
		nodes = append(nodes, Node{Path: g.Path, Kind: "group", Attributes: g.Attributes, Details: details(g.Path)})
	}
	for _, name := range source.Arrays() {
		array, err := source.Array(ctx, name)
		if err != nil {
			nodes = append(nodes, Node{Path: name, Kind: "array", Problem: err.Error(), Details: details(name)})
			continue
		}
		info := array.Info()
		n := Node{
			Path: name, Kind: "array", Shape: append([]int{}, info.Shape...), ChunkShape: info.Chunks, Codecs: info.Codecs,
			DimensionNames: info.DimensionNames, Unlimited: info.Unlimited, Attributes: info.Attributes, Details: details(name),
		}
		if info.Shards != nil {
			n.ChunkShape = info.Shards
		}
		if n.DataType, err = info.Type.V3(); err != nil {
			n.Problem = err.Error()
		}
		if info.Fill != nil {
			n.FillValue = info.Type.FormatScalar(dtype.V3, info.Fill)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// inspectZarr lists a hierarchy by its consolidated metadata or, where it has
// none, by the documents in the store.
func inspectZarr(ctx context.Context, st *store.Store, root []byte, types *dtype.Registry) ([]Node, error) {
	documents := map[string]json.RawMessage{"": root}
	kind, err := zarr.NodeType(root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", zarr.MetadataKey, err)
	}
	if kind == "group" {
		group, err := zarr.ParseGroup(root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", zarr.MetadataKey, err)
		}
		maps.Copy(documents, group.Consolidated)
		if group.Consolidated == nil {
			err = st.List(ctx, "", func(o store.Info) error {
				if path.Base(o.Key) != zarr.MetadataKey {
					return nil
				}
				text, err := st.ReadAll(ctx, o.Key, zarr.MaxDocument)
				documents[strings.TrimSuffix(strings.TrimSuffix(o.Key, zarr.MetadataKey), "/")] = text
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	nodes := make([]Node, 0, len(documents))
	for p, text := range documents {
		nodes = append(nodes, zarrNode(p, text, types))
	}
	slices.SortFunc(nodes, func(a, b Node) int { return strings.Compare(a.Path, b.Path) })
	return nodes, nil
}

func zarrNode(p string, text []byte, types *dtype.Registry) Node {
	kind, err := zarr.NodeType(text)
	if err != nil {
		return Node{Path: p, Problem: err.Error()}
	}
	if kind == "group" {
		g, err := zarr.ParseGroup(text)
		if err != nil {
			return Node{Path: p, Kind: kind, Problem: err.Error()}
		}
		return Node{Path: p, Kind: kind, Attributes: g.Attributes}
	}
	a, err := zarr.ParseArray(text, types)
	if err != nil {
		return Node{Path: p, Kind: kind, Problem: err.Error()}
	}
	n := Node{
		Path: p, Kind: kind, Shape: a.Grid.Shape, ChunkShape: a.Grid.Chunk,
		FillValue: a.Type.FormatScalar(dtype.V3, a.Fill), Codecs: a.Codecs, DimensionNames: a.DimensionNames, Attributes: a.Attributes,
	}
	if _, regular := a.Grid.Regular(); !regular {
		n.ChunkShape = nil
	}
	if n.DataType, err = a.Type.V3(); err != nil {
		n.Problem = err.Error()
	}
	return n
}
