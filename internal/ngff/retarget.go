package ngff

import (
	"encoding/json"
	"strings"

	"github.com/zmigrate/zmigrate/zarr"
)

// Place is where a node goes that the metadata of a group name.
type Place int

const (
	There   Place = iota // the target has the node
	Without              // the source has the node, and the target lacks it
	Nowhere              // the source lacks the node, too
)

// Change says what Retarget changed, by the paths that the metadata named.
type Change struct {
	Moved   []string // nodes that have another path
	Without []string // nodes that the target lacks, and that the metadata no longer name
	Broken  []string // paths that lead to no node, and that stay
}

// Retarget returns metadata of version 0.5 with the paths of nodes in the target. at returns,
// for a path of the source relative to the group, where the node is, and its path in the
// target relative to the group. A node that the target lacks is taken out of the lists that
// name it. An image without arrays, a plate without wells and a list without entries are left
// out; nil stands for metadata of which nothing is left.
func Retarget(ome json.RawMessage, at func(path string) (string, Place)) (json.RawMessage, Change) {
	var c Change
	o, ok := object(ome)
	if !ok {
		return ome, c
	}
	before := len(o)
	if list, ok := objects(o.Get("multiscales")); ok {
		var left []zarr.Attributes
		for _, m := range list {
			if changed := c.list(m, "datasets", at); changed != nil {
				left = append(left, changed)
			}
		}
		o = o.With("multiscales", nilOr(left))
		if len(left) == 0 {
			o = o.With("omero", nil).With("image-label", nil)
		}
	}
	for _, within := range [][2]string{{"plate", "wells"}, {"well", "images"}} {
		if m, ok := object(o.Get(within[0])); ok {
			if changed := c.list(m, within[1], at); changed == nil {
				o = o.With(within[0], nil)
			} else if !same(m, changed) {
				o = o.With(within[0], written(changed))
			}
		}
	}
	for _, list := range [][2]string{{"labels", ""}, {"series", "../"}} { // with what the paths are relative to
		name, below := list[0], list[1]
		if list, ok := texts(o.Get(name)); ok && len(list) > 0 {
			var left []string
			for _, p := range list {
				if to, ok := c.path(below+p, at); ok {
					left = append(left, strings.TrimPrefix(to, below))
				}
			}
			o = o.With(name, nilOr(left))
		}
	}
	if label, ok := object(o.Get("image-label")); ok {
		if source, ok := object(label.Get("source")); ok {
			if p, ok := str(source, "image"); ok {
				if _, place := at(p); place != There {
					c.Broken = append(c.Broken, p)
				}
			}
		}
	}
	switch {
	case len(c.Moved)+len(c.Without) == 0:
		return ome, c
	case len(o) == 1 && before > 1 && has(o, "version"):
		return nil, c
	}
	return written(o), c
}

// list changes the paths of the objects in a list of m. It returns nil if none is left.
func (c *Change) list(m zarr.Attributes, name string, at func(path string) (string, Place)) zarr.Attributes {
	list, ok := objects(m.Get(name))
	if !ok {
		return m
	}
	var left []zarr.Attributes
	for _, entry := range list {
		p, ok := str(entry, "path")
		if !ok {
			left = append(left, entry)
			continue
		}
		to, ok := c.path(p, at)
		if ok && to != p {
			entry = entry.With("path", written(to))
		}
		if ok {
			left = append(left, entry)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return m.With(name, written(left))
}

// path returns the path of a node in the target, and false if the target lacks the node.
func (c *Change) path(p string, at func(path string) (string, Place)) (string, bool) {
	to, place := at(p)
	switch place {
	case Without:
		c.Without = append(c.Without, p)
		return "", false
	case Nowhere:
		c.Broken = append(c.Broken, p)
		return p, true
	}
	if to != p {
		c.Moved = append(c.Moved, p)
	}
	return to, true
}

// nilOr returns the text of a list, nil if the list is empty.
func nilOr[T any](list []T) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	return written(list)
}

// same reports whether two objects have the same text.
func same(a, b zarr.Attributes) bool { return string(written(a)) == string(written(b)) }
