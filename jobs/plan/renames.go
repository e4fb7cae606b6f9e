package plan

import (
	"fmt"
	"maps"
	"strings"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// A node of the source whose name a Zarr hierarchy cannot have gets another name by the rule
// of [zarr.CleanPath], with a warning. The job may use either name.

// renamed is the finding about a node whose name the target cannot have.
func renamed(name, hint string) cf.Finding {
	return cf.Finding{
		Code:    sources.Renamed,
		Message: fmt.Sprintf("its name is reserved, or some stores cannot hold it; it becomes %q, and attributes that mention it stay as they are", name),
		Hint:    hint,
	}
}

// lastOf is the name of a node, the last part of its path.
func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// newDimensions returns the new names of dimensions by their old names. If an array is
// renamed by rule, so is the dimension of the same name, because readers find the coordinate
// of a dimension by its name. Names that the job gives have precedence.
func newDimensions(paths []string, given map[string]string) map[string]string {
	names := map[string]string{}
	for _, p := range paths {
		if last := lastOf(p); zarr.CheckPath(last) != nil {
			names[last] = zarr.CleanName(last)
		}
	}
	maps.Copy(names, given)
	return names
}

// withDimensions returns a description with dimensions renamed.
func withDimensions(info *sources.Info, names map[string]string) *sources.Info {
	list, limits := renameAll(info.DimensionNames, names), renameAll(info.Unlimited, names)
	if list == nil && limits == nil {
		return info
	}
	other := *info
	if list != nil {
		other.DimensionNames = list
	}
	if limits != nil {
		other.Unlimited = limits
	}
	return &other
}

// renameAll returns a list with some names replaced, nil where none is.
func renameAll(list []string, names map[string]string) (changed []string) {
	for i, name := range list {
		if to, ok := names[name]; ok {
			if changed == nil {
				changed = append([]string{}, list...)
			}
			changed[i] = to
		}
	}
	return changed
}
