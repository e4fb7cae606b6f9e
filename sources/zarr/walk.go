package zarr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"syscall"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/n5"
	"github.com/zmigrate/zmigrate/zarr"
)

// visit is the content of a folder.
type visit struct {
	documents []document
	folders   []string // in which there may be nodes
	err       error    // why the folders are not known
}

// document is the document of a node, or the error of reading it.
type document struct {
	key  string
	text []byte
	err  error
	node *node // the parsed document, if it is one of v3 that could be read
}

// walk finds the nodes, level by level. In each folder it looks for documents with the
// given names, and the first that exists tells what the folder is. It does not look
// into the folders of arrays, which hold mostly chunks. A folder below the root that
// cannot be read becomes a node with an error, and harms no other.
func (s *source) walk(ctx context.Context, names ...string) error {
	for level := []string{""}; len(level) > 0; {
		visits := make([]visit, len(level))
		err := sources.InParallel(ctx, len(level), func(ctx context.Context, i int) error {
			visits[i] = s.visit(ctx, level[i], names)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		var next []string
		for i, v := range visits {
			for _, d := range v.documents {
				s.take(d)
			}
			switch {
			case level[i] == "" && s.nodes[""] == nil && errors.Is(v.err, store.ErrNoList):
				return s.nothingThere(ctx)
			case v.err != nil && level[i] == "":
				return fmt.Errorf("%s: %w", s.store.URL(), v.err)
			case v.err != nil:
				s.nodes[level[i]] = &node{array: true, documents: &documents{}, err: v.err}
			}
			for _, name := range v.folders {
				next = append(next, path.Join(level[i], name))
			}
		}
		level = next
	}
	return nil
}

// visit reads the documents in a folder. Unless the folder is an array, it lists the
// folders in it.
func (s *source) visit(ctx context.Context, folder string, names []string) (v visit) {
	for _, name := range names {
		if folder == "" && name != zarr.GroupKeyV2 {
			continue // readTree has looked for these documents of the root
		}
		d, there := s.visitDocument(ctx, path.Join(folder, name))
		if !there {
			continue
		}
		if name == zarr.MetadataKey && d.err == nil {
			d.node = newNode(d.text)
		}
		if name == n5.Key {
			d.node = newNodeN5(d.text, d.err)
		}
		v.documents = append(v.documents, d)
		if name != zarr.MetadataKey && name != n5.Key {
			if d, there := s.visitDocument(ctx, path.Join(folder, zarr.AttributesKeyV2)); there {
				v.documents = append(v.documents, d)
			}
		}
		if s.describesArray(ctx, d, names) {
			return v
		}
		break
	}
	v.folders, v.err = s.store.Folders(ctx, folder)
	if errors.Is(v.err, store.ErrNoList) {
		v.err = fmt.Errorf("%w, and there is no consolidated metadata: name one array, or write the metadata with zarr.consolidate_metadata of zarr-python", v.err)
	}
	return v
}

// describesArray reports whether a document describes an array. A document that cannot be
// read counts as a group's if there are nodes below its folder.
func (s *source) describesArray(ctx context.Context, d document, names []string) bool {
	array, fault := path.Base(d.key) == zarr.ArrayKeyV2, d.err
	if d.node != nil {
		array, fault = d.node.array, d.node.err
	}
	return array && fault == nil || fault != nil && !s.documentsBelow(ctx, nodeOf(d.key), names)
}

func (s *source) visitDocument(ctx context.Context, key string) (d document, there bool) {
	text, err := s.document(ctx, key)
	return document{key: key, text: text, err: err}, !errors.Is(err, fs.ErrNotExist)
}

// documentsBelow tells whether there are nodes below a folder. If there are, the folder
// is a group, even if its own document cannot be read.
func (s *source) documentsBelow(ctx context.Context, folder string, names []string) bool {
	found := errors.New("found")
	prefix := folder + "/"
	if folder == "" {
		prefix = ""
	}
	return errors.Is(s.store.List(ctx, prefix, func(o store.Info) error {
		if slices.Contains(names, path.Base(o.Key)) && nodeOf(o.Key) != folder {
			return found
		}
		return nil
	}), found)
}

// document reads a document and makes it part of the store's identity. It marks the
// numbers of Python in the text, and drops a byte order mark, which zarr-python skips and
// JSON does not allow. The error about a folder in the place of a document, or a
// link that leads nowhere, does not wrap [fs.ErrNotExist], because the node would be lost
// without a word.
func (s *source) document(ctx context.Context, key string) (text []byte, err error) {
	if err = s.files.add(ctx, key); err == nil {
		text, err = s.store.ReadAll(ctx, key, zarr.MaxDocument)
	}
	switch {
	case errors.Is(err, syscall.EISDIR):
		err = fmt.Errorf("%s is a folder in the place of a document: rename or remove it", key)
	case errors.Is(err, store.ErrDangling):
		err = fmt.Errorf("%s is %w: fetch the file that it leads to, or remove the link", key, store.ErrDangling)
	}
	if err != nil {
		return nil, err
	}
	return zarr.Marked(bytes.TrimPrefix(text, []byte("\ufeff"))), nil
}

// take makes a document part of its node. If a node has documents of both formats, v3
// counts. In v2 the document of an array comes before that of a group.
func (s *source) take(d document) {
	p, name := nodeOf(d.key), path.Base(d.key)
	n := s.nodes[p]
	if name == n5.Key {
		s.nodes[p] = d.node
		return
	}
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
