package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// GroupV2 is the text of .zgroup, the document of a group of Zarr v2.
const GroupV2 = `{"zarr_format":2}`

// KeysV2 is the encoding of chunk keys that the documents of [Array.V2] declare: "1.0.2".
var KeysV2 = KeyEncoding{Name: "v2", Separator: "."}

// V2 returns the documents of a Zarr v2 array with the same chunks: .zarray, and .zattrs with
// the names of the dimensions in [DimensionsAttribute], if each dimension has a name. A Fill of
// nil is written as null. The same metadata give the same bytes. The error wraps
// errors.ErrUnsupported if Zarr v2 does not have the grid or a codec, and names the codec.
func (a *Array) V2(registry *codecs.Registry) (array, attributes []byte, err error) {
	if a.Grid.Runs != nil {
		return nil, nil, fmt.Errorf("a rectilinear chunk grid has no form in Zarr v2: %w", errors.ErrUnsupported)
	}
	v, err := standard.ToV2(registry, a.Type, a.Codecs)
	if err != nil {
		return nil, nil, err
	}
	d := struct {
		Chunks     []int             `json:"chunks"`
		Compressor json.RawMessage   `json:"compressor"`
		Type       json.RawMessage   `json:"dtype"`
		Fill       json.RawMessage   `json:"fill_value"`
		Filters    []json.RawMessage `json:"filters"`
		Order      string            `json:"order"`
		Shape      []int             `json:"shape"`
		Format     int               `json:"zarr_format"`
	}{
		Chunks: append([]int{}, a.Grid.Chunk...), Compressor: v.Compressor, Filters: v.Filters,
		Order: "C", Shape: append([]int{}, a.Grid.Shape...), Format: 2,
	}
	if d.Type, err = a.Type.V2(v.Order); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	if a.Fill != nil {
		d.Fill = a.Type.FormatScalar(dtype.V2, a.Fill)
	}
	if array, err = marshal(d); err != nil {
		return nil, nil, err
	}
	list := a.Attributes
	if a.DimensionNames != nil && !slices.Contains(a.DimensionNames, "") || len(a.Grid.Shape) == 0 {
		names, err := marshal(append([]string{}, a.DimensionNames...))
		if err != nil {
			return nil, nil, err
		}
		list = list.With(DimensionsAttribute, names)
	}
	attributes, err = marshal(list)
	return array, attributes, err
}
