package sinks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// checkAttributes refuses attributes of a new node that its document cannot have, so that Commit
// does not fail after all chunks were written.
func checkAttributes(attributes zarr.Attributes) error {
	names := make(map[string]bool, len(attributes))
	for _, x := range attributes {
		switch {
		case !json.Valid(x.Value):
			return notJSON(x.Name)
		case names[x.Name]:
			return fmt.Errorf("two attributes have the name %q", x.Name)
		}
		names[x.Name] = true
	}
	return nil
}

func notJSON(attribute string) error {
	return fmt.Errorf("the value of the attribute %q is not JSON", attribute)
}

// SetAttributes changes attributes of a group or an array. It adds or replaces each
// attribute in changes, but removes those whose value is nil or JSON null. All other
// attributes stay. Readers see the change after the next Commit.
func (w *Writer) SetAttributes(ctx context.Context, path string, changes zarr.Attributes) error {
	changes = slices.Clone(changes)
	for i, x := range changes {
		if x.Value != nil && !json.Valid(x.Value) {
			return fmt.Errorf("%q: %w", path, notJSON(x.Name))
		}
		changes[i].Value = bytes.Clone(x.Value)
	}
	if w.opened(path) == nil && w.existing && !w.isNewGroup(path) {
		text, err := w.document(ctx, path)
		kind := ""
		if err == nil && text != nil {
			kind, err = zarr.NodeType(text)
		}
		if err == nil && kind == "array" {
			_, err = w.Array(ctx, path)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", path, err)
		}
		if kind == "group" {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.changes[path] = append(w.changes[path], changes...)
			return nil
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if attributes, isNew := w.groups[path]; isNew {
		w.groups[path] = withChanges(attributes, changes)
		return nil
	}
	a := w.arrays[path]
	if a == nil {
		return fmt.Errorf("%q of %s: %w", path, w.store.URL(), fs.ErrNotExist)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.meta.Attributes, a.changes = withChanges(a.meta.Attributes, changes), append(a.changes, changes...)
	return nil
}

func (w *Writer) isNewGroup(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, is := w.groups[path]
	return is
}

// withChanges returns attributes with changes.
func withChanges(attributes, changes zarr.Attributes) zarr.Attributes {
	for _, x := range changes {
		attributes = attributes.With(x.Name, x.Value)
	}
	return attributes
}

// vacant refuses the path of a new node if an existing hierarchy has something there, or
// has an array above it.
func (w *Writer) vacant(ctx context.Context, p, kind string) error {
	if !w.existing {
		return nil
	}
	if err := zarr.CheckPath(p); err != nil {
		return fmt.Errorf("%s %q: %w", kind, p, err)
	}
	if p == "" {
		return fmt.Errorf("%s %q: %w: it is the root", kind, p, fs.ErrExist)
	}
	err := w.store.List(ctx, p+"/", func(o store.Info) error {
		return fmt.Errorf("%w: it holds %q; remove what is there, or choose another path", fs.ErrExist, o.Key)
	})
	if err != nil {
		return fmt.Errorf("%s %q: %w", kind, p, err)
	}
	for above, more := zarr.Parent(p); more; above, more = zarr.Parent(above) {
		text, err := w.document(ctx, above)
		if err != nil {
			return fmt.Errorf("%s %q: %w", kind, p, err)
		}
		if is, _ := zarr.NodeType(text); is == "array" {
			return fmt.Errorf("%s %q: %q is an array and holds no nodes", kind, p, above)
		}
	}
	return nil
}

// commitChanges is Commit for an existing hierarchy, when all chunks are durable. The
// caller holds w.mu.
func (w *Writer) commitChanges(ctx context.Context) error {
	arrays, err := w.changedArrays(ctx)
	if err != nil {
		return err
	}
	groups, err := w.changedGroups(ctx, arrays)
	if err != nil {
		return err
	}
	if len(arrays)+len(groups) == 0 {
		return nil
	}
	if err := w.hierarchy.Grow(ctx, arrays, groups); err != nil {
		return err
	}
	for p, text := range arrays {
		w.arrays[p].document, w.arrays[p].committed, w.arrays[p].changes = text, w.arrays[p].shape, nil
	}
	clear(w.groups)
	clear(w.changes)
	return nil
}

// changedArrays returns the documents of arrays that are new, or that have changed.
func (w *Writer) changedArrays(ctx context.Context) (map[string][]byte, error) {
	var mu sync.Mutex
	arrays := map[string][]byte{}
	g, below := errgroup.WithContext(ctx)
	g.SetLimit(w.atOnce)
	for p, a := range w.arrays {
		g.Go(func() error {
			text, err := a.changedDocument(below)
			if err != nil {
				return fmt.Errorf("array %q: %w", p, err)
			}
			if text != nil {
				mu.Lock()
				arrays[p] = text
				mu.Unlock()
			}
			return nil
		})
	}
	return arrays, g.Wait()
}

// changedDocument returns the new document of an array of an existing hierarchy, or nil
// if the array's document does not change.
func (a *Array) changedDocument(ctx context.Context) ([]byte, error) {
	meta := a.Metadata()
	if a.document == nil {
		return zarr.Document(meta)
	}
	if len(a.changes) == 0 && slices.Equal(a.committed, meta.Grid.Shape) {
		return nil, nil
	}
	text, err := zarr.Resized(a.document, zarr.Resizing{Shape: meta.Grid.Shape, Attributes: a.changes})
	// A Commit that failed may have stored the new document.
	var now []byte
	if err == nil {
		now, err = a.writer.document(ctx, a.path)
	}
	if err == nil && !bytes.Equal(now, a.document) && !bytes.Equal(now, text) {
		err = ErrChanged
	}
	return text, err
}

// changedGroups returns the documents of groups that are new, or that change with the
// nodes below them. arrays are the documents of arrays that change.
func (w *Writer) changedGroups(ctx context.Context, arrays map[string][]byte) (map[string][]byte, error) {
	groups, nodes := map[string][]byte{}, maps.Clone(arrays) // nodes as consolidated metadata have them
	for p, attributes := range w.groups {
		text, err := zarr.Document(&zarr.Group{Attributes: attributes})
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", p, err)
		}
		groups[p], nodes[p] = text, text
	}
	for p, changes := range w.changes {
		text, err := w.document(ctx, p)
		if err == nil && text == nil {
			err = ErrChanged
		}
		if err == nil {
			text, err = zarr.WithAttributes(text, changes)
		}
		if err == nil {
			nodes[p], err = zarr.Consolidated(text, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("group %q: %w", p, err)
		}
		groups[p] = text
	}
	above := zarr.Parents(slices.Collect(maps.Keys(nodes)))
	for _, p := range slices.Backward(above) {
		if err := w.changedAbove(ctx, p, groups, nodes); err != nil {
			return nil, fmt.Errorf("group %q: %w", p, err)
		}
	}
	return groups, nil
}

// changedAbove adds the document of a group above nodes that change, if it changes, too.
func (w *Writer) changedAbove(ctx context.Context, p string, groups, nodes map[string][]byte) (err error) {
	text := groups[p]
	if text == nil {
		if text, err = w.document(ctx, p); err != nil {
			return err
		}
	}
	if text == nil { // no program has made the group
		text, err = zarr.Document(&zarr.Group{})
		groups[p], nodes[p] = text, text
		return err
	}
	below := map[string][]byte{}
	for q, node := range nodes {
		if rest, ok := strings.CutPrefix(q, p+"/"); ok || p == "" && q != "" {
			below[rest] = node
		}
	}
	text, updated, err := zarr.UpdatedIn(text, below)
	if updated {
		groups[p] = text
	}
	return err
}

// ErrChanged is the cause of an error of Commit about a node that another program has
// changed or removed since it was opened. Open the hierarchy again, and repeat what was
// written.
var ErrChanged = errors.New("another program has changed or removed it since it was opened; open the hierarchy again")
