package codecs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestErrorsTellTheElementOfTheChunk checks that errors name the element's index in the
// chunk, although codecs in front have moved the element.
func TestErrorsTellTheElementOfTheChunk(t *testing.T) {
	const cast = `{"name":"cast_value","configuration":{"data_type":"int8"}}`
	for chain, want := range map[string][]string{
		cast: {"element [1 0 2], 300: "},
		`{"name":"transpose","configuration":{"order":[2,0,1]}},` + cast: {
			"element [2 1 0], 300: ", " (element [1 0 2] of the chunk)",
		},
		`{"name":"reshape","configuration":{"shape":[6,4]}},` + cast: {
			"element [3 2], 300: ", " (element [1 0 2] of the chunk)",
		},
		`{"name":"transpose","configuration":{"order":[2,0,1]}},{"name":"scale_offset","configuration":{"offset":1}},{"name":"reshape","configuration":{"shape":[24]}},` + cast: {
			"element [15], 299: ", " (element [1 0 2] of the chunk)",
		},
		`{"name":"transpose","configuration":{"order":[1,0,2]}},{"name":"sharding_indexed","configuration":{"chunk_shape":[3,2,2],"codecs":[{"name":"transpose","configuration":{"order":[1,2,0]}},` + cast + `,"bytes"]}}`: {
			"inner chunk [0 0 1]: ", "element [1 0 0], 300: ", " (element [0 1 0] of the chunk)",
		},
	} {
		t.Run(chain, func(t *testing.T) {
			if !strings.Contains(chain, "sharding") {
				chain += `,"bytes"`
			}
			var specs []codecs.Spec
			if err := json.Unmarshal([]byte("["+chain+"]"), &specs); err != nil {
				t.Fatal(err)
			}
			src := ndarray.New(dtype.Int32, []int{2, 3, 4})
			values, _ := ndarray.As[int32](src)
			for i := range values {
				values[i] = 1
			}
			values[12+2] = 300
			bound, err := standard.Registry(dtype.Standard()).Bind(specs, codecs.Chunk{Type: dtype.Int32, Shape: src.Shape, Fill: dtype.Int32.Default()})
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = bound.Encode(&ndarray.Pool{}, src)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v: want %q", err, part)
				}
			}
		})
	}
}
