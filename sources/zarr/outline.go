package zarr

import (
	"context"
	"maps"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Outline implements [sources.Outlined]. The nodes of a v3 hierarchy are described by their
// documents alone, in the order of their paths: no codec is bound and no chunk is read. The
// nodes of a v2 hierarchy are opened and described in the terms of v3.
func (s *source) Outline(ctx context.Context) (format string, nodes []sources.Node) {
	if root := s.nodes[""]; root == nil || root.format != dtype.V3 {
		if root != nil && root.n5 {
			return "N5", sources.Nodes(ctx, s)
		}
		return "Zarr", sources.Nodes(ctx, s)
	}
	for _, p := range slices.Sorted(maps.Keys(s.nodes)) {
		nodes = append(nodes, s.outline(p, s.nodes[p]))
	}
	return "Zarr v3", nodes
}

// outline returns what the document of a node says.
func (s *source) outline(p string, n *node) sources.Node {
	out := sources.Node{Path: p}
	if n.err != nil {
		out.Problem = n.err.Error()
		return out
	}
	if !n.array {
		out.Kind = "group"
		out.Attributes, _ = n.parseGroup() // settle keeps an error of that as the node's
		return out
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.opened != nil { // the document is dropped
		return sources.NodeOf(n.opened.Info())
	}
	out.Kind = "array"
	var meta *zarr.Array
	d, err := zarr.OpenArray(n.text)
	if err == nil {
		meta, err = d.ForeignArray(s.types)
	}
	if err != nil {
		out.Problem = err.Error()
		return out
	}
	out.Shape, out.ChunkShape, out.DimensionNames = meta.Grid.Shape, meta.Grid.Chunk, meta.DimensionNames
	out.Codecs, out.Attributes = meta.Codecs, meta.Attributes
	if meta.Fill != nil {
		out.FillValue = meta.Type.FormatScalar(dtype.V3, meta.Fill)
	}
	if _, regular := meta.Grid.Regular(); !regular {
		out.ChunkShape = nil
	}
	if out.DataType, err = meta.Type.V3(); err != nil {
		out.Problem = err.Error()
	}
	return out
}
