package sources

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/zarr"
)

// Infos keeps one copy of descriptions that are equal, so that thousands of
// files with one header share what it says. The zero value is ready, and safe for
// concurrent use.
type Infos struct {
	mu     sync.Mutex
	byPath map[string][]*Info
}

// Shared is a second ability of an [Array]: to describe itself by what equal ones
// share. It is used before the array is.
type Shared interface{ ShareInfo(*Infos) }

// distinct is how many descriptions of one path are remembered: the months of a
// year have four lengths.
const distinct = 8

// Share returns a description that is equal to info, which is not to be modified
// any more: one that was shared before or info itself. Attributes in which a new
// one is like others are theirs.
func (s *Infos) Share(info *Info) *Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.byPath[info.Path]
	for _, k := range known {
		if reflect.DeepEqual(k, info) {
			return k
		}
	}
	if len(known) > 0 {
		k := known[0]
		info.Attributes = ShareAttributes(info.Attributes, k.Attributes)
		info.Shape, info.DimensionNames = same(info.Shape, k.Shape), same(info.DimensionNames, k.DimensionNames)
		info.Unlimited, info.Notes = same(info.Unlimited, k.Unlimited), same(info.Notes, k.Notes)
		if maps.Equal(info.Labels, k.Labels) {
			info.Labels = k.Labels
		}
		if reflect.DeepEqual(info.AttributeTypes, k.AttributeTypes) {
			info.AttributeTypes = k.AttributeTypes
		}
	}
	if len(known) == distinct {
		known = known[1:] // the first is the most likely to come no more
	}
	if s.byPath == nil {
		s.byPath = map[string][]*Info{}
	}
	s.byPath[info.Path] = append(known, info)
	return info
}

// same returns a list in the memory of a known one that is equal.
func same[T comparable](list, known []T) []T {
	if list != nil && slices.Equal(list, known) {
		return known
	}
	return list
}

// ShareAttributes returns attributes in memory that those of another node have
// already, as far as they are equal.
func ShareAttributes(list, known zarr.Attributes) zarr.Attributes {
	same := len(list) == len(known)
	shared := slices.Clone(list)
	for i, a := range list {
		if i < len(known) && a.Name == known[i].Name && bytes.Equal(a.Value, known[i].Value) {
			shared[i] = known[i]
		} else {
			same = false
		}
	}
	if same {
		return known
	}
	return shared
}
