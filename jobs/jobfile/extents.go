package jobfile

import "slices"

// Extents are extents of chunks or shards by the names of dimensions, in file order.
type Extents []Extent

// Extent is the extent along one dimension; 0 is "auto".
type Extent struct {
	Dimension string
	Elements  int
}

// FromDefaults says which options of a rule come from the defaults. Shapes from the defaults
// count only for arrays with as many dimensions.
type FromDefaults struct{ Chunks, Shards, DataType bool }

// Of returns the extent along a dimension that has any of the given names.
func (e Extents) Of(names ...string) (elements int, ok bool) {
	for _, x := range e {
		if x.Dimension != "" && slices.Contains(names, x.Dimension) {
			return x.Elements, true
		}
	}
	return 0, false
}

func (e Extents) normal() map[string]any {
	m := map[string]any{}
	for _, x := range e {
		m[x.Dimension] = x.Elements
		if x.Elements == 0 {
			m[x.Dimension] = "auto"
		}
	}
	return m
}
