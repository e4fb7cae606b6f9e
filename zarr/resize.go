package zarr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Resizing is what becomes of the document of an array that grows.
type Resizing struct {
	Shape []int
	// Attributes change those of the document, see [WithAttributes].
	Attributes Attributes
}

// Resized returns the document of an array that has grown. Everything else in the
// document stays, including fields that this program does not know, and numbers that
// only Python writes.
func Resized(document []byte, to Resizing) ([]byte, error) {
	document, python := marked(document)
	fields, err := resized(document, to)
	if err != nil {
		return nil, err
	}
	text, err := Document(fields)
	return unmarked(text, python), err
}

func resized(document []byte, to Resizing) (Attributes, error) {
	fields, err := withAttributes(document, to.Attributes)
	if err != nil {
		return nil, err
	}
	extents, err := json.Marshal(to.Shape)
	if err != nil {
		return nil, err
	}
	return fields.With("shape", extents), nil
}

// ResizedIn returns the document of a group in whose consolidated metadata arrays have
// grown. sizes is keyed by the paths of the arrays below the group. If
// the group has no consolidated metadata, or none of these arrays is in them, it needs
// no change, and ok is false.
func ResizedIn(document []byte, sizes map[string]Resizing) (_ []byte, ok bool, err error) {
	return changedIn(document, func(nodes Attributes) (_ Attributes, changed, python bool, err error) {
		for i, node := range nodes {
			to, known := sizes[node.Name]
			if !known {
				continue
			}
			fields, err := resized(node.Value, to)
			if err == nil {
				nodes[i].Value, err = fields.MarshalJSON()
			}
			if err != nil {
				return nil, false, false, fmt.Errorf("consolidated_metadata.metadata.%s: %w", node.Name, err)
			}
			changed = true
		}
		return nodes, changed, false, nil
	})
}

// UpdatedIn returns the document of a group whose consolidated metadata have the given
// documents of nodes, in place of older ones or beside the others. nodes is keyed by
// paths below the group. If the group has no consolidated metadata, it needs no change,
// and ok is false.
func UpdatedIn(document []byte, nodes map[string][]byte) (_ []byte, ok bool, err error) {
	return changedIn(document, func(all Attributes) (_ Attributes, changed, python bool, err error) {
		for _, p := range slices.Sorted(maps.Keys(nodes)) {
			text, of := marked(nodes[p])
			all, python = all.With(p, text), python || of
		}
		return all, len(nodes) > 0, python, nil
	})
}

// changedIn returns the document of a group with other consolidated metadata. change gets
// the documents of the nodes, which are marked, keyed by their paths. It returns the new
// nodes. changed tells whether any of them differ, and python whether new documents have
// numbers of Python. ok is false if nothing changes.
func changedIn(document []byte, change func(nodes Attributes) (_ Attributes, changed, python bool, err error)) (_ []byte, ok bool, err error) {
	document, python := marked(document)
	var group, consolidated, nodes Attributes
	if err := json.Unmarshal(document, &group); err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrNotZarr, err)
	}
	all := group.Get("consolidated_metadata")
	if all == nil || string(bytes.TrimSpace(all)) == "null" {
		return nil, false, nil
	}
	if err := json.Unmarshal(all, &consolidated); err != nil {
		return nil, false, fmt.Errorf("consolidated_metadata: %w", err)
	}
	if err := json.Unmarshal(consolidated.Get("metadata"), &nodes); err != nil {
		return nil, false, fmt.Errorf("consolidated_metadata.metadata: %w", err)
	}
	nodes, changed, more, err := change(nodes)
	if err != nil || !changed {
		return nil, false, err
	}
	if consolidated, err = consolidated.withFields("metadata", nodes); err != nil {
		return nil, false, err
	}
	if group, err = group.withFields("consolidated_metadata", consolidated); err != nil {
		return nil, false, err
	}
	result, err := Document(group)
	return unmarked(result, python || more), true, err
}

// WithAttributes returns the document of a node with other attributes. It adds or replaces
// each attribute in changes, but removes those whose value is nil or JSON null. Everything
// else in the document stays.
func WithAttributes(document []byte, changes Attributes) ([]byte, error) {
	document, python := marked(document)
	fields, err := withAttributes(document, changes)
	if err != nil {
		return nil, err
	}
	text, err := Document(fields)
	return unmarked(text, python), err
}

// withAttributes returns the fields of a document with other attributes.
func withAttributes(document []byte, changes Attributes) (Attributes, error) {
	var fields, attributes Attributes
	if err := json.Unmarshal(document, &fields); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotZarr, err)
	}
	if len(changes) == 0 {
		return fields, nil
	}
	if old := fields.Get("attributes"); old != nil {
		if err := json.Unmarshal(old, &attributes); err != nil {
			return nil, err
		}
	}
	for _, x := range changes {
		attributes = attributes.With(x.Name, x.Value)
	}
	return fields.withFields("attributes", attributes)
}

// Consolidated returns the document of a group with the given consolidated metadata.
// nodes is keyed by paths below the group; nil removes the consolidated metadata.
// Everything else in the document stays.
func Consolidated(document []byte, nodes map[string]json.RawMessage) ([]byte, error) {
	document, python := marked(document)
	var fields Attributes
	if err := json.Unmarshal(document, &fields); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotZarr, err)
	}
	var metadata json.RawMessage
	if nodes != nil {
		all := make(map[string]json.RawMessage, len(nodes))
		for p, node := range nodes {
			text, ok := marked(node)
			all[p], python = text, python || ok
		}
		text, err := (&Group{Consolidated: all}).MarshalJSON()
		if err != nil {
			return nil, err
		}
		var group Attributes
		if err := json.Unmarshal(text, &group); err != nil {
			return nil, err
		}
		metadata = group.Get("consolidated_metadata")
	}
	text, err := Document(fields.With("consolidated_metadata", metadata))
	return unmarked(text, python), err
}

// withFields is With for a value that is an object.
func (a Attributes) withFields(name string, fields Attributes) (Attributes, error) {
	value, err := fields.MarshalJSON()
	return a.With(name, value), err
}
