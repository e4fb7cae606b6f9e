package zarr

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/kerchunk"
	"github.com/zmigrate/zmigrate/sources/zarr/n5"
	"github.com/zmigrate/zmigrate/zarr"
)

// readTree finds the nodes. The documents of the root decide: the first of zarr.json,
// .zmetadata and .zarray that exists is read. If none exists, the folders are walked. A
// page in the place of a document is skipped if another document follows.
func (s *source) readTree(ctx context.Context) error {
	s.nodes = map[string]*node{}
	var page error // about a page in the place of a document
	for _, root := range []struct {
		key  string
		read func(ctx context.Context, text []byte) error
	}{
		{zarr.MetadataKey, s.readRoot},
		{zarr.ConsolidatedKeyV2, s.readConsolidatedV2},
		{zarr.ArrayKeyV2, s.readArrayV2},
	} {
		text, err := s.document(ctx, root.key)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil { // the error names the key
			return fmt.Errorf("%s: %w", s.store.URL(), err)
		}
		if s.isPage(text) {
			page = cmp.Or(page, fmt.Errorf("%s: %s: %w: it is not JSON", s.store.URL(), root.key, zarr.ErrNotZarr))
			continue
		}
		if err := root.read(ctx, text); err != nil {
			return fmt.Errorf("%s: %s: %w", s.store.URL(), root.key, err)
		}
		s.settle()
		return nil
	}
	if page != nil {
		return page
	}
	if found, err := s.readN5(ctx); found || err != nil {
		return err
	}
	if err := s.walk(ctx, zarr.MetadataKey, zarr.ArrayKeyV2, zarr.GroupKeyV2); err != nil {
		return err
	}
	if len(s.nodes) == 0 {
		return s.readBelowN5(ctx)
	}
	s.settle()
	return nil
}

// readN5 finds the nodes of a container of N5. It returns false if the root has no document of N5.
func (s *source) readN5(ctx context.Context) (found bool, err error) {
	text, err := s.document(ctx, n5.Key)
	node, array := n5.Is(zarr.Plain(text))
	if err != nil || !node { // whatever is wrong, it is not N5
		return false, ctx.Err()
	}
	s.nodes[""] = newNodeN5(text, nil)
	if !array {
		err = s.walk(ctx, n5.Key)
	}
	if err == nil {
		s.settle()
	}
	return true, err
}

// readBelowN5 finds the nodes of a group of N5 that has no document, or only one with attributes.
func (s *source) readBelowN5(ctx context.Context) error {
	if s.referred == nil {
		if err := s.walk(ctx, n5.Key); err != nil {
			return err
		}
	}
	for _, n := range s.nodes {
		if n.array && n.err == nil {
			if text, err := s.document(ctx, n5.Key); err == nil {
				s.nodes[""] = newNodeN5(text, nil)
			}
			s.settle()
			return nil
		}
	}
	return s.noHierarchy(ctx)
}

// isPage reports whether a text is not a document but a page. Some servers send a page for
// a missing object, with a status of success.
func (s *source) isPage(text []byte) bool {
	return !s.store.Local() && len(text) > 0 && !json.Valid(text)
}

// readRoot takes the nodes of a v3 hierarchy from the document of its root.
func (s *source) readRoot(ctx context.Context, text []byte) error {
	if kind, _ := zarr.NodeType(text); kind == "array" {
		s.nodes[""] = newNode(text)
		return nil
	}
	g, err := zarr.ParseGroup(text)
	if err != nil {
		return err
	}
	if g.Consolidated != nil { // keep the root's document without the documents of all other nodes
		if text, err = zarr.Consolidated(text, nil); err != nil {
			return err
		}
	}
	s.nodes[""] = newNode(text)
	if g.Consolidated == nil {
		return s.walk(ctx, zarr.MetadataKey)
	}
	for p, text := range g.Consolidated {
		if err := checkPath(p); err != nil {
			return fmt.Errorf("consolidated_metadata: %w", err)
		}
		if p != "" {
			s.nodes[p] = newNode(text)
		}
	}
	return nil
}

