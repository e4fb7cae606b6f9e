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

// Named returns the extents whose names are among those given, in file order.
func (e Extents) Named(names []string) (list Extents) {
	for _, x := range e {
		if x.Dimension != "" && slices.Contains(names, x.Dimension) {
			list = append(list, x)
		}
	}
	return list
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
