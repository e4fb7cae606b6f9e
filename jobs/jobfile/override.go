package jobfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// set applies one --set argument, path=value, to the tree.
func (r *reader) set(root *node, argument string) {
	r.file, r.inFile, r.weight = "--set "+withoutSecret(Clip(argument, 200)), false, 0
	fail := func(message, hint string) { r.report(position{file: r.file}, nil, message, hint) }
	steps, rest, err := parsePath(argument)
	if err != nil {
		fail("bad path: "+err.Error(), "path.to.field=value")
		return
	}
	text, ok := strings.CutPrefix(rest, "=")
	if !ok {
		fail("no value is given", "path.to.field=value")
		return
	}
	before := r.problems.total()
	value := r.read([]byte(text))
	if r.problems.total() > before {
		return
	}
	if value == nil {
		value = &node{at: position{file: r.file}}
	}
	if err := root.assign(steps, value); err != nil {
		fail(err.Error(), "")
	}
}

// withoutSecret leaves the value out of path=value where it may hold a password or
// a signature.
func withoutSecret(argument string) string {
	if path, value, ok := strings.Cut(argument, "="); ok && (strings.ContainsAny(value, "@?") || strings.Contains(value, ":/")) {
		return path + "=…"
	}
	return argument
}

// assign puts value at the end of steps below n, and creates the mappings and
// lists that are missing on the way.
func (n *node) assign(steps []step, value *node) error {
	var inCodecs bool
	for i, s := range steps {
		if n.kind == nullKind {
			if n.kind, n.at = mapKind, value.at; s.index >= 0 {
				n.kind = listKind
			}
		}
		next, err := n.slot(s, inCodecs, value.at)
		if err != nil {
			return fmt.Errorf("bad path: %s %w", trailOf(steps[:i]), err)
		}
		inCodecs = s.index >= 0 && i > 0 && steps[i-1].name == "codecs"
		n = next
	}
	*n = *value
	return nil
}

// slot returns the child that a step of --set leads to. A key that a mapping
// lacks is created, and so is the item behind the last one of a list.
func (n *node) slot(s step, inCodecs bool, at position) (*node, error) {
	switch {
	case s.index >= 0 && n.kind != listKind:
		return nil, errors.New("is " + n.kind.String() + ", not a list")
	case s.index > len(n.items):
		return nil, fmt.Errorf("has only %d items", len(n.items))
	case s.index == len(n.items):
		n.items = append(n.items, &node{at: at})
		return n.items[s.index], nil
	case s.index >= 0:
		return n.items[s.index], nil
	case n.kind != mapKind:
		return nil, errors.New("is " + n.kind.String() + ", not a mapping")
	}
	if inCodecs && !slices.Contains(codecKeys, s.name) {
		if inner := n.configuration(); inner != nil {
			n = inner
		}
	}
	if child := n.get(s.name); child != nil {
		return child, nil
	}
	n.members = append(n.members, member{s.name, at, &node{at: at}})
	return n.members[len(n.members)-1].value, nil
}
