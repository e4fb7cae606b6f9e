package ngff

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/zarr"
)

// mostAxes is how many axes an image may have, and leastAxes how many it must have.
const (
	leastAxes = 2
	mostAxes  = 5
)

// errOlder is the cause of an error about an image of a version before 0.4.
var errOlder = errors.New("an older version")

// isMultiscales reports whether an attribute is the list of a group's images, in any version.
func isMultiscales(text json.RawMessage) bool {
	list, ok := objects(text)
	return ok && !slices.ContainsFunc(list, func(m zarr.Attributes) bool {
		_, ok := objects(m.Get("datasets"))
		return !ok
	})
}

// axesOf returns the names of the axes of an image of version 0.4 or 0.5. It returns an error
// if the image is not of that form.
func axesOf(m zarr.Attributes) (names []string, err error) {
	if _, given := texts(m.Get("axes")); given || m.Get("axes") == nil {
		return nil, fmt.Errorf("%w: its axes have no types, and its arrays no scales", errOlder)
	}
	axes, ok := objects(m.Get("axes"))
	if !ok || len(axes) < leastAxes || len(axes) > mostAxes {
		return nil, fmt.Errorf("axes are not %d to %d objects", leastAxes, mostAxes)
	}
	for _, a := range axes {
		name, ok := str(a, "name")
		if !ok || name == "" || slices.Contains(names, name) {
			return nil, errors.New("an axis has no name of its own")
		}
		names = append(names, name)
	}
	datasets, _ := objects(m.Get("datasets"))
	for _, d := range datasets {
		if _, ok := str(d, "path"); !ok {
			return nil, errors.New("a dataset has no path")
		}
		steps, ok := objects(d.Get("coordinateTransformations"))
		if !ok {
			return nil, errors.New("a dataset has no coordinateTransformations")
		}
		if kind, _ := str(steps[0], "type"); kind != "scale" {
			return nil, errors.New("the first of the coordinateTransformations of a dataset is no scale")
		}
	}
	return names, nil
}

// Multiscales returns the images in metadata of version 0.5, nil if there are none.
func Multiscales(ome json.RawMessage) json.RawMessage {
	o, _ := object(ome)
	return o.Get("multiscales")
}

// AxisNames returns the names that the images of a group give to the dimensions of arrays, by
// the paths of the arrays. group is the path of the group, and text its multiscales of version
// 0.4 or 0.5. It leaves out images of another form, and arrays that have two sets of names.
func AxisNames(group string, text json.RawMessage) map[string][]string {
	all, twice := map[string][]string{}, map[string]bool{}
	list, _ := objects(text)
	for _, m := range list {
		names, err := axesOf(m)
		if err != nil {
			continue
		}
		datasets, _ := objects(m.Get("datasets"))
		for _, d := range datasets {
			p, _ := str(d, "path")
			at := path.Join(group, p)
			if was, known := all[at]; known && !slices.Equal(was, names) {
				twice[at] = true
			}
			all[at] = names
		}
	}
	for at := range twice {
		delete(all, at)
	}
	return all
}
