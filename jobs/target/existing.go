package target

import (
	"encoding/json"
	"path"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// Existing is an array that the target already holds. A run appends incoming rows to
// it; if it lacks the appended dimension, the incoming array must equal it.
type Existing struct {
	Path   string      // in the target
	Source string      // path of the incoming array in the source
	Text   []byte      // the document of the array
	Meta   *zarr.Array // what the document says
	// Array has the stored elements of the rows that the target had before the run.
	Array sources.Array
	// Incoming is the array of the source, with its elements converted to the stored ones.
	// Attributes are the attributes that it would have in a new target.
	Incoming   sources.Array
	Attributes zarr.Attributes
	Axis       int // the dimension along which the array grows; -1: it does not grow
	Rows       int // the length along Axis before the run
	// Undigested is set if the checkpoint does not have the digests of some of these rows.
	Undigested bool
	// Known is set by CheckCoordinate if the array has all incoming values. It is the row
	// of the first of them.
	Known int
	// calendars is set if source and target have calendars that differ, but only in early
	// times.
	calendars *calendars
}

// Coordinate reports whether the array has the values of the dimension that grows.
func (e *Existing) Coordinate(dim string) bool {
	return e.Axis == 0 && len(e.Meta.Grid.Shape) == 1 && path.Base(e.Path) == dim
}

// calendars has the attribute calendar of an array in the source and in the target. A nil
// value stands for a missing attribute. Values not below least are the same times in both
// calendars.
type calendars struct {
	own, target json.RawMessage
	least       float64
}
