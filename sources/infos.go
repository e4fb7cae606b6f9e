package sources

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/zarr"
)

// Infos keeps one copy of equal descriptions. So thousands of files with equal headers
// share one description of each array. The zero value is ready. It is safe for concurrent
// use.
type Infos struct {
	mu     sync.Mutex
	byPath map[string][]*Info
}

// Shared is an optional ability of an [Array]: ShareInfo replaces its description by an
// equal one that Infos already has. It is called before any other use of the array.
type Shared interface{ ShareInfo(*Infos) }

// distinct is how many descriptions of one path are remembered. Files of one month each,
// for instance, have four lengths.
const distinct = 8

// Share returns a description that is equal to info: one that was shared before, or info
// itself. info must not be modified any more. If only some of its attributes equal those
// of earlier descriptions, the memory of these attributes is shared.
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
		known = known[1:] // the oldest one is the least likely to come again
	}
	if s.byPath == nil {
		s.byPath = map[string][]*Info{}
	}
	s.byPath[info.Path] = append(known, info)
	return info
}

// same returns known if list equals it, so that both share memory. Otherwise it returns
// list.
func same[T comparable](list, known []T) []T {
	if list != nil && slices.Equal(list, known) {
		return known
	}
	return list
}

// ShareAttributes returns a list that equals list. Attributes that are equal in known share
// the memory of known.
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
