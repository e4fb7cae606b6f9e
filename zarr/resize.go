package zarr

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Resized returns the document of an array with another shape. Everything else in the
// document stays, including fields that this program does not know, and numbers that
// only Python writes.
func Resized(document []byte, shape []int) ([]byte, error) {
	document, python := marked(document)
	fields, err := resized(document, shape)
	if err != nil {
		return nil, err
	}
	text, err := Document(fields)
	return unmarked(text, python), err
}

func resized(document []byte, shape []int) (Attributes, error) {
	var fields Attributes
	if err := json.Unmarshal(document, &fields); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotZarr, err)
	}
	extents, err := json.Marshal(shape)
	if err != nil {
		return nil, err
	}
	return fields.With("shape", extents), nil
}

// ResizedIn returns the document of a group with other shapes for arrays in its
// consolidated metadata. shapes is keyed by the paths of the arrays below the group. If
// the group has no consolidated metadata, or none of these arrays is in them, it needs
// no change, and ok is false.
func ResizedIn(document []byte, shapes map[string][]int) (_ []byte, ok bool, err error) {
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
	for i, node := range nodes {
		shape, known := shapes[node.Name]
		if !known {
			continue
		}
		fields, err := resized(node.Value, shape)
		if err == nil {
			nodes[i].Value, err = fields.MarshalJSON()
		}
		if err != nil {
			return nil, false, fmt.Errorf("consolidated_metadata.metadata.%s: %w", node.Name, err)
		}
		ok = true
	}
	if !ok {
		return nil, false, nil
	}
	if consolidated, err = consolidated.withFields("metadata", nodes); err != nil {
		return nil, false, err
	}
	if group, err = group.withFields("consolidated_metadata", consolidated); err != nil {
		return nil, false, err
	}
	result, err := Document(group)
	return unmarked(result, python), true, err
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
