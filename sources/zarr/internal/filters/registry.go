package filters

import (
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
)

// Registry returns a registry with the codecs of r and the filters of this package. A name
// that r has stays that of r.
func Registry(r *codecs.Registry) *codecs.Registry {
	all := codecs.NewRegistry(r.Types())
	for _, d := range r.Definitions() {
		_ = all.Register(d) // the names in r are different
	}
	for _, d := range []codecs.Definition{base64Definition(), categorizeDefinition(), jsonDefinition(), msgpackDefinition()} {
		_ = all.Register(d) // a codec of the program that has this name is another one
	}
	return all
}

// Check refuses the codecs of an array of v2 in the order F, if a filter of this package stores
// lists within lists: zarr-python reads their elements in another order than they were written.
func Check(specs []codecs.Spec, rank int) error {
	for i, spec := range specs {
		if i > 0 && rank > 1 && specs[i-1].Name == standard.TransposeName && (spec.Name == jsonName || spec.Name == msgpackName) {
			return fmt.Errorf("order: %w: rewrite the array with the order C", unsuited("F with the filter "+strings.TrimPrefix(spec.Name, prefix)+", whose elements zarr-python 2 reads in another order than they were written"))
		}
	}
	return nil
}

// Without returns the name of a codec that only this package has, without its prefix. It
// returns "" if r has all codecs.
func Without(r *codecs.Registry, specs []codecs.Spec) string {
	for _, spec := range specs {
		if _, err := r.Lookup(spec.Name); err != nil {
			return strings.TrimPrefix(spec.Name, prefix)
		}
	}
	return ""
}
