package sources

import (
	"context"
	"encoding/json"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// Node describes a group or an array, for people.
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
	// Details are further facts that tools of the format show.
	Details []Detail `json:"details,omitempty"`
	// Problem says why the node cannot be read. Then other fields may be missing.
	Problem string `json:"problem,omitempty"`
}

// DimensionNames are the names of the dimensions of an array. An empty name stands for a
// dimension without a name. It is null in JSON.
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

// Outlined is an optional ability of a [Source]: to describe its nodes by their metadata
// alone. So an array that cannot be read, for instance because the program does not know
// its codec, is described as far as its metadata go.
type Outlined interface {
	// Outline returns the name of the format, and the nodes, groups before what they
	// hold.
	Outline(ctx context.Context) (format string, nodes []Node)
}

// Nodes lists the groups of a source, and then its arrays. It opens the arrays. If an array
// cannot be opened, its node has the reason.
func Nodes(ctx context.Context, source Source) (nodes []Node) {
	details := func(path string) []Detail {
		d, ok := source.(Detailed)
		if !ok {
			return nil
		}
		list, err := d.Details(ctx, path)
		if err != nil {
			list = append(list, Detail{Name: "problem", Text: err.Error()})
		}
		return list
	}
	for _, g := range source.Groups() {
		n := Node{Path: g.Path, Kind: "group", Attributes: g.Attributes}
		if g.Err != nil {
			n.Problem = g.Err.Error()
		} else {
			n.Details = details(g.Path)
		}
		nodes = append(nodes, n)
	}
	for _, name := range source.Arrays() {
		array, err := source.Array(ctx, name)
		if err != nil {
			nodes = append(nodes, Node{Path: name, Kind: "array", Problem: err.Error(), Details: details(name)})
			continue
		}
		n := NodeOf(array.Info())
		n.Path, n.Details = name, details(name)
		nodes = append(nodes, n)
	}
	return nodes
}

// NodeOf returns the node of an array with this description.
func NodeOf(info *Info) Node {
	n := Node{
		Path: info.Path, Kind: "array", Shape: append([]int{}, info.Shape...), ChunkShape: info.Chunks, Codecs: info.Codecs,
		DimensionNames: info.DimensionNames, Unlimited: info.Unlimited, Attributes: info.Attributes,
	}
	if info.Shards != nil {
		n.ChunkShape = info.Shards
	}
	var err error
	if n.DataType, err = info.Type.V3(); err != nil {
		n.Problem = err.Error()
	}
	if info.Fill != nil {
		n.FillValue = info.Type.FormatScalar(dtype.V3, info.Fill)
	}
	return n
}
