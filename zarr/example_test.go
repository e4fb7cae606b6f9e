package zarr_test

import (
	"fmt"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// A document of an array becomes its metadata, and the key of a chunk.
func Example() {
	array, err := zarr.ParseArray([]byte(`{"zarr_format": 3, "node_type": "array", "shape": [365, 180], "data_type": "float32",
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [30, 90]}},
		"chunk_key_encoding": {"name": "default"}, "fill_value": "NaN", "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
		"dimension_names": ["time", "lat"]}`), dtype.Standard())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(array.Type.Name(), array.DimensionNames, array.Grid.Count(), array.Keys.Key([]int{12, 1}))
	// Output: float32 [time lat] [13 2] c/12/1
}
