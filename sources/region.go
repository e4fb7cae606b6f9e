package sources

import (
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// CheckRegion refuses a region that [Array].ReadRegion cannot fill: a dst of
// another data type, or a box that is not within the array. Every driver
// calls it first.
func CheckRegion(info *Info, dst ndarray.Array, start []int) error {
	if dst.Type == nil {
		return fmt.Errorf("array %q has data type %s, but dst has none", info.Path, info.Type.Name())
	}
	if dst.Type != info.Type && !dtype.Same(dst.Type, info.Type) {
		return fmt.Errorf("array %q has data type %s, but dst has %s", info.Path, info.Type.Name(), dst.Type.Name())
	}
	n := len(info.Shape)
	if len(start) != n || len(dst.Shape) != n {
		return fmt.Errorf("array %q has %d dimensions, but the region at %v of shape %v has another number", info.Path, n, start, dst.Shape)
	}
	for i, extent := range info.Shape {
		if start[i] < 0 || dst.Shape[i] < 0 || start[i] > extent-dst.Shape[i] {
			return fmt.Errorf("array %q: the region at %v of shape %v is outside of the shape %v", info.Path, start, dst.Shape, info.Shape)
		}
	}
	return nil
}
