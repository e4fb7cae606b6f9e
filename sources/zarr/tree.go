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

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/zarr"
)

// readTree finds the nodes. The documents of the root decide: the first that is
// there of zarr.json, .zmetadata and .zarray; otherwise the folders are walked. Pages
// in the place of documents are passed over where there is one of these.
func (s *source) readTree(ctx context.Context) error {
	s.nodes = map[string]*node{}
	var page error // in the place of a document
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
		if err == nil && s.isPage(text) {
			page = cmp.Or(page, fmt.Errorf("%s: %s: %w: it is no JSON", s.store.URL(), root.key, zarr.ErrNotZarr))
			continue
		}
		if err == nil {
			err = root.read(ctx, text)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.store.URL(), root.key, err)
		}
		s.settle()
		return nil
	}
	if page != nil {
		return page
	}
	if err := s.walk(ctx, zarr.MetadataKey, zarr.ArrayKeyV2, zarr.GroupKeyV2); err != nil {
		return err
	}
	if len(s.nodes) == 0 {
		return s.nothing(ctx)
	}
	s.settle()
	return nil
}

// isPage tells whether a text is none of a document but what some servers send, as
// if all was well, for whatever is not there.
func (s *source) isPage(text []byte) bool {
	return !s.store.Local() && len(text) > 0 && !json.Valid(text)
}

// document reads a document, which from then on is part of the store's
// identity. Numbers of Python are marked in it.
func (s *source) document(ctx context.Context, key string) ([]byte, error) {
	if err := s.files.add(ctx, key); err != nil {
		return nil, err
	}
	text, err := s.store.ReadAll(ctx, key, zarr.MaxDocument)
	if err != nil {
		return nil, err
	}
	return zarr.Marked(text), nil
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
	if g.Consolidated != nil { // the root's document is kept without that of all others
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

// newNode returns the node of a v3 document. One that says neither what it is
// nor that it is a group is listed as an array, so that opening it tells why.
func newNode(text []byte) *node {
	kind, err := zarr.NodeType(text)
	n := &node{format: dtype.V3, array: kind != "group", text: zarr.Plain(text), err: err}
	if len(n.text) != len(text) { // there are numbers of Python
		var fields struct {
			Attributes json.RawMessage `json:"attributes"`
		}
		_ = json.Unmarshal(text, &fields) // what is wrong with it is told elsewhere
		n.python = zarr.MarkedFields(fields.Attributes)
	}
	return n
}

// readConsolidatedV2 takes the nodes of a v2 hierarchy from .zmetadata.
func (s *source) readConsolidatedV2(_ context.Context, text []byte) error {
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

// readArrayV2 is for a root that is an array.
func (s *source) readArrayV2(ctx context.Context, text []byte) error {
	s.take(document{key: zarr.ArrayKeyV2, text: text})
	attributes, err := s.document(ctx, zarr.AttributesKeyV2)
	if errors.Is(err, fs.ErrNotExist) || err == nil && s.isPage(attributes) {
		return nil
	}
	s.take(document{key: zarr.AttributesKeyV2, text: attributes, err: err})
	return nil
}

// checkPath refuses what is no path of a node below the root. Names that a
// target could not have are for others to refuse.
func checkPath(p string) error {
	if p != "" && path.Clean("/"+p) != "/"+p {
		return fmt.Errorf("%.60q is not the path of a node", p)
	}
	return nil
}

// nodeOf is the path of the node that a document belongs to.
func nodeOf(key string) string {
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		return key[:i]
	}
	return ""
}

// take makes a document part of its node. Where a node has documents of both
// formats, those of v3 count, and of v2 the array's before the group's.
func (s *source) take(d document) {
	p, name := nodeOf(d.key), path.Base(d.key)
	n := s.nodes[p]
	if name == zarr.MetadataKey {
		if n = d.node; n == nil {
			n = newNode(d.text)
		}
		if d.err != nil {
			n.err = d.err
		}
		s.nodes[p] = n
		return
	}
	if n == nil {
		n = &node{}
		s.nodes[p] = n
	}
	switch {
	case n.format == dtype.V3:
		return
	case name == zarr.AttributesKeyV2:
		n.attributes, n.python = zarr.Plain(d.text), zarr.MarkedFields(d.text)
	case name == zarr.ArrayKeyV2 || !n.array:
		n.format, n.array, n.text = dtype.V2, name == zarr.ArrayKeyV2, zarr.Plain(d.text)
	}
	n.err = errors.Join(n.err, d.err)
}
