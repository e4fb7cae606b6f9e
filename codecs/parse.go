package codecs

import (
	"errors"
	"fmt"
)

// Check parses every configuration and checks the order of the kinds: everything that
// can be checked without a chunk. It reports all faults, joined, each as an *Error.
func (r *Registry) Check(specs []Spec) error {
	_, err := r.parse(specs)
	return err
}

// maxDepth bounds how deep chains are nested in chains, as in shards of shards. Each
// level takes time and memory.
const maxDepth = 8

// deep reports whether the JSON of the specs is nested deeper than maxDepth chains can
// need: three levels for each chain, and some for values.
func deep(specs []Spec) bool {
	for _, s := range specs {
		depth := 0
		for _, c := range s.Configuration {
			switch c {
			case '{', '[':
				if depth++; depth > 3*maxDepth+6 {
					return true
				}
			case '}', ']':
				depth--
			}
		}
	}
	return false
}

// parsed is a parsed codec with its definition.
type parsed struct {
	Definition
	codec Codec
}

// otherKind returns the error about a definition whose parser makes codecs of another
// kind than the definition states.
func (p parsed) otherKind() error {
	return fmt.Errorf("the definition of %s says %s, its parser makes %T", p.Name, p.Kind, p.codec)
}

func (r *Registry) parse(specs []Spec) ([]parsed, error) {
	var faults []error
	if deep(specs) {
		return nil, &Error{-1, "", fmt.Errorf("chains within each other are nested more than %d deep", maxDepth)}
	}
	list := make([]parsed, len(specs))
	for i, s := range specs {
		d, err := r.Lookup(s.Name)
		if err == nil {
			list[i].Definition = d
			list[i].codec, err = d.Parse(s.Configuration)
		}
		if err != nil {
			faults = append(faults, &Error{i, s.Name, err})
		}
	}
	if err := checkKinds(list, r.addUsual()); err != nil {
		faults = append(faults, err)
	}
	return list, errors.Join(faults...)
}

// checkKinds demands array → array codecs, then one array → bytes codec, then bytes →
// bytes codecs. An unknown codec (kind 0) could be of any kind. hint says what to do if
// there is no array → bytes codec.
func checkKinds(list []parsed, hint string) error {
	serializer, unknown := -1, false
	for i, p := range list {
		switch {
		case p.Kind == 0:
			unknown = true
		case p.Kind == KindArrayToBytes && serializer >= 0:
			return &Error{i, p.Name, fmt.Errorf("a second array → bytes codec: %s in front already makes bytes", list[serializer].Name)}
		case p.Kind == KindArrayToBytes:
			serializer = i
		case p.Kind == KindArrayToArray && serializer >= 0:
			return &Error{i, p.Name, fmt.Errorf("an array → array codec cannot follow %s, which makes bytes: put it in front", list[serializer].Name)}
		case p.Kind == KindBytesToBytes && serializer < 0 && !unknown:
			return &Error{i, p.Name, fmt.Errorf("a bytes → bytes codec needs an array → bytes codec in front: %s before it", hint)}
		}
	}
	if serializer < 0 && !unknown {
		return &Error{-1, "", fmt.Errorf("no array → bytes codec: %s", hint)}
	}
	return nil
}
