package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// documents compares the documents of the arrays and groups with the record, and the
// consolidated metadata of groups with the documents.
func (v *verification) documents(ctx context.Context) error {
	arrays := v.record.manifest.Arrays
	err := sources.InParallel(ctx, len(arrays), func(ctx context.Context, i int) error { return v.arrayDocument(ctx, i) })
	if err != nil {
		return err
	}
	groups := v.groups()
	return sources.InParallel(ctx, len(groups), func(ctx context.Context, i int) error { return v.groupDocument(ctx, groups[i]) })
}

// groups lists the paths of the groups above the arrays, and of the other groups that the job
// wrote.
func (v *verification) groups() []string {
	var paths []string
	for i := range v.record.manifest.Arrays {
		paths = append(paths, v.record.manifest.Arrays[i].Target)
	}
	if slices.Contains(paths, "") { // the array is the whole target
		return nil
	}
	for p := range v.record.done.Groups {
		paths = append(paths, path.Join(p, zarr.MetadataKey)) // so that the group itself is a parent
	}
	return zarr.Parents(paths)
}

// read returns a document. If the document is absent, read adds a difference and returns nil.
func (v *verification) read(ctx context.Context, node string) (text []byte, err error) {
	key := path.Join(node, zarr.MetadataKey)
	text, err = v.target.ReadAll(ctx, key, zarr.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		v.found.add(Difference{Kind: Absent, Key: key, Array: v.arrayAt(node), Text: "the document is not there: readers do not see the node"})
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	return text, nil
}

// arrayAt returns the path of a node if the node is an array of the record, and "" otherwise.
func (v *verification) arrayAt(node string) string {
	if _, ok := v.record.arrays[node]; ok {
		return node
	}
	return ""
}

func (v *verification) arrayDocument(ctx context.Context, i int) error {
	a := &v.record.manifest.Arrays[i]
	text, err := v.read(ctx, a.Target)
	if text == nil || err != nil {
		return err
	}
	if v.record.done.Describes(v.record.manifest, i, text) {
		return nil
	}
	d := Difference{Kind: Document, Key: path.Join(a.Target, zarr.MetadataKey), Array: a.Target, Text: "the metadata of the array are not those that were written"}
	meta, err := zarr.ParseArray(text, v.env.Codecs.Types())
	switch {
	case err != nil:
		d.Text += ": " + err.Error()
	case a.Shape != nil && !slices.Equal(meta.Grid.Shape, a.Shape):
		d.Text += fmt.Sprintf(": the shape is %v, and %v was written", meta.Grid.Shape, a.Shape)
	}
	v.found.add(d)
	return nil
}

// groupDocument compares a group with the record, and its consolidated metadata with the
// documents of the arrays. It skips attributes that are not on record, and consolidated
// metadata that the group does not have.
func (v *verification) groupDocument(ctx context.Context, p string) error {
	text, err := v.read(ctx, p)
	if text == nil || err != nil {
		return err
	}
	key := path.Join(p, zarr.MetadataKey)
	g, err := zarr.ParseGroup(text)
	if err != nil {
		v.found.add(Difference{Kind: Document, Key: key, Text: "the metadata of the group cannot be read: " + err.Error()})
		return nil
	}
	same, err := v.record.done.DescribesGroup(p, g)
	if err != nil {
		return err
	}
	plain, err := g.MarshalJSON()
	if err != nil {
		return err
	}
	if _, ours := v.record.done.Groups[p]; !same || ours && !sameJSON(text, plain) {
		v.found.add(Difference{Kind: Document, Key: key, Text: "the metadata of the group are not those that were written"})
	}
	for below, entry := range g.Consolidated {
		if err := v.consolidated(ctx, key, path.Join(p, below), entry); err != nil {
			return err
		}
	}
	for i := range v.record.manifest.Arrays {
		a := &v.record.manifest.Arrays[i]
		if below, ok := relative(a.Target, p); ok && g.Consolidated != nil && g.Consolidated[below] == nil {
			v.found.add(Difference{Kind: Document, Key: key, Array: a.Target, Text: fmt.Sprintf("the consolidated metadata lack the array %q: readers that use them do not see it", a.Target)})
		}
	}
	return nil
}

// consolidated compares an entry of consolidated metadata with the document of its node. key
// is the key of the document that holds the consolidated metadata.
func (v *verification) consolidated(ctx context.Context, key, node string, entry json.RawMessage) error {
	if i, ours := v.record.arrays[node]; ours && v.record.done.Describes(v.record.manifest, i, entry) {
		return nil
	}
	if !v.nodes[node] {
		if _, known := v.record.done.Groups[node]; known || v.arrayAt(node) != "" {
			return nil // the absence of the document is another difference
		}
		v.found.add(Difference{Kind: Document, Key: key, Text: fmt.Sprintf("the consolidated metadata have the node %q, which is not there", node)})
		return nil
	}
	own, err := v.read(ctx, node)
	if err != nil || own == nil || sameJSON(own, entry) {
		return err
	}
	if g, err := zarr.ParseGroup(own); err == nil { // it may have consolidated metadata of its own
		g.Consolidated = nil
		if plain, err := g.MarshalJSON(); err == nil && sameJSON(plain, entry) {
			return nil
		}
	}
	v.found.add(Difference{Kind: Document, Key: key, Array: v.arrayAt(node), Text: fmt.Sprintf("the consolidated metadata of the node %q contradict its own document", node)})
	return nil
}

// relative returns the path of a node below a group. It returns false if the node does not lie
// below the group.
func relative(node, group string) (string, bool) {
	if group == "" {
		return node, true
	}
	if len(node) > len(group) && node[:len(group)] == group && node[len(group)] == '/' {
		return node[len(group)+1:], true
	}
	return "", false
}

// sameJSON reports whether two texts are the same JSON value, however they are spelled.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