// readConsolidatedV2 takes the nodes of a v2 hierarchy from .zmetadata.
func (s *source) readConsolidatedV2(ctx context.Context, text []byte) error {
	if size := kerchunk.RecordSize(zarr.Plain(text)); size > 0 && s.referred == nil {
		return s.readParquet(ctx, zarr.Plain(text), size)
	}
	documents, err := zarr.ParseConsolidatedV2(text)
	if err != nil {
		return err
	}
	known := []string{zarr.MetadataKey, zarr.ArrayKeyV2, zarr.GroupKeyV2, zarr.AttributesKeyV2}
	for key, text := range documents {
		if err := checkPath(nodeOf(key)); err != nil {
			return err
		}
		if slices.Contains(known, path.Base(key)) {
			s.take(document{key: key, text: text})
		}
	}
	return nil
}

// readParquet takes the nodes from the document of a table of references in Parquet.
func (s *source) readParquet(ctx context.Context, text []byte, size int) error {
	documents, err := s.referToParquet(ctx, text, size)
	if err != nil {
		return err
	}
	for key, text := range documents {
		if err := checkPath(nodeOf(key)); err != nil {
			return err
		}
		s.take(document{key: key, text: zarr.Marked(text)})
	}
	return nil
}

// readArrayV2 handles a root that is an array.
func (s *source) readArrayV2(ctx context.Context, text []byte) error {
	s.take(document{key: zarr.ArrayKeyV2, text: text})
	attributes, err := s.document(ctx, zarr.AttributesKeyV2)
	if errors.Is(err, fs.ErrNotExist) || err == nil && s.isPage(attributes) {
		return nil
	}
	s.take(document{key: zarr.AttributesKeyV2, text: attributes, err: err})
	return nil
}

// checkPath refuses a path that cannot belong to a node below the root. It accepts
// names that a target could not have.
func checkPath(p string) error {
	if p != "" && path.Clean("/"+p) != "/"+p {
		return fmt.Errorf("%.60q is not the path of a node", p)
	}
	return nil
}

// settle sorts the nodes into groups and arrays. The paths imply groups that have no
// document. Nodes below an array are dropped. Nodes below an unreadable node show that
// it is a group.
func (s *source) settle() {
	marked := map[string]bool{} // paths whose parents have been added
	for p := range s.nodes {
		for above, more := zarr.Parent(p); more && !marked[above]; above, more = zarr.Parent(above) {
			marked[above] = true
			if n := s.nodes[above]; n != nil && n.err != nil {
				n.array = false
			}
		}
	}
	var groups []string
	within := map[string]bool{"": false} // whether a path is below an array, for the paths that are known
	for p, n := range s.nodes {
		switch {
		case s.belowArray(p, within):
		case n.array:
			s.arrays = append(s.arrays, p)
		default:
			groups = append(groups, p)
		}
	}
	slices.Sort(s.arrays)
	for _, p := range append(groups, zarr.Parents(s.arrays)...) {
		g := sources.Group{Path: p}
		if n := s.nodes[p]; n != nil && !n.array {
			g.Attributes, g.Err = n.parseGroup()
			g.Findings = n.findings()
			n.err = g.Err
		}
		s.groups = append(s.groups, g)
	}
	slices.SortFunc(s.groups, func(a, b sources.Group) int { return strings.Compare(a.Path, b.Path) })
	s.groups = slices.CompactFunc(s.groups, func(a, b sources.Group) bool { return a.Path == b.Path })
}

// belowArray tells whether an array is above a path. within remembers the answers, so
// that each path of a deep hierarchy is looked at once.
func (s *source) belowArray(p string, within map[string]bool) bool {
	var asked []string
	below, known := within[p]
	for !known {
		asked = append(asked, p)
		p, _ = zarr.Parent(p) // within has the root
		if n := s.nodes[p]; n != nil && n.array {
			below, known = true, true
		} else {
			below, known = within[p]
		}
	}
	for _, p := range asked {
		within[p] = below
	}
	return below
}
