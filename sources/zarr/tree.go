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
		if err == nil && s.isPage(text) {
			page = cmp.Or(page, fmt.Errorf("%s: %s: %w: it is not JSON", s.store.URL(), root.key, zarr.ErrNotZarr))
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
		return s.noHierarchy(ctx)
	}
	s.settle()
	return nil
}

// isPage reports whether a text is not a document but a page. Some servers send a page for
// a missing object, with a status of success.
func (s *source) isPage(text []byte) bool {
	return !s.store.Local() && len(text) > 0 && !json.Valid(text)
}

// document reads a document and makes it part of the store's identity. It marks the
// numbers of Python in the text.
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

// newNode returns the node of a v3 document. A document without a valid type of node
// counts as an array, so that opening it reports the error.
func newNode(text []byte) *node {
	kind, err := zarr.NodeType(text)
	n := &node{format: dtype.V3, array: kind != "group", documents: &documents{text: zarr.Plain(text)}, err: err}
	if len(n.text) != len(text) { // the document has numbers of Python
		var fields struct {
			Attributes json.RawMessage `json:"attributes"`
		}
		_ = json.Unmarshal(text, &fields) // an error is reported when the node is opened
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

// nodeOf returns the path of the node to which a document belongs.
func nodeOf(key string) string {
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		return key[:i]
	}
	return ""
}

// texts remembers texts, because in v2 the arrays of a hierarchy mostly have equal
// documents. It is not safe for concurrent use.
type texts map[string][]byte

// shared returns text, or an equal text from before, so that both share memory.
func (t *texts) shared(text []byte) []byte {
	if known, ok := (*t)[string(text)]; ok {
		return known
	}
	if *t == nil || len(*t) == mostKinds {
		*t = texts{}
	}
	(*t)[string(text)] = text
	return text
}

// take makes a document part of its node. If a node has documents of both formats, v3
// counts. In v2 the document of an array comes before that of a group.
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
		n = &node{documents: &documents{}}
		s.nodes[p] = n
	}
	switch {
	case n.format == dtype.V3:
		return
	case name == zarr.AttributesKeyV2:
		n.attributes, n.python = zarr.Plain(d.text), zarr.MarkedFields(d.text)
	case name == zarr.ArrayKeyV2 || !n.array:
		n.format, n.array, n.text = dtype.V2, name == zarr.ArrayKeyV2, s.texts.shared(zarr.Plain(d.text))
	}
	n.err = errors.Join(n.err, d.err)
}
